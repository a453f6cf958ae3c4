// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_window.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "executive/flight/flight_search.hpp"
#include "tests/executive/flight/written_rig.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::flight_window_test {
namespace {

using flight_test::WrittenRig;
using rtsync::OverrunCause;
using test::TempDir;

/// Some take longer than their time, and those behind them catch up; some have a cause.
void write_frames(WrittenRig& rig, std::int64_t frames) {
  rig.before_frame = [&](std::int64_t k) {
    if (k % 7 == 0) rig.cause(k, rtsync::Cause::computed, 0);
  };
  std::mt19937_64 random(18);
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  std::int64_t free = 0;  // from then on
  for (std::int64_t k = 0; k < frames; ++k) {
    const bool overruns = below(50) == 0;
    const std::int64_t slot = k * flight_test::kMs;
    const std::int64_t late = std::max(below(40'000), free - slot);
    const std::int64_t a_ns = below(overruns ? 6'000'000 : 500'000);
    rig.stamp_behind = 1'000 + below(below(10) == 0 ? 400'000 : 2'000);
    rig.on_cpu(slot, 1, flight_test::kMainTid);
    rig.frame(k, a_ns, overruns ? OverrunCause::work : OverrunCause::none, late);
    free = slot + late + a_ns + 110'000 + rig.stamp_behind;
  }
}

FlightPlan plan(const TempDir& dir) {
  FlightPlan made = flight_test::plan_in(dir.path());
  made.kernel_records_per_second = 1e5;
  return made;
}

/// Job, begin and end of those that ended at `from` or later.
using Jobs = std::vector<std::tuple<std::uint32_t, std::int64_t, std::int64_t>>;
Jobs jobs_of(const FlightView& view, std::size_t ring, std::int64_t from) {
  Jobs jobs;
  FlightView::Visitor visitor;
  visitor.since_ns = from;
  visitor.job = [&](const FlownJob& job) {
    if (job.end_ns >= from) jobs.emplace_back(job.job, job.begin_ns, job.end_ns);
  };
  (void)view.visit(ring, visitor);
  return jobs;
}
Jobs since(Jobs jobs, std::int64_t from) {
  std::erase_if(jobs, [&](const auto& job) { return std::get<2>(job) < from; });
  return jobs;
}
std::map<std::int64_t, FlownFrame> frames_of(const FlightView& view) {
  std::map<std::int64_t, FlownFrame> frames;
  (void)view.visit(0, {.frame = [&](const FlownFrame& frame) { frames[frame.frame] = frame; }});
  return frames;
}

TEST(FlightWindow, HasAllThatAViewOfEverythingHas) {
  const TempDir dir;
  WrittenRig rig(plan(dir));
  constexpr std::int64_t kFrames = 1500;
  write_frames(rig, kFrames);
  const FlightView all(*rig.file);
  const std::map<std::int64_t, FlownFrame> frames = frames_of(all);
  const Jobs jobs[] = {jobs_of(all, 0, 0), jobs_of(all, 1, 0)};
  for (std::int64_t frame = 300; frame < kFrames; frame += 13)
    for (const std::int64_t before : {0, 1, 20}) {
      const FlightView part(*rig.file, start_of_frames(*rig.file, frame, before));
      const FlownFrame& first = frames.at(frame - before);
      const std::map<std::int64_t, FlownFrame> seen = frames_of(part);
      ASSERT_EQ(seen.count(frame - before), 1U) << frame;
      ASSERT_EQ(seen.at(frame - before).wake_ns, first.wake_ns) << frame;
      ASSERT_EQ(seen.at(frame - before).causes.size(), first.causes.size()) << frame;
      const std::int64_t slot = first.wake_ns - first.late_ns;
      for (const std::size_t ring : {std::size_t{0}, std::size_t{1}})
        ASSERT_EQ(jobs_of(part, ring, slot), since(jobs[ring], slot)) << frame << " on " << ring;
      const LiveTrace trace = trace_window(*rig.file, {frame, before, 5});
      ASSERT_EQ(trace.outcome, LiveTrace::Outcome::done) << trace.problem;
      ASSERT_EQ(trace.json.at("first"), frame - before);
      ASSERT_EQ(trace.json.at("last"), std::min(frame + 5, kFrames - 1));
    }
}

TEST(FlightWindow, IsReadFromNearItsFirstFrame) {
  const TempDir dir;
  WrittenRig rig(plan(dir));
  for (std::int64_t k = 0; k < 3000; ++k) rig.frame(k);
  const std::uint64_t end = rig.last() + 1;
  const std::uint64_t a_frame = end / 3000 + 1;
  EXPECT_GT(start_of_frames(*rig.file, {}, 0), end - 40 * a_frame);
  EXPECT_GT(start_of_frames(*rig.file, 2900, 20), end - 160 * a_frame);
  EXPECT_LT(start_of_frames(*rig.file, 2900, 20), end - 120 * a_frame);
  EXPECT_EQ(start_of_frames(*rig.file, 3001, 20), 0U) << "there is none";
  EXPECT_EQ(start_of_frames(*rig.file, 2900, 2900), 0U) << "all";
  const auto since = static_cast<std::uint64_t>(flight_test::kStart + 2900 * flight_test::kMs);
  EXPECT_GT(start_of_jobs(*rig.file, 1, since), 2U * 2900U - 5);
  EXPECT_LT(start_of_jobs(*rig.file, 1, since), 2U * 2900U);
  EXPECT_EQ(start_of_jobs(*rig.file, 1, 1), 0U);
}

TEST(FlightWindow, OfANumberThatCameTwiceIsTheLatest) {
  const TempDir dir;
  WrittenRig rig(plan(dir));
  for (std::int64_t k = 0; k < 100; ++k) rig.frame(k, 200'000);
  rig.put({0, 0, static_cast<std::uint16_t>(FlightEvent::went_back), FlightKind::event});
  for (std::int64_t k = 0; k < 100; ++k) rig.frame_at(k, k + 1000, 300'000);
  const LiveTrace trace = trace_window(*rig.file, {50, 0, 0});
  ASSERT_EQ(trace.outcome, LiveTrace::Outcome::done) << trace.problem;
  EXPECT_EQ(trace.json.at("frames").at(0).at("work_ns"), 410'000);
}

TEST(FlightWindow, OfAFrameThatIsNotHeldSaysWhichAre) {
  const TempDir dir;
  WrittenRig rig(plan(dir));
  EXPECT_EQ(trace_window(*rig.file, {}).problem, "the flight recorder holds no frame yet");
  for (std::int64_t k = 5; k < 40; ++k) rig.frame(k);
  const LiveTrace trace = trace_window(*rig.file, {40, 1, 1});
  EXPECT_EQ(trace.outcome, LiveTrace::Outcome::no_frame);
  EXPECT_EQ(trace.problem, "the flight recorder does not hold frame 40; it holds frames 5 to 39");
}

}  // namespace
}  // namespace tactus::executive::flight_window_test
