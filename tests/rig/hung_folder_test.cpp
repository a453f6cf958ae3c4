// SPDX-License-Identifier: Apache-2.0
/// Rigs whose run folder does not answer any more: calls on it never return, as of a server that is gone.
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>

#include "rig_command.hpp"

namespace tactus::test::hung_folder_test {
namespace {

/// A rig one of whose calls on files with `part` in their path hangs as soon as the file "sign" exists.
Command with_held(const TempDir& dir, const std::string& part, const std::string& calls, Command command) {
  Arguments argv{TACTUS_HELD_CALLS, dir / "sign", part, calls, "--"};
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = argv;
  return command;
}

bool can_hold(const TempDir& dir) {
  Command command = with_held(dir, "/none", "write", {});
  command.argv.push_back("true");
  return run(command).status == 0;
}

Command servo(const TempDir& dir, const Arguments& more) {
  return run_rig("servo", Arguments{"--out", "out", "--no-realtime"} + more, dir.path());
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The summary that is on stderr, where the folder has none.
Json told_summary(const Finished& done) {
  const std::size_t at = done.err.find("{\"");
  return at == std::string::npos
             ? Json()
             : Json::parse(done.err.substr(at, done.err.find('\n', at) - at), nullptr, false);
}

void stop_twice(Process& rig) {
  rig.signal(SIGINT);
  EXPECT_TRUE(wait_until_heard(rig, SIGINT));
  rig.signal(SIGTERM);  // the same one again, at once, is not a second
}

TEST(HungFolder, ARecordingThatHangsHoldsNeitherTheFramesNorTheEnd) {
  const TempDir dir;
  if (!can_hold(dir)) GTEST_SKIP() << "the kernel has no filters of system calls with a supervisor";
  Process rig(with_held(dir, "motion.csv", "write", servo(dir, {"--set", "until=stopped"})));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  dir.write("sign", "");
  ASSERT_TRUE(rig.wait_for_output("from a call on the file of recording motion")) << rig.err();
  stop_twice(rig);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_TRUE(says(summary["reason"], "recording motion: ")) << summary["reason"];
  EXPECT_TRUE(says(summary["reason"], "a call on its file did not return")) << summary["reason"];
  EXPECT_FALSE(summary["recordings"][0]["ended"].get<bool>());
  EXPECT_GT(summary["recordings"][0]["lost"].get<std::int64_t>(), 0);
  EXPECT_GT(summary["frames"]["run"].get<std::int64_t>(), 0);
}

TEST(HungFolder, ASummaryThatHangsIsOnStderr) {
  const TempDir dir;
  if (!can_hold(dir)) GTEST_SKIP() << "the kernel has no filters of system calls with a supervisor";
  Process rig(
      with_held(dir, "summary.json", "write,rename,truncate,open", servo(dir, {"--set", "until=stopped"})));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  dir.write("sign", "");
  rig.signal(SIGINT);
  ASSERT_TRUE(rig.wait_for_output("the rig waits for a call that was made while summary.json was written"))
      << rig.err();
  rig.signal(SIGINT);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(done.err, "does not answer: a call on it did not return")) << done;
  const Json told = told_summary(done);
  EXPECT_EQ(told.value("outcome", ""), "stopped") << done;
  EXPECT_EQ(told.value("exit_status", 0), 1) << done;
}

TEST(HungFolderNightly, RoomForTheSummaryThatHangsHoldsNoFrames) {
  const TempDir dir;
  if (!can_hold(dir)) GTEST_SKIP() << "the kernel has no filters of system calls with a supervisor";
  dir.write("sign", "");
  Process rig(with_held(dir, "summary.json", "truncate", servo(dir, {"--set", "until=stopped"})));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  rig.signal(SIGINT);
  ASSERT_TRUE(
      rig.wait_for_output("the rig waits for a call that was made while room for summary.json was kept"))
      << rig.err();
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 1) << rig.err();
}

TEST(HungFolder, AFolderThatHangsAtTheStartIsSaidAndLeft) {
  const TempDir dir;
  if (!can_hold(dir)) GTEST_SKIP() << "the kernel has no filters of system calls with a supervisor";
  dir.write("sign", "");
  Process rig(with_held(dir, "out/log.txt", "open", servo(dir, {})));
  ASSERT_TRUE(rig.wait_for_output("waiting for a call that was made while the run folder ")) << rig.err();
  stop_twice(rig);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(
      says(done.err, "ended by a second signal; it waited for a call that was made while the run folder "))
      << done;
}

TEST(HungFolder, ALibraryThatIsNeverReadIsNamedAndLeft) {
  const TempDir dir;
  if (!can_hold(dir)) GTEST_SKIP() << "the kernel has no filters of system calls with a supervisor";
  dir.write("sign", "");
  Process rig(with_held(dir, "servo.so", "open", servo(dir, {})));
  ASSERT_TRUE(rig.wait_for_output("Ctrl-C ends the process")) << rig.err();
  rig.signal(SIGINT);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(done.err, "servo.so' was loaded; Ctrl-C ends the process")) << done;
  EXPECT_TRUE(says(done.err, "nothing was started")) << done;
}

TEST(HungFolder, TheWitnessOfARigThatIsKilledGivesUpToo) {
  const TempDir dir;
  if (!can_hold(dir)) GTEST_SKIP() << "the kernel has no filters of system calls with a supervisor";
  Process rig(with_held(dir, "out/", "write,rename,truncate,open", servo(dir, {"--set", "until=stopped"})));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  dir.write("sign", "");
  rig.signal(SIGKILL);
  ASSERT_TRUE(rig.wait_for_output("waiting for the run folder, which has not answered for 3 s")) << rig.err();
  ::kill(rig.started_pid(), SIGINT);
  const Finished done = rig.wait();
  EXPECT_EQ(done.signal, SIGKILL) << done;
  EXPECT_TRUE(says(done.err, "the run folder does not answer: nothing was written there")) << done;
  EXPECT_EQ(told_summary(done).value("outcome", ""), "killed") << done;
}

}  // namespace
}  // namespace tactus::test::hung_folder_test
