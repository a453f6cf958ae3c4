// SPDX-License-Identifier: Apache-2.0
/// A simulation over three hosts. Domain sockets know no borders of hosts, and are switched off.
#include "tests/drivers/silkit/integration/hosts.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <string>

namespace tactus::test::hosts_test {
namespace {

/// Bits: whose registry, Left and Right.
class ThreeHosts : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() != 0 && !theirs())
      GTEST_SKIP() << "TACTUS_SILKIT_ROOT names no genuine SIL Kit; nothing to pair with";
    try {
      hosts_.emplace();
    } catch (const NotPermitted& failure) {
      GTEST_SKIP() << "no network namespaces here: " << failure.what();
    }
    stage_.emplace("silkit://10.77.0.1:0", Hosts::on(hosts_->middle, side(0)));
  }
  void TearDown() override {
    stage_.reset();  // its processes are in the namespaces
    hosts_.reset();
  }
  static Side side(int bit) { return (GetParam() >> bit & 1) != 0 ? *theirs() : ours(); }

  Process& play(const std::string& name, const std::string& host, const std::string& middleware,
                Arguments arguments, const Side& whose) {
    arguments.push_back(
        R"(config={"Middleware": {"EnableDomainSockets": false)" +
        (middleware.empty() ? "" : ", " + middleware) +
        R"(}, "Logging": {"Sinks": [{"Type": "File", "Level": "Debug", "LogName": "log"}]}})");
    return stage_->play(name, arguments, Hosts::on(host, whose));
  }
  bool relayed(const std::string& name) const { return stage_->is_relayed(name); }
  bool asked(const std::string& name) const { return stage_->has_asked(name); }

  /// Left, Right and one beside the registry, from the start of a coordinated simulation to its end.
  void expect_simulation(const std::string& left, const std::string& right) {
    Process& a = play("Left", hosts_->left, left, {"steps=200", "publish=l", "hear=m,r"}, side(1));
    ASSERT_TRUE(a.wait_for_output("joined")) << a.out() << a.err();
    Process& b = play("Right", hosts_->right, right, {"publish=r", "hear=l,m"}, side(2));
    ASSERT_TRUE(b.wait_for_output("joined")) << b.out() << b.err();
    Process& m = play("Middle", hosts_->middle, kAnywhere, {"publish=m", "hear=l,r"}, ours());
    ASSERT_TRUE(m.wait_for_output("joined")) << m.out() << m.err();
    const std::string everywhere =
        stage_->dir().write("workflow.yaml", std::string("{\"Middleware\": {") + kAnywhere + "}}").string();
    Process& workflow =
        stage_->workflow({"-c", everywhere, "Left", "Middle", "Right"}, Hosts::on(hosts_->middle, ours()));
    for (Process* each : {&a, &b, &m}) expect_lock_step(end_of(*each), 200);
    EXPECT_EQ(workflow.wait().status, 0) << workflow.out() << workflow.err();
  }

  static constexpr const char* kAnywhere = R"("AcceptorUris": ["tcp://0.0.0.0:0"])";
  std::optional<Hosts> hosts_;
  std::optional<Stage> stage_;
};

TEST_P(ThreeHosts, ConnectToEachOtherWhereThatIsPossible) {
  hosts_->connect();
  expect_simulation(kAnywhere, kAnywhere);
  for (const char* name : {"Left", "Right", "Middle"}) EXPECT_FALSE(relayed(name) || asked(name)) << name;
}

TEST_P(ThreeHosts, WhoHasAnAddressOfItsOwnConnectsToTheOthers) {
  hosts_->connect();
  expect_simulation(R"("AcceptorUris": ["tcp://10.77.9.1:0"])", kAnywhere);
  EXPECT_TRUE(asked("Right"));
  for (const char* name : {"Left", "Right", "Middle"}) EXPECT_FALSE(relayed(name)) << name;
}

/// The registry is outside, and sees the router.
TEST_P(ThreeHosts, WhoIsBehindARouterThatTranslatesConnectsToTheOthers) {
  try {
    hosts_->translate();
  } catch (const NotPermitted& failure) {
    GTEST_SKIP() << "no address translation here: " << failure.what();
  }
  stage_.emplace("silkit://10.77.2.2:0", Hosts::on(hosts_->right, side(0)));
  for (const bool first : {true, false}) {
    const Arguments inside{"publish=l", "hear=r", "steps=200", "workflow=Left,Right"};
    const Arguments outside{"publish=r", "hear=l"};
    Process* const early = &(first ? play("Left", hosts_->left, kAnywhere, inside, side(1))
                                   : play("Right", hosts_->right, kAnywhere, outside, side(2)));
    ASSERT_TRUE(early->wait_for_output("joined")) << early->out() << early->err();
    Process* const late = &(first ? play("Right", hosts_->right, kAnywhere, outside, side(2))
                                  : play("Left", hosts_->left, kAnywhere, inside, side(1)));
    for (Process* each : {early, late}) expect_lock_step(end_of(*each), 200);
    EXPECT_TRUE(asked("Right")) << "in the first turn: then it is the newcomer";
    EXPECT_FALSE(relayed("Left") || relayed("Right"));
  }
}

TEST_P(ThreeHosts, AreRelayedWithoutARouteToEachOther) {
  expect_simulation(kAnywhere, kAnywhere);
  EXPECT_TRUE(relayed("Left") && relayed("Right"));
  EXPECT_FALSE(relayed("Middle")) << "it reaches both";
}

TEST_P(ThreeHosts, AreRelayedWhenNothingAnswersInTime) {
  hosts_->lose();
  const std::string impatient = std::string(kAnywhere) + R"(, "ConnectTimeoutSeconds": 3.0)";
  expect_simulation(impatient, impatient);
  EXPECT_TRUE(relayed("Left") && relayed("Right"));
}

TEST_P(ThreeHosts, AreRelayedWhenTheyAcceptOnLoopbackAlone) {
  const auto loopback = [](const Side& whose) {
    return whose.name == "ours" ? "" : R"("AcceptorUris": ["tcp://127.0.0.1:0"])";
  };
  hosts_->connect();
  expect_simulation(loopback(side(1)), loopback(side(2)));
  EXPECT_TRUE(relayed("Left") && relayed("Right"));
}

TEST_P(ThreeHosts, HaveManyParticipantsEach) {
  std::string names;
  for (int i = 0; i < 8; ++i) names += (i == 0 ? "P" : ",P") + std::to_string(i);
  std::vector<Process*> all;
  for (int i = 0; i < 8; ++i) {
    Arguments arguments{"say=no", "publish=t" + std::to_string(i), "hear=t" + std::to_string((i + 1) % 8)};
    if (i == 0) arguments.insert(arguments.end(), {"steps=50", "workflow=" + names});
    all.push_back(&play("P" + std::to_string(i), i % 2 == 0 ? hosts_->left : hosts_->right, kAnywhere,
                        arguments, side(1 + i % 2)));
  }
  for (Process* each : all) expect_lock_step(end_of(*each), 50);
}

TEST_P(ThreeHosts, SeeThatOneIsLost) {
  Process& a = play("Left", hosts_->left, kAnywhere, {"workflow=Left,Right"}, side(1));
  ASSERT_TRUE(a.wait_for_output("joined")) << a.out() << a.err();
  Process& b = play("Right", hosts_->right, kAnywhere, {"hang_at=20"}, side(2));
  ASSERT_TRUE(b.wait_for_output("hanging")) << b.out() << b.err();
  b.signal(SIGKILL);
  ASSERT_TRUE(a.wait_for_output("system Error")) << a.out();
  a.signal(SIGTERM);
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
  EXPECT_TRUE(relayed("Left"));
}

std::string hosts_name(const ::testing::TestParamInfo<int>& info) {
  std::string name;
  int bit = 0;
  for (const char* part : {"registry", "Left", "Right"})
    name += part + std::string((info.param >> bit++ & 1) != 0 ? "Theirs" : "Ours");
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, ThreeHosts, ::testing::Range(0, 8), hosts_name);

}  // namespace
}  // namespace tactus::test::hosts_test
