// SPDX-License-Identifier: Apache-2.0
#include "executive/report/frame_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/executive/report/made_run.hpp"

namespace tactus::report::frame_times_test {
namespace {

using test::frames_csv;
using test::MadeFrame;

std::unique_ptr<FrameTimes> times_of(const std::vector<MadeFrame>& frames, std::int64_t block = 0,
                                     std::uint64_t seed = 1) {
  const std::string text = frames_csv(frames);
  const test::TempDir dir;
  FrameLog log(dir.write("frames.csv", text));
  auto times = std::make_unique<FrameTimes>(1'000'000, block, seed);
  for (FrameRow row; log.next(row);) times->add(row);
  times->end();
  return times;
}

/// The value that a share of all does not exceed, by sorting.
std::int64_t by_sorting(std::vector<std::int64_t> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()) - 1e-9));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

TEST(FrameTimes, HasThePercentilesOfASort) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto frames = test::random_frames(seed, 500 + 137 * seed, seed % 3 == 0 ? 300 : 1);
    const auto times = times_of(frames);
    std::vector<std::int64_t> late, work, slack;
    for (const MadeFrame& frame : frames) {
      late.push_back(frame.late);
      work.push_back(frame.work);
      slack.push_back(frame.slack());
    }
    for (const double share : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto near = [&](std::int64_t found, const std::vector<std::int64_t>& all) {
        const auto wanted = static_cast<double>(by_sorting(all, share));
        EXPECT_NEAR(static_cast<double>(found), wanted, std::abs(wanted) / 63 + 1) << seed << " " << share;
      };
      near(times->late.quantile(share), late);
      near(times->work.quantile(share), work);
      near(times->slack.quantile(share), slack);
    }
    EXPECT_EQ(times->late.greatest(), *std::max_element(late.begin(), late.end()));
    EXPECT_EQ(times->slack.least(), *std::min_element(slack.begin(), slack.end()));
    EXPECT_EQ(times->overruns, std::count_if(slack.begin(), slack.end(), [](auto each) { return each < 0; }));
    const double mean = std::accumulate(late.begin(), late.end(), 0.0) / static_cast<double>(late.size());
    EXPECT_NEAR(times->late.mean(), mean, 1e-6 * mean + 1e-9);
  }
}

TEST(FrameTimes, ChargesEachCauseItsShareAlsoOfWhatIsCaughtUp) {
  FrameTimes times(1'000'000, 0);
  FrameRow row;
  row.late = 9'000'000;
  row.work = 2'000'000;
  row.slack = -10'000'000;
  row.cause = static_cast<std::int32_t>(rtsync::Cause::preempted);
  row.beside = static_cast<std::int32_t>(rtsync::Cause::computed);
  row.beside_time = 1'000'000;
  times.add(row);
  row.frame = 1;
  row.slack = -8'000'000;
  row.cause = static_cast<std::int32_t>(rtsync::Cause::catching_up);
  row.beside = 0;
  row.beside_time = 0;
  times.add(row);
  times.end();
  const auto& preempted = times.causes[static_cast<std::size_t>(rtsync::Cause::preempted)];
  const auto& computed = times.causes[static_cast<std::size_t>(rtsync::Cause::computed)];
  EXPECT_EQ(preempted.episodes, 1);
  EXPECT_EQ(preempted.followers, 1);
  EXPECT_EQ(preempted.worst_ns, 9'000'000);
  EXPECT_EQ(preempted.sum_ns, 16'200'000);
  EXPECT_EQ(computed.episodes, 0);
  EXPECT_EQ(computed.sum_ns, 1'800'000);
}

TEST(FrameTimes, PutsAnOverrunAndThoseThatFollowItTogether) {
  std::vector<MadeFrame> frames(20, {100, 20'000, "none"});
  frames[5] = {100, 3'500'000, "blocked"};
  frames[6] = {2'500'000, 20'000, "catching_up"};
  frames[7] = {1'520'000, 20'000, "catching_up"};
  frames[8] = {540'000, 20'000, "none"};
  frames[12] = {1'200'000, 20'000, "timer_late"};
  frames[15] = {300'000, 20'000, "preempted"};
  const auto times = times_of(frames);
  const auto& cost = [&](rtsync::Cause cause) -> const CauseCost& {
    return times->causes[static_cast<std::size_t>(cause)];
  };
  EXPECT_EQ(cost(rtsync::Cause::blocked).episodes, 1);
  EXPECT_EQ(cost(rtsync::Cause::blocked).followers, 2);
  EXPECT_EQ(cost(rtsync::Cause::blocked).worst_ns, 2'500'100);
  EXPECT_EQ(cost(rtsync::Cause::blocked).sum_ns, 2'500'100 + 1'520'000 + 540'000);
  EXPECT_EQ(cost(rtsync::Cause::catching_up).episodes, 0);
  EXPECT_EQ(cost(rtsync::Cause::timer_late).episodes, 1);
  EXPECT_EQ(cost(rtsync::Cause::preempted).late_wakes, 1);
  EXPECT_EQ(cost(rtsync::Cause::preempted).sum_ns, 300'000);
  EXPECT_EQ(times->overruns, 4);

  const auto worst = times->worst();
  ASSERT_GE(worst.size(), 3U);
  EXPECT_EQ(worst[0].row.frame, 5);
  EXPECT_EQ(worst[0].followers, 2);
  std::vector<std::int64_t> around;
  for (const FrameRow& row : worst[0].around) around.push_back(row.frame);
  EXPECT_EQ(around, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(worst[1].row.frame, 12);
  EXPECT_EQ(worst[2].row.frame, 8);  // not an overrun: by lateness
  EXPECT_EQ(worst[3].row.frame, 15);
}

TEST(FrameTimes, KeepsTheWorstOfManyWhereverTheyAre) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto frames = test::random_frames(seed, 5000);
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> overs;
    for (std::size_t i = 0; i < frames.size(); i += 37)
      if (random() % 3 == 0) {
        frames[i] = {0, 1'000'001 + static_cast<std::int64_t>(random() % 5'000'000), "computed"};
        overs.push_back(-frames[i].slack());
      }
    std::sort(overs.rbegin(), overs.rend());
    const auto worst = times_of(frames)->worst();
    ASSERT_EQ(worst.size(), FrameTimes::kWorst);
    for (std::size_t i = 0; i < worst.size(); ++i) EXPECT_EQ(-worst[i].row.slack, overs[i]);
  }
}

TEST(FrameTimes, GoesOnInTimeAfterAReset) {
  const std::string text = std::string(test::kFramesHeader) +
                           "0,0,1,2,3,0,0,0,0,none,0\n0.001,1,1,2,3,0,0,0,0,none,0\n" +
                           "0,0,1,2,3,0,0,0,0,none,0\n0.001,1,1,2,3,0,0,0,0,none,0\n";
  const test::TempDir dir;
  FrameLog log(dir.write("frames.csv", text));
  FrameTimes times(1'000'000, 0);
  for (FrameRow row; log.next(row);) times.add(row);
  times.end();
  EXPECT_EQ(times.resets(), 1);
  EXPECT_EQ(times.frames(), 4U);
  EXPECT_EQ(times.late_over_time.end() - times.late_over_time.begin(), 3'000'000);
}

TEST(GrowingTime, NeverGoesBackNorOver) {
  std::mt19937_64 random(3);
  GrowingTime time;
  std::int64_t last = INT64_MIN;
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t now =
        time.of(static_cast<std::int64_t>(random() % 1'800'000'000'000'000'000) - 900'000'000'000'000'000);
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(MinMaxColumns, LoseNoSpikeAndStayFew) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    const std::int64_t step = 1 + static_cast<std::int64_t>(random() % 7);
    MinMaxColumns columns(step);
    std::vector<std::pair<std::int64_t, double>> all;
    std::int64_t time = static_cast<std::int64_t>(random() % 1000);
    const std::size_t count = 10 + random() % 6'000;
    for (std::size_t i = 0; i < count; ++i) {
      time += step * static_cast<std::int64_t>(random() % 50 == 0 ? random() % 100 : 1);
      const double value = random() % 1000 == 0 ? 1e6 : static_cast<double>(random() % 100);
      all.emplace_back(time, value);
      columns.add(time, value);
    }
    ASSERT_LE(columns.columns().size(), MinMaxColumns::kMost);
    std::uint64_t counted = 0;
    for (std::size_t c = 0; c < columns.columns().size(); ++c) {
      const std::int64_t from = columns.begin() + columns.width() * static_cast<std::int64_t>(c);
      double least = HUGE_VAL, greatest = -HUGE_VAL;
      std::uint64_t in = 0;
      for (const auto& [at, value] : all)
        if (at >= from && at < from + columns.width()) {
          least = std::min(least, value);
          greatest = std::max(greatest, value);
          ++in;
        }
      const MinMaxColumns::Column& column = columns.columns()[c];
      ASSERT_EQ(column.count, in);
      counted += in;
      if (in == 0) continue;
      EXPECT_EQ(column.least, least);
      EXPECT_EQ(column.greatest, greatest);
    }
    EXPECT_EQ(counted, all.size());
  }
}

TEST(MinMaxColumns, TakeTheEndsOfTimeAndWhatIsNoNumber) {
  MinMaxColumns columns(1);
  columns.add(-900'000'000'000'000'000, 1);
  columns.add(900'000'000'000'000'000, 2);
  columns.add(0, NAN);
  columns.add(0, HUGE_VAL);
  EXPECT_EQ(columns.not_finite(), 2U);
  EXPECT_LE(columns.columns().size(), MinMaxColumns::kMost);
  EXPECT_EQ(columns.least(), 1);
  EXPECT_EQ(columns.greatest(), 2);
}

}  // namespace
}  // namespace tactus::report::frame_times_test
