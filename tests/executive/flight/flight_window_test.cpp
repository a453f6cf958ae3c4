// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_window.hpp"

#include <gtest/gtest.h>

#include <random>

#include "executive/flight/flight_search.hpp"
#include "tests/executive/flight/written_rig.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::flight_window_test {
namespace {

using flight_test::WrittenRig;
using rtsync::OverrunCause;
using test::TempDir;

/// Frames whose times follow from their numbers: some late by more than frames, some with a cause.
void write_frames(WrittenRig& rig, std::int64_t from, std::int64_t to) {
  rig.before_frame = [&](std::int64_t k) {
    if (k % 7 == 0) rig.cause(k, rtsync::Cause::computed, 0);
  };
  for (std::int64_t k = from; k < to; ++k) {
    std::mt19937_64 random(static_cast<std::uint64_t>(k));
    const bool late = random() % 50 == 0;
    const auto a_ns = static_cast<std::int64_t>(random() % (late ? 3'000'000 : 500'000));
    rig.on_cpu(k * flight_test::kMs, 1, flight_test::kMainTid);
    rig.frame(k, a_ns, late ? OverrunCause::work : OverrunCause::none,
              static_cast<std::int64_t>(random() % (late ? 4'000'000 : 40'000)));
  }
}

FlightPlan plan(const TempDir& dir) {
  FlightPlan made = flight_test::plan_in(dir.path());
  made.kernel_records_per_second = 1e5;
  return made;
}

TEST(FlightWindow, IsTheSameHoweverMuchIsHeld) {
  const TempDir dir;
  WrittenRig all(plan(dir)), end(plan(dir));
  constexpr std::int64_t kFrames = 3000, kEnd = 200;
  write_frames(all, 0, kFrames);
  write_frames(end, kFrames - kEnd, kFrames);
  for (std::int64_t frame = kFrames - kEnd / 2; frame < kFrames; ++frame)
    for (const std::int64_t before : {0, 1, 20}) {
      LiveTraceCall call{frame, before, 5};
      const LiveTrace trace = trace_window(*all.file, call);
      ASSERT_EQ(trace.outcome, LiveTrace::Outcome::done) << trace.problem;
      ASSERT_EQ(trace.json.at("first"), frame - before);
      ASSERT_EQ(trace.json, trace_window(*end.file, call).json) << "frame " << frame;
    }
  EXPECT_EQ(trace_window(*all.file, {{}, 3, 3}).json, trace_window(*end.file, {{}, 3, 3}).json);
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
