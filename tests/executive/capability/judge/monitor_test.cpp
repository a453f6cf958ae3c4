// SPDX-License-Identifier: Apache-2.0
// The monitor against a slow one that looks at whole traces, with resets, frames without a value, and late ones.
#include "executive/capability/judge/monitor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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
  double margin =
      kNone;  ///< the nearest approach; at a failure that of its frame, or of all the time of its duty
};

/// Each duty by itself, over the whole trace.
class Slow {
 public:
  Slow(const Monitor::Choices& choices, const std::vector<Frame>& trace) : choices_(choices), trace_(trace) {}

  Judged judged() {
    switch (choices_.kind) {
      case Kind::always:
      case Kind::never:
        for (std::int64_t k = 0; k < frames(); ++k) look(k);
        break;
      case Kind::before:
        for (std::int64_t begin = 0; begin < frames(); begin = course_end(begin)) judge_order(begin);
        break;
      case Kind::between:
        for (std::int64_t begin = 0; begin < frames(); begin = course_end(begin)) judge_stretches(begin);
        break;
      default:
        for (std::int64_t a = 0; a < frames(); ++a)
          if (at(a).sample.opens) judge_duty(a);
    }
    if (fails_at_ < frames()) return {TestVerdict::fail, dated_, missed_by_};
    if (inconclusive_) return {TestVerdict::inconclusive, -1, nearest_};
    return {tested_ ? TestVerdict::pass : TestVerdict::untested, -1, nearest_};
  }

 private:
  std::int64_t frames() const { return static_cast<std::int64_t>(trace_.size()); }
  const Frame& at(std::int64_t k) const { return trace_[static_cast<std::size_t>(k)]; }
  /// The first frame after a reset behind k, or the end.
  std::int64_t course_end(std::int64_t k) const {
    for (++k; k < frames() && !at(k).reset;) ++k;
    return k;
  }
  void fail(std::int64_t at_frame, std::int64_t dated, double margin) {
    tested_ = true;
    if (at_frame >= fails_at_) return;
    fails_at_ = at_frame;
    dated_ = dated;
    missed_by_ = margin;
  }
  /// Margin in frame k of what is asked for.
  double margin(std::int64_t k) const {
    return choices_.kind == Kind::never ? -at(k).sample.margin : at(k).sample.margin;
  }
  void approach(double margin) {
    if (!std::isnan(margin)) nearest_ = std::isnan(nearest_) ? margin : std::min(nearest_, margin);
  }
  /// The condition ought to hold in frame k.
  void look(std::int64_t k) {
    const double holds = at(k).sample.holds;
    if (std::isnan(holds) && choices_.ignore_nan) return;
    tested_ = true;
    if (holds == (choices_.kind == Kind::never ? 0 : 1))
      approach(margin(k));
    else
      fail(k, k, margin(k));
  }
  void judge_order(std::int64_t begin) {
    bool came = false;
    for (std::int64_t k = begin; k < course_end(begin); ++k) {
      if (at(k).sample.closes) {
        tested_ = true;
        if (!came) fail(k, k, margin(k));
        return;
      }
      came = came || at(k).sample.opens;
    }
  }
  void judge_stretches(std::int64_t begin) {
    const std::int64_t end = course_end(begin);
    bool open = false;
    for (std::int64_t k = begin; k < end; ++k) {
      if (at(k).sample.closes)
        open = false;
      else if (at(k).sample.opens)
        open = true;
      if (open && at(k).sample.late && choices_.must_close) {
        inconclusive_ = true;
        open = false;
      }
      if (open) look(k);
      if (at(k).sample.ends) open = false;
    }
    if (open && (end < frames() || choices_.must_close)) inconclusive_ = true;
  }
  void judge_duty(std::int64_t a) {
    const std::int64_t begin = a + choices_.delay, end = begin + choices_.ticks;
    double best = kNone;
    for (std::int64_t k = a;; ++k) {
      if (choices_.kind == Kind::settles && k > a && k < frames() && !at(k).reset && at(k).sample.opens)
        return;
      const bool settled = choices_.kind == Kind::settles && k > end;
      if (k == frames() && settled) return;
      if (k == frames() || (k > a && at(k).reset) || (at(k).sample.late && !settled)) {
        inconclusive_ = true;
        return;
      }
      if (choices_.kind == Kind::settles) {
        if (k >= end) look(k);
        continue;
      }
      if (choices_.kind == Kind::within) {
        if (!std::isnan(margin(k))) best = std::isnan(best) ? margin(k) : std::max(best, margin(k));
        if (at(k).sample.holds == 1) {
          tested_ = true;
          approach(std::isnan(margin(k)) ? kNone : best);
          return;
        }
        if (k == end) return fail(k, a, best);
      } else {
        if (k >= begin) look(k);
        if (k == end) return;
      }
    }
  }

  const Monitor::Choices& choices_;
  const std::vector<Frame>& trace_;
  bool tested_ = false, inconclusive_ = false;
  std::int64_t fails_at_ = INT64_MAX, dated_ = -1;
  double nearest_ = kNone, missed_by_ = kNone;
};

/// A margin as a condition may have it: above 0 where it holds, below 0 where it does not, none without a value.
double margin_for(double holds, unsigned random) {
  static constexpr double kSizes[] = {0,     std::numeric_limits<double>::denorm_min(), 0.25, 3,
                                      1e300, std::numeric_limits<double>::infinity(),   kNone};
  const double size = kSizes[random % std::size(kSizes)];
  return std::isnan(holds) ? kNone : holds == 1 ? size : -size;
}

void compare_with_slow(unsigned seed, int rounds) {
  std::mt19937 random(seed);
  const auto one_of = [&](unsigned number) { return static_cast<unsigned>(random() % number); };
  int seen[5] = {};
  for (int round = 0; round < rounds; ++round) {
    Monitor::Choices choices;
    choices.kind = std::array{Kind::always,  Kind::never,   Kind::within, Kind::lasting,
                              Kind::between, Kind::settles, Kind::before, Kind::lasting}[one_of(8)];
    choices.ticks = one_of(5);
    if (choices.kind == Kind::lasting) choices.delay = one_of(4);
    choices.ignore_nan = one_of(3) == 0;
    choices.must_close = choices.kind == Kind::between && one_of(2) == 0;
    const unsigned rare = 2 + one_of(12);
    const unsigned often = 2 + one_of(8);
    std::vector<Frame> trace(one_of(25));
    for (std::size_t k = 0; k < trace.size(); ++k) {
      const bool usual = choices.kind != Kind::never;
      trace[k].sample.holds = one_of(rare * 2) == 0 ? kNone : (one_of(rare) == 0) == usual ? 0 : 1;
      trace[k].sample.margin = margin_for(trace[k].sample.holds, one_of(1000));
      trace[k].sample.opens = one_of(often) == 0;
      trace[k].sample.closes = one_of(often) == 0;
      trace[k].sample.ends = choices.must_close && one_of(often * 2) == 0;
      trace[k].sample.late = one_of(40) == 0;
      trace[k].reset = k > 0 && one_of(30) == 0;
    }
    Monitor monitor(choices);
    for (std::size_t k = 0; k < trace.size(); ++k) {
      if (trace[k].reset) monitor.begin_anew();
      if (one_of(6) == 0) monitor.pause();  // paused frames do not exist
      monitor.take(static_cast<std::int64_t>(k), trace[k].sample);
    }
    const Judged expected = Slow(choices, trace).judged();
    ++seen[static_cast<int>(expected.verdict)];
    ASSERT_EQ(monitor.verdict(), expected.verdict)
        << "round " << round << ", kind " << static_cast<int>(choices.kind) << ", ticks " << choices.ticks
        << ", delay " << choices.delay << ", ignore " << choices.ignore_nan << ", " << monitor.why();
    if (expected.verdict == TestVerdict::fail) {
      ASSERT_EQ(monitor.frame(), expected.frame)
          << "round " << round << ", kind " << static_cast<int>(choices.kind);
    }
    ASSERT_TRUE(std::isnan(expected.margin) ? std::isnan(monitor.margin())
                                            : monitor.margin() == expected.margin)
        << "round " << round << ", kind " << static_cast<int>(choices.kind) << ": " << monitor.margin()
        << " instead of " << expected.margin;
    if (expected.verdict == TestVerdict::pass) ASSERT_FALSE(monitor.margin() < 0);
    if (expected.verdict == TestVerdict::fail && choices.kind != Kind::before)
      ASSERT_FALSE(monitor.margin() > 0);
  }
  for (int verdict = 0; verdict < 4; ++verdict) EXPECT_GT(seen[verdict], 50) << verdict;
}

TEST(Monitor, IsWhatAMonitorOverWholeTracesSays) { compare_with_slow(41, 40'000); }
TEST(MonitorNightly, IsWhatAMonitorOverWholeTracesSays) { compare_with_slow(42, 3'000'000); }

TEST(Monitor, WhatHadToHoldUntilTheEndHasNoVerdictIfThatCameEarly) {
  Monitor::Sample good;
  good.holds = 1;
  good.opens = true;
  for (const Kind kind : {Kind::always, Kind::finally, Kind::within, Kind::lasting, Kind::between}) {
    Monitor monitor({.kind = kind, .ticks = 3});
    monitor.take(0, good);
    EXPECT_EQ(monitor.verdict(), kind == Kind::lasting ? TestVerdict::inconclusive : TestVerdict::pass);
    monitor.end_early("the rig failed");
    const bool over = kind == Kind::within;  // it held in the frame that opened it
    EXPECT_EQ(monitor.verdict(), over ? TestVerdict::pass : TestVerdict::inconclusive);
    EXPECT_STREQ(monitor.why(), over ? "" : "the rig failed");
  }
  Monitor failed({.kind = Kind::never});
  failed.take(0, good);
  failed.end_early("the rig failed");
  EXPECT_EQ(failed.verdict(), TestVerdict::fail);
}

TEST(Monitor, WhatNeverHadAValueIsUntested) {
  Monitor::Sample none;
  none.holds = std::numeric_limits<double>::quiet_NaN();
  Monitor left_out({.kind = Kind::always, .ignore_nan = true});
  left_out.take(0, none);
  EXPECT_EQ(left_out.verdict(), TestVerdict::untested);
  Monitor judged({.kind = Kind::always});
  judged.take(0, none);
  EXPECT_EQ(judged.verdict(), TestVerdict::fail);
}

TEST(Monitor, WithinHasTheFrameAtItsEnd) {
  for (const std::int64_t late_by : {0, 1, 2, 3, 4}) {
    Monitor monitor({.kind = Kind::within, .ticks = 3});
    for (std::int64_t k = 0; k < 10; ++k)
      monitor.take(k, {.holds = k == 2 + late_by ? 1.0 : 0.0, .opens = k == 2});
    EXPECT_EQ(monitor.verdict(), late_by <= 3 ? TestVerdict::pass : TestVerdict::fail) << late_by;
  }
}

TEST(Monitor, AFrameWithoutAValueFailsUnlessItIsLeftOut) {
  Monitor strict({.kind = Kind::always}), lenient({.kind = Kind::always, .ignore_nan = true});
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
  Monitor monitor({.kind = Kind::lasting, .ticks = 5});
  monitor.take(0, {.holds = 1, .opens = true});
  EXPECT_EQ(monitor.verdict(), TestVerdict::inconclusive);
  EXPECT_STREQ(monitor.why(), "the end came before");
  monitor.begin_anew();
  EXPECT_STREQ(monitor.why(), "reset");
}

TEST(Monitor, WhatHeldBeforeAResetIsNotTheValueAtTheEnd) {
  Monitor monitor({.kind = Kind::finally});
  monitor.take(0, {.holds = 1});
  monitor.begin_anew();
  EXPECT_EQ(monitor.verdict(), TestVerdict::untested);
}

TEST(Monitor, ATimeThatEndsWithTheRunIsOver) {
  for (const std::int64_t frames : {3, 4, 5}) {  // between frames 1 and 4
    Monitor monitor({.kind = Kind::between, .must_close = true});
    for (std::int64_t k = 0; k < frames; ++k)
      monitor.take(k, {.holds = 1, .opens = k == 1, .closes = k == 4, .ends = k == 3});
    EXPECT_EQ(monitor.verdict(), frames == 3 ? TestVerdict::inconclusive : TestVerdict::pass) << frames;
  }
}

TEST(Monitor, TheMarginOfWithinIsTheNearestApproachOfItsDuty) {
  Monitor missed({.kind = Kind::within, .ticks = 3});
  const double margins[] = {-5, -2, -1, -4, -6};
  for (std::int64_t k = 0; k < 5; ++k) missed.take(k, {.holds = 0, .opens = k == 0, .margin = margins[k]});
  EXPECT_EQ(missed.verdict(), TestVerdict::fail);
  EXPECT_EQ(missed.margin(), -1);
  Monitor reached({.kind = Kind::within, .ticks = 3});
  reached.take(0, {.holds = 0, .opens = true, .margin = -5});
  reached.take(1, {.holds = 1, .margin = 2});
  reached.take(2, {.holds = 1, .opens = true, .margin = 3});
  EXPECT_EQ(reached.margin(), 2) << "the least of both duties";
}

TEST(Monitor, AConditionThatHoldsWithoutAMarginLeavesNoneOfTheFramesBefore) {
  Monitor monitor({.kind = Kind::within, .ticks = 3});
  monitor.take(0, {.holds = 0, .opens = true, .margin = -5});
  monitor.take(1, {.holds = 1, .margin = kNone});
  EXPECT_EQ(monitor.verdict(), TestVerdict::pass);
  EXPECT_TRUE(std::isnan(monitor.margin())) << monitor.margin();
}

TEST(Monitor, TimesOfTheClockGoOnWhereSimulatedTimeStands) {
  const Monitor::Choices choices{.kind = Kind::within, .ticks = 2'500'000, .by_stamps = true};
  Monitor in_time(choices), too_late(choices);
  in_time.take(0, {.opens = true, .stamp = 10'000'000});
  in_time.take(1, {.holds = 1, .late = true, .stamp = 12'500'000});
  EXPECT_EQ(in_time.verdict(), TestVerdict::pass) << "a late frame is judged by its stamp";
  too_late.take(0, {.opens = true, .stamp = 10'000'000});
  too_late.take(1, {.holds = 1, .late = true, .stamp = 12'500'001});
  EXPECT_EQ(too_late.verdict(), TestVerdict::fail);
  EXPECT_EQ(too_late.frame(), 0);
  Monitor paused(choices), unpaced(choices), left_out({.kind = Kind::always, .by_stamps = true});
  paused.take(0, {.opens = true, .stamp = 10'000'000});
  paused.pause();
  paused.take(1, {.holds = 1, .stamp = 11'000'000});
  EXPECT_STREQ(paused.why(), "paused");
  unpaced.take(0, {.opens = true, .stamp = 10'000'000});
  unpaced.take(1, {.holds = 1});
  EXPECT_STREQ(unpaced.why(), "not in real time");
  left_out.take(0, {.holds = 0});
  EXPECT_EQ(left_out.verdict(), TestVerdict::untested);
}

TEST(Monitor, ALateFrameIsNamed) {
  Monitor monitor({.kind = Kind::within, .ticks = 5});
  monitor.take(3, {.opens = true});
  monitor.take(4, {.late = true});
  EXPECT_STREQ(monitor.why(), "rig late");
  EXPECT_EQ(monitor.late_frame(), 4);
  EXPECT_EQ(monitor.late_frames(), 1);
}

}  // namespace
}  // namespace tactus::executive::monitor_test
