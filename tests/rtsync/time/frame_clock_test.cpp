// SPDX-License-Identifier: Apache-2.0
#include "rtsync/time/frame_clock.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync::frame_clock_test {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::int64_t kTrillion = 1'000'000'000'000;
constexpr TimePoint<RigTime> kEpoch{Nanoseconds{123'456'789'012'345}};

struct NamedPeriod {
  const char* name;
  Period period;
};
const NamedPeriod kPeriods[] = {
    {"60 Hz", {kBillion, 60}},        {"1/3 ms", {1'000'000, 3}},
    {"128 Hz", {kBillion, 128}},      {"59.94 Hz", {kBillion * 1001, 60'000}},
    {"1 kHz", {1'000'000, 1}},        {"1/7 us times 9", {9'000, 7}},
    {"10 s", {10'000'000'000, 1}},    {"1 us", {1'000, 1}},
    {"44.1 kHz", {kBillion, 44'100}},
};

TEST(FrameClock, SlotsAreExactHoweverFarAway) {
  const struct {
    Period period;
    std::int64_t k, want;
    const char* why;
  } rows[] = {
      {{kBillion, 60}, kBillion, 16'666'666'666'666'666, "60 Hz, slot 10^9: half a year"},
      {{1'000'000, 3}, kTrillion, 333'333'333'333'333'333, "1/3 ms, slot 10^12: ten years"},
      {{kBillion, 128}, kTrillion, 7'812'500 * kTrillion, "128 Hz, slot 10^12: 247 years"},
      {{kBillion * 1001, 60'000}, 3 * kBillion, 50'050'000 * kBillion, "59.94 Hz, whole at every third"},
      {{1'000'000, 1}, 0, 0, "slot 0 is the epoch"},
      {{1'000'000, 1}, -2, -2'000'000, "the grid reaches back before its epoch"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    const FrameClock grid{kEpoch, row.period};
    EXPECT_EQ((grid.slot(row.k) - kEpoch).count(), row.want);
    EXPECT_EQ(grid.epoch(), kEpoch);
    EXPECT_EQ(grid.period(), row.period);
  }
}

TEST(FrameClock, FindsTheFirstSlotAtOrAfter) {
  const FrameClock grid{kEpoch, Period{1'000'000, 3}};
  const struct {
    std::int64_t after_epoch, want;
    const char* why;
  } rows[] = {
      {-5, 0, "before the epoch it is slot 0"},
      {0, 0, "the epoch is slot 0 itself"},
      {1, 1, "one nanosecond later slot 0 is gone"},
      {333'333, 1, "slot 1 is at its truncated time"},
      {333'334, 2, "and gone one nanosecond later"},
      {666'666, 2, "slot 2"},
      {666'667, 3, "and past it"},
      {1'000'000, 3, "slot 3 is whole"},
      {333'333'333'333'333'333, kTrillion, "slot 10^12"},
      {333'333'333'333'333'334, kTrillion + 1, "and past it"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(grid.first_at_or_after(kEpoch + Nanoseconds{row.after_epoch}), row.want);
  }
}

TEST(FrameClock, FirstAtOrAfterIsTheInverseOfSlot) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  for (const NamedPeriod& named : kPeriods) {
    SCOPED_TRACE(named.name);
    const FrameClock grid{kEpoch, named.period};
    const std::int64_t longest = std::min(kTrillion, INT64_MAX / 4 / (named.period.floor().count() + 1));
    const auto check = [&grid](std::int64_t k) {
      ASSERT_EQ(grid.first_at_or_after(grid.slot(k)), k);
      ASSERT_EQ(grid.last_at_or_before(grid.slot(k)), k);
      ASSERT_EQ(grid.first_at_or_after(grid.slot(k) + Nanoseconds{1}), k + 1);
      if (k > 0) {
        ASSERT_EQ(grid.last_at_or_before(grid.slot(k) - Nanoseconds{1}), k - 1);
        ASSERT_EQ(grid.first_at_or_after(grid.slot(k) - Nanoseconds{1}), k);
        const std::int64_t length = (grid.slot(k) - grid.slot(k - 1)).count();
        ASSERT_GE(length, grid.period().floor().count());
        ASSERT_LE(length, grid.period().floor().count() + 1) << "neighbours differ by a nanosecond at most";
      }
    };
    for (std::int64_t k = 0; k < 1000; ++k) check(k);
    for (int i = 0; i < 5000; ++i) check(std::uniform_int_distribution<std::int64_t>{0, longest}(random));
    for (const std::int64_t k : {kBillion - 1, kBillion, kBillion + 1, kTrillion})
      if (k <= longest) check(k);
  }
}

TEST(FrameClock, ShiftsAsAWhole) {
  const FrameClock grid{kEpoch, Period{kBillion, 60}};
  const FrameClock moved = grid.shifted(Nanoseconds{777});
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, kBillion})
    EXPECT_EQ(moved.slot(k), grid.slot(k) + Nanoseconds{777});
  EXPECT_EQ(grid.epoch(), kEpoch) << "the original stays";
}

TEST(FrameClock, RefusesPeriodsNoFrameCanHave) {
  const struct {
    Period period;
    bool fine;
    const char* why;
  } rows[] = {
      {Period{}, false, "no time at all"},
      {Period{999, 1000}, false, "shorter than 1 us at a thousand times real time"},
      {Period{1, 1}, true, "1 us at a thousand times real time"},
      {Period{10'000'000'000'000, 1}, true, "10 s at a thousandth of real time"},
      {Period{10'000'000'000'001, 1}, false, "one nanosecond more"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    if (row.fine) {
      EXPECT_NO_THROW((FrameClock{kEpoch, row.period}));
    } else {
      EXPECT_THROW((FrameClock{kEpoch, row.period}), std::invalid_argument);
    }
  }
}

TEST(FrameClockRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  const FrameClock grid{kEpoch, Period{kBillion, 60}};
  const HeapWatch heap;
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < 1000; ++k) sum += grid.shifted(Nanoseconds{k}).first_at_or_after(grid.slot(k));
  EXPECT_EQ(heap.calls(), 0U);
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace tactus::rtsync::frame_clock_test
