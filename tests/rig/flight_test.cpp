// SPDX-License-Identifier: Apache-2.0
/// What the flight recorder of a rig writes out, and when.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "rig_command.hpp"
#include "tests/support/perfetto_trace.hpp"

namespace tactus::test::flight_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool says(const std::string& all, const std::string& text) { return all.find(text) != std::string::npos; }

/// The frames of a trace, by number, with the jobs in them.
struct Frames {
  explicit Frames(const fs::path& file) : trace(file) {
    for (const PerfettoTrace::Event& slice : trace.slices_of("main")) {
      if (slice.name == "frame") numbers.push_back(std::stoll(slice.arguments.at("frame")));
      if (slice.depth == 1) ++jobs;
    }
  }
  bool has(std::int64_t frame) const {
    return std::find(numbers.begin(), numbers.end(), frame) != numbers.end();
  }
  PerfettoTrace trace;
  std::vector<std::int64_t> numbers;
  std::size_t jobs = 0;
};

/// Overruns in frame 500 and in each 500th after it, beside those of the machine.
Command overrunning(const TempDir& dir, const Arguments& more) {
  return run_rig("overrun",
                 Arguments{"--out", "out", "--set", "models.load.parameters.from_frame=500", "--set",
                           "models.load.parameters.every=500", "--set", "flight_recorder.after=50 ms",
                           "--set", "flight_recorder.traces=5"} +
                     more,
                 dir.path());
}

/// Each frame that overran has one, and an arrow leads there from its job.
void expect_causes(const PerfettoTrace& trace) {
  const auto causes = trace.instants_of("why late");
  for (const PerfettoTrace::Event& overrun : trace.instants_of("main", "overrun")) {
    const auto cause = std::find_if(causes.begin(), causes.end(), [&](const PerfettoTrace::Event& each) {
      return each.arguments.at("frame") == overrun.arguments.at("frame");
    });
    ASSERT_NE(cause, causes.end()) << "frame " << overrun.arguments.at("frame");
    if (!cause->arguments.contains("job") || cause->arguments.at("part") != "job") continue;
    bool found = false;
    for (const PerfettoTrace::Event& job : trace.slices_of("main", cause->arguments.at("job")))
      for (const PerfettoTrace::Event& effect : trace.arrows_from(job))
        found = found || (effect.begin_ns == cause->begin_ns && effect.name == cause->name);
    EXPECT_TRUE(found) << cause->name << " of frame " << overrun.arguments.at("frame");
  }
}

TEST(FlightNightly, AnOverrunIsWrittenOutWithTheFramesBeforeAndAfterIt) {
  const TempDir dir;
  const Finished done = run(overrunning(dir, {"--frames", "900", "--set", "flight_recorder.traces=1000"}));
  ASSERT_EQ(done.status, 0) << done;
  bool found = false;
  const Json traces = summary_of(dir / "out")["traces"];
  for (const Json& each : traces) {
    const std::string file = each["file"];
    EXPECT_EQ(each["why"], "overrun");
    EXPECT_EQ(file, "trace-" + std::to_string(each["frame"].get<int>()) + ".pftrace");
    EXPECT_TRUE(says(read_file(dir / "out/log.txt"), "flight recorder, overrun: " + file + " and "));
    const Frames frames(dir / "out" / file);
    EXPECT_TRUE(std::is_sorted(frames.numbers.begin(), frames.numbers.end()));
    EXPECT_EQ(frames.jobs, 2 * frames.numbers.size()) << "load.step and record.load";
    for (const PerfettoTrace::Event& instant : frames.trace.instants) {
      if (instant.name != "overrun" || instant.arguments.at("frame") != "500") continue;
      found = true;
      EXPECT_TRUE(frames.has(499));
      EXPECT_TRUE(frames.has(500));
      EXPECT_TRUE(frames.has(501));
      std::int64_t longest = 0;
      for (const PerfettoTrace::Event& job : frames.trace.slices_of("main", "load.step"))
        longest = std::max(longest, job.end_ns - job.begin_ns);
      EXPECT_GE(longest, 3'500'000);
    }
    expect_causes(frames.trace);
    const std::string text = read_file(dir / "out" / (file.substr(0, file.size() - 8) + ".txt"));
    EXPECT_TRUE(says(text, " of rig overrun: overrun\n"));
    EXPECT_TRUE(says(text, "\n> ")) << text;
  }
  EXPECT_TRUE(found);
}

TEST(FlightNightly, NoMoreOverrunsAreWrittenOutThanTheRigFileAllows) {
  const TempDir dir;
  const Finished done = run(overrunning(dir, {"--frames", "1800", "--set", "flight_recorder.traces=1"}));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["traces"].size(), 1U);
  EXPECT_TRUE(says(read_file(dir / "out/log.txt"), "writes out no more overruns of this run"));
}

TEST(Flight, AnEndThatIsNotInOrderIsWrittenOut) {
  const TempDir dir;
  const Finished done =
      run(run_rig("overrun",
                  {"--out", "out", "--no-realtime", "--set", "models.load.parameters.busy=0 s", "--set",
                   "models.load.parameters.fails_at=100 ms"},
                  dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  const Json traces = summary_of(dir / "out")["traces"];
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_EQ(traces[0]["why"].get<std::string>().find("failed: frame 100: job 'load.step'"), 0U) << traces;
  EXPECT_TRUE(says(read_file(dir / "out/trace-99.txt"), "frame 100 was under way when the rig ended\n"));
  EXPECT_EQ(traces[0]["frame"], 99);
  const Frames frames(dir / "out/trace-99.pftrace");
  EXPECT_EQ(frames.numbers.size(), 100U);
  EXPECT_EQ(frames.trace.slices_of("main", "load.step").size(), 101U) << "the one that failed, too";
}

TEST(FlightNightly, ARunInOrderWithoutAnOverrunLeavesNothing) {
  const TempDir dir;
  const Finished done =
      run(run_rig("servo", {"--out", "out", "--no-realtime", "--frames", "100"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["traces"], Json::array());
  for (const auto& entry : fs::directory_iterator(dir / "out"))
    EXPECT_FALSE(says(entry.path().filename(), "trace")) << entry.path();
  const Finished asked = run(tactus({"trace", "out"}, dir.path()));
  EXPECT_EQ(asked.status, 1) << asked;
  EXPECT_TRUE(says(asked.out, "out: no trace: the run ended in order and no frame overran")) << asked;
}

TEST(Flight, ATraceOfARigThatRunsWithoutARecorderIsNotSaidToBeOfOneThatEnded) {
  const TempDir dir;
  Process rig(run_rig("servo",
                      {"--set", "until=stopped", "--set", "flight_recorder.enabled=no", "--out", "out"},
                      dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  const Finished asked = run(tactus({"trace", "out"}, dir.path()));
  EXPECT_EQ(asked.status, 1) << asked;
  EXPECT_TRUE(says(asked.out, "out: no trace: the rig runs, and ")) << asked;
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0);
}

/// Its last frame, whole, is the last that the witness saw, or the one after it.
void expect_last_frame(const fs::path& folder, const char* why, const Finished& done) {
  const Json summary = summary_of(folder);
  const std::int64_t run = summary["frames"]["run"];
  const Json traces = summary["traces"];
  ASSERT_FALSE(traces.empty()) << done << read_file(folder / "log.txt");
  EXPECT_EQ(traces.back()["why"], why);
  const std::int64_t frame = traces.back()["frame"];
  EXPECT_TRUE(frame == run - 1 || frame == run) << "frame " << frame << " of " << run;
  const Frames frames(folder / traces.back()["file"].get<std::string>());
  ASSERT_FALSE(frames.numbers.empty());
  EXPECT_EQ(frames.numbers.back(), frame);
  EXPECT_EQ(frames.numbers.size(), static_cast<std::size_t>(frame - frames.numbers.front() + 1))
      << "none is missing";
}

void kill_rigs(int times) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int i = 0; i < times; ++i) {
    const TempDir dir;
    const auto after = std::chrono::microseconds(random() % 300'000);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", rig " + std::to_string(i) + ", killed after " +
                 std::to_string(after.count()) + " us");
    Process rig(run_rig(i % 2 == 0 ? "servo" : "threads",
                        {"--set", "until=stopped", "--out", "out", "--set", "flight_recorder.traces=0"},
                        dir.path()));
    ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0")) << rig.err();
    std::this_thread::sleep_for(after);
    rig.signal(SIGKILL);
    const Finished done = rig.wait();
    EXPECT_EQ(done.status, 137) << done;
    expect_last_frame(dir / "out", "killed", done);
    const Json traces = summary_of(dir / "out")["traces"];
    ASSERT_FALSE(traces.empty());
    EXPECT_TRUE(says(done.err, "the last frames: " + traces[0]["file"].get<std::string>() + ", trace-"))
        << done;
    const PerfettoTrace trace(dir / "out" / traces[0]["file"].get<std::string>());
    EXPECT_EQ(trace.threads.size(), i % 2 == 0 ? 1U : 2U);
    std::multiset<std::string> unended;
    for (const PerfettoTrace::Event& slice : trace.slices)
      if (!slice.ended && slice.category == "unended") unended.insert(slice.name);
    const auto died = summary_of(dir / "out")["died"]["jobs"].get<std::multiset<std::string>>();
    EXPECT_EQ(unended, died) << "the jobs that were under way";
  }
}

TEST(FlightNightly, ARigThatIsKilledAtAnyMomentLeavesItsLastFrame) { kill_rigs(trials(15)); }

TEST(FlightNightly, TwoHundredRigsThatAreKilledLeaveTheirLastFrame) { kill_rigs(200); }

TEST(FlightNightly, ACrashLeavesTheFramesBeforeIt) {
  for (const char* const what : {"segv", "abort", "_exit"}) {
    SCOPED_TRACE(what);
    const TempDir dir;
    dir.write(
        "rig.yaml",
        "rig: one\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nthreads: { main: { policy: other } }\n"
        "memory: { lock: no, heap: 0 B }\nmodels: { it: { model: misbehave, library: test_load, parameters: "
        "{ what: " +
            std::string(what) + ", at_frame: 20 } } }\n");
    const Finished done = run(tactus({"run", "rig.yaml", "--frames", "40", "--out", "out"}, dir.path()));
    EXPECT_NE(done.status, 0) << done;
    expect_last_frame(dir / "out", "crashed", done);
    EXPECT_EQ(summary_of(dir / "out")["traces"][0]["frame"], 19) << done;
    const PerfettoTrace trace(dir / "out/trace-19.pftrace");
    ASSERT_EQ(trace.unended, 2U) << "a frame, and a job in it";
    EXPECT_EQ(trace.slices_of("main", "unended frame").at(0).arguments.at("frame"), "20");
    EXPECT_EQ(trace.slices_of("main").back().category, "unended");
    EXPECT_EQ(Json(trace.slices_of("main").back().name), summary_of(dir / "out")["died"]["jobs"][0]);
    EXPECT_TRUE(
        says(read_file(dir / "out/trace-19.txt"), "frame 20 was under way when the process died\njob it."));
  }
}

TEST(FlightNightly, WhatARigWithoutAWitnessLeftTheNextRunWrites) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out", "--no-witness"}, dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0")) << rig.err();
  rig.signal(SIGKILL);
  (void)rig.wait();
  const Finished next = run(run_rig("servo", {"--out", "next", "--no-realtime", "--frames", "10"},
                                    dir.path()));  // or one beside us
  EXPECT_EQ(next.status, 0) << next;
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  Finished asked;
  do {
    asked = run(tactus({"trace", "out"}, dir.path()));
  } while (asked.status != 0 && std::chrono::steady_clock::now() < until);
  EXPECT_TRUE(says(asked.out, "  killed\n")) << asked;
}

TEST(Flight, WhoeverWritesTheTraceOfAKilledRigListsItInItsSummary) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out"}, dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0")) << rig.err();
  ASSERT_EQ(::kill(rig.started_pid(), SIGSTOP), 0);  // the witness notices nothing
  rig.signal(SIGKILL);
  ASSERT_EQ(::kill(rig.started_pid(), SIGKILL), 0);
  (void)rig.wait();
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  Finished asked;
  do {  // a rig beside this one may write it, and take it away from a command that is at it
    asked = run(tactus({"trace", "out"}, dir.path()));
  } while ((asked.status != 0 || count_in(dir / "out/summary.json", "\"why\": \"killed\"") == 0) &&
           std::chrono::steady_clock::now() < until);
  asked = run(tactus({"trace", "out"}, dir.path()));  // the other rig may have come right behind the last one
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "unfinished");
  EXPECT_EQ(summary["rig"], "servo");
  std::size_t lines = 0;
  for (const Json& trace : summary["traces"]) {
    EXPECT_TRUE(fs::exists(dir / "out" / trace["file"].get<std::string>())) << trace;
    EXPECT_TRUE(says(asked.out, trace["file"].get<std::string>())) << trace;
    ++lines;
  }
  EXPECT_EQ(lines, static_cast<std::size_t>(std::count(asked.out.begin(), asked.out.end(), '\n'))) << asked;
  EXPECT_GE(lines, 1U);
}

TEST(FlightNightly, ChosenVariablesAreInTheTraceOfAKilledRig) {
  const TempDir dir;
  Process rig(run_rig("servo",
                      {"--set", "until=stopped", "--out", "out", "--set",
                       "flight_recorder.variables=[motor.angle, rt.frame]", "--no-realtime"},
                      dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  std::this_thread::sleep_for(300ms);
  rig.signal(SIGKILL);
  (void)rig.wait();
  const Json traces = summary_of(dir / "out")["traces"];
  ASSERT_EQ(traces.size(), 1U);
  const Frames frames(dir / "out" / traces[0]["file"].get<std::string>());
  const auto angle = frames.trace.counters_of("motor.angle");
  const auto number = frames.trace.counters_of("rt.frame");
  ASSERT_EQ(number.size(), frames.numbers.size());
  ASSERT_EQ(angle.size(), number.size());
  for (std::size_t i = 0; i < number.size(); ++i) EXPECT_EQ(number[i].value, frames.numbers[i]);
  EXPECT_EQ(frames.trace.units.at("motor.angle"), "rad");
}

TEST(FlightNightly, WhoHadTheCpusIsInTheTraceWhereTheKernelTells) {
  const TempDir dir;
  const Finished done = run(overrunning(dir, {"--frames", "900"}));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  if (says(summary["rt"]["refused"].dump(), "the kernel's events"))
    GTEST_SKIP() << "the kernel tells nothing";
  ASSERT_FALSE(summary["traces"].empty());
  const PerfettoTrace trace(dir / "out" / summary["traces"][0]["file"].get<std::string>());
  std::int64_t main_ran = 0;
  for (const PerfettoTrace::Run& each : trace.runs)
    if (each.end_ns != INT64_MAX && !trace.kernel_threads.contains(each.tid))
      main_ran += each.end_ns - each.begin_ns;
  EXPECT_GE(main_ran, 3'500'000) << "in the frame that overran at least";
  std::map<int, std::int64_t> runs;
  for (const PerfettoTrace::Run& each : trace.runs) ++runs[each.tid];
  std::int64_t most = 0;
  for (const auto& [tid, times] : runs)
    if (!trace.kernel_threads.contains(tid) && tid != 0) most = std::max(most, times);
  EXPECT_GE(most, 100) << "main sleeps behind each frame, and its CPU is idle then";
  EXPECT_TRUE(says(read_file(dir / "out" /
                             (summary["traces"][0]["file"].get<std::string>().substr(
                                  0, summary["traces"][0]["file"].get<std::string>().size() - 8) +
                              ".txt")),
                   "who had the CPUs"));
}

TEST(FlightNightly, ThreadsThatWaitForEachOtherAndThoseBesideTheFramesAreInTheTrace) {
  const TempDir dir;
  Process rig(run_rig("threads", {"--set", "until=stopped", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  std::this_thread::sleep_for(300ms);
  rig.signal(SIGKILL);
  (void)rig.wait();
  const Json traces = summary_of(dir / "out")["traces"];
  ASSERT_FALSE(traces.empty());
  const PerfettoTrace trace(dir / "out" / traces.back()["file"].get<std::string>());
  ASSERT_GE(trace.threads.size(), 2U);
  for (const std::string& thread : trace.threads) EXPECT_FALSE(trace.slices_of(thread).empty()) << thread;
}

TEST(FlightNightly, ACommandOfTheRigFileIsInTheTrace) {
  const TempDir dir;
  dir.write(
      "rig.yaml",
      "rig: one\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nthreads: { main: { policy: other } }\n"
      "memory: { lock: no, heap: 0 B }\n"
      "commands: [{ at: 10 ms, do: pause }, { at: 10 ms, do: resume }]\n"
      "models: { it: { model: misbehave, library: test_load, parameters: { what: abort, at_frame: 20 } } "
      "}\n");
  const Finished done = run(tactus({"run", "rig.yaml", "--frames", "40", "--out", "out"}, dir.path()));
  EXPECT_NE(done.status, 0) << done;
  const PerfettoTrace trace(dir / "out/trace-19.pftrace");
  const auto commands = trace.instants_of("main", "command");
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].arguments.at("command"), "pause");
  EXPECT_EQ(commands[1].arguments.at("command"), "resume");
  EXPECT_EQ(trace.instants_of("main", "paused").size(), 1U);
  EXPECT_EQ(trace.instants_of("main", "resumed").size(), 1U);
}

TEST(FlightNightly, ARigThatRunsCanBeAskedForItsFrames) {
  const TempDir dir;
  Process rig(run_rig(
      "servo", {"--set", "until=stopped", "--out", "out", "--set", "flight_recorder.traces=0"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  Finished asked;
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  do {  // its first frame may be to come
    asked = run(tactus({"trace", "out"}, dir.path()));
  } while (asked.status != 0 && std::chrono::steady_clock::now() < until);
  EXPECT_EQ(asked.status, 0) << asked;
  EXPECT_TRUE(says(asked.out, "  asked for\n")) << asked;
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
  const Json traces = summary_of(dir / "out")["traces"];
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_TRUE(Frames(dir / "out" / traces[0]["file"].get<std::string>()).has(traces[0]["frame"]));
}

TEST(FlightNightly, AFolderThatIsNotThereIsNoRunFolder) {
  const TempDir dir;
  const Finished asked = run(tactus({"trace", "nowhere"}, dir.path()));
  EXPECT_EQ(asked.status, 2) << asked;
  EXPECT_TRUE(says(asked.err, "nowhere: No such file or directory")) << asked;
}

TEST(FlightNightly, AFullDiskIsSaidAndTheRigGoesOn) {
  const TempDir dir;
  Process rig(overrunning(dir, {"--frames", "900", "--paused", "--set", "flight_recorder.traces=1000"}));
  ASSERT_TRUE(rig.wait_for_output("paused after 0 frames")) << rig.err();
  const rlimit full{80'000, RLIM_INFINITY};  // what is smaller fits: all files but the traces
  ASSERT_EQ(::prlimit(rig.pid(), RLIMIT_FSIZE, &full, nullptr), 0);
  rig.signal(SIGUSR2);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_TRUE(says(done.err, "the flight recorder's trace was not written: ")) << done;
  EXPECT_TRUE(says(done.err, "File too large")) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 900);
  for (const auto& entry : fs::directory_iterator(dir / "out")) EXPECT_NE(entry.path().extension(), ".part");
}

TEST(FlightNightly, SwitchedOffItIsSilent) {
  const TempDir dir;
  const Finished done = run(overrunning(dir, {"--frames", "700", "--set", "flight_recorder.enabled=no"}));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["traces"], Json::array());
  EXPECT_FALSE(says(read_file(dir / "out/log.txt") + done.out + done.err, "flight")) << done;
}

}  // namespace
}  // namespace tactus::test::flight_test
