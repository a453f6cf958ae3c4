// SPDX-License-Identifier: Apache-2.0
#include "tests/support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <system_error>

#include "tests/support/temp_dir.hpp"

namespace tactus::test::process_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string kSubject = SUPPORT_SUBJECT;

TEST(Process, PassesArgumentsEnvironmentAndCurrentDirectory) {
  const TempDir dir;
  const Finished done =
      run({.argv = {kSubject, "echo", "a b", ""}, .env = {{"SUBJECT_VALUE", "42"}}, .cwd = dir.path()});
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.out, "arg a b\narg \ncwd " + std::filesystem::canonical(dir.path()).string() +
                          "\nenv 42\nstdin open\n");
  EXPECT_EQ(done.err, "to stderr\n");
}

TEST(Process, CanWithholdAVariable) {
  const Process parent({.argv = {kSubject, "exit", "0"}});
  const Finished done = run({.argv = {"env"}, .without_env = {"PATH"}});
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT("\n" + done.out, Not(HasSubstr("\nPATH=")));
}

TEST(Process, ClosesStdinWhenAsked) {
  EXPECT_THAT(run({.argv = {kSubject, "echo"}, .input = Input::closed}).out, HasSubstr("stdin closed"));
}

TEST(Process, GivesATerminal) {
  const Finished done = run({.argv = {kSubject, "echo"}, .terminal = true});
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("stdin terminal\r\n"));
  EXPECT_THAT(done.out, HasSubstr("to stderr\r\n"));
  EXPECT_EQ(done.err, "");
}

TEST(Process, TellsTheExitStatus) {
  EXPECT_EQ(run({.argv = {kSubject, "exit", "0"}}).status, 0);
  EXPECT_EQ(run({.argv = {kSubject, "exit", "3"}}).status, 3);
}

TEST(Process, LosesNoOutputOfAProcessThatEnds) {
  const Finished done = run({.argv = {"seq", "100000"}});
  EXPECT_EQ(done.out.size(), 588895U);
}

TEST(Process, SendsSignalsWhileItRuns) {
  Process process({.argv = {kSubject, "trap"}});
  ASSERT_TRUE(process.wait_for_output("ready")) << process.out();
  process.signal(SIGTERM);
  const Finished& done = process.wait();
  EXPECT_EQ(done.status, 7) << done;
  EXPECT_EQ(done.out, "ready\nasked to stop\n");
}

TEST(Process, CtrlCOnTheTerminalIsSigint) {
  Process process({.argv = {kSubject, "trap"}, .terminal = true});
  ASSERT_TRUE(process.wait_for_output("ready")) << process.out();
  process.type("\x03");
  const Finished& done = process.wait();
  EXPECT_EQ(done.status, 7) << done;
  EXPECT_THAT(done.out, HasSubstr("asked to stop"));
}

TEST(Process, SaysWhichSignalEndedIt) {
  Process process({.argv = {"sleep", "60"}});
  process.signal(SIGKILL);
  const Finished& done = process.wait();
  EXPECT_EQ(done.signal, SIGKILL);
  EXPECT_EQ(done.status, 137);
  EXPECT_FALSE(done.timed_out);
}

TEST(Process, KillsAtTheTimeLimit) {
  const Finished done = run({.argv = {"sleep", "60"}}, 50ms);
  EXPECT_TRUE(done.timed_out);
  EXPECT_EQ(done.signal, SIGKILL);
}

TEST(Process, WaitsForNoOrphan) {
  const Finished done = run({.argv = {kSubject, "orphan"}});
  EXPECT_FALSE(done.timed_out) << done;
  const pid_t orphan = std::stoi(done.out);
  EXPECT_EQ(::kill(orphan, SIGKILL), 0) << "it had ended: it was waited for";
}

TEST(Process, GivesUpWaitingForWordsThatNeverCome) {
  Process ended({.argv = {kSubject, "echo"}});
  EXPECT_FALSE(ended.wait_for_output("never said"));
  Process silent({.argv = {"sleep", "60"}});
  EXPECT_FALSE(silent.wait_for_output("never said", 50ms));
}

TEST(Process, NamesACommandThatCannotStart) {
  try {
    const Process process({.argv = {"/no/such/command"}});
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/command"));
  }
}

}  // namespace
}  // namespace tactus::test::process_test
