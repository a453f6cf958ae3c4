// SPDX-License-Identifier: Apache-2.0
/// What a rig leaves that cannot say itself how it ended: its witness does. And what passes through the witness:
/// signals, messages to systemd, the exit status.
#include <signal.h>
#include <sys/syscall.h>

#include <fstream>
#include <functional>
#include <random>
#include <thread>
#include <utility>

#include "rig_command.hpp"

namespace tactus::test::witness_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool says(const Json& json, const std::string& text) {
  return json.get<std::string>().find(text) != std::string::npos;
}
bool says(const Finished& done, const std::string& text) { return done.err.find(text) != std::string::npos; }

bool stands(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stat, text);
  return text.find(") T ") != std::string::npos;
}

/// A rig of one model of a library.
Command one_model(const TempDir& dir, const std::string& model, const std::string& library,
                  const Arguments& more = {}) {
  dir.write(
      "rig.yaml",
      "rig: one\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nthreads: { main: { policy: other } }\n"
      "memory: { lock: no, heap: 0 B }\nmodels: { it: { model: " +
          model + ", library: '" + library + "' } }\n");
  return tactus(Arguments{"run", "rig.yaml", "--frames", "40", "--out", "out"} + more, dir.path());
}

/// A servo that runs until it is stopped.
Command endless(const TempDir& dir, const std::string& out) {
  return run_rig("servo", {"--set", "until=stopped", "--out", out}, dir.path());
}

/// The same where a filter forbids a system call.
Command without(long call, Command command) {
  command.argv.insert(command.argv.begin(), {TACTUS_DENIED_CALL, std::to_string(call)});
  return command;
}
Command without_prctl(Command command) { return without(SYS_prctl, std::move(command)); }

TEST(Witness, WhereItIsForbiddenTheRigRunsAloneAndNamesTheCall) {
  const TempDir dir;
  for (const auto& [call, name] :
       {std::pair{SYS_memfd_create, "memfd_create"}, std::pair{SYS_signalfd4, "signalfd4"}}) {
    Command command = one_model(dir, "hostile, parameters: { deed: none }", TACTUS_HOSTILE_LIBRARY);
    command.argv.back() = name;  // the run folder
    const Finished done = run(without(call, command));
    if (done.status == 77) GTEST_SKIP() << "no filter of system calls is allowed here";
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_TRUE(says(done, "without a witness: " + std::string(name) + ": Operation not permitted")) << done;
    EXPECT_TRUE(says(done, "SystemCallFilter=" + std::string(name))) << done;
    EXPECT_FALSE(says(done, "ulimit")) << done;
  }
}

TEST(Witness, ARigRunsWherePrctlIsForbiddenAndSaysWhatThatCosts) {
  const TempDir dir;
  const Finished done = run(without_prctl(
      one_model(dir, "hostile, isolated: yes, parameters: { deed: none }", TACTUS_HOSTILE_LIBRARY)));
  if (done.status == 77) GTEST_SKIP() << "no filter of system calls is allowed here";
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_TRUE(says(done, "the rig notices the end of its witness 250 ms later")) << done;
  EXPECT_TRUE(says(done, "SystemCallFilter=prctl")) << done;
  EXPECT_FALSE(says(done, "the name '")) << done << "a file of /proc gives it";
  EXPECT_FALSE(says(done, "timer slack")) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "completed");
}

TEST(Witness, ARigSeesItsWitnessEndWherePrctlIsForbidden) {
  const TempDir dir;
  Process rig(without_prctl(endless(dir, "out")));
  if (!rig.wait_for_output("frames until stopped")) GTEST_SKIP() << rig.err();
  const pid_t child = rig.pid();
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), name);
  EXPECT_EQ(name, "tactus@servo");
  ASSERT_EQ(::kill(rig.started_pid(), SIGKILL), 0);
  EXPECT_TRUE(wait_for_text(dir / "out/summary.json", "its witness, the process above it, was killed"));
}

TEST(Witness, ARigKilledAtAnyMomentLeavesASummaryThatSaysSo) {
  const TempDir dir;
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int i = 0; i < trials(21); ++i) {
    const auto after = std::chrono::microseconds(random() % 200'000);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", rig " + std::to_string(i) + ", killed after " +
                 std::to_string(after.count()) + " us");
    const std::string out = "out" + std::to_string(i);
    Process rig(endless(dir, out));
    ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
    std::this_thread::sleep_for(after);
    rig.signal(SIGKILL);
    const Finished done = rig.wait();
    EXPECT_EQ(done.status, 137) << done;
    const Json summary = summary_of(dir / out);
    EXPECT_EQ(summary["rig"], "servo");
    EXPECT_EQ(summary["outcome"], "killed");
    EXPECT_EQ(summary["exit_status"], 137);
    EXPECT_EQ(summary["died"]["signal"], "SIGKILL");
    const std::int64_t frames = summary["frames"]["run"];
    EXPECT_TRUE(says(summary["reason"], "killed by SIGKILL after " + std::to_string(frames) + " frame"));
    EXPECT_TRUE(says(done, "killed by SIGKILL after " + std::to_string(frames) + " frame")) << done;
    EXPECT_EQ(summary["died"]["frame"], frames);
    EXPECT_EQ(summary["sim_time_ns"], frames * summary["period_ns"].get<std::int64_t>());
    EXPECT_LE(read_table(dir / out / "frames.csv").rows.size(), static_cast<std::size_t>(frames) + 1);
    for (const Json& recording : summary["recordings"]) EXPECT_FALSE(recording["ended"].get<bool>());
  }
}

/// A rig of a model that does a deed in frame 20.
Command hostile(const TempDir& dir, const std::string& deed) {
  return one_model(dir, "hostile, parameters: { deed: " + deed + " }", TACTUS_HOSTILE_LIBRARY);
}

TEST(Witness, SaysOfARigThatCanWriteNothingAnyMoreHowFarItCame) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs memory of its own";
  for (const char* const deed : {"no_files", "no_memory"}) {
    const TempDir dir;
    const Finished done = run(hostile(dir, deed));
    EXPECT_EQ(done.status, 1) << deed << done;
    const Json summary = summary_of(dir / "out");
    EXPECT_EQ(summary["outcome"], "failed") << deed << done;
    EXPECT_EQ(summary["exit_status"], 1) << deed << done;
    EXPECT_EQ(summary["frames"]["run"], 40) << deed << done;
    EXPECT_TRUE(says(summary["reason"], "after 40 frames, and its summary was not written"))
        << summary["reason"];
  }
}

TEST(Witness, ARigThatWasStoppedHearsThatItIsToEnd) {
  const std::pair<int, const char*> signals[] = {
      {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT (Ctrl-C)"}, {SIGHUP, "SIGHUP"}};
  for (const auto& [signal, name] : signals) {
    for (const bool stopped_first : {true, false}) {
      SCOPED_TRACE(std::string(name) + (stopped_first ? ", when it stands" : ", just before it stands"));
      const TempDir dir;
      Process rig(endless(dir, "out"));
      ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
      if (stopped_first) {
        rig.signal(SIGSTOP);
        while (!stands(rig.pid())) std::this_thread::sleep_for(1ms);
      }
      ASSERT_EQ(::kill(rig.started_pid(), signal), 0);
      if (!stopped_first) rig.signal(SIGSTOP);
      EXPECT_EQ(rig.wait().status, 0) << rig.wait();
      EXPECT_EQ(summary_of(dir / "out")["reason"], std::string("stopped by ") + name);
    }
  }
}

TEST(Witness, BlamesNoJobForAThreadThatAModelStarted) {
  const TempDir dir;
  const Finished done = run(hostile(dir, "throws_in_thread"));
  EXPECT_NE(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  const std::string reason = summary["reason"];
  EXPECT_TRUE(says(reason, ", which library " TACTUS_HOSTILE_LIBRARY
                           " started and which runs none of the rig's jobs, after 20 frames"))
      << reason;
  EXPECT_FALSE(says(reason, "it.step")) << reason;
  EXPECT_FALSE(says(reason, "'main'")) << "it only inherited that name; " << reason;
  EXPECT_TRUE(says(done.err, reason)) << done;
  EXPECT_GT(summary["died"]["thread"]["id"], 0) << summary["died"];
  EXPECT_EQ(summary["died"]["thread"]["name"], "") << summary["died"];
  EXPECT_EQ(summary["died"]["thread"]["library"], TACTUS_HOSTILE_LIBRARY) << summary["died"];
}

TEST(Witness, AJobThatCrashesIsNoForeignThread) {
  const TempDir dir;
  (void)run(hostile(dir, "segfault"));
  const Json summary = summary_of(dir / "out");
  EXPECT_TRUE(says(summary["reason"], "while job 'it.step' ran")) << summary["reason"];
  EXPECT_TRUE(summary["died"]["thread"].is_null()) << summary["died"];
}

/// A rig whose model does something to its own library, which is a copy.
Command to_own_library(const TempDir& dir, const std::string& deed, const std::string& isolated = "no",
                       const Arguments& more = {}) {
  fs::copy_file(TACTUS_HOSTILE_LIBRARY, dir / "libown.so");
  return one_model(dir, "hostile, isolated: " + isolated + ", parameters: { deed: " + deed + " }",
                   "./libown.so", more);
}

TEST(Witness, NamesALibraryThatWasOverwrittenAndNoJob) {
  const TempDir dir;
  const Finished done = run(to_own_library(dir, "overwrite"));
  EXPECT_NE(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  const std::string reason = summary["reason"];
  EXPECT_TRUE(
      says(reason, kSanitized ? " after 20 frames; library " : "ended by SIGBUS after 20 frames; library "))
      << reason;
  EXPECT_TRUE(says(reason, "libown.so was overwritten while it was loaded (inode ")) << reason;
  EXPECT_FALSE(says(reason, "it.step")) << reason;
  EXPECT_TRUE(says(done.err, reason)) << done;
  if (!kSanitized) {  // it handles the signal itself
    EXPECT_TRUE(says(done.err, "tactus: SIGBUS: library ")) << "the crash handler\n" << done;
    EXPECT_TRUE(says(summary["died"]["library"], "libown.so")) << summary["died"];
  }
  ASSERT_EQ(summary["libraries_changed"].size(), 1U) << summary["libraries_changed"];
  EXPECT_EQ(summary["libraries_changed"][0]["change"], "overwritten");
  for (const Json& trace : summary["traces"]) EXPECT_TRUE(says(trace["why"], "was overwritten")) << trace;
}

TEST(Witness, NamesALibraryThatWasOverwrittenInAnIsolatedProcess) {
  const TempDir dir;
  const Finished done = run(to_own_library(dir, "overwrite", "yes"));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  const std::string reason = summary["reason"];
  EXPECT_EQ(reason.find("library "), 0U) << reason;
  EXPECT_TRUE(says(reason, "libown.so was overwritten while it was loaded (inode ")) << reason;
  EXPECT_TRUE(says(summary["isolated"][0]["lost"], "libown.so was overwritten")) << summary["isolated"];
}

TEST(CrashHandler, NamesALibraryThatWasOverwrittenWithoutAWitness) {
  const TempDir dir;
  const Finished done = run(to_own_library(dir, "overwrite", "no", {"--no-witness"}));
  EXPECT_TRUE(says(done.err, "tactus: SIGBUS: library ")) << done;
  EXPECT_FALSE(says(done.err, "it.step")) << done;
}

TEST(Run, BlamesNoLibraryWhoseTimeAloneIsAnotherAndListsOneThatWasReplaced) {
  if (!kSanitized) {  // whose libraries are larger than what is read at the start
    const TempDir dir;
    const Finished done = run(to_own_library(dir, "touch"));
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_EQ(summary_of(dir / "out")["libraries_changed"], Json::array());
  }
  const TempDir dir;
  const Finished done = run(to_own_library(dir, "replace"));
  EXPECT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["reason"], "");
  ASSERT_EQ(summary["libraries_changed"].size(), 1U) << summary["libraries_changed"];
  EXPECT_EQ(summary["libraries_changed"][0]["change"], "replaced");
}

TEST(Run, EndsInOrderInAFolderThatAJobHasLeft) {
  const TempDir dir;
  const Finished done = run(hostile(dir, "chdir"));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "completed");
  EXPECT_TRUE(says(done.out, "; out\n")) << "shown as it was given\n" << done;
}

TEST(Witness, ARigKilledBeforeItsFirstFrameLeavesASummaryIfItHasARunFolder) {
  const TempDir dir;
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int i = 0; i < trials(12); ++i) {
    const auto after = std::chrono::microseconds(random() % 60'000);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", rig " + std::to_string(i) + ", killed " +
                 std::to_string(after.count()) + " us after its start");
    const fs::path folder = dir / ("out" + std::to_string(i));
    Process rig(endless(dir, folder.filename()));
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (i % 2 == 0 && !fs::exists(folder / "log.txt") && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(100us);
    std::this_thread::sleep_for(after);
    rig.signal(SIGKILL);
    const Finished done = rig.wait();
    EXPECT_EQ(done.status, 137) << done;
    EXPECT_TRUE(says(done, "killed by SIGKILL")) << done;
    EXPECT_EQ(says(done, "nothing was started"), !fs::exists(folder / "summary.json")) << done;
    if (!fs::exists(folder / "summary.json")) continue;
    EXPECT_EQ(summary_of(folder)["outcome"], "killed");
    EXPECT_EQ(summary_of(folder)["died"]["signal"], "SIGKILL");
  }
}

TEST(Witness, AModelThatEndsTheProcessByItselfIsNoSuccessAndItsJobIsNamed) {
  const TempDir dir;
  const Finished done = run(one_model(dir, "leaves", TACTUS_HANG_LIBRARY));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(done,
                   "ended with status 0 by something other than tactus after 20 frames, while job "
                   "'it.step' ran"))
      << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "crashed");
  EXPECT_EQ(summary["exit_status"], 1);
  EXPECT_EQ(summary["died"]["jobs"], Json({"it.step"}));
  EXPECT_EQ(summary["died"]["frame"], 20);
  EXPECT_EQ(summary["frames"]["planned"], 40);
}

TEST(Witness, ACallThatEndsTheProcessIsNamedWithItsJob) {
  for (const char* const call : {"exit", "_exit", "quick_exit", "exec"}) {
    SCOPED_TRACE(call);
    const TempDir dir;
    const Finished done = run(one_model(dir, "misbehave", "test_load",
                                        {"--set", std::string("models.it.parameters.what=") + call, "--set",
                                         "models.it.parameters.at_frame=20"}));
    EXPECT_EQ(done.status, 1) << done;
    const Json summary = summary_of(dir / "out");
    EXPECT_EQ(summary["outcome"], "crashed");
    EXPECT_EQ(summary["exit_status"], 1);
    const std::string called = std::string(call) == "exec" ? "execv()" : std::string(call) + "()";
    EXPECT_EQ(summary["reason"],
              "a model or a library called " + called + " after 20 frames, while job 'it.step' ran");
    EXPECT_EQ(summary["died"]["call"], called);
    EXPECT_EQ(summary["died"]["jobs"], Json({"it.step"}));
    EXPECT_EQ(summary["died"]["frame"], 20);
  }
}

TEST(Witness, ACrashAfterTheEndIsNotHiddenBehindCompleted) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer ends a crash by itself, with a status of its own";
  const TempDir dir;
  const Finished done = run(one_model(dir, "crashes_while_destroyed", TACTUS_HANG_LIBRARY));
  EXPECT_EQ(done.status, 139) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "crashed");
  EXPECT_EQ(summary["exit_status"], 139);
  EXPECT_TRUE(says(summary["reason"],
                   "ended by SIGSEGV after the rig's end while model 'it' was destroyed; before that: "
                   "completed"))
      << summary["reason"];
  EXPECT_EQ(summary["frames"]["run"], 40) << "what the rig itself wrote stays";
}

TEST(Run, RefusesALibraryThatWasCutOff) {
  const TempDir dir;
  const std::string whole = read_file(TACTUS_HANG_LIBRARY);
  const std::string torn = (dir / "libtorn.so").string();
  for (const std::size_t bytes : {2000U, 8192U, 40000U}) {  // the rest of it is for debuggers
    std::ofstream(torn, std::ios::binary | std::ios::trunc) << whole.substr(0, bytes);
    const Finished done = run(one_model(dir, "hang", torn));
    EXPECT_EQ(done.status, 2) << bytes << ": " << done;
    EXPECT_TRUE(says(done, torn + " is cut off: it has " + std::to_string(bytes) + " bytes and needs "))
        << bytes << ": " << done;
  }
}

TEST(Witness, ALibraryThatEndsTheProcessIsNamed) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer ends a crash by itself, with a status of its own";
  const TempDir dir;
  const Finished thrown = run(one_model(dir, "any", TACTUS_THROWING_LIBRARY));
  EXPECT_NE(thrown.status, 0) << thrown;
  EXPECT_TRUE(says(thrown, "while library '" TACTUS_THROWING_LIBRARY "' was loaded; nothing was started"))
      << thrown;
  const Finished unlabelled = run(one_model(dir, "no_labels", TACTUS_NO_LABELS_LIBRARY));
  EXPECT_NE(unlabelled.status, 0) << unlabelled;
  EXPECT_TRUE(says(unlabelled, "while model 'it' was made; nothing was started")) << unlabelled;
  EXPECT_FALSE(fs::exists(dir / "out"));
}

TEST(Witness, TheStatusIsTrueWhateverBecameOfTheRunFolder) {
  const auto nothing = [](const fs::path&) {};
  const auto taken_away = [](const fs::path& folder) { fs::remove_all(folder); };
  const auto a_folder = [](const fs::path& folder) {
    fs::remove(folder / "summary.json");
    fs::create_directories(folder / "summary.json/x");
  };
  const auto anything = [](const fs::path& folder) {
    std::ofstream(folder / "summary.json") << R"({"outcome": 5, "frames": "many", "rt": []})";
  };
  const std::pair<const char*, std::function<void(const fs::path&)>> rows[] = {
      {"nothing", nothing}, {"taken away", taken_away}, {"a folder", a_folder}, {"anything", anything}};
  for (const auto& [what, become] : rows) {
    SCOPED_TRACE(what);
    const TempDir dir;
    Process rig(endless(dir, "out"));
    ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
    become(dir / "out");
    rig.signal(SIGKILL);
    const Finished done = rig.wait();
    EXPECT_EQ(done.signal, SIGKILL) << done;
    EXPECT_TRUE(says(done, "killed by SIGKILL after ")) << done;
    if (!fs::is_regular_file(dir / "out/summary.json")) continue;
    EXPECT_EQ(summary_of(dir / "out")["outcome"], "killed");
  }
}

TEST(Witness, TheRigStopsInOrderWhenItsWitnessIsKilled) {
  if (kThreadSanitized) GTEST_SKIP() << "a thread of the sanitizer's may outlive the witness";
  const TempDir dir;
  Process rig(endless(dir, "out"));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  ASSERT_NE(rig.pid(), rig.started_pid());
  ASSERT_EQ(::kill(rig.started_pid(), SIGKILL), 0);
  ASSERT_TRUE(wait_for_text(dir / "out/summary.json", "its witness, the process above it, was killed"));
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "stopped");
  EXPECT_EQ(rig.wait().signal, SIGKILL);
}

TEST(WitnessNightly, ARigThatCannotStopIsAbortedWhenItsWitnessIsKilled) {
  const TempDir dir;
  Process rig(one_model(dir, "hang", TACTUS_HANG_LIBRARY,
                        {"--set", "models.it.parameters.where=frame", "--set",
                         "models.it.parameters.at_frame=10", "--set", "threads.stuck_after=1000 s"}));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "thread main"));
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (!fs::exists(dir / "hangs") && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(10ms);
  ASSERT_EQ(::kill(rig.started_pid(), SIGKILL), 0);
  ASSERT_TRUE(wait_for_text(dir / "out/summary.json", "job 'it.step' did not return"));
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "aborted");
}

TEST(WitnessNightly, ASignalToTheGroupCountsOnce) {
  const TempDir dir;
  Command command = endless(dir, "out");
  command.terminal = true;  // the leader of a group of its own
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.out();
  ASSERT_EQ(::kill(-rig.started_pid(), SIGINT), 0);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "stopped");
}

/// Sent back, it would take the SIGSTOP of a debugger that attaches just then.
TEST(Witness, DoesNotSendTheRigsOwnSigcontBackToIt) {
  const TempDir dir;
  Process rig(one_model(dir, "nudges_its_witness", TACTUS_HOSTILE_LIBRARY, {"--paused"}));
  ASSERT_TRUE(rig.wait_for_output("paused after 0 frames")) << rig.err();
  int stood = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(::kill(rig.pid(), SIGSTOP), 0);
    // With that fault it may go on before anybody sees it stand.
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!stands(rig.pid()) && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(200us);
    std::this_thread::sleep_for(2ms);
    stood += stands(rig.pid()) ? 1 : 0;
    rig.signal(SIGCONT);
    if (stood <= i) break;
  }
  EXPECT_EQ(stood, 40) << "it went on though nobody else let it";
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0) << rig.wait();
}

TEST(Witness, AGroupThatIsStoppedAndGoesOnIsEndedByOneSigterm) {
  const TempDir dir;
  Command command = endless(dir, "out");
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.out();
  ASSERT_EQ(::kill(-rig.started_pid(), SIGSTOP), 0);
  while (!stands(rig.pid()) || !stands(rig.started_pid())) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(::kill(-rig.started_pid(), SIGCONT), 0);
  while (stands(rig.pid()) || stands(rig.started_pid())) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(::kill(-rig.started_pid(), SIGTERM), 0);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["reason"], "stopped by SIGTERM");
}

TEST(Witness, ARigKilledWhileItsWitnessStandsIsReportedWhenItGoesOn) {
  const TempDir dir;
  Process rig(endless(dir, "out"));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  ASSERT_EQ(::kill(rig.started_pid(), SIGSTOP), 0);
  rig.signal(SIGKILL);
  std::this_thread::sleep_for(50ms);
  ASSERT_EQ(::kill(rig.started_pid(), SIGCONT), 0);
  EXPECT_EQ(rig.wait().signal, SIGKILL);
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "killed");
}

TEST(WitnessNightly, PassesOnWhatIsSentToItAlone) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out", "--paused"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("paused after 0 frames")) << rig.err();
  sigval frames{};
  frames.sival_int = 25;
  ASSERT_EQ(::sigqueue(rig.started_pid(), SIGRTMIN, frames), 0);
  EXPECT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.024"));
  ASSERT_EQ(::kill(rig.started_pid(), SIGTERM), 0);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["reason"], "stopped by SIGTERM");
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 25);
}

TEST(Witness, ASignalToOneProcessIsNotTakenForAnEarlierOneToTheOther) {
  const TempDir dir;
  Process rig(endless(dir, "out"));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  rig.signal(SIGUSR1);
  ASSERT_TRUE(rig.wait_for_output("paused after")) << rig.out();
  rig.signal(SIGUSR2);
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "resumed"));
  std::this_thread::sleep_for(6s);
  ASSERT_EQ(::kill(rig.started_pid(), SIGUSR1), 0);
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  const auto pauses = [&] {
    const std::string text = read_file(dir / "out/log.txt");
    std::size_t count = 0;
    for (std::size_t at = text.find("paused after"); at != std::string::npos;
         at = text.find("paused after", at + 1))
      ++count;
    return count;
  };
  while (pauses() < 2 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(pauses(), 2U) << read_file(dir / "out/log.txt");
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0);
}

TEST(WitnessNightly, StandsAndGoesOnWithItsRig) {
  const TempDir dir;
  Command command;
  command.cwd = dir.path();
  command.argv = {
      "bash", "-c",
      "set -m; '" TACTUS_COMMAND "' run '" + example("servo") +
          "' --no-realtime --set until=stopped --out out & pid=$!\n"
          "until [ -e out/log.txt ] && grep -q 'thread main' out/log.txt; do sleep 0.02; done\n"
          "rig=$(cat /proc/$pid/task/$pid/children)\n"
          "kill -TSTP $pid\n"
          "for p in $rig $pid; do until grep -q '^State:.T' /proc/$p/status; do sleep 0.02; done; done\n"
          "kill -CONT $pid\n"
          "for p in $rig $pid; do while grep -q '^State:.T' /proc/$p/status; do sleep 0.02; done; done\n"
          "kill -INT $pid; wait $pid; echo \"status $?\""};
  const Finished done = run(command);
  EXPECT_NE(done.out.find("status 0"), std::string::npos) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "stopped");
}

TEST(WitnessNightly, IsLeftAwayWhenTheUserSaysSo) {
  const TempDir dir;
  const Finished done = run(one_model(dir, "leaves", TACTUS_HANG_LIBRARY, {"--no-witness"}));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "unfinished") << "nobody could say more";
}

TEST(Witness, KilledTogetherWithItsRigLeavesWhatWasKnown) {
  const TempDir dir;
  Process rig(endless(dir, "out"));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  const Json before = summary_of(dir / "out");
  EXPECT_EQ(before["outcome"], "unfinished");
  EXPECT_EQ(before["exit_status"], nullptr);
  ASSERT_EQ(::kill(rig.started_pid(), SIGSTOP), 0);  // it notices nothing
  rig.signal(SIGKILL);
  ASSERT_EQ(::kill(rig.started_pid(), SIGKILL), 0);
  EXPECT_EQ(rig.wait().signal, SIGKILL);
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "unfinished");
  EXPECT_EQ(summary["rig"], "servo");
  EXPECT_TRUE(says(summary["reason"], "was killed together"));
  EXPECT_GE(summary["frames"]["run"], 0);
  // The kernel takes a killed process apart in its own time; until then its run folder is locked.
  Finished recovered = run(tactus({"recover", "out"}, dir.path()));
  for (int again = 0; again < 200 && recovered.err.find("still writes into") != std::string::npos; ++again) {
    std::this_thread::sleep_for(100ms);
    recovered = run(tactus({"recover", "out"}, dir.path()));
  }
  EXPECT_NE(recovered.out.find("killed together with its witness"), std::string::npos) << recovered;
  const Finished report = run(tactus({"report", "out", "--text"}, dir.path()));
  EXPECT_EQ(report.status, 0) << report;
  EXPECT_NE(report.out.find("The end is not known: the rig was killed"), std::string::npos) << report;
}

}  // namespace
}  // namespace tactus::test::witness_test
