// SPDX-License-Identifier: Apache-2.0
// The monitor against a slow one that looks at whole traces, with resets, frames without a value, and late ones.
#include "executive/capability/judge/monitor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tactus::executive::monitor_test {
namespace {

using Kind = Monitor::Kind;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Frame {
  Monitor::Sample sample{};
  bool reset = false;  ///< a reset before it
};

struct Judged {
  TestVerdict verdict = TestVerdict::pass;
  std::int64_t frame = -1;
};

/// Each duty by itself, over the whole trace.
Judged slow(Kind kind, std::int64_t ticks, const std::vector<Frame>& trace) {
  const auto frames = static_cast<std::int64_t>(trace.size());
  const auto at = [&](std::int64_t k) -> const Frame& { return trace[static_cast<std::size_t>(k)]; };
  std::int64_t first = frames;
  bool tested = false, inconclusive = false;
  if (kind == Kind::always || kind == Kind::never) {
    for (std::int64_t k = frames - 1; k >= 0; --k)
      if (at(k).sample.holds != (kind == Kind::always ? 1 : 0)) first = k;
    tested = frames > 0;
  } else {
    std::int64_t found_at = frames;
    for (std::int64_t a = 0; a < frames; ++a) {
      if (!at(a).sample.opens) continue;
      tested = true;
      for (std::int64_t k = a;; ++k) {
        if (k == frames || (k > a && at(k).reset) || at(k).sample.late) {
          inconclusive = true;
          break;
        }
        if (kind == Kind::within) {
          if (at(k).sample.holds == 1) break;
          if (k == a + ticks) {
            if (k < found_at) {
              found_at = k;
              first = a;
            }
            break;
          }
        } else {
          if (at(k).sample.holds != 1) first = std::min(first, k);
          if (k == a + ticks) break;
        }
      }
    }
  }
  if (first < frames) return {TestVerdict::fail, first};
  if (inconclusive) return {TestVerdict::inconclusive};
  return {tested ? TestVerdict::pass : TestVerdict::untested};
}

TEST(Monitor, WhatHadToHoldUntilTheEndHasNoVerdictIfThatCameEarly) {
  Monitor::Sample good;
  good.holds = 1;
  good.opens = true;
  for (const Kind kind : {Kind::always, Kind::finally, Kind::within, Kind::lasting, Kind::between}) {
    Monitor monitor(kind, 3, false);
    monitor.take(0, good);
    EXPECT_EQ(monitor.verdict(), kind == Kind::lasting ? TestVerdict::inconclusive : TestVerdict::pass);
    monitor.end_early("the rig failed");
    const bool over = kind == Kind::within;  // it held in the frame that opened it
    EXPECT_EQ(monitor.verdict(), over ? TestVerdict::pass : TestVerdict::inconclusive);
    EXPECT_STREQ(monitor.why(), over ? "" : "the rig failed");
  }
  Monitor failed(Kind::never, 0, false);
  failed.take(0, good);
  failed.end_early("the rig failed");
  EXPECT_EQ(failed.verdict(), TestVerdict::fail);
}

TEST(Monitor, WhatNeverHadAValueIsUntested) {
  Monitor::Sample none;
  none.holds = std::numeric_limits<double>::quiet_NaN();
  Monitor left_out(Kind::always, 0, true);
  left_out.take(0, none);
  EXPECT_EQ(left_out.verdict(), TestVerdict::untested);
  Monitor judged(Kind::always, 0, false);
  judged.take(0, none);
  EXPECT_EQ(judged.verdict(), TestVerdict::fail);
}

TEST(Monitor, IsWhatAMonitorOverWholeTracesSays) {
  std::mt19937 random(41);
  const auto one_of = [&](unsigned number) { return static_cast<unsigned>(random() % number); };
  int seen[5] = {};
  for (int round = 0; round < 20'000; ++round) {
    const Kind kind = std::array{Kind::always, Kind::never, Kind::within, Kind::lasting}[one_of(4)];
    const std::int64_t ticks = one_of(5);
    const unsigned rare = 2 + one_of(12);
    std::vector<Frame> trace(one_of(25));
    for (std::size_t k = 0; k < trace.size(); ++k) {
      const bool usual = kind != Kind::never;
      trace[k].sample.holds = one_of(rare * 2) == 0 ? kNone : (one_of(rare) == 0) == usual ? 0 : 1;
      trace[k].sample.opens = one_of(5) == 0;
      trace[k].sample.late = one_of(40) == 0;
      trace[k].reset = k > 0 && one_of(30) == 0;
    }
    Monitor monitor(kind, ticks, false);
    for (std::size_t k = 0; k < trace.size(); ++k) {
      if (trace[k].reset) monitor.begin_anew();
      monitor.take(static_cast<std::int64_t>(k), trace[k].sample);
    }
    const Judged expected = slow(kind, ticks, trace);
    ++seen[static_cast<int>(expected.verdict)];
    ASSERT_EQ(monitor.verdict(), expected.verdict)
        << "round " << round << ", kind " << static_cast<int>(kind);
    if (expected.verdict == TestVerdict::fail) {
      ASSERT_EQ(monitor.frame(), expected.frame) << "round " << round;
    }
  }
  for (int verdict = 0; verdict < 4; ++verdict) EXPECT_GT(seen[verdict], 50) << verdict;
}

TEST(Monitor, WithinHasTheFrameAtItsEnd) {
  for (const std::int64_t late_by : {0, 1, 2, 3, 4}) {
    Monitor monitor(Kind::within, 3, false);
    for (std::int64_t k = 0; k < 10; ++k)
      monitor.take(k, {.holds = k == 2 + late_by ? 1.0 : 0.0, .opens = k == 2});
    EXPECT_EQ(monitor.verdict(), late_by <= 3 ? TestVerdict::pass : TestVerdict::fail) << late_by;
  }
}

TEST(Monitor, AFrameWithoutAValueFailsUnlessItIsLeftOut) {
  Monitor strict(Kind::always, 0, false), lenient(Kind::always, 0, true);
  for (Monitor* const each : {&strict, &lenient}) {
    each->take(0, {.holds = 1, .margin = 3});
    each->take(1, {.holds = kNone});
    each->take(2, {.holds = 1, .margin = 2});
  }
  EXPECT_EQ(strict.verdict(), TestVerdict::fail);
  EXPECT_TRUE(strict.no_value());
  EXPECT_EQ(strict.frame(), 1);
  EXPECT_EQ(lenient.verdict(), TestVerdict::pass);
  EXPECT_EQ(lenient.margin(), 2) << "the nearest approach";
}

TEST(Monitor, WhatIsOpenAtTheEndHasNoVerdict) {
  Monitor monitor(Kind::lasting, 5, false);
  monitor.take(0, {.holds = 1, .opens = true});
  EXPECT_EQ(monitor.verdict(), TestVerdict::inconclusive);
  EXPECT_STREQ(monitor.why(), "the end came before");
  monitor.begin_anew();
  EXPECT_STREQ(monitor.why(), "reset");
}

}  // namespace
}  // namespace tactus::executive::monitor_test
