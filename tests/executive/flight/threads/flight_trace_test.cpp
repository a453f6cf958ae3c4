// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_trace.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <csignal>
#include <deque>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string_view>
#include <thread>

#include "executive/flight/flight_collector.hpp"
#include "executive/flight/trace_files.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "tests/executive/flight/written_rig.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/perfetto_trace.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::flight_trace_test {
namespace {

namespace fs = std::filesystem;
using rtsync::OverrunCause;
using test::PerfettoTrace;
using test::read_file;
using test::TempDir;

using flight_test::kMainTid;
using flight_test::kMs;
using flight_test::kOtherTid;
using flight_test::kSideTid;
using flight_test::kStart;
using Rig = flight_test::WrittenRig;

FlightPlan plan(const TempDir& dir) { return flight_test::plan_in(dir.path()); }

TEST(FlightTrace, HoldsEveryJobOfEveryFrameWithItsTimes) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 50; ++k) rig.frame(k);
  const TraceResult result = rig.write(dir);
  ASSERT_EQ(result.failure, "");
  EXPECT_EQ(result.file, "trace-49.pftrace");
  const PerfettoTrace trace(dir / result.file);
  EXPECT_EQ(trace.process, "tactus tried");
  EXPECT_EQ(trace.threads, (std::vector<std::string>{"main", "side"}));
  const auto frames = trace.slices_of("main", "frame");
  const auto as = trace.slices_of("main", "a.step");
  const auto bs = trace.slices_of("main", "b.step");
  const auto cs = trace.slices_of("side", "c.step");
  ASSERT_EQ(frames.size(), 50U);
  ASSERT_EQ(as.size(), 50U);
  ASSERT_EQ(bs.size(), 50U);
  ASSERT_EQ(cs.size(), 50U);
  for (std::int64_t k = 0; k < 50; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const std::int64_t wake = kStart + k * kMs;
    EXPECT_EQ(frames[i].arguments.at("frame"), std::to_string(k));
    EXPECT_EQ(frames[i].arguments.at("slack_ns"), "690000");
    EXPECT_EQ(frames[i].begin_ns, wake);
    EXPECT_EQ(frames[i].end_ns, wake + 310'000);
    EXPECT_EQ(as[i].begin_ns, wake + 5'000);
    EXPECT_EQ(as[i].end_ns, wake + 205'000);
    EXPECT_EQ(as[i].depth, 1U);
    EXPECT_EQ(bs[i].begin_ns, wake + 205'000);
    EXPECT_EQ(bs[i].end_ns, wake + 305'000);
    EXPECT_EQ(cs[i].begin_ns, wake + 20'000);
    EXPECT_EQ(cs[i].end_ns, wake + 70'000);
  }
  EXPECT_EQ(trace.counters.size(), 100U);
  EXPECT_TRUE(trace.instants.empty());
}

TEST(FlightTrace, TwoThatWriteItAtOnceBothHaveIt) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 50; ++k) rig.frame(k);
  std::array<std::string, 2> failures;
  std::atomic<int> ready{0};
  const auto write = [&](std::string& failure) {
    ++ready;
    while (ready.load() < 2) std::this_thread::yield();
    for (int i = 0; i < 20; ++i) failure += rig.write(dir).failure;
  };
  std::thread other(write, std::ref(failures[1]));
  write(failures[0]);
  other.join();
  EXPECT_EQ(failures, (std::array<std::string, 2>{}));
}

TEST(FlightTrace, AnArrowLeadsFromAFrameThatOverranToThoseThatItDelayed) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 20; ++k) rig.frame(k);
  rig.frame(20, 2'500'000, OverrunCause::work);  // done 1.61 ms after the slot of 21
  const std::uint64_t about = rig.last();
  rig.frame(21, 200'000, OverrunCause::catching_up, 1'620'000);
  rig.frame(22, 200'000, OverrunCause::none, 940'000);
  rig.frame(23, 200'000, OverrunCause::none, 260'000);
  for (std::int64_t k = 24; k < 60; ++k) rig.frame(k);
  const TraceResult result = rig.write(dir, about);
  EXPECT_EQ(result.file, "trace-20.pftrace") << result.failure;
  const PerfettoTrace trace(dir / result.file);
  const auto frames = trace.slices_of("main", "frame");
  ASSERT_EQ(frames.size(), 60U);
  for (std::size_t k = 0; k < frames.size(); ++k)
    EXPECT_EQ(frames[k].flows.size(), k >= 20 && k <= 22 ? 1U : 0U) << k;
  ASSERT_EQ(trace.instants.size(), 2U);
  EXPECT_EQ(trace.instants[0].name, "overrun");
  EXPECT_EQ(trace.instants[0].arguments.at("cause"), "work");
  EXPECT_EQ(trace.instants[0].arguments.at("over_ns"), "1610000");
  EXPECT_EQ(trace.instants[1].arguments.at("cause"), "catching up");
}

TEST(FlightTrace, ALostSlotIsNoArrowToAFrameThatIsOnTime) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 20; ++k) rig.frame(k);
  rig.frame(20, 1'500'000, OverrunCause::work);
  for (std::int64_t k = 22; k < 30; ++k) rig.frame(k);
  for (const auto& slice : PerfettoTrace(dir / rig.write(dir).file).slices) EXPECT_TRUE(slice.flows.empty());
}

TEST(FlightTrace, TheTextNamesTheLongestJobOfEachFrame) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 100; ++k) rig.frame(k);
  rig.frame(100, 3'000'000, OverrunCause::work);
  const std::uint64_t about = rig.last();
  for (std::int64_t k = 104; k < 150; ++k) rig.frame(k);
  ASSERT_EQ(rig.write(dir, about).file, "trace-100.pftrace");
  const std::string text = read_file(dir / "trace-100.txt");
  EXPECT_TRUE(text.starts_with("frame 100 of rig tried: tried out\n")) << text;
  const auto has = [&](const std::string& line) {
    return text.find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has(">        100        0 ns     3.11 ms    -2.11 ms  overrun by work")) << text;
  EXPECT_TRUE(has("          99        0 ns      310 us      690 us")) << text;
  EXPECT_TRUE(
      has(">        100  main             a.step                              5.00 us     3.00 ms  longest"))
      << text;
  EXPECT_TRUE(has(">        100  main             b.step                              3.00 ms      100 us"))
      << text;
  EXPECT_TRUE(has(">        100  side             c.step                              20.0 us     50.0 us"))
      << text;
  EXPECT_EQ(text.find("\n          69 "), std::string::npos) << "30 frames before are enough\n" << text;
}

TEST(FlightTrace, JobsOfAFrameThatWasBrokenOffAreThere) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k);
  rig.rings[0].begin(2);
  rig.rings[0].put({static_cast<std::uint64_t>(kStart + 10 * kMs), UINT32_MAX, 0, FlightKind::idle});
  rig.rings[0].put({static_cast<std::uint64_t>(kStart + 10 * kMs + 77'000), 0, 0, FlightKind::job});
  rig.rings[0].end();
  const PerfettoTrace trace(dir / rig.write(dir).file);
  const auto as = trace.slices_of("main", "a.step");
  ASSERT_EQ(as.size(), 11U);
  EXPECT_EQ(as.back().end_ns - as.back().begin_ns, 77'000);
  EXPECT_EQ(as.back().depth, 0U);
  EXPECT_NE(read_file(dir / "trace-9.txt").find("unended  main             a.step"), std::string::npos);
}

TEST(FlightTrace, AFreezeStandsBetweenFramesWithItsJobs) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k);
  const auto put = [&](std::int64_t ns, std::uint32_t id, FlightEvent event, FlightKind kind) {
    rig.rings[0].put({static_cast<std::uint64_t>(kStart + ns), id, static_cast<std::uint16_t>(event), kind});
  };
  rig.rings[0].begin(4);
  put(9'500'000, 0, FlightEvent::paused, FlightKind::event);
  put(10'000'000, UINT32_MAX, {}, FlightKind::idle);
  put(10'030'000, 1, {}, FlightKind::job);
  put(20'900'000, 0, FlightEvent::resumed, FlightKind::event);
  rig.rings[0].end();
  for (std::int64_t k = 21; k < 30; ++k) rig.frame(k);
  const PerfettoTrace trace(dir / rig.write(dir).file);
  ASSERT_EQ(trace.instants.size(), 2U);
  EXPECT_EQ(trace.instants[0].name, "paused");
  EXPECT_EQ(trace.instants[0].begin_ns, kStart + 9'500'000);
  EXPECT_EQ(trace.instants[1].name, "resumed");
  EXPECT_EQ(trace.instants[1].begin_ns, kStart + 20'900'000);
  const auto bs = trace.slices_of("main", "b.step");
  ASSERT_EQ(bs.size(), 20U);
  EXPECT_EQ(bs[10].begin_ns, kStart + 10'000'000);
  EXPECT_EQ(bs[10].end_ns, kStart + 10'030'000);
  EXPECT_EQ(bs[10].depth, 0U) << "in no frame";
  EXPECT_EQ(bs[11].depth, 1U);
  EXPECT_EQ(trace.slices_of("main", "frame").size(), 19U);
}

TEST(FlightTrace, WhatALaterTactusRecordsIsPassedOver) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) {
    rig.frame(k);
    rig.rings[0].begin(3);
    rig.rings[0].put({static_cast<std::uint64_t>(k), 1, 2, FlightKind::cause});
    rig.rings[0].put({7, 0, 0, FlightKind::figure});
    rig.rings[0].put({7, 0, 0, static_cast<FlightKind>(200)});
    rig.rings[0].end();
  }
  EXPECT_EQ(PerfettoTrace(dir / rig.write(dir).file).slices_of("main", "frame").size(), 10U);
}

TEST(FlightTrace, TheCpusHaveTracksOfWhoRanThere) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.name(0, kOtherTid, 499'999, "stress");
  for (std::int64_t k = 0; k < 3; ++k) rig.frame(k);
  rig.on_cpu(0, 1, kMainTid);
  rig.on_cpu(50'000, 1, kOtherTid, true);
  rig.on_cpu(80'000, 1, kMainTid);
  rig.on_cpu(310'000, 1, 0);
  rig.on_cpu(20'000, 2, kSideTid);  // the rings of CPUs are read one after the other
  rig.on_cpu(70'000, 2, kUnknownThread);
  rig.on_cpu(90'000, 2, kMainTid, true);  // records of CPU 1 are missing
  const PerfettoTrace trace(dir / rig.write(dir).file);
  std::vector<std::string> runs;
  for (const auto& run : trace.runs)
    runs.push_back(std::to_string(run.cpu) + " " + std::to_string(run.tid) + " " +
                   std::to_string((run.begin_ns - kStart) / 1000) + " " +
                   (run.end_ns == INT64_MAX ? "?" : std::to_string((run.end_ns - kStart) / 1000)) +
                   (run.ready ? " ready" : ""));
  EXPECT_EQ(runs, (std::vector<std::string>{"1 500001 0 50 ready", "2 500002 20 70", "1 500003 50 80",
                                            "1 500001 80 90 ready", "2 500001 90 ?"}));
  EXPECT_EQ(trace.kernel_threads, (std::map<int, std::string>{{kOtherTid, "stress"}}));
  EXPECT_EQ(trace.runs[2].priority, 20);
  EXPECT_NE(read_file(dir / "trace-2.txt").find("1  stress (500003, priority 20)\n"), std::string::npos)
      << read_file(dir / "trace-2.txt");
}

TEST(FlightTrace, PageFaultsStandInTheJobsThatHadThem) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 5; ++k) rig.frame(k);
  rig.page_faults(2'100'000, 0, 16);
  rig.page_faults(3'030'000, 1, 1, true);
  const PerfettoTrace trace(dir / rig.write(dir).file);
  const auto minor = trace.instants_of("main", "page faults");
  ASSERT_EQ(minor.size(), 1U);
  EXPECT_EQ(minor[0].arguments.at("count"), "16");
  EXPECT_EQ(minor[0].begin_ns, kStart + 2'100'000);
  EXPECT_EQ(minor[0].depth, 2U) << "in a job of a frame";
  const auto major = trace.instants_of("side", "major page fault");
  ASSERT_EQ(major.size(), 1U);
  EXPECT_EQ(major[0].depth, 1U);
}

TEST(FlightTrace, AnArrowLeadsFromTheJobThatTookLongToTheCause) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.before_frame = [&](std::int64_t k) {
    if (k == 20) {
      rig.cause(k, rtsync::Cause::blocked, 0);
      rig.figure(FlightFigure::took, 2'500'000);
      rig.figure(FlightFigure::blocks, 1);
    }
    if (k == 21) {
      rig.cause(k, rtsync::Cause::catching_up, UINT32_MAX);
      rig.figure(FlightFigure::began_in_frame, 20);
    }
    if (k == 40) rig.cause(k, rtsync::Cause::waited, 2);
  };
  for (std::int64_t k = 0; k < 20; ++k) rig.frame(k);
  rig.frame(20, 2'500'000, OverrunCause::work);
  const std::uint64_t about = rig.last();
  rig.frame(21, 200'000, OverrunCause::catching_up, 1'620'000);
  for (std::int64_t k = 24; k < 60; ++k)
    rig.frame(k, k == 40 ? 1'500'000 : 200'000, k == 40 ? OverrunCause::work : OverrunCause::none);
  const PerfettoTrace trace(dir / rig.write(dir, about).file);
  const auto causes = trace.instants_of("why late");
  ASSERT_EQ(causes.size(), 3U);
  EXPECT_EQ(causes[0].name, "blocked");
  EXPECT_EQ(causes[0].arguments.at("frame"), "20");
  EXPECT_EQ(causes[0].arguments.at("job"), "a.step");
  EXPECT_EQ(causes[0].arguments.at("took_ns"), "2500000");
  EXPECT_EQ(causes[0].arguments.at("blocks"), "1");
  const auto job = trace.slices_of("main", "a.step").at(20);
  ASSERT_EQ(trace.arrows_from(job).size(), 1U);
  EXPECT_EQ(trace.arrows_from(job)[0].name, "blocked");
  ASSERT_EQ(trace.arrows_from(causes[0]).size(), 1U);
  EXPECT_EQ(trace.arrows_from(causes[0])[0].name, "catching_up");
  const auto waited = trace.arrows_from(trace.slices_of("side", "c.step").at(38));
  ASSERT_EQ(waited.size(), 1U) << "of another thread";
  EXPECT_EQ(waited[0].name, "waited");
  const std::string text = read_file(dir / "trace-20.txt");
  EXPECT_NE(text.find("> " + std::string(8, ' ') + "20  overran: blocked <- job a.step\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("21  overran: catching_up <- frame 20\n"), std::string::npos) << text;
  EXPECT_NE(text.find(", took 2.50 ms, blocks 1\n"), std::string::npos) << text;
}

TEST(FlightTrace, AnArrowLeadsFromWhoHadTheCpuToTheLateWake) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.name(3, kOtherTid, 499'999, "stress");
  rig.before_frame = [&](std::int64_t k) {
    if (k != 5) return;
    rig.cause(k, rtsync::Cause::preempted, UINT32_MAX, true);
    rig.figure(FlightFigure::other_thread, kOtherTid);
  };
  for (std::int64_t k = 0; k < 10; ++k)
    rig.frame(k, 200'000, k == 5 ? OverrunCause::late_wake : OverrunCause::none, k == 5 ? 900'000 : 0);
  rig.on_cpu(4'900'000, 1, kOtherTid, true);
  rig.on_cpu(5'899'000, 1, kMainTid, true);
  const PerfettoTrace trace(dir / rig.write(dir).file);
  const auto others = trace.slices_of("in the way");
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].name, "stress");
  EXPECT_EQ(others[0].end_ns - others[0].begin_ns, 999'000);
  const auto found = trace.arrows_from(others[0]);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "preempted");
  EXPECT_EQ(found[0].begin_ns, kStart + 5'900'000);
  EXPECT_EQ(found[0].arguments.at("other_name"), "stress");
}

TEST(FlightTrace, ACauseWhoseOriginIsGoneHasNoArrow) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.before_frame = [&](std::int64_t k) {
    rig.cause(k, k % 2 == 0 ? rtsync::Cause::preempted : rtsync::Cause::catching_up, 77);
    rig.figure(FlightFigure::other_thread, kOtherTid);
    rig.figure(FlightFigure::began_in_frame, 1'000'000);
    rig.figure(static_cast<FlightFigure>(200), 1);
  };
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k, 200'000, OverrunCause::work);
  const PerfettoTrace trace(dir / rig.write(dir).file);
  ASSERT_EQ(trace.instants_of("why late").size(), 10U);
  for (const auto& cause : trace.instants_of("why late")) EXPECT_TRUE(cause.flows.empty());
}

TEST(FlightTrace, ChosenVariablesAreCurves) {
  const TempDir dir;
  FlightPlan chosen = plan(dir);
  chosen.variables = {
      {"motor.angle", "rad", true}, {"motor.steps", "", false}, {"motor.id", "", false, true}};
  Rig rig(chosen);
  rig.behind_frame = [&](std::int64_t k) {
    rig.put({std::bit_cast<std::int64_t>(0.5 * static_cast<double>(k)), 0, 0, FlightKind::variable});
    rig.put({-k, 1, 0, FlightKind::variable});
    rig.put({k == 9 ? -1 : k, 2, 0, FlightKind::variable});
    rig.put({k, 3, 0, FlightKind::variable});  // there is none
  };
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k);
  const PerfettoTrace trace(dir / rig.write(dir).file);
  EXPECT_EQ(trace.units.at("motor.angle"), "rad");
  const auto angle = trace.counters_of("motor.angle");
  const auto steps = trace.counters_of("motor.steps");
  ASSERT_EQ(angle.size(), 10U);
  ASSERT_EQ(steps.size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(angle[k].real, 0.5 * static_cast<double>(k));
    EXPECT_EQ(steps[k].value, -static_cast<std::int64_t>(k));
    EXPECT_EQ(steps[k].begin_ns, kStart + static_cast<std::int64_t>(k) * kMs + 310'000);
  }
  const auto id = trace.counters_of("motor.id");
  ASSERT_EQ(id.size(), 10U);
  EXPECT_EQ(id[8].value, 8);
  EXPECT_EQ(id[9].real, 18446744073709551616.0) << "the nearest double of the greatest uint64";
  const std::string text = read_file(dir / "trace-9.txt");
  for (const char* const row :
       {"9  motor.angle                       4.5 rad\n", "9  motor.steps                       -9\n",
        "9  motor.id                          18446744073709551615\n"})
    EXPECT_NE(text.find(row), std::string::npos) << row << text;
}

TEST(FlightTrace, WaitsCommandsEdgesAndGrantsStandWhereTheyWere) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.behind_frame = [&](std::int64_t k) {
    rig.put({k == 7 ? -500 : 300, static_cast<std::uint32_t>(k + 1),
             static_cast<std::uint16_t>(k >= 7 ? 1 : 0), FlightKind::edge});
  };
  for (std::int64_t k = 0; k < 10; ++k) {
    if (k == 4) {
      rig.rings[0].begin(6);
      rig.put({kStart + 3'500'000, kGrantAwaited, 0, FlightKind::wait});
      rig.put({kStart + 3'900'000, 0, 0, FlightKind::wait_end});
      rig.put({kStart + 3'900'000, 4, static_cast<std::uint16_t>(FlightEvent::granted), FlightKind::event});
      rig.put({kStart + 3'950'000, 1, static_cast<std::uint16_t>(FlightEvent::command), FlightKind::event});
      rig.put({kStart + 4'305'100, 1, 0, FlightKind::wait});
      rig.put({kStart + 4'309'000, 0, 0, FlightKind::wait_end});
      rig.rings[0].end();
    }
    rig.frame(k);
  }
  const PerfettoTrace trace(dir / rig.write(dir).file);
  const auto grant = trace.slices_of("main", "waits for the link's grant");
  ASSERT_EQ(grant.size(), 1U);
  EXPECT_EQ(grant[0].end_ns - grant[0].begin_ns, 400'000);
  ASSERT_EQ(trace.instants_of("main", "granted").size(), 1U);
  EXPECT_EQ(trace.instants_of("main", "command").at(0).arguments.at("command"), "resume");
  const auto side = trace.slices_of("main", "waits for side");
  ASSERT_EQ(side.size(), 1U);
  EXPECT_EQ(side[0].begin_ns, kStart + 4'305'100);
  EXPECT_EQ(side[0].depth, 1U);
  EXPECT_EQ(trace.counters_of("clock phase error").size(), 10U);
  EXPECT_EQ(trace.counters_of("clock phase error").at(7).value, -500);
  ASSERT_EQ(trace.instants_of("main", "edge missing").size(), 1U);
}

TEST(FlightTrace, WhatAProcessWasInTheMiddleOfWhenItDiedDoesNotEnd) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k);
  rig.file->frame_now().frame.store(10);
  rig.file->frame_now().since.store(static_cast<std::uint64_t>(kStart + 10 * kMs));
  rig.file->head(0).now.job.store(1);
  rig.file->head(0).now.since.store(static_cast<std::uint64_t>(kStart + 10 * kMs + 205'000));
  rig.file->head(1).now.job.store(2);
  rig.file->head(1).now.since.store(static_cast<std::uint64_t>(kStart + 10 * kMs + 20'000));
  EXPECT_EQ(PerfettoTrace(dir / rig.write(dir).file).unended, 0U) << "it lives";
  const TraceResult result =
      write_trace(FlightView(*rig.file), {dir.path(), "killed", {}, "the process died"});
  const PerfettoTrace trace(dir / result.file);
  EXPECT_EQ(trace.unended, 3U);
  const auto frame = trace.slices_of("main", "unended frame");
  ASSERT_EQ(frame.size(), 1U);
  EXPECT_EQ(frame[0].arguments.at("frame"), "10");
  EXPECT_EQ(frame[0].begin_ns, kStart + 10 * kMs);
  const auto job = trace.slices_of("main", "b.step").back();
  EXPECT_FALSE(job.ended);
  EXPECT_EQ(job.begin_ns, kStart + 10 * kMs + 205'000);
  EXPECT_EQ(job.depth, 1U);
  EXPECT_FALSE(trace.slices_of("side", "c.step").back().ended);
  const std::string text = read_file(dir / text_of_trace(result.file));
  EXPECT_NE(text.find("frame 10 was under way when the process died\n"
                      "job b.step of thread main had begun, 205 us after the wake\n"
                      "job c.step of thread side had begun, 20.0 us after the wake\n"),
            std::string::npos)
      << text;
}

TEST(FlightTrace, WithoutAFrameThereIsNone) {
  const TempDir dir;
  const Rig rig(plan(dir));
  const TraceResult result = rig.write(dir);
  EXPECT_EQ(result.file, "");
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(FlightTrace, OfAFrameThatHasLeftTheRecorderHasWhatIsThere) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k);
  const TraceResult result = rig.write(dir, 1'000'000);
  EXPECT_EQ(result.file, "trace-9.pftrace");
  EXPECT_NE(result.remark.find("had left the recorder"), std::string::npos) << result.remark;
  EXPECT_EQ(rig.write(dir).remark, "");
}

TEST(FlightTrace, OneThatIsThereIsNotOverwritten) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.frame(7);
  EXPECT_EQ(rig.write(dir).file, "trace-7.pftrace");
  EXPECT_EQ(rig.write(dir).file, "trace-7-2.pftrace");
  EXPECT_EQ(rig.write(dir).file, "trace-7-3.pftrace");
  const std::vector<TraceFile> traces = traces_in(dir.path());
  ASSERT_EQ(traces.size(), 3U);
  for (const TraceFile& trace : traces) {
    EXPECT_EQ(trace.frame, 7);
    EXPECT_EQ(trace.why, "tried out");
  }
}

TEST(FlightTrace, TheFileThatHasAFrameIsFound) {
  const TempDir dir;
  for (const char* const name : {"trace-100.pftrace", "trace-140.pftrace", "trace-300.pftrace"})
    dir.write(name, "x");
  const auto file = [&dir](std::int64_t frame) {
    const std::optional<TraceFile> found = trace_with(dir.path(), frame, 50, 10);
    return found ? found->file : std::string("none");
  };
  EXPECT_EQ(file(100), "trace-100.pftrace");
  EXPECT_EQ(file(140), "trace-140.pftrace") << "its own, though the one before is near";
  EXPECT_EQ(file(60), "trace-100.pftrace") << "50 frames before it are in it";
  EXPECT_EQ(file(310), "trace-300.pftrace");
  EXPECT_EQ(file(311), "none");
  EXPECT_EQ(file(40), "none");
}

TEST(FlightTrace, OnAFullDiskThereIsNoneAndItSaysWhy) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 50; ++k) rig.frame(k);
  TraceResult result;
  {
    const test::FullDisk full(1000);
    result = rig.write(dir);
  }
  EXPECT_EQ(result.file, "");
  EXPECT_NE(result.failure.find("trace-49.pftrace: File too large"), std::string::npos) << result.failure;
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(FlightTrace, ARingThatHasGoneRoundManyTimesGivesWholeFramesOnly) {
  const TempDir dir;
  FlightPlan small = plan(dir);
  small.threads = {{"main", 1}, {"side", 1}};  // the least there is: 1024 records
  Rig rig(small);
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::int64_t k = 0;
  for (int round = 0; round < 20; ++round) {
    for (const std::int64_t end = k + 1 + static_cast<std::int64_t>(random() % 300); k < end; ++k)
      rig.frame(k);
    const TraceResult result = rig.write(dir);
    const PerfettoTrace trace(dir / result.file);
    const auto frames = trace.slices_of("main", "frame");
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().arguments.at("frame"), std::to_string(k - 1));
    EXPECT_GE(frames.size(), std::min<std::size_t>(static_cast<std::size_t>(k), 90));
    EXPECT_EQ(frames.back().end_ns - frames.back().begin_ns, 310'000);
    EXPECT_EQ(trace.slices_of("main", "a.step").back().end_ns, frames.back().begin_ns + 205'000);
  }
}

TEST(FlightFile, IsReadAsItWasMade) {
  const TempDir dir;
  Rig rig(plan(dir));
  const auto read = FlightFile::open(rig.file->path());
  EXPECT_EQ(read->plan().folder, dir.path());
  EXPECT_EQ(read->plan().rig, "tried");
  EXPECT_EQ(read->plan().jobs, plan(dir).jobs);
  ASSERT_EQ(read->rings(), 2U);
  EXPECT_EQ(read->plan().threads[1].name, "side");
  EXPECT_EQ(read->plan().before_ns, 100 * kMs);
  EXPECT_EQ(read->pid(), ::getpid());
  EXPECT_TRUE(read->in_use());
  EXPECT_NEAR(static_cast<double>(read->head(0).capacity), 213'750, 1)
      << "1e5 a second, for 110 ms, a quarter and 2 s more";
}

TEST(FlightFile, TakesNoMoreThanItMayAndSharesThat) {
  const TempDir dir;
  FlightPlan large = plan(dir);
  large.threads = {{"main", 3e7}, {"side", 1e7}};
  large.most_bytes = 4 << 20;
  const Rig rig(large);
  EXPECT_LE(rig.file->bytes(), 4U << 20);
  EXPECT_NEAR(
      static_cast<double>(rig.file->head(0).capacity) / static_cast<double>(rig.file->head(1).capacity), 3,
      0.01);
}

TEST(FlightFile, OfAShortRunTakesNoMoreMemoryThanItsFramesAndASecondOfPausedOnes) {
  const TempDir dir;
  FlightPlan given = plan(dir);
  given.whole_ns = 20 * kMs;
  const Rig rig(given);
  EXPECT_NEAR(static_cast<double>(rig.file->head(0).capacity), 102'000, 1) << "100,000 records a second";
  given.whole_ns = 3'600'000 * kMs;
  const Rig longer(given);
  EXPECT_NEAR(static_cast<double>(longer.file->head(0).capacity), 213'750, 1) << "as without an end";
}

TEST(FlightFile, SaysWhyThereIsNoRoom) {
  const TempDir dir;
  const test::FullDisk full(10'000);
  try {
    const Rig rig(plan(dir));
    FAIL() << "it was made";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ulimit -f"), std::string::npos) << error.what();
  }
}

TEST(FlightFile, WhatIsDamagedIsRefusedOrReadButNeverWorse) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.name(0, kOtherTid, 499'999, "stress");
  rig.before_frame = [&](std::int64_t k) {
    rig.cause(k, rtsync::Cause::preempted, 0);
    rig.figure(FlightFigure::other_thread, kOtherTid);
  };
  rig.behind_frame = [&](std::int64_t k) { rig.put({k, 1, 0, FlightKind::edge}); };
  for (std::int64_t k = 0; k < 20; ++k) {
    rig.frame(k);
    rig.on_cpu(k * kMs + 100'000, 1, kOtherTid);
    rig.page_faults(k * kMs + 200'000, 0, 16);
    rig.on_cpu(k * kMs + 300'000, 1, kMainTid);
  }
  rig.file->frame_now().since.store(static_cast<std::uint64_t>(kStart + 20 * kMs));
  rig.file->head(0).now.job.store(1);
  rig.file->head(0).now.since.store(static_cast<std::uint64_t>(kStart + 20 * kMs));
  const std::string good = read_file(rig.file->path());
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int refused = 0;
  for (int i = 0; i < ::tactus::test::trials(300); ++i) {
    std::string bad = good;
    if (i % 3 == 0) {
      bad.resize(random() % bad.size());
    } else {
      for (int n = 0; n < 20; ++n)
        bad[random() % (i % 3 == 1 ? 48'000 : bad.size())] = static_cast<char>(random());
    }
    const fs::path file = dir.write("damaged", bad);
    try {
      const auto read = FlightFile::open(file);
      const TempDir out;
      const TraceResult result =
          write_trace(FlightView(*read), {out.path(), "damaged", {}, "the process died"});
      if (!result.file.empty()) (void)PerfettoTrace(out.path() / result.file);  // and is a trace all the same
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, ::tactus::test::trials(300) / 6);
}

/// A process in a PID namespace of its own that has made a recorder's memory; its process ids say nothing here.
class OtherContainer {
 public:
  /// A frame ran so long ago.
  OtherContainer(const TempDir& dir, pid_t witness, std::int64_t silent_ns) {
    if (::pipe(ready_) != 0) return;
    between_ = ::fork();
    if (between_ == 0) {
      ::close(ready_[0]);
      if (::unshare(CLONE_NEWPID) != 0) ::_exit(1);
      const pid_t made = ::fork();
      if (made == 0) make(dir, witness, silent_ns);
      ::close(ready_[1]);
      (void)::waitpid(made, nullptr, 0);
      ::_exit(0);
    }
    ::close(ready_[1]);
    char text[256] = {};
    if (::read(ready_[0], text, sizeof text - 1) > 0) path_ = text;
  }
  ~OtherContainer() {
    end();
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  /// It is killed with its container.
  void end() {
    if (between_ > 0) {
      ::close(ready_[0]);  // it waits for that
      (void)::waitpid(between_, nullptr, 0);
    }
    between_ = 0;
  }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void make(const TempDir& dir, pid_t witness, std::int64_t silent_ns) {
    auto file = FlightFile::make(plan(dir), witness);
    file->frame_now().alive_ns.store(rtsync::kernel_time(CLOCK_MONOTONIC).count() - silent_ns);
    (void)!::write(ready_[1], file->path().c_str(), file->path().string().size());
    while (!closed()) ::usleep(1000);
    ::raise(SIGKILL);
    ::_exit(1);
  }
  bool closed() const {
    pollfd look{ready_[1], 0, 0};
    return ::poll(&look, 1, 0) > 0 && (look.revents & POLLERR) != 0;
  }
  int ready_[2] = {-1, -1};
  pid_t between_ = 0;
  std::string path_;
};

/// Another rig that starts may have collected what nobody uses.
bool is_there_and_in_use(const fs::path& memory) try {
  return FlightFile::open(memory)->in_use();
} catch (const std::runtime_error&) {
  return false;
}

TEST(FlightFile, OfAnotherContainerIsInUseAsLongAsItsProcessLives) {
  const TempDir dir;
  OtherContainer other(dir, 0, 0);
  if (other.path().empty()) GTEST_SKIP() << "no PID namespace for this user";
  EXPECT_TRUE(FlightFile::open(other.path())->in_use());
  other.end();
  EXPECT_FALSE(is_there_and_in_use(other.path()));
}

TEST(FlightFile, OfAnotherContainerIsLeftToItsWitnessForAWhile) {
  struct Row {
    std::int64_t silent_ns;
    bool in_use;
  };
  for (const Row& row : {Row{0, true}, Row{31'000 * kMs, false}}) {
    const TempDir dir;
    OtherContainer other(dir, ::getpid(), row.silent_ns);  // the number of a process there
    if (other.path().empty()) GTEST_SKIP() << "no PID namespace for this user";
    EXPECT_FALSE(FlightFile::open(other.path())->is_witnessed_here());
    other.end();
    EXPECT_EQ(is_there_and_in_use(other.path()), row.in_use);
  }
}

TEST(FlightFile, ItsLockEndsWithItsProcessWhateverChildrenThatLeaves) {
  const TempDir dir;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t rig = ::fork();
  if (rig == 0) {
    const auto file = FlightFile::make(plan(dir), 0);
    std::string text = file->path().string();
    const pid_t model = ::fork();
    if (model == 0) ::pause();
    text = std::to_string(model) + " " + text;
    (void)!::write(ready[1], text.data(), text.size());
    ::pause();
  }
  char text[256] = {};
  ASSERT_GT(::read(ready[0], text, sizeof text - 1), 0);
  ::close(ready[0]);
  ::close(ready[1]);
  pid_t model = 0;
  std::string path;
  std::istringstream(text) >> model >> path;
  const auto locked = [&] {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    EXPECT_EQ(::fcntl(file, F_GETLK, &lock), 0);
    ::close(file);
    return lock.l_type != F_UNLCK;
  };
  EXPECT_TRUE(locked());
  ::kill(rig, SIGKILL);
  ASSERT_EQ(::waitpid(rig, nullptr, 0), rig);
  EXPECT_EQ(::kill(model, 0), 0);
  EXPECT_FALSE(locked());
  ::kill(model, SIGKILL);
  ::unlink(path.c_str());
}

TEST(FlightFile, IsWholeWhenItIsSeen) {
  const TempDir dir;
  const int watch = ::inotify_init1(IN_CLOEXEC);
  ASSERT_GE(::inotify_add_watch(watch, "/dev/shm", IN_CREATE), 0);
  const std::string mine = "tactus-flight-" + std::to_string(::getpid()) + "-";
  std::atomic<bool> seen = false;
  FlightPlan large = plan(dir);  // it takes a while to make
  large.threads[0].records_per_second = 3e7;
  large.most_bytes = 64 << 20;
  std::thread maker([&] {
    const Rig rig(large);
    seen.wait(false);
  });
  std::string name;
  while (name.empty()) {
    alignas(inotify_event) char events[4096];
    const ssize_t size = ::read(watch, events, sizeof events);
    ASSERT_GT(size, 0);
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(events + at);
      if (std::string_view(event->name).starts_with(mine)) name = event->name;
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
  }
  ::close(watch);
  EXPECT_NO_THROW(EXPECT_EQ(FlightFile::open("/dev/shm/" + name)->plan().rig, "tried"));
  seen = true;
  seen.notify_one();
  maker.join();
}

TEST(FlightFile, OfThisProcessIsNotAmongThoseThatOthersHaveLeft) {
  const TempDir dir;
  const Rig rig(plan(dir));
  const auto all = FlightFile::all();
  EXPECT_EQ(std::find(all.begin(), all.end(), rig.file->path()), all.end());
}

TEST(FlightCollector, WhatAKilledProcessLeftIsCollectedOnce) {
  const TempDir dir;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Rig rig(plan(dir));
    for (std::int64_t k = 0; k < 30; ++k) rig.frame(k);
    const std::string path = rig.file->path().string();
    (void)!::write(ready[1], path.data(), path.size());
    ::raise(SIGKILL);
  }
  char path[256] = {};
  ASSERT_GT(::read(ready[0], path, sizeof path - 1), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(ready[0]);
  ::close(ready[1]);
  // A rig that begins just now, of any test, collects it as well: it is waited for, and none is left then.
  const auto found = collect_flight(path, "killed");
  EXPECT_LE(found.size(), 1U);
  for (const CollectedFlight& each : found) {
    EXPECT_EQ(each.run_folder, dir.path());
    EXPECT_EQ(each.file, "trace-29.pftrace") << each.failure;
  }
  while (fs::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(PerfettoTrace(dir / "trace-29.pftrace").slices_of("main", "frame").size(), 30U);
  EXPECT_TRUE(collect_flight(path, "killed").empty());
}

}  // namespace
}  // namespace tactus::executive::flight_trace_test
