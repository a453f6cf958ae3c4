// SPDX-License-Identifier: Apache-2.0
/// Outputs are driven safe however a rig ends. The output is a file that the test reads (tests/rig/drivers);
/// real lines and the guardian are tested in drivers/gpio and in the guest.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <thread>

#include "drivers/tape.hpp"
#include "rig_command.hpp"

namespace tactus::test::safe_output_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr double kSafe = -42;
constexpr double kTorque = 7;

/// A rig whose output stands at kTorque while it runs, and what became of it.
struct Torque {
  static inline bool isolated = false;  ///< the model that drives runs in a process of its own
  TempDir dir;

  Command command(const Arguments& more = {}) const {
    dir.write("rig.yaml",
              "rig: torque\n"
              "frame: { period: 2 ms }\n"
              "realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }\n"
              "threads: { main: { policy: other }, stuck_after: 30 s }\n"
              "memory: { lock: no, heap: 0 B }\n"
              "models:\n"
              "  wrong: { model: misbehave, library: test_load }\n"
              "  load: { model: late, library: test_load }\n"
              "  hang: { model: hang, library: " +
                  std::string(TACTUS_HANG_LIBRARY) +
                  " }\n"
                  "  drive: { driver: tape, file: tape, safe: -42, parameters: { value: 7 }" +
                  (isolated ? ", isolated: yes" : "") + " }\n");
    Command command = tactus(Arguments{"run", "rig.yaml", "--out", "out"} + more, dir.path());
    command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
    return command;
  }
  /// The file is mapped by the rig under test, and may be in use.
  const Tape& tape() {
    if (tape_ == nullptr) {
      const int file = ::open((dir / "tape").c_str(), O_RDONLY | O_CLOEXEC);
      if (file < 0) throw std::runtime_error("there is no tape");
      tape_ = static_cast<const Tape*>(::mmap(nullptr, sizeof(Tape), PROT_READ, MAP_SHARED, file, 0));
      ::close(file);
    }
    return *tape_;
  }
  /// Waits until something is so.
  template <class Condition>
  ::testing::AssertionResult comes(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (std::chrono::steady_clock::now() < until) {
      if (condition()) return ::testing::AssertionSuccess();
      std::this_thread::sleep_for(1ms);
    }
    return ::testing::AssertionFailure() << "it never came";
  }
  /// Until the rig has driven its torque for some frames.
  ::testing::AssertionResult driving() {
    return comes([this] { return has_written() && tape().value == kTorque; });
  }
  /// The same, though it may have ended by now.
  ::testing::AssertionResult driven() {
    return comes([this] { return has_written(); });
  }

 private:
  bool has_written() {
    std::error_code error;
    if (fs::file_size(dir / "tape", error) < sizeof(Tape) || error) return false;
    return tape().writes > 3;
  }

  const Tape* tape_ = nullptr;
};

class SafeOutput : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { Torque::isolated = GetParam(); }
  void TearDown() override { Torque::isolated = false; }
};
// A sanitizer sees nothing more in two processes than in one.
using SafeOutputNightly = SafeOutput;
const auto kModels = ::testing::ValuesIn(kSanitized ? std::vector{false} : std::vector{false, true});
std::string model_name(const ::testing::TestParamInfo<bool>& one) {
  return one.param ? "AnIsolatedModel" : "AModel";
}
INSTANTIATE_TEST_SUITE_P(Of, SafeOutput, kModels, model_name);
INSTANTIATE_TEST_SUITE_P(Of, SafeOutputNightly, kModels, model_name);

TEST_P(SafeOutputNightly, StandsSafeAfterACompleteRun) {
  Torque rig;
  const Finished done = run(rig.command({"--frames", "20"}));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(rig.tape().value, kSafe);
  EXPECT_EQ(rig.tape().writes, 20);
  EXPECT_GE(rig.tape().turns, 20);
}

TEST_P(SafeOutputNightly, WithoutRealTimeItIsSaidThatItIsDrivenAllTheSame) {
  Torque rig;
  const Finished done = run(rig.command({"--frames", "20", "--no-realtime", "--drive-outputs"}));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_NE(done.err.find("outputs driven as fast as frames run"), std::string::npos) << done;
  EXPECT_EQ(rig.tape().value, kSafe);
}

TEST_P(SafeOutputNightly, StandsSafeAfterCtrlC) {
  Torque torque;
  Process rig(torque.command());
  ASSERT_TRUE(torque.driving());
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0);
  EXPECT_EQ(torque.tape().value, kSafe);
}

TEST_P(SafeOutputNightly, IsDrivenBeforeTheShutdownJobsRun) {
  Torque torque;
  Process rig(torque.command({"--set", "models.hang.parameters.where=shutdown", "--frames", "20"}));
  ASSERT_TRUE(torque.driven());
  EXPECT_TRUE(torque.comes([&] { return torque.tape().times_safe > 0; }));
  EXPECT_EQ(torque.tape().value, kSafe);  // while the shutdown job hangs
  rig.signal(SIGINT);
  EXPECT_TRUE(wait_until_heard(rig, SIGINT));
  rig.signal(SIGINT);
  rig.wait();
}

TEST_P(SafeOutputNightly, StandsSafeAfterAnOverrunThatTerminates) {
  Torque rig;
  const Finished done =
      run(rig.command({"--set", "realtime.max_overrun=20 ms", "--set", "models.load.parameters.busy=100 ms",
                       "--set", "models.load.parameters.every=10"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(summary_of(rig.dir / "out")["outcome"], "overrun");
  EXPECT_EQ(rig.tape().value, kSafe);
}

TEST_P(SafeOutput, StandsSafeAfterAJobThatFails) {
  Torque rig;
  const Finished done = run(rig.command(
      {"--set", "models.wrong.parameters.what=throw", "--set", "models.wrong.parameters.at_frame=9"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(rig.tape().value, kSafe);
  EXPECT_EQ(rig.tape().writes, 9);
}

TEST_P(SafeOutput, StandsSafeWhenAJobNeverReturns) {
  Torque torque;
  Process rig(torque.command(
      {"--set", "models.hang.parameters.where=frame", "--set", "models.hang.parameters.at_frame=20"}));
  ASSERT_TRUE(torque.comes([&] { return fs::exists(torque.dir / "hangs"); }));
  EXPECT_EQ(torque.tape().value, kTorque);
  rig.signal(SIGINT);
  EXPECT_TRUE(wait_until_heard(rig, SIGINT));
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 1);
  EXPECT_EQ(torque.tape().value, kSafe);
  EXPECT_EQ(summary_of(torque.dir / "out")["outcome"], "aborted");
}

TEST_P(SafeOutput, StandsSafeWhenTheClockIsLost) {
  Torque rig;
  const Finished done = run(rig.command({"--set", "clock={driver: sim, period: 2 ms, silent_after: 100}"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(summary_of(rig.dir / "out")["outcome"], "clock_lost");
  EXPECT_EQ(rig.tape().value, kSafe);
}

TEST_P(SafeOutputNightly, StandsSafeWhileALostClockHasFrozenTheRig) {
  Torque torque;
  Process rig(
      torque.command({"--set", "clock={driver: sim, period: 2 ms, silent_after: 200, on_missing: freeze}"}));
  ASSERT_TRUE(torque.driven());
  EXPECT_TRUE(torque.comes([&] { return torque.tape().times_safe > 0; }));
  EXPECT_EQ(torque.tape().value, kSafe);
  rig.signal(SIGUSR2);  // resumed: it drives again, until the clock is lost once more
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0);
  EXPECT_EQ(torque.tape().value, kSafe);
}

struct Crash {
  const char* what;
  int signal;
};
class EveryCrash : public ::testing::TestWithParam<Crash> {};
INSTANTIATE_TEST_SUITE_P(SafeOutput, EveryCrash,
                         ::testing::Values(Crash{"segv", SIGSEGV}, Crash{"fpe", SIGFPE}, Crash{"bus", SIGBUS},
                                           Crash{"abort", SIGABRT}),
                         [](const auto& one) { return std::string(one.param.what); });

TEST_P(EveryCrash, DrivesSafeAndNamesTheJob) {
  Torque rig;
  const Finished done =
      run(rig.command({"--set", std::string("models.wrong.parameters.what=") + GetParam().what, "--set",
                       "models.wrong.parameters.at_frame=9"}));
  if (!kSanitized) {
    EXPECT_EQ(done.signal, GetParam().signal) << done;  // it still dies of it: a core dump stays possible
  }
  EXPECT_NE(done.status, 0);
  EXPECT_NE(done.err.find("while job 'wrong.step' ran; the outputs were driven safe"), std::string::npos)
      << done;
  EXPECT_EQ(rig.tape().value, kSafe);
  EXPECT_EQ(rig.tape().times_safe, 1);
}

TEST_P(SafeOutput, StandsSafeAfterASignalThatNobodyHandles) {
  for (const int signal : {SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGRTMIN + 5, SIGRTMAX}) {
    SCOPED_TRACE(signal);
    Torque torque;
    Process rig(torque.command());
    ASSERT_TRUE(torque.driving());
    rig.signal(signal);
    const Finished& done = rig.wait();
    EXPECT_EQ(done.signal, signal) << done;
    EXPECT_NE(done.err.find(" came, sent by process " + std::to_string(::getpid()) +
                            ": nothing handles it, so it ends the process; the outputs were driven safe"),
              std::string::npos)
        << done;
    EXPECT_EQ(torque.tape().value, kSafe);
    EXPECT_EQ(torque.tape().times_safe, 1);
  }
}

TEST_P(SafeOutput, StandsSafeWhenAThreadOfAModelThrowsAndNamesTheThread) {
  Torque rig;
  const Finished done = run(rig.command({"--set", "models.wrong.model=throws_in_thread", "--set",
                                         "models.wrong.library=" TACTUS_HANG_LIBRARY}));
  EXPECT_NE(done.status, 0);
  EXPECT_NE(done.err.find("tactus: SIGABRT in thread "), std::string::npos) << done;
  EXPECT_NE(done.err.find(" ('reader'), which library " TACTUS_HANG_LIBRARY
                          " started and which runs none of the rig's jobs; the outputs were driven safe"),
            std::string::npos)
      << done;
  EXPECT_EQ(rig.tape().value, kSafe);
}

TEST_P(SafeOutputNightly, StandsSafeAfterAnEndThatNobodyAskedFor) {
  const struct {
    const char* what;
    const char* call;
  } rows[] = {{"exit", "exit()"}, {"_exit", "_exit()"}, {"quick_exit", "quick_exit()"}, {"exec", "execv()"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    Torque rig;
    const Finished done = run(rig.command({"--set", std::string("models.wrong.parameters.what=") + row.what,
                                           "--set", "models.wrong.parameters.at_frame=9"}));
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_NE(done.err.find(std::string(row.call) + " was called while job 'wrong.step' ran"),
              std::string::npos)
        << done;
    EXPECT_EQ(rig.tape().value, kSafe);
  }
}

TEST_P(SafeOutputNightly, AModelThatEndsTheProcessBeforeOrAfterItsJobsIsNoSuccess) {
  const struct {
    const char* model;
    const char* call;
  } rows[] = {{"exits_while_made", "exit()"}, {"exits_while_destroyed", "_Exit()"}};
  for (const auto& row : rows) {
    for (const char* const command : {"run", "check"}) {
      SCOPED_TRACE(std::string(command) + ' ' + row.model);
      const TempDir dir;
      dir.write("rig.yaml", std::string("rig: leaver\nframe: { period: 1 ms }\nuntil: 5 ms\n"
                                        "realtime: { enabled: no }\nmodels:\n  l: { model: ") +
                                row.model + ", library: " TACTUS_HANG_LIBRARY " }\n");
      Command leaves = tactus({command, "rig.yaml"}, dir.path());
      leaves.own_process = true;  // its model ends it
      const Finished done = run(leaves);
      EXPECT_EQ(done.status, 1) << done;
      EXPECT_NE(done.err.find(std::string("called ") + row.call), std::string::npos) << done;
    }
  }
}

TEST_P(SafeOutput, IsNotDrivenByACopyOfTheRigThatAModelForked) {
  Torque torque;
  Process rig(torque.command(
      {"--set", "models.hang.parameters.where=fork", "--set", "models.hang.parameters.at_frame=20"}));
  ASSERT_TRUE(torque.comes([&] { return torque.driving() && torque.tape().writes > 30; }));
  ASSERT_TRUE(rig.wait_for_output("a child that a model or a library made by fork() ended")) << rig.err();
  const auto writes = torque.tape().writes.load();
  EXPECT_TRUE(torque.comes([&] { return torque.tape().writes > writes + 10; })) << "the rig itself goes on";
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0) << rig.wait();
  EXPECT_EQ(torque.tape().value, kSafe);
}

/// Who watches over the process of an isolated model looks about once a second.
TEST_P(SafeOutput, AModelThatClosesAllFilesKeepsTheRigNeitherFromDrivingNorFromEnding) {
  if (kThreadSanitized) GTEST_SKIP() << "a number of a file that two threads have is a race to the sanitizer";
  Torque torque;
  Process rig(torque.command(
      {"--set", "models.hang.parameters.where=close", "--set", "models.hang.parameters.at_frame=20"}));
  ASSERT_TRUE(torque.comes([&] { return torque.driving() && torque.tape().writes > 25; })) << rig.err();
  std::this_thread::sleep_for(2s);
  const auto writes = torque.tape().writes.load();
  EXPECT_TRUE(torque.comes([&] { return torque.tape().writes > writes + 30; })) << rig.err();
  rig.signal(SIGINT);
  EXPECT_FALSE(rig.wait().timed_out) << rig.wait();
  EXPECT_EQ(torque.tape().value, kSafe) << rig.wait();
}

TEST_P(SafeOutputNightly, StandsSafeAfterASignalThatEndsIt) {
  Torque torque;
  Process rig(torque.command());
  ASSERT_TRUE(torque.driving());
  rig.signal(SIGXCPU);
  (void)rig.wait();
  EXPECT_EQ(torque.tape().value, kSafe);
}

TEST_P(SafeOutputNightly, AJobThatHangsAfterAStopDoesNotKeepTheOutputDriven) {
  // Nobody can see that the frame that sleeps has begun: a rig that was stopped before is started anew.
  for (int attempt = 0; attempt < 20; ++attempt) {
    Torque torque;
    Process rig(torque.command(
        {"--set", "models.wrong.parameters.what=sleep", "--set", "models.wrong.parameters.at_frame=20",
         "--set", "models.wrong.parameters.sleep_for=4 s", "--set", "threads.stuck_after=1000 s"}));
    ASSERT_TRUE(torque.driving());
    (void)torque.comes([&] { return torque.tape().writes >= 20; });
    std::this_thread::sleep_for(50ms * (attempt + 1));
    rig.signal(SIGINT);
    EXPECT_TRUE(torque.comes([&] { return torque.tape().times_safe > 0; }));
    if (torque.tape().writes != 20) continue;  // stopped before the frame that hangs
    EXPECT_EQ(torque.tape().value, kSafe);
    EXPECT_EQ(rig.wait().status, 0);  // it did return
    EXPECT_EQ(torque.tape().writes, 20) << "and wrote nothing more";
    EXPECT_EQ(torque.tape().value, kSafe);
    return;
  }
  FAIL() << "the rig never hung";
}

TEST_P(SafeOutputNightly, OneThatRefusesToBeDrivenSafeIsSaid) {
  Torque rig;
  const Finished done = run(rig.command({"--frames", "20", "--set", "models.drive.stuck=yes"}));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(rig.dir / "out");
  EXPECT_EQ(summary["outcome"], "failed");
  EXPECT_NE(summary["reason"].get<std::string>().find(
                "an output could not be driven to its safe value (model 'drive'): look at the bench"),
            std::string::npos)
      << done;
}

TEST(SafeOutput, ADriverThatDoesNotReturnKeepsNoOtherOutputFromItsSafeValue) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: deaf\n"
            "frame: { period: 5 ms }\n"
            "realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }\n"
            "threads: { main: { policy: other }, stuck_after: 60 s }\n"
            "memory: { lock: no, heap: 0 B }\n"
            "models:\n"
            "  first: { driver: tape, file: first, safe: -1, deaf: yes, parameters: { value: 7 } }\n"
            "  second: { driver: tape, file: second, safe: -2, parameters: { value: 7 } }\n");
  Command command = tactus({"run", "rig.yaml", "--out", "out", "--frames", "10"}, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  const Finished done = run(command);
  EXPECT_FALSE(done.timed_out) << done;
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_THAT(
      summary_of(dir / "out")["reason"].get<std::string>(),
      ::testing::HasSubstr("the driver of model 'first' did not return from drive_safe() within 1.00 s"));
  EXPECT_EQ(done.err.find("frame 10 overran"), std::string::npos) << done << "no frame ran any more";
  double second = 0;
  std::memcpy(&second, read_file(dir / "second").data() + offsetof(Tape, value), sizeof second);
  EXPECT_EQ(second, -2);
}

TEST(LastWrite, TheWitnessOfARigThatIsKilledWritesWhatWasLeftToIt) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const auto height = [&] {
    winsize size{};
    (void)::ioctl(terminal, TIOCGWINSZ, &size);
    return size.ws_row;
  };
  for (const int signal : {SIGKILL, SIGTERM}) {
    const winsize before{24, 80, 0, 0};
    ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &before), 0);
    Torque torque;
    Process rig(torque.command({"--set", std::string("models.drive.terminal=") + ::ptsname(terminal)}));
    ASSERT_TRUE(torque.driving());
    EXPECT_EQ(height(), 24);
    rig.signal(signal);
    (void)rig.wait();
    EXPECT_EQ(height(), 42) << signal;
  }
  (void)::close(terminal);
}

TEST_P(SafeOutputNightly, ARigWithOutputsAndNoHardwareWatchdogIsToldSoAtItsStartAndByCheck) {
  const std::string note = "no hardware watchdog (watchdog.device)";
  Torque rig;
  const Finished done = run(rig.command({"--frames", "5"}));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_NE(done.err.find(note), std::string::npos) << done;
  EXPECT_NE(read_file(rig.dir / "out/log.txt").find(note), std::string::npos);
  Command check = rig.command();
  check.argv = {check.argv[0], "check", "rig.yaml"};
  check.child = false;
  const Finished checked = run(check);
  EXPECT_EQ(checked.status, 0) << checked;
  EXPECT_NE(checked.out.find("note: " + note), std::string::npos) << checked;
  check.argv.insert(check.argv.end(), {"--set", "watchdog.device=auto"});
  EXPECT_EQ(run(check).out.find(note), std::string::npos);
  const Finished servo = run(tactus({"check", example("servo")}, rig.dir.path()));
  EXPECT_EQ(servo.out.find(note), std::string::npos) << "it has no outputs: " << servo;
}

TEST_P(SafeOutputNightly, IsRefusedWithLibraryBesideDriver) {
  Torque rig;
  const Finished done = run(rig.command({"--set", "models.drive.library=servo"}));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("has no place beside 'driver'"), std::string::npos) << done;
}

TEST_P(SafeOutputNightly, NeedsAGuardianThatWaitsForALateEdgeToo) {
  Torque rig;
  const Arguments clocked{"--set", "clock={driver: sim, period: 2 ms}", "--set", "realtime.freeze_frame=2 ms",
                          "--set"};
  Finished done = run(rig.command(clocked + Arguments{"guardian_timeout=24 ms", "--frames", "5"}));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("an edge is awaited for up to 10.0 ms; more than 24.0 ms is needed"),
            std::string::npos)
      << done;
  done = run(rig.command(clocked + Arguments{"guardian_timeout=25 ms", "--frames", "5"}));
  EXPECT_EQ(done.status, 0) << done;
}

TEST_P(SafeOutputNightly, NeedsAGuardianThatIsMorePatientThanTheFrame) {
  Torque rig;
  const Finished done = run(rig.command({"--set", "guardian_timeout=4 ms"}));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("guardian_timeout"), std::string::npos) << done;
}

}  // namespace
}  // namespace tactus::test::safe_output_test
