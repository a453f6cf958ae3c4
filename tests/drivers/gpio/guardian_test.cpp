// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/guardian.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "drivers/gpio/holder.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/gpio/terminal_line.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::gpio::guardian_test {
namespace {

using namespace std::chrono_literals;
using test::Command;
using test::Process;
using test::TerminalLine;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* kNever = "60000";  // ms: no test takes that long

bool eventually(const std::function<bool()>& what) {
  const auto until = std::chrono::steady_clock::now() + 120s;
  while (!what()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

std::string command_line(pid_t pid) {
  std::string text;
  try {
    text = test::read_file("/proc/" + std::to_string(pid) + "/cmdline");
  } catch (const std::exception&) {  // it is gone
  }
  for (char& c : text)
    if (c == '\0') c = ' ';
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The guardian of a stand-in is left to us when the stand-in dies.
class GuardianTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
  void TearDown() override {
    rig_.reset();
    if (guardian_ > 0) left_.insert(guardian_);
    for (const pid_t pid : left_) {
      if (::waitpid(pid, nullptr, WNOHANG) != 0) continue;  // it ended with its rig
      (void)::kill(pid, SIGKILL);
      (void)::waitpid(pid, nullptr, 0);
    }
    (void)::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  /// Starts a stand-in with two outputs and waits until it prints this.
  void start(const std::string& mode, const std::string& timeout_ms, const std::string& until) {
    one_.set(0);
    two_.set(0);
    rig_ = std::make_unique<Process>(Command{.argv = {STAND_IN, mode, timeout_ms, one_.path(), two_.path()}});
    ASSERT_TRUE(rig_->wait_for_output(until)) << rig_->out() << rig_->err();
    guardian_ = number_after("guardian ");
    ASSERT_GT(guardian_, 0) << rig_->out();
  }
  pid_t number_after(const std::string& word) const {
    const std::size_t at = rig_->out().find(word);
    return at == std::string::npos ? -1 : std::stoi(rig_->out().substr(at + word.size()));
  }
  void kill_rig() {
    left_.insert(guardian_);
    rig_->signal(SIGKILL);
    EXPECT_EQ(rig_->wait().signal, SIGKILL);
  }
  bool values_become(std::uint64_t one, std::uint64_t two) {
    return eventually([&] { return one_.value() == one && two_.value() == two; });
  }
  /// Its exit status, once it has ended and is left to us; -1 when it does not end.
  int end_of_guardian() {
    int status = 0;
    const bool ended = eventually([&] { return ::waitpid(guardian_, &status, WNOHANG) == guardian_; });
    if (ended) left_.erase(guardian_);
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  TerminalLine one_;
  TerminalLine two_;
  std::unique_ptr<Process> rig_;
  pid_t guardian_ = -1;
  std::set<pid_t> left_;
};

TEST_F(GuardianTest, DrivesBothOutputsSafeWhenTheRigIsKilled) {
  start("frames", kNever, "frames");
  ASSERT_TRUE(values_become(1000, 1001));
  kill_rig();
  EXPECT_TRUE(values_become(1, 2)) << one_.value() << " " << two_.value();
}

TEST_F(GuardianTest, DrivesSafeAsSoonAsTheFramesThreadIsDeadThoughTheProcessIsNot) {
  start("thread", kNever, "frames");
  ASSERT_TRUE(values_become(1000, 1001));
  rig_->signal(SIGTERM);
  EXPECT_TRUE(values_become(1, 2)) << one_.value() << " " << two_.value();
  EXPECT_EQ(::kill(rig_->pid(), 0), 0) << "with a thread that lives on";
  kill_rig();
}

TEST_F(GuardianTest, DrivesSafeAlsoWhenTheRigWasKilledBeforeItsFirstFrame) {
  start("idle", kNever, "guardian");
  kill_rig();
  EXPECT_TRUE(values_become(1, 2));
}

TEST_F(GuardianTest, HoldsTheLinesOfADeadRigUntilItIsToldToEnd) {
  start("frames", kNever, "frames");
  const std::string rig = std::to_string(rig_->pid());
  EXPECT_EQ(command_line(guardian_), "tactus-guardian stand-in " + rig + " [watching]");
  EXPECT_THAT(held_by("tactus stand-in " + rig),
              HasSubstr("is held by rig stand-in, process " + rig + "; to stop"));
  kill_rig();
  EXPECT_TRUE(eventually([&] {
    return command_line(guardian_) == "tactus-guardian stand-in " + rig + " [outputs safe]";
  })) << command_line(guardian_);
  EXPECT_EQ(held_by("tactus stand-in " + rig),
            "is held at its safe value by process " + std::to_string(guardian_) +
                ", the guardian of rig stand-in, process " + rig +
                ", which has ended; to release the line: kill " + std::to_string(guardian_));
  ASSERT_EQ(::kill(guardian_, SIGHUP), 0);
  ASSERT_EQ(::kill(guardian_, SIGPIPE), 0);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(::waitpid(guardian_, nullptr, WNOHANG), 0) << "neither a lost terminal nor a pipe ends it";
  ASSERT_EQ(::kill(guardian_, SIGTERM), 0);
  EXPECT_EQ(end_of_guardian(), 0);
}

TEST_F(GuardianTest, DrivesSafeWhenTheRigStandsStillAndTheRigHearsOfIt) {
  start("frames", "4000", "frames");
  rig_->signal(SIGSTOP);
  EXPECT_TRUE(values_become(1, 2));
  EXPECT_TRUE(
      eventually([&] { return command_line(guardian_).ends_with("[rig stands still, outputs safe]"); }));
  one_.set(1000);  // a write that the rig had begun before
  EXPECT_TRUE(values_become(1, 2)) << "is undone";
  rig_->signal(SIGCONT);
  EXPECT_EQ(rig_->wait().status, 5) << rig_->out();
  EXPECT_THAT(rig_->out(), HasSubstr("trouble: the guardian drove the outputs safe: no frame for 4.00 s"));
}

TEST_F(GuardianTest, LeavesTheOutputsOfACleanEndAlone) {
  start("frames", kNever, "frames");
  rig_->signal(SIGTERM);
  EXPECT_EQ(rig_->wait().status, 0) << rig_->out();
  EXPECT_THAT(rig_->out(), EndsWith("ended, no child\n"));
  EXPECT_EQ(command_line(guardian_), "") << "it does not outlive a rig that ended cleanly";
  EXPECT_EQ(one_.value(), 500U);
  EXPECT_EQ(two_.value(), 501U);
}

TEST_F(GuardianTest, IsNotArmedBeforeTheFirstFrame) {
  start("idle", "50", "guardian");
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(one_.value(), 0U);
  EXPECT_THAT(command_line(guardian_), EndsWith("[watching]"));
  rig_->signal(SIGTERM);
  EXPECT_EQ(rig_->wait().status, 0);
}

TEST_F(GuardianTest, GivesADisarmedRigAllTheTimeItWants) {
  start("disarm", "1000", "frames");
  std::this_thread::sleep_for(1500ms);
  EXPECT_THAT(command_line(guardian_), EndsWith("[watching]"));
  EXPECT_EQ(one_.value(), 1000U);
  kill_rig();
  EXPECT_TRUE(values_become(1, 2)) << "but its death counts";
}

TEST_F(GuardianTest, LeavesAnOutputAloneThatEndedBefore) {
  start("forget", kNever, "frames");
  ASSERT_TRUE(values_become(1000, 1001));
  kill_rig();
  EXPECT_TRUE(values_become(1000, 2));
}

TEST_F(GuardianTest, IsMissedWhenItIsKilled) {
  start("frames", "4000", "frames");  // how soon it is missed follows from the timeout
  ASSERT_EQ(::kill(guardian_, SIGKILL), 0);
  EXPECT_EQ(rig_->wait().status, 5) << rig_->out();
  EXPECT_THAT(rig_->out(), HasSubstr("trouble: the guardian of the outputs, process " +
                                     std::to_string(guardian_) + ", has ended or hangs"));
}

TEST_F(GuardianTest, IsMissedWhenItIsStopped) {
  start("frames", "4000", "frames");
  ASSERT_EQ(::kill(guardian_, SIGSTOP), 0);
  EXPECT_EQ(rig_->wait().status, 5) << rig_->out();
  EXPECT_THAT(rig_->out(), HasSubstr("has ended or hangs"));
}

TEST_F(GuardianTest, IsNotFooledByAForkedChildThatKeepsTheSocket) {
  start("fork", kNever, "frames");
  left_.insert(number_after("child "));
  kill_rig();
  EXPECT_TRUE(values_become(1, 2));
}

TEST_F(GuardianTest, DrivesSafeWhatARigWithoutItsDescriptorsCannot) {
  start("close", kNever, "frames");
  rig_->signal(SIGTERM);
  EXPECT_EQ(rig_->wait().status, 0) << "it does not wait for the guardian";
  EXPECT_TRUE(values_become(1, 2)) << one_.value() << " " << two_.value();
}

TEST_F(GuardianTest, SleepsWhileItHoldsTheLinesOfADeadRig) {
  start("frames", "300", "frames");
  kill_rig();
  ASSERT_TRUE(eventually([&] { return command_line(guardian_).ends_with("[outputs safe]"); }));
  std::this_thread::sleep_for(400ms);  // longer than frames may take
  EXPECT_TRUE(eventually([&] {
    const std::string stat = test::read_file("/proc/" + std::to_string(guardian_) + "/stat");
    return stat.substr(stat.rfind(')')).starts_with(") S");
  }));
}

TEST_F(GuardianTest, SleepsAlsoWhenTheThreadOfTheFramesDiesAfterTheRig) {
  start("elsewhere", kNever, "frames");
  const pid_t child = number_after("child ");
  ASSERT_GT(child, 0) << rig_->out();
  left_.insert(child);
  kill_rig();
  ASSERT_TRUE(eventually([&] { return command_line(guardian_).ends_with("[outputs safe]"); }));
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  left_.erase(child);
  const std::string threads = "/proc/" + std::to_string(guardian_) + "/task";
  const int own = test::kThreadSanitized ? 2 : 1;
  EXPECT_TRUE(eventually([&] {
    return std::distance(std::filesystem::directory_iterator(threads), {}) == own;
  })) << "what waits for its death has told of it, and ended";
  EXPECT_TRUE(eventually([&] {
    const std::string stat = test::read_file("/proc/" + std::to_string(guardian_) + "/stat");
    return stat.substr(stat.rfind(')')).starts_with(") S");
  }));
}

TEST_F(GuardianTest, SaysSafeOnlyOfLinesThatReadSo) {
  start("frames", kNever, "frames");
  kill_rig();
  ASSERT_TRUE(eventually([&] { return command_line(guardian_).ends_with("[outputs safe]"); }));
  one_.set(77);  // somebody else drives it
  EXPECT_TRUE(values_become(1, 2)) << "looked at again and again";
}

TEST_F(GuardianTest, EndsWithARigThatHasNoOutput) {
  start("nothing", kNever, "frames");
  kill_rig();
  EXPECT_EQ(end_of_guardian(), 0);
}

TEST_F(GuardianTest, IgnoresWhatTellsItToEndAsLongAsTheRigLives) {
  start("frames", kNever, "frames");
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGUSR1, SIGALRM})
    ASSERT_EQ(::kill(guardian_, number), 0);
  std::this_thread::sleep_for(50ms);
  kill_rig();
  EXPECT_TRUE(values_become(1, 2));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(::waitpid(guardian_, nullptr, WNOHANG), 0) << "what was ignored is not made up for";
}

TEST_F(GuardianTest, IsNotReachedByASignalToTheRigsGroup) {
  start("frames", kNever, "frames");
  EXPECT_EQ(::getsid(guardian_), guardian_);
  EXPECT_EQ(::getpgid(guardian_), guardian_);
  EXPECT_NE(::getsid(rig_->pid()), guardian_);
}

TEST_F(GuardianTest, InheritsTheSocketAndNothingElse) {
  const int another = ::open("/dev/zero", O_RDONLY);  // NOLINT: without O_CLOEXEC, as careless programs do
  start("frames", kNever, "frames");
  std::vector<std::string> open;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(guardian_) + "/fd")) {
    const std::string link = std::filesystem::read_symlink(entry.path()).string();
    open.push_back(link.substr(0, link.find(':')));
  }
  (void)::close(another);
  EXPECT_THAT(open,
              testing::UnorderedElementsAre("/dev/null", "/dev/null", "/dev/null", "socket", "anon_inode",
                                            "anon_inode", "anon_inode", one_.path(), two_.path()));
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(guardian_) + "/cwd"), "/");
}

/// As the rig starts it, but without a word after that.
TEST(GuardianProgram, EndsWhenTheRigDiesBeforeItSaysAWord) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
  posix_spawn_file_actions_t files;
  ASSERT_EQ(::posix_spawn_file_actions_init(&files), 0);
  ASSERT_EQ(::posix_spawn_file_actions_adddup2(&files, ends[1], kGuardianSocket), 0);
  std::string words[] = {"tactus-guardian", "early", std::to_string(::getpid()), std::string(40, '-')};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = -1;
  ASSERT_EQ(::posix_spawn(&child, GUARDIAN, &files, nullptr, arguments, environ), 0);
  (void)::posix_spawn_file_actions_destroy(&files);
  (void)::close(ends[1]);
  (void)::close(ends[0]);
  int status = -1;
  EXPECT_TRUE(eventually([&] { return ::waitpid(child, &status, WNOHANG) == child; }));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(GuardianProgram, IsNotForTheCommandLine) {
  const test::Finished done = test::run({.argv = {GUARDIAN}});
  EXPECT_EQ(done.status, 2);
  EXPECT_EQ(
      done.err,
      "tactus-guardian is started by 'tactus run' for a rig with outputs; there is nothing to do here\n");
}

TEST(GuardianStart, SaysWhatIsMissing) {
  try {
    Guardian guardian("/nowhere/tactus-guardian", {.rig = "r"});
    FAIL();
  } catch (const executive::DeviceError& error) {
    EXPECT_STREQ(
        error.what(),
        "the guardian of the outputs cannot be used: cannot start /nowhere/tactus-guardian: No such file or "
        "directory; 'safe_outputs: process' runs the rig without a guardian, but then a killed rig leaves "
        "its outputs as they are");
  }
}

TEST(GuardianStart, SaysWhenTheProgramIsNoGuardian) {
  try {
    Guardian guardian("/bin/true", {.rig = "r"});
    FAIL();
  } catch (const executive::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/bin/true does not answer: "));
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no zombie is left";
}

TEST(GuardianStart, SaysWhereTheProgramWasLookedFor) {
  EXPECT_EQ(guardian_program({"/nowhere", std::filesystem::path(GUARDIAN).parent_path()}), GUARDIAN);
  try {
    (void)guardian_program({"/nowhere", "/bin"});
    FAIL();
  } catch (const executive::DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "the guardian of the outputs cannot be used: there is no program /nowhere/tactus-guardian, "
                 "/bin/tactus-guardian; install tactus again, or set 'safe_outputs: process': then a killed "
                 "rig leaves its outputs as they are");
  }
}

TEST(GuardianStart, IsDoneOnceForAProcess) {
  const executive::OpenRequest request{.rig = "twice", .guardian_timeout = 60s};
  const std::shared_ptr<Guardian> first = Guardian::of_this_process(request);
  std::shared_ptr<Guardian> second = Guardian::of_this_process(request);
  EXPECT_EQ(first, second);
  const pid_t pid = first->pid();
  second.reset();
  EXPECT_NE(command_line(pid), "");
}

TEST(GuardianRt, TouchesNoHeapInAFrame) {
  Guardian guardian(GUARDIAN, {.rig = "heap", .guardian_timeout = 60s});
  const rtsync::HeapWatch heap;
  for (int frame = 0; frame < 1000; ++frame) {
    EXPECT_EQ(guardian.trouble(), nullptr);
    guardian.frame_ended();
  }
  guardian.disarm();
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::drivers::gpio::guardian_test
