// SPDX-License-Identifier: Apache-2.0
/// Ours beside the genuine one, in every pairing; TACTUS_SILKIT_ROOT names its installation.
#include <gtest/gtest.h>
#include <signal.h>

#include <cctype>
#include <filesystem>
#include <sstream>

#include "tests/drivers/silkit/integration/stage.hpp"

namespace tactus::test::interop_test {
namespace {

constexpr const char* kWhy =
    "TACTUS_SILKIT_ROOT names no genuine SIL Kit (bin/sil-kit-registry, lib/libSilKit.so); nothing to "
    "compare with";

/// Bits: whose registry, first and second participant, workflow, and whether steps are asynchronous.
class Pairing : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!theirs()) GTEST_SKIP() << kWhy;
  }
  static Side side(int bit) { return (GetParam() >> bit & 1) != 0 ? *theirs() : ours(); }
};

TEST_P(Pairing, StepsTogetherHearsEachOtherAndStopsTogether) {
  Stage stage("silkit://127.0.0.1:0", side(0));
  const std::string async = side(4).name == "theirs" ? "async=yes" : "async=no";
  Process& workflow = stage.workflow({"A", "B"}, side(3));
  Process& a = stage.play("A", {"steps=200", "publish=a", "hear=b", async}, side(1));
  Process& b = stage.play("B", {"publish=b", "hear=a", async}, side(2));
  expect_lock_step(end_of(a), 200);
  expect_lock_step(end_of(b), 200);
  EXPECT_EQ(workflow.wait().status, 0) << workflow.out() << workflow.err();
}

std::string pairing_name(const ::testing::TestParamInfo<int>& info) {
  std::string name;
  int bit = 0;
  for (const char* part : {"registry", "A", "B", "workflow"})
    name += part + std::string((info.param >> bit++ & 1) != 0 ? "Theirs" : "Ours");
  return name + ((info.param >> 4 & 1) != 0 ? "Async" : "");
}
INSTANTIATE_TEST_SUITE_P(All, Pairing, ::testing::Range(0, 32), pairing_name);

class Interop : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!theirs()) GTEST_SKIP() << kWhy;
  }
  static Side one() { return GetParam() ? ours() : *theirs(); }
  static Side other() { return GetParam() ? *theirs() : ours(); }
};

TEST_P(Interop, AMonitorSeesTheOthersStates) {
  Stage stage("silkit://127.0.0.1:0", other());
  Process& monitor = stage.monitor({}, one());
  ASSERT_TRUE(monitor.wait_for_output(one().name == "ours" ? "\"system\"" : "Invalid"))
      << monitor.out() << monitor.err();
  Process& a = stage.play("A", {"steps=50", "workflow=A"}, other());
  (void)end_of(a);
  EXPECT_TRUE(monitor.wait_for_output("Shutdown")) << monitor.out();
  EXPECT_NE(monitor.out().find("Running"), std::string::npos) << monitor.out();
}

TEST_P(Interop, APauseHoldsTheOthersUntilItIsOver) {
  Stage stage("silkit://127.0.0.1:0", one());
  Process& a = stage.play("A", {"steps=200", "workflow=A,B", "pause_at=50", "publish=a", "hear=b"}, one());
  Process& b = stage.play("B", {"publish=b", "hear=a"}, other());
  ASSERT_TRUE(b.wait_for_output("system Paused")) << b.out();
  a.signal(SIGUSR2);
  expect_lock_step(end_of(a), 200);
  expect_lock_step(end_of(b), 200);
}

TEST_P(Interop, OneComesLateAndLeavesAgain) {
  Stage stage("silkit://127.0.0.1:0", other());
  Process& a = stage.play("A", {"workflow=A", "publish=a", "hear=c", "slow_us=200"}, other());
  ASSERT_TRUE(a.wait_for_output("first")) << a.out();
  Process& c = stage.play("C", {"mode=autonomous", "steps=50", "publish=c", "hear=a"}, one());
  const Json late = end_of(c);
  EXPECT_EQ(late["steps"], 50) << late;
  EXPECT_EQ(late["gaps"], 0) << late;
  ASSERT_TRUE(a.wait_for_output("disconnected C")) << a.out();
  a.signal(SIGTERM);
  const Json end = end_of(a);
  EXPECT_EQ(end["gaps"], 0) << end;
  EXPECT_EQ(end["heard"]["c"]["messages"], 50) << end;
}

TEST_P(Interop, ALostOneIsAnErrorForTheOther) {
  Stage stage("silkit://127.0.0.1:0", one());
  Process& a = stage.play("A", {"workflow=A,B"}, one());
  Process& b = stage.play("B", {"hang_at=20"}, other());
  ASSERT_TRUE(b.wait_for_output("hanging")) << b.out();
  b.signal(SIGKILL);
  ASSERT_TRUE(a.wait_for_output("system Error")) << a.out();
  a.signal(SIGTERM);
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
}

TEST_P(Interop, ANameIsGivenOnce) {
  Stage stage("silkit://127.0.0.1:0", one());
  Process& first = stage.play("A", {"mode=autonomous", "slow_us=1000"}, other());
  ASSERT_TRUE(first.wait_for_output("first")) << first.out();
  const Finished& second = stage.play("A", {"mode=autonomous"}, one()).wait();
  EXPECT_EQ(second.status, 1) << second;
  EXPECT_NE(second.err.find("code 11"), std::string::npos) << second;
  first.signal(SIGTERM);
  EXPECT_EQ(end_of(first)["state"], "Shutdown");
}

INSTANTIATE_TEST_SUITE_P(All, Interop, ::testing::Bool(), [](const auto& one) {
  return std::string(one.param ? "OursWithTheirs" : "TheirsWithOurs");
});

/// Without what a library prints of its own.
std::string lines_of_calls(const Finished& done) {
  std::string lines;
  std::stringstream stream(done.out);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && (std::isdigit(static_cast<unsigned char>(line[0])) != 0 || line.starts_with("    ")))
      lines += line + '\n';
  return lines;
}

TEST(Calls, HaveTheSameReturnCodesAndEventsWithBothLibraries) {
  if (!theirs()) GTEST_SKIP() << kWhy;
  Stage our_stage;
  Stage their_stage("silkit://127.0.0.1:0", *theirs());
  const Finished& our_end = our_stage.calls().wait();
  const Finished& their_end = their_stage.calls(*theirs()).wait();
  EXPECT_EQ(our_end.status, 0) << our_end;
  EXPECT_EQ(their_end.status, 0) << their_end;
  EXPECT_EQ(lines_of_calls(our_end), lines_of_calls(their_end));
}

/// Their demo programs, with our library in place of theirs.
class TheirPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!theirs()) GTEST_SKIP() << kWhy;
    for (const std::string& program : {publisher(), subscriber(), lin("Master"), lin("Slave")})
      if (!std::filesystem::exists(program)) GTEST_SKIP() << "the installation has no demo programs";
  }
  static std::string publisher() { return theirs()->root + "/bin/SilKitDemoPublisher"; }
  static std::string subscriber() { return theirs()->root + "/bin/SilKitDemoSubscriber"; }
  static std::string lin(const std::string& role) { return theirs()->root + "/bin/SilKitDemoLin" + role; }
  static Process& start(Stage& stage, const std::string& program, const Arguments& arguments) {
    const std::filesystem::path library = stage.dir() / "libSilKit.so";
    if (!std::filesystem::exists(library)) std::filesystem::create_symlink(ours().library, library);
    Command command{.argv = {program, "--registry-uri", stage.uri()},
                    .env = {{"LD_LIBRARY_PATH", stage.dir().path().string()}},
                    .cwd = stage.dir().path()};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    return stage.start(command);
  }
};

TEST_F(TheirPrograms, RunOnOurLibrary) {
  Stage stage;
  Process& hears = start(stage, subscriber(), {"--async", "--autonomous"});
  Process& speaks = start(stage, publisher(), {"--async", "--autonomous"});
  EXPECT_TRUE(speaks.wait_for_output("ublish")) << speaks.out() << speaks.err();
  EXPECT_TRUE(hears.wait_for_output("eceived")) << hears.out() << hears.err();
}

TEST_F(TheirPrograms, AskAndAnswerOverLin) {
  Stage stage;
  Process& slave = start(stage, lin("Slave"), {"--async", "--autonomous", "--sleep", "5"});
  Process& master = start(stage, lin("Master"), {"--async", "--autonomous", "--sleep", "5"});
  EXPECT_TRUE(master.wait_for_output("status=LIN_RX_OK")) << master.out() << master.err();
  EXPECT_TRUE(slave.wait_for_output("status=LIN_TX_OK")) << slave.out() << slave.err();
  EXPECT_TRUE(slave.wait_for_output("status=LIN_RX_OK")) << slave.out() << slave.err();
}

/// They destroy the participant while a thread waits for the end of its lifecycle.
TEST_F(TheirPrograms, CanBeStoppedBeforeTheControllerIsThere) {
  Stage stage;
  for (const Arguments& arguments : {Arguments{"--async"}, Arguments{}}) {
    Process& demo = start(stage, publisher(), arguments);
    ASSERT_TRUE(demo.wait_for_output("Waiting for the system controller")) << demo.out() << demo.err();
    demo.signal(SIGTERM);
    const Finished& end = demo.wait();
    EXPECT_EQ(end.status, 0) << end;
  }
}

}  // namespace
}  // namespace tactus::test::interop_test
