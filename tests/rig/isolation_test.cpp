// SPDX-License-Identifier: Apache-2.0
/// Models in processes of their own: what they do there reaches the rig by their variables alone, and their end
/// means what the rig file says.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "drivers/tape.hpp"
#include "rig_command.hpp"

namespace tactus::test::isolation_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A rig of one hostile model; `thread`: main or plant.
/// What lets a rig with real outputs run as fast as it can.
const Arguments kUnpaced{"--no-realtime", "--drive-outputs"};

struct Hostile {
  std::string deed = "none";
  std::string on_crash = "abort";
  std::string thread = "main";
  std::string model = "hostile";
  std::string stuck_after = "20 s";
  std::string more = "";     ///< of the model
  std::string section = "";  ///< of the rig

  std::string text() const {
    const std::string parameters =
        model == "hostile" ? ", parameters: { deed: " + deed + " }, on_crash: " + on_crash : "";
    return "rig: one\nframe: { period: 1 ms }\n" +
           std::string(drives() ? "" : "realtime: { enabled: no }\n") +
           "threads: { main: { policy: other }, stuck_after: " + stuck_after +
           (thread == "main" ? "" : ", workers: { plant: { policy: other } }") +
           " }\nmemory: { lock: no, heap: 0 B }\nmodels:\n  it: { model: " + model + ", library: '" +
           TACTUS_HOSTILE_LIBRARY + "', thread: " + thread + ", isolated: yes" + parameters + more + " }\n" +
           section;
  }
  Command command(const TempDir& dir, const Arguments& arguments = {}) const {
    dir.write("rig.yaml", text());
    return tactus(
        Arguments{"run", "rig.yaml", "--out", "out"} + (drives() ? kUnpaced : Arguments{}) + arguments,
        dir.path());
  }
  bool drives() const { return section.find("driver: tape") != std::string::npos; }
};

const char* const kRecord = "record: { all: { variables: [ it.frames, it.half ] } }\n";

struct Deed {
  const char* name;
  const char* how;  ///< behind "its process (libhostile.so, pid N)"
  bool slow = false;
};
const Deed kDeeds[] = {
    {"exit", " ended itself with status 0"},
    {"abort", " was ended by SIGABRT"},
    {"segfault", " was ended by SIGSEGV"},
    {"stray_write", " was ended by SIG"},
    {"loop", " did not return in time (half of threads.stuck_after) and was killed", true},
    {"sleep", " did not return in time (half of threads.stuck_after) and was killed", true},
    {"exec", " ended itself with status 0"},
    {"throws_in_thread", " was ended by SIGABRT"},
};
void PrintTo(const Deed& deed, std::ostream* out) { *out << deed.name; }

class Deeds : public ::testing::TestWithParam<std::tuple<Deed, std::string>> {
 protected:
  Hostile rig(const std::string& on_crash) const {
    const auto& [deed, thread] = GetParam();
    return {deed.name, on_crash, thread, "hostile", deed.slow ? "2 s" : "20 s", "", kRecord};
  }
  /// What `summary.json` says of the model.
  void check_summary(const std::string& on_crash) const {
    const Json model = summary_of(dir / "out")["isolated"].at(0);
    EXPECT_EQ(model["model"], "it");
    EXPECT_EQ(model["library"], TACTUS_HOSTILE_LIBRARY);
    EXPECT_EQ(model["on_crash"], on_crash);
    EXPECT_EQ(model["job"], "step");
    EXPECT_EQ(model["frame"], 20);
    EXPECT_TRUE(says(model["lost"], how())) << model["lost"];
  }
  void SetUp() override {
    if (kSanitized && std::get<0>(GetParam()).name == std::string("stray_write"))
      GTEST_SKIP() << "a sanitizer's shadow memory has no end";
  }
  /// A sanitizer ends the process in its own way.
  std::string how() const { return kSanitized ? " " : std::get<0>(GetParam()).how; }
  /// Frozen before frame 21; then resumed, which ends it.
  void freezes(const std::string& on_crash, const std::string& then) {
    Process process(rig(on_crash).command(dir, {"--frames", "40"}));
    ASSERT_TRUE(process.wait_for_output(then)) << process.err();
    ASSERT_TRUE(process.wait_for_output("paused after 21 frames")) << process.err();
    process.signal(SIGUSR2);
    const Finished done = process.wait();
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_TRUE(says(done.out, "frame 21: job 'it.step' (scheduled)")) << done;
    EXPECT_TRUE(says(done.err, "model 'it', job 'step', frame 20: its process (libhostile.so, pid ")) << done;
    EXPECT_TRUE(says(done.err, how())) << done;
    check_summary(on_crash);
    EXPECT_EQ(read_table(dir / "out/all.csv").integers("it.frames").back(), 20);
  }
  TempDir dir;
};

TEST_P(Deeds, EndTheRigWithAbort) {
  const Finished done = run(rig("abort").command(dir, {"--frames", "40"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(
      done.out,
      "failed after 20 frames, not in real time (realtime.enabled: no); frame 20: job 'it.step' (scheduled)"))
      << done;
  EXPECT_TRUE(says(done.out, "failed: its process (libhostile.so, pid ")) << done;
  EXPECT_TRUE(says(done.out, how())) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "failed");
  EXPECT_TRUE(says(summary["reason"], how())) << summary["reason"];
  check_summary("abort");
}

TEST_P(Deeds, LeaveTheLastValuesWithReplace) {
  const Finished done = run(rig("replace").command(dir, {"--frames", "40"}));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_TRUE(says(done.err, "its variables keep their last values")) << done;
  const Table table = read_table(dir / "out/all.csv");
  const std::vector<std::int64_t> frames = table.integers("it.frames");
  ASSERT_EQ(frames.size(), 40U);
  for (std::int64_t k = 0; k < 40; ++k)
    EXPECT_EQ(frames[static_cast<std::size_t>(k)], std::min<std::int64_t>(k + 1, 20));
  EXPECT_EQ(table.column("it.half").back(), "10");
  check_summary("replace");
}

TEST_P(Deeds, FreezeTheRigWithFreeze) { freezes("freeze", "the rig freezes; it ends when it is resumed"); }

TEST_P(Deeds, FreezeTheRigWithSafeState) {
  freezes("safe_state", "outputs are driven safe and the rig freezes; it ends when it is resumed");
}

/// By day one that crashes, one that ends its process and one that loops.
std::string deed_name(const ::testing::TestParamInfo<Deeds::ParamType>& one) {
  const std::string name = std::string(std::get<0>(one.param).name) + "_on_" + std::get<1>(one.param);
  const bool by_day = name == "segfault_on_main" || name == "exit_on_plant" || name == "loop_on_plant";
  return by_day ? name : name + "_Nightly";
}
INSTANTIATE_TEST_SUITE_P(Isolation, Deeds,
                         ::testing::Combine(::testing::ValuesIn(kDeeds), ::testing::Values("main", "plant")),
                         deed_name);

std::string library(const std::string& more, const std::string& name = TACTUS_HOSTILE_LIBRARY) {
  return "{ library: '" + name + "', " + more + " }";
}

TEST(IsolationNightly, OfALibraryHoldsForItsModelsUnlessTheySayOtherwise) {
  const TempDir dir;
  const std::string model = "{ model: hostile, library: '" + std::string(TACTUS_HOSTILE_LIBRARY) + "'";
  dir.write("rig.yaml",
            "rig: one\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nmemory: { lock: no, heap: 0 B }\n"
            "threads: { main: { policy: other } }\n"
            "libraries: [ " +
                library("isolated: yes, on_crash: replace") +
                " ]\nmodels:\n"
                "  lost: " +
                model +
                ", parameters: { deed: segfault } }\n"
                "  ends: " +
                model +
                ", on_crash: freeze }\n"
                "  own: " +
                model +
                ", isolated: yes }\n"
                "  here: " +
                model + ", isolated: no }\n" +
                "record: { all: { variables: [ lost.frames, ends.frames, here.frames ] } }\n");
  const Finished done = run(tactus({"run", "rig.yaml", "--out", "out", "--frames", "40"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  const Json isolated = summary_of(dir / "out")["isolated"];
  ASSERT_EQ(isolated.size(), 3U) << isolated;
  EXPECT_EQ(isolated[0]["model"], "lost");
  EXPECT_EQ(isolated[0]["on_crash"], "replace");
  EXPECT_EQ(isolated[1]["model"], "ends");
  EXPECT_EQ(isolated[1]["on_crash"], "freeze");
  EXPECT_EQ(isolated[2]["model"], "own");
  EXPECT_EQ(isolated[2]["on_crash"], "replace")
      << "that it is isolated it says itself, what a crash does it does not";
  const Table table = read_table(dir / "out/all.csv");
  EXPECT_EQ(table.integers("lost.frames").back(), 20);
  EXPECT_EQ(table.integers("ends.frames").back(), 40);
  EXPECT_EQ(table.integers("here.frames").back(), 40);
}

TEST(IsolationNightly, ClosedDescriptorsAndACopyOfTheProcessReachNobody) {
  for (const char* const deed : {"close_all", "fork"}) {
    const TempDir dir;
    Hostile rig;
    rig.deed = deed;
    rig.section = kRecord;
    const Finished done = run(rig.command(dir, {"--frames", "40"}));
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_EQ(read_table(dir / "out/all.csv").integers("it.frames").back(), 40);
    EXPECT_TRUE(summary_of(dir / "out")["isolated"][0]["lost"].is_null());
  }
}

TEST(IsolationNightly, AJobThatFailsSaysWhyAsEver) {
  for (const auto& [deed, why] :
       {std::pair("fail", "the axis is not referenced"), std::pair("throws", "no table for this axis")}) {
    const TempDir dir;
    Hostile rig;
    rig.deed = deed;
    rig.on_crash = "replace";  // it has not crashed
    const Finished done = run(rig.command(dir, {"--frames", "40"}));
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_TRUE(says(done.out, std::string("frame 20: job 'it.step' (scheduled) failed: ") + why)) << done;
  }
}

TEST(IsolationNightly, BeforeTheFirstFrameEveryPolicyIsAbort) {
  const TempDir dir;
  Hostile rig;
  rig.deed = "abort, at_frame: -1";
  rig.on_crash = "replace";
  const Finished done = run(rig.command(dir, {"--frames", "40"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(done.out, "job 'it.initialize' (initialization) failed: its process (libhostile.so, pid "))
      << done;
}

/// The processes of models of a rig.
std::vector<pid_t> models_of(pid_t rig) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name = line.rfind(')');
    if (name == std::string::npos) continue;  // no process, or not any more
    std::stringstream rest(line.substr(name + 1));
    char state = '?';
    pid_t parent = 0;
    if (rest >> state >> parent && parent == rig) found.push_back(std::stoi(line));
  }
  return found;
}

TEST(IsolationNightly, AProcessThatIsKilledFromOutsideIsNoticed) {
  const TempDir dir;
  Hostile rig;
  rig.on_crash = "replace";
  Process process(rig.command(dir, Arguments{"--set", "realtime.enabled=yes"} + patient()));
  ASSERT_TRUE(process.wait_for_output("frames until stopped")) << process.err();
  const std::vector<pid_t> models = models_of(process.pid());
  ASSERT_EQ(models.size(), 1U);
  ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,"));
  ASSERT_EQ(::kill(models[0], SIGKILL), 0);
  EXPECT_TRUE(process.wait_for_output("was killed by SIGKILL")) << process.err();
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().status, 0) << process.err();
}

TEST(Isolation, NoProcessOutlivesItsRig) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const TempDir dir;
    Process process(Hostile{}.command(dir, Arguments{"--set", "realtime.enabled=yes"} + patient()));
    ASSERT_TRUE(process.wait_for_output("frames until stopped")) << process.err();
    const std::vector<pid_t> models = models_of(process.pid());
    ASSERT_EQ(models.size(), 1U);
    process.signal(signal);
    (void)process.wait();
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (::kill(models[0], 0) == 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(5ms);
    EXPECT_NE(::kill(models[0], 0), 0) << "after signal " << signal;
  }
}

TEST(Isolation, SafeStateDrivesTheOutputs) {
  const TempDir dir;
  Hostile rig;
  rig.deed = "segfault";
  rig.on_crash = "safe_state";
  rig.section = "  drive: { driver: tape, file: tape, safe: -42, parameters: { value: 7 } }\n";
  Command command = rig.command(dir, {"--frames", "40"});
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  Process process(command);
  ASSERT_TRUE(process.wait_for_output("paused after 21 frames")) << process.err();
  {
    const int file = ::open((dir / "tape").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(file, 0);
    const auto* const tape =
        static_cast<const Tape*>(::mmap(nullptr, sizeof(Tape), PROT_READ, MAP_SHARED, file, 0));
    EXPECT_EQ(tape->value, -42);
    EXPECT_EQ(tape->writes, 21) << "driven in the frame in which the model was lost, then made safe";
  }
  process.signal(SIGUSR2);
  EXPECT_EQ(process.wait().status, 1);
}

// --- the same numbers

std::string file_of(const TempDir& dir, const std::string& rig, const std::string& recording,
                    const std::string& out, const Arguments& arguments) {
  const Finished done = run(run_rig(rig, arguments + Arguments{"--no-realtime", "--out", out}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  return read_file(dir / out / recording);
}

Arguments isolated(const std::vector<std::string>& models) {
  Arguments arguments;
  for (const std::string& model : models)
    arguments = arguments + Arguments{"--set", "models." + model + ".isolated=yes"};
  return arguments;
}

TEST(Isolation, ChangesNoNumber) {
  const TempDir dir;
  const Arguments servo{"--frames", "300"};
  EXPECT_EQ(file_of(dir, "servo", "motion.csv", "servo", servo),
            file_of(dir, "servo", "motion.csv", "servo isolated",
                    servo + isolated({"trajectory", "encoder", "motor", "controller"})));
  const Arguments vehicle{"--frames", "300"};
  EXPECT_EQ(file_of(dir, "vehicle", "drive.csv", "vehicle", vehicle),
            file_of(dir, "vehicle", "drive.csv", "vehicle isolated",
                    vehicle + isolated({"engine", "driver", "cycle"})));
}

TEST(Isolation, ChangesNoNumberOfAnIntegrationLoopNorOfWhatAModelAsksFor) {
  const TempDir dir;
  Hostile decay;
  decay.model = "decay";
  decay.section =
      "integrate: { all: { models: [ it ], method: dopri5 } }\nrecord: { all: { variables: [ it.* ] } }\n";
  Hostile asks;
  asks.model = "asks";
  asks.section = "record: { all: { variables: [ it.* ] } }\n";
  for (const Hostile* const rig : {&decay, &asks}) {
    const Finished with = run(rig->command(dir, {"--frames", "200"}));
    EXPECT_EQ(with.status, 0) << with;
    const std::string values = read_file(dir / "out/all.csv");
    fs::remove_all(dir / "out");
    const Finished without = run(rig->command(dir, {"--frames", "200", "--set", "models.it.isolated=no"}));
    EXPECT_EQ(without.status, 0) << without;
    EXPECT_EQ(values, read_file(dir / "out/all.csv")) << rig->model;
    fs::remove_all(dir / "out");
  }
}

TEST(Isolation, ACheckpointAndAResetBringBackAllOfTheModel) {
  const TempDir dir;
  const Arguments all = isolated({"trajectory", "encoder", "motor", "controller"});
  const std::string whole = file_of(dir, "servo", "motion.csv", "whole", all + Arguments{"--frames", "300"});
  (void)file_of(dir, "servo", "motion.csv", "first",
                all + Arguments{"--frames", "150", "--set", "checkpoint.at_end=yes"});
  const std::string rest =
      file_of(dir, "servo", "motion.csv", "rest",
              all + Arguments{"--frames", "300", "--from", (dir / "first/checkpoints/end.tck").string()});
  const std::string values = rest.substr(rest.find('\n') + 1);
  EXPECT_FALSE(values.empty());
  EXPECT_TRUE(whole.ends_with(values));
  const Arguments reset{"--frames", "100", "--set", "commands=[{ at: 50 ms, do: reset }]"};
  EXPECT_EQ(file_of(dir, "servo", "motion.csv", "reset", reset),
            file_of(dir, "servo", "motion.csv", "reset isolated", reset + all));
}

// --- system calls

TEST(IsolationNightly, AFrameMakesNoSystemCallButTheHandshakesAndTheSleep) {
  const TempDir dir;
  Process rig(
      run_rig("servo",
              isolated({"motor"}) + Arguments{"--set", "until=stopped", "--out", "out", "--set",
                                              "realtime.sleeper=nanosleep", "--set", "realtime.ratio=0.05"},
              dir.path()));  // slowly: each call is stopped at, and a late frame looks at why it is
  ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,"));
  const SyscallCount count =
      count_syscalls(threads_of(rig.pid()).at("main"), {.until = CallsOf{SYS_futex, 800}, .limit = kTimeout});
  EXPECT_EQ(count.of(SYS_futex), 800U) << count;
  const std::uint64_t looks =
      count.of(SYS_pread64) + count.of(SYS_read);  // at why a frame was late: several each, if it was
  EXPECT_LT(looks, 200U) << "one in each frame would be as many; " << count;
  EXPECT_EQ(without_sanitizer(count), count.of(SYS_futex) + count.of(SYS_clock_nanosleep) + looks) << count;
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
}

// --- refused

struct Refused {
  const char* name;
  std::string models;
  std::string problem;
};
void PrintTo(const Refused& row, std::ostream* out) { *out << row.name; }

class IsolationRefused : public ::testing::TestWithParam<Refused> {};

TEST_P(IsolationRefused, NamesPlaceAndWayOut) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: one\nframe: { period: 1 ms }\nthreads: { workers: { plant: {}, free: { kind: asynchronous "
            "} } }\n" +
                GetParam().models);
  Command command = tactus({"check", "rig.yaml"}, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  const Finished done = run(command);
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_TRUE(says(done.err, GetParam().problem)) << done;
}

std::string model(const std::string& name, const std::string& more) {
  return "models: { it: { model: " + name + ", library: '" + TACTUS_HOSTILE_LIBRARY + "'" + more + " } }\n";
}

INSTANTIATE_TEST_SUITE_P(
    Isolation, IsolationRefused,
    ::testing::Values(
        Refused{"on_crash_alone", model("hostile", ", on_crash: freeze"),
                "models.it.on_crash: freeze has no effect on a model in the rig's own process; add "
                "'isolated: yes'"},
        Refused{"a_library_of_no_model",
                model("hostile", "") + "libraries: [ " + library("isolated: yes", "./libplant.so") + " ]\n",
                "rig.yaml:5:25: libraries[0].library: no model comes from './libplant.so'"},
        Refused{"a_library_twice",
                model("hostile", "") + "libraries: [ " + library("isolated: yes") + ", " +
                    library("isolated: no") + " ]\n",
                "libraries[1].library: '" TACTUS_HOSTILE_LIBRARY "' occurs twice here"},
        Refused{"on_crash_of_a_library_alone",
                model("hostile", "") + "libraries: [ " + library("on_crash: freeze") + " ]\n",
                "libraries[0].on_crash: freeze has no effect on models in the rig's own process; add"},
        Refused{"another_policy", model("hostile", ", isolated: yes, on_crash: stop"), "models.it.on_crash"},
        Refused{"no_such_driver", "models: { it: { driver: tap, file: tape, isolated: yes } }\n",
                "rig.yaml:4:25: models.it.driver: this machine has no driver 'tap' of kind 'model'; did you "
                "mean"},
        Refused{"a_key_that_its_driver_misses",
                "models: { it: { driver: tape, file: tape, isolated: yes } }\n",
                "rig.yaml:4:15: models.it: missing key 'safe'"},
        Refused{"a_value_that_its_driver_refuses",
                "models: { it: { driver: tape, file: tape, safe: high, isolated: yes } }\n",
                "rig.yaml:4:49: models.it.safe: "},
        Refused{"a_key_that_its_driver_does_not_know",
                "models: { it: { driver: tape, file: tape, safe: 1, save: 1, isolated: yes } }\n",
                "rig.yaml:4:52: models.it.save: unknown key; did you mean 'safe'"},
        Refused{"outputs_and_replace",
                "models: { it: { driver: tape, file: tape, safe: 1, isolated: yes, on_crash: replace } }\n",
                "models.it.on_crash: replace: the rig would continue without the model's outputs"},
        Refused{"no_such_model", model("hostil", ", isolated: yes"),
                "models.it.model: library libhostile.so has no model 'hostil'; did you mean"},
        Refused{"no_such_library",
                "models: { it: { model: hostile, library: ./libnone.so, isolated: yes } }\n",
                "models.it.library: no file"},
        Refused{"a_job_elsewhere", model("hostile", ", isolated: yes, jobs: { step: { thread: plant } }"),
                "models.it.isolated: yes: job 'step' has another thread than its model"},
        Refused{"it_shares_memory", model("shares_memory", ", isolated: yes"),
                "'it.x' and 'it.y' share memory"},
        Refused{
            "states_and_replace",
            model("decay", ", isolated: yes, on_crash: replace") + "integrate: { all: { models: [ it ] } }\n",
            "models.it.on_crash: replace: a loop would continue to integrate"},
        Refused{"it_dies_while_made", model("dies_while_made", ", isolated: yes"),
                "was ended by SIGABRT while it was made"},
        Refused{"its_library_throws",
                "models: { it: { model: any, library: '" + std::string(TACTUS_THROWING_LIBRARY) +
                    "', isolated: yes } }\n",
                "was ended by SIGABRT while its library was loaded"}),
    [](const auto& one) { return std::string(one.param.name); });

/// A rig of an output that a driver makes in a process of its own.
struct DrivenRig {
  std::string more = "";  ///< of the model
  std::string stuck_after = "20 s";
  std::string file = "tape";
  std::string guardian_timeout = "60 s";

  Command command(const TempDir& dir, const Arguments& arguments = {}) const {
    dir.write("rig.yaml",
              "rig: one\nframe: { period: 1 ms }\n"
              "threads: { main: { policy: other }, stuck_after: " +
                  stuck_after + " }\nguardian_timeout: " + guardian_timeout +
                  "\nmemory: { lock: no, heap: 0 B }\nmodels:\n  it: { driver: "
                  "tape, file: " +
                  file + ", safe: -42, isolated: yes, parameters: { value: 7 }" + more + " }\n");
    Command command = tactus(Arguments{"run", "rig.yaml", "--out", "out"} + kUnpaced + arguments, dir.path());
    command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
    return command;
  }
};

TEST(IsolationNightly, ADriversModelIsInItsProcessAlone) {
  const TempDir dir;
  DrivenRig driven;
  Process rig(driven.command(dir, {"--set", "until=stopped"}));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  const std::string library = "libtactus-model-tape.so";
  EXPECT_FALSE(says(read_file("/proc/" + std::to_string(rig.pid()) + "/maps"), library));
  const std::vector<pid_t> models = models_of(rig.pid());
  ASSERT_EQ(models.size(), 1U);
  EXPECT_TRUE(says(read_file("/proc/" + std::to_string(models[0]) + "/maps"), library));
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
  const std::string tape = read_file(dir / "tape");
  double value = 0;
  ASSERT_GE(tape.size(), sizeof(Tape));
  std::memcpy(&value, tape.data() + offsetof(Tape, value), sizeof value);
  EXPECT_EQ(value, -42);
}

TEST(IsolationNightly, ADriversModelThatCrashesOrLoopsEndsInItsPolicy) {
  for (const auto& [deed, how] :
       {std::pair(", crash_at: 20", " was ended by SIGSEGV"),
        std::pair(", loop_at: 20", " did not return in time (half of threads.stuck_after) and was killed")}) {
    const TempDir dir;
    const DrivenRig driven{deed, "2 s"};
    const Finished done = run(driven.command(dir, {"--frames", "40"}));
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_TRUE(says(done.out,
                     "frame 19: job 'it.write' (end_of_frame) failed: its process "
                     "(libtactus-model-tape.so, pid "))
        << done;
    EXPECT_TRUE(says(done.out, how) || kSanitized) << done;
    const Json model = summary_of(dir / "out")["isolated"].at(0);
    EXPECT_EQ(model["job"], "write");
    EXPECT_EQ(model["frame"], 19);

    DrivenRig freezes{deed + std::string(", on_crash: safe_state"), "2 s"};
    fs::remove_all(dir / "out");
    Process process(freezes.command(dir, {"--frames", "40"}));
    ASSERT_TRUE(process.wait_for_output("outputs are driven safe and the rig freezes")) << process.err();
    process.signal(SIGUSR2);
    EXPECT_EQ(process.wait().status, 1);
  }
}

TEST(Isolation, AnOutputThatIsLostBehindTheFramesJobsEndsInItsPolicy) {
  const TempDir dir;
  const Finished done = run(DrivenRig{", crash_behind: 20"}.command(dir, {"--frames", "40"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "aborted");
  EXPECT_TRUE(says(done.out, "aborted after 20 frames, not in real time (--no-realtime); ")) << done;
  EXPECT_TRUE(
      says(done.err, "model 'it', after its jobs, frame 19: its process (libtactus-model-tape.so, pid "))
      << done;

  fs::remove_all(dir / "out");
  Process process(DrivenRig{", crash_behind: 20, on_crash: freeze"}.command(dir, {"--frames", "40"}));
  ASSERT_TRUE(process.wait_for_output("the rig freezes; it ends when it is resumed")) << process.err();
  process.signal(SIGUSR2);
  EXPECT_EQ(process.wait().status, 1);

  fs::remove_all(dir / "out");
  const Finished last =
      run(DrivenRig{", crash_behind: 20, on_crash: freeze"}.command(dir, {"--frames", "20"}));
  EXPECT_EQ(last.status, 1) << last;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "failed") << "no frame comes that could say so";
  EXPECT_TRUE(says(summary_of(dir / "out")["reason"], "model 'it', after its jobs, frame 19: its process "))
      << summary_of(dir / "out")["reason"];
}

/// The kernel ends the frames' thread of a killed rig first, and the processes of its models much later.
TEST(Isolation, AProcessDrivesItsOutputsSafeAsSoonAsTheThreadOfTheFramesIsDead) {
  const TempDir dir;
  const DrivenRig driven{" }\n  wrong: { model: hostile, library: '" TACTUS_HOSTILE_LIBRARY
                         "', parameters: { deed: ends_thread }",
                         "60 s"};
  Process rig(driven.command(dir, {"--set", "until=stopped"}));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  const auto value = [&] {
    const std::string tape = read_file(dir / "tape");
    double read = 0;
    if (tape.size() >= sizeof(Tape)) std::memcpy(&read, tape.data() + offsetof(Tape, value), sizeof read);
    return read;
  };
  const auto writes = [&] {
    const std::string tape = read_file(dir / "tape");
    std::int64_t read = 0;
    if (tape.size() >= sizeof(Tape)) std::memcpy(&read, tape.data() + offsetof(Tape, writes), sizeof read);
    return read;
  };
  const auto until = std::chrono::steady_clock::now() + 20s;  // of the 60 s after which it counts as stuck
  while ((writes() < 20 || value() != -42) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(value(), -42);
  EXPECT_EQ(::kill(rig.pid(), 0), 0) << "its process is there";
  rig.signal(SIGKILL);
  EXPECT_EQ(rig.wait().signal, SIGKILL);
}

TEST(Isolation, AProcessThatDoesNotDriveItsOutputsSafeIsKilled) {
  const TempDir dir;
  DrivenRig deaf{", deaf: yes"};
  deaf.guardian_timeout = "200 ms";
  Process rig(deaf.command(dir, {"--set", "until=stopped"}));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  rig.signal(SIGTERM);
  const Finished done = rig.wait();
  EXPECT_FALSE(done.timed_out) << done;
  EXPECT_EQ(done.status, 0) << done;
}

TEST(IsolationNightly, ADeviceThatCannotBeOpenedIsToldAsInTheRigsOwnProcess) {
  const TempDir dir;
  DrivenRig driven;
  driven.file = "none/tape";
  const Finished done = run(driven.command(dir, {"--frames", "40"}));
  EXPECT_EQ(done.status, 3) << done;
  EXPECT_TRUE(says(done.err, "models.it: tape none/tape cannot be opened")) << done;
}

/// As in the rig's own process, where it ends the rig.
TEST(Isolation, ACrashInTheShutdownJobFailsTheRunWhateverThePolicyIs) {
  for (const Deed& deed : {kDeeds[0], kDeeds[1], kDeeds[2], kDeeds[6]}) {
    const TempDir dir;
    Hostile rig;
    rig.on_crash = "replace";
    rig.deed = std::string(deed.name) + ", at_frame: -2";
    const Finished done = run(rig.command(dir, {"--frames", "5"}));
    EXPECT_EQ(done.status, 1) << done;
    const Json summary = summary_of(dir / "out");
    EXPECT_EQ(summary["outcome"], "failed") << done;
    EXPECT_TRUE(says(summary["reason"], "it.shutdown") && (kSanitized || says(summary["reason"], deed.how)))
        << done;
    EXPECT_EQ(summary["frames"]["run"], 5);
  }
}

TEST(Isolation, OneThatEndsOtherwiseWhileItIsDestroyedFailsTheRun) {
  const std::pair<const char*, const char*> rows[] = {
      {"exit", " ended itself with status 0 while it was destroyed"},
      {"abort", " was ended by SIGABRT"},
      {"segfault", " was ended by SIGSEGV"},
      {"killed", " was killed by SIGKILL"},
      {"exec", " ended itself with status 0 while it was destroyed"},
      {"throws", " was ended by SIGABRT"},
      {"throws_in_thread", " was ended by SIGABRT"},
      {"sleep", " did not return in time (half of threads.stuck_after, at least 1 s) and was killed"}};
  for (const auto& [deed, how] : rows) {
    SCOPED_TRACE(deed);
    const TempDir dir;
    Hostile rig;
    rig.deed = std::string(deed) + ", at_frame: -3";
    rig.stuck_after = std::string(deed) == "sleep" ? "2 s" : "20 s";
    const Finished done = run(rig.command(dir, {"--frames", "5"}));
    EXPECT_EQ(done.status, 1) << done;
    const Json summary = summary_of(dir / "out");
    EXPECT_EQ(summary["outcome"], "failed");
    EXPECT_EQ(summary["frames"]["run"], 5);
    if (kSanitized) continue;  // a sanitizer ends the process in its own way
    EXPECT_TRUE(says(summary["reason"], how)) << summary["reason"];
    EXPECT_TRUE(says(summary["isolated"].at(0)["lost"], std::string(how).substr(0, 18)))
        << summary["isolated"];
  }
}

TEST(Isolation, OneThatEndsOtherwiseInItsShutdownJobFailsTheRun) {
  for (const char* deed : {"exit", "abort", "segfault", "killed", "exec", "throws_in_thread", "at_exit"}) {
    SCOPED_TRACE(deed);
    const TempDir dir;
    Hostile rig;
    rig.deed = std::string(deed) + ", at_frame: -2";
    const Finished done = run(rig.command(dir, {"--frames", "5"}));
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_EQ(summary_of(dir / "out")["outcome"], "failed");
  }
}

}  // namespace
}  // namespace tactus::test::isolation_test
