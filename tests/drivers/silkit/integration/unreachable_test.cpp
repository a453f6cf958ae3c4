// SPDX-License-Identifier: Apache-2.0
/// Participants that cannot connect to each other: one accepts on a domain socket alone, the other uses none. By
/// ours and by the genuine ones, if TACTUS_SILKIT_ROOT names an installation.
#include <gtest/gtest.h>
#include <signal.h>

#include <optional>

#include "tests/drivers/silkit/integration/stage.hpp"

namespace tactus::test::unreachable_test {
namespace {

/// Bits: whose registry, first and second participant.
class Unreachable : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() != 0 && !theirs())
      GTEST_SKIP() << "TACTUS_SILKIT_ROOT names no genuine SIL Kit; nothing to pair with";
  }
  static Side side(int bit) { return (GetParam() >> bit & 1) != 0 ? *theirs() : ours(); }

  /// `relayed`: nobody is asked to connect itself.
  Process& hidden(const std::string& name, bool relayed, Arguments arguments, const Side& whose) {
    return play(name, R"("AcceptorUris": ["local://)" + (stage_->dir() / (name + ".sock")).string() + "\"]",
                relayed, std::move(arguments), whose);
  }
  Process& open(const std::string& name, bool relayed, Arguments arguments, const Side& whose) {
    return play(name, R"("EnableDomainSockets": false)", relayed, std::move(arguments), whose);
  }
  Process& play(const std::string& name, const std::string& middleware, bool relayed, Arguments arguments,
                const Side& whose) {
    arguments.push_back(
        R"(config={"Middleware": {)" + middleware +
        (relayed ? R"(, "ExperimentalRemoteParticipantConnection": false)" : "") +
        R"(}, "Logging": {"Sinks": [{"Type": "File", "Level": "Debug", "LogName": "log"}]}})");
    return stage_->play(name, arguments, whose);
  }
  bool relayed(const std::string& name) const { return stage_->is_relayed(name); }
  bool asked(const std::string& name) const { return stage_->has_asked(name); }
  void open_stage() { stage_.emplace("silkit://127.0.0.1:0", side(0)); }

  std::optional<Stage> stage_;
};

TEST_P(Unreachable, TheyStepTogetherAndLoseNothingOverTheRegistry) {
  open_stage();
  Process& a = hidden("A", true, {"steps=300", "publish=a", "hear=b", "workflow=A,B"}, side(1));
  ASSERT_TRUE(a.wait_for_output("joined")) << a.out() << a.err();
  Process& b = open("B", true, {"publish=b", "hear=a"}, side(2));
  expect_lock_step(end_of(a), 300);
  expect_lock_step(end_of(b), 300);
  EXPECT_TRUE(relayed("A") && relayed("B"));
  EXPECT_FALSE(asked("B"));
}

TEST_P(Unreachable, WhoComesFirstMakesNoDifference) {
  open_stage();
  Process& b = open("B", true, {"publish=b", "hear=a"}, side(2));
  ASSERT_TRUE(b.wait_for_output("joined")) << b.out() << b.err();
  Process& a = hidden("A", true, {"steps=100", "publish=a", "hear=b", "workflow=A,B"}, side(1));
  expect_lock_step(end_of(a), 100);
  expect_lock_step(end_of(b), 100);
  EXPECT_FALSE(relayed("A") || relayed("B")) << "who is hidden can connect";
}

TEST_P(Unreachable, WhoIsHiddenIsAskedToConnect) {
  open_stage();
  Process& a = hidden("A", false, {"steps=100", "publish=a", "hear=b", "workflow=A,B"}, side(1));
  ASSERT_TRUE(a.wait_for_output("joined")) << a.out() << a.err();
  Process& b = open("B", false, {"publish=b", "hear=a"}, side(2));
  expect_lock_step(end_of(a), 100);
  expect_lock_step(end_of(b), 100);
  EXPECT_TRUE(asked("B"));
  EXPECT_FALSE(relayed("A") || relayed("B"));
}

TEST_P(Unreachable, ALostOneIsAnErrorForTheOther) {
  open_stage();
  Process& a = hidden("A", true, {"workflow=A,B"}, side(1));
  ASSERT_TRUE(a.wait_for_output("joined")) << a.out() << a.err();
  Process& b = open("B", true, {"hang_at=20"}, side(2));
  ASSERT_TRUE(b.wait_for_output("hanging")) << b.out() << b.err();
  b.signal(SIGKILL);
  ASSERT_TRUE(a.wait_for_output("system Error")) << a.out();
  a.signal(SIGTERM);
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
  EXPECT_TRUE(relayed("A"));
}

TEST_P(Unreachable, ALostRelayIsAnErrorForBoth) {
  open_stage();
  Process& a = hidden("A", true, {"workflow=A,B"}, side(1));
  ASSERT_TRUE(a.wait_for_output("joined")) << a.out() << a.err();
  Process& b = open("B", true, {}, side(2));
  ASSERT_TRUE(b.wait_for_output("first")) << b.out() << b.err();
  stage_->registry().signal(SIGKILL);
  for (Process* each : {&a, &b}) {
    ASSERT_TRUE(each->wait_for_output("system Error")) << each->out() << each->err();
    each->signal(SIGTERM);
    EXPECT_EQ(end_of(*each)["state"], "Shutdown");
  }
}

TEST_P(Unreachable, OneComesLateAndLeavesAgain) {
  open_stage();
  Process& a = hidden("A", true, {"workflow=A", "publish=a", "hear=c", "slow_us=200"}, side(1));
  ASSERT_TRUE(a.wait_for_output("first")) << a.out() << a.err();
  for (int turn = 0; turn < 2; ++turn) {
    Process& c = open("C", true, {"mode=autonomous", "steps=50", "publish=c", "hear=a"}, side(2));
    const Json late = end_of(c);
    EXPECT_EQ(late["steps"], 50) << late;
    EXPECT_EQ(late["gaps"], 0) << late;
    EXPECT_TRUE(relayed("C"));
    ASSERT_TRUE(says(a, "disconnected C", turn + 1)) << a.out();
  }
  a.signal(SIGTERM);
  const Json end = end_of(a);
  EXPECT_EQ(end["gaps"], 0) << end;
  EXPECT_EQ(end["heard"]["c"]["messages"], 100) << end;
}

std::string pairing_name(const ::testing::TestParamInfo<int>& info) {
  std::string name;
  int bit = 0;
  for (const char* part : {"registry", "A", "B"})
    name += part + std::string((info.param >> bit++ & 1) != 0 ? "Theirs" : "Ours");
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Unreachable, ::testing::Range(0, 8), pairing_name);

}  // namespace
}  // namespace tactus::test::unreachable_test
