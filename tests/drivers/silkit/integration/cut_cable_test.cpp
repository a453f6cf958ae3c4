// SPDX-License-Identifier: Apache-2.0
/// A host whose cable is pulled: nothing that it sends comes, and nothing says that it is gone.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "tests/drivers/silkit/integration/hosts.hpp"

namespace tactus::test::cut_cable_test {
namespace {

const std::string kNotices = R"("Tactus": {"HostTimeoutSeconds": 2})";
const std::string kLogs = R"(, "Logging": {"Sinks": [{"Type": "File", "Level": "Info", "LogName": "log"}]})";

/// The registry is in Middle.
class CutCable : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      hosts_.emplace();
      hosts_->connect();
    } catch (const NotPermitted& failure) {
      GTEST_SKIP() << "no network namespaces here: " << failure.what();
    }
  }
  void TearDown() override {
    stage_.reset();  // its processes are in the namespaces
    hosts_.reset();
  }

  void open_registry(const std::string& settings) {
    Side side = Hosts::on(hosts_->middle, ours());
    side.registry.insert(side.registry.end(),
                         {"-c", folder_.write("registry.yaml", "{" + settings + kLogs + "}").string()});
    stage_.emplace("silkit://10.77.0.1:0", side);
  }
  bool registry_logs(const std::string& text) const {
    for (int tries = 0; tries < 1'200 && !stage_->logs("SilKitRegistry", {text}); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return stage_->logs("SilKitRegistry", {text});
  }
  Process& play(const std::string& name, const std::string& host, const std::string& settings,
                Arguments arguments) {
    // A wire that was just plugged in carries nothing for a moment.
    arguments.push_back(
        R"(config={"Middleware": {"EnableDomainSockets": false, "ConnectAttempts": 30, )"
        R"("AcceptorUris": ["tcp://0.0.0.0:0"]})" +
        (settings.empty() ? "" : ", " + settings) + "}");
    return stage_->play(name, arguments, Hosts::on(host, ours()));
  }

  TempDir folder_;
  std::optional<Hosts> hosts_;
  std::optional<Stage> stage_;
};

TEST_F(CutCable, IsNoticedInASimulationAndTheRigBehindItComesBack) {
  open_registry(kNotices);
  Process& left = play("Left", hosts_->left, "", {"publish=l", "hear=r"});
  ASSERT_TRUE(left.wait_for_output("joined")) << left.err();
  Process& right = play("Right", hosts_->right, kNotices, {"publish=r", "hear=l", "workflow=Left,Right"});
  ASSERT_TRUE(right.wait_for_output("heard l")) << right.out() << right.err();
  hosts_->set_wire(hosts_->left, false);
  EXPECT_TRUE(right.wait_for_output("disconnected Left")) << right.out() << right.err();
  EXPECT_TRUE(right.wait_for_output("system Error")) << right.out();
  right.signal(SIGTERM);
  EXPECT_EQ(end_of(right)["state"], "Shutdown");
  EXPECT_TRUE(registry_logs("'Left' is disconnected"));

  hosts_->set_wire(hosts_->left, true);  // the one that was lost is there still, and of no account
  Process& again = play("Left", hosts_->left, kNotices, {"steps=20", "publish=l", "hear=r"});
  ASSERT_TRUE(again.wait_for_output("joined")) << again.err();
  Process& other = play("Right", hosts_->right, kNotices, {"publish=r", "hear=l", "workflow=Left,Right"});
  for (Process* each : {&again, &other}) expect_lock_step(end_of(*each), 20);
}

TEST_F(CutCable, IsNoticedWhereNothingIsSaidAndOnlyByThoseThatAreToNotice) {
  open_registry(R"("Tactus": {"HostTimeoutSeconds": 0})");
  Process& left = play("Left", hosts_->left, "", {"mode=none"});
  ASSERT_TRUE(left.wait_for_output("joined")) << left.err();
  Process& patient = play("Middle", hosts_->middle, "", {"mode=none"});
  ASSERT_TRUE(patient.wait_for_output("connected Left")) << patient.err();
  Process& right = play("Right", hosts_->right, kNotices, {"mode=none"});
  ASSERT_TRUE(right.wait_for_output("connected Left")) << right.err();
  hosts_->set_wire(hosts_->left, false);
  EXPECT_TRUE(right.wait_for_output("disconnected Left")) << right.out() << right.err();
  EXPECT_EQ(patient.out().find("disconnected"), std::string::npos) << patient.out();

  // Without the option the registry still knows the one that is gone, and its name is taken.
  hosts_->set_wire(hosts_->left, true);
  Process& again = play("Left", hosts_->left, "", {"mode=none"});
  EXPECT_EQ(again.wait().status, 1);
  EXPECT_NE(again.err().find("is there already"), std::string::npos) << again.err();
  EXPECT_EQ(patient.out().find("disconnected"), std::string::npos) << patient.out();
}

}  // namespace
}  // namespace tactus::test::cut_cable_test
