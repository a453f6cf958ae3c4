// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "rtsync/host/heap_watch.hpp"
#include "tests/rtsync/support/sim_edges.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::edge_clock_test {
namespace {

using tactus::test::trials;

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using testing::HasSubstr;

constexpr Period kMillisecond{1'000'000, 1};
constexpr Period kSixtyHertz{50'000'000, 3};
constexpr Period kThirdOfAMillisecond{1'000'000, 3};

std::int64_t count_of(const EdgeClockStatus& status, ClockFault fault) {
  return status.faults[static_cast<std::size_t>(fault)];
}

std::int64_t all_faults(const EdgeClockStatus& status) {
  std::int64_t sum = 0;
  for (const std::int64_t count : status.faults) sum += count;
  return sum;
}

/// A clock and the stream it is fed.
struct Fixture {
  explicit Fixture(const EdgeClockSettings& settings = {}, EdgeStream stream = {})
      : clock(settings, status, &SimKernel::read), edges(with_period(settings, stream)) {
    SimKernel::now = SimKernel::kStart;
  }
  static EdgeStream with_period(const EdgeClockSettings& settings, EdgeStream stream) {
    stream.period = settings.edge_period();
    return stream;
  }
  /// One stamp, read a little later.
  Mono feed(Nanoseconds latency = 4us) { return feed_at(edges.take(), latency); }
  Mono feed_at(Mono stamp, Nanoseconds latency = 4us) {
    SimKernel::pass_to(stamp + latency);
    clock.edge(stamp);
    clock.advance(SimKernel::now);
    return stamp;
  }
  Fixture& feed_many(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) feed();
    return *this;
  }
  /// Time passes without edges.
  void quiet(Nanoseconds time) {
    SimKernel::pass(time);
    clock.advance(SimKernel::now);
  }
  Nanoseconds off_grid(Mono stamp) const {  // of what callers see
    const TimePoint<RigTime> rig = clock.from_monotonic(stamp);
    const Period period = clock.settings().edge_period();
    const std::int64_t n =
        std::llround(static_cast<double>(rig.time_since_epoch().count()) / (period.seconds() * 1e9));
    return rig.time_since_epoch() - period.times(n);
  }

  EdgeClockStatus status;
  EdgeClock clock;
  SimEdges edges;
};

EdgeClockSettings with(Discipline discipline, Period frame = kMillisecond) {
  EdgeClockSettings settings;
  settings.frame = frame;
  settings.discipline = discipline;
  return settings;
}

// ---- settings
// ----------------------------------------------------------------------------------------------

TEST(EdgeClockSettings, KnowTheExactEdgePeriod) {
  const struct {
    Period frame;
    std::int64_t edges_per_frame, frames_per_edge;
    Period edge;
  } rows[] = {
      {kMillisecond, 1, 1, {1'000'000, 1}},        {kMillisecond, 10, 1, {100'000, 1}},
      {kMillisecond, 1, 1000, {1'000'000'000, 1}}, {kMillisecond, 3, 1, {1'000'000, 3}},
      {kSixtyHertz, 7, 1, {50'000'000, 21}},       {kThirdOfAMillisecond, 1, 3, {1'000'000, 1}},
  };
  for (const auto& row : rows) {
    EdgeClockSettings settings;
    settings.frame = row.frame;
    settings.edges_per_frame = row.edges_per_frame;
    settings.frames_per_edge = row.frames_per_edge;
    EXPECT_EQ(settings.edge_period(), row.edge);
  }
}

TEST(EdgeClockSettings, AreRefusedWithTheFieldAndItsRange) {
  const struct {
    void (*spoil)(EdgeClockSettings&);
    const char* says;
  } rows[] = {
      {[](EdgeClockSettings& s) {
         s.frame = Period{999, 1};
       },
       "1 us .. 10 s"},
      {[](EdgeClockSettings& s) { s.edges_per_frame = 0; }, "edges_per_frame is outside 1 .. 1000"},
      {[](EdgeClockSettings& s) { s.edges_per_frame = 1001; }, "edges_per_frame"},
      {[](EdgeClockSettings& s) { s.frames_per_edge = 100'001; }, "frames_per_edge is outside"},
      {[](EdgeClockSettings& s) { s.edges_per_frame = s.frames_per_edge = 2; }, "one of the two is 1"},
      {[](EdgeClockSettings& s) {
         s.frame = Period{2'000, 1}, s.edges_per_frame = 3;
       },
       "an edge period"},
      {[](EdgeClockSettings& s) {
         s.frame = Period{1'000'000'007, 999'999'937}, s.frames_per_edge = 1, s.edges_per_frame = 1;
       },
       "1 us .. 10 s"},
      {[](EdgeClockSettings& s) { s.smoothing = 1; }, "smoothing is outside 2 .. 10000"},
      {[](EdgeClockSettings& s) { s.smoothing = 10'001; }, "smoothing"},
      {[](EdgeClockSettings& s) { s.slew = 0; }, "slew is outside 1e-6 .. 0.1"},
      {[](EdgeClockSettings& s) { s.slew = std::nan(""); }, "slew"},
      {[](EdgeClockSettings& s) { s.rate_tolerance = 0.2; }, "rate_tolerance is outside 1e-6 .. 0.1"},
      {[](EdgeClockSettings& s) { s.rate_tolerance = std::nan(""); }, "rate_tolerance"},
      {[](EdgeClockSettings& s) { s.blanking = 0.91; }, "blanking is outside 0 .. 0.9"},
      {[](EdgeClockSettings& s) { s.blanking = -0.1; }, "blanking"},
      {[](EdgeClockSettings& s) { s.late_limit = 500'001ns; }, "late_limit is outside"},
      {[](EdgeClockSettings& s) { s.late_limit = 0ns; }, "late_limit"},
      {[](EdgeClockSettings& s) { s.jitter_limit = 0ns; }, "jitter_limit is outside"},
      {[](EdgeClockSettings& s) { s.jitter_limit = 500'001ns; }, "jitter_limit is outside"},
      {[](EdgeClockSettings& s) { s.jitter_limit = 101us, s.late_limit = 100us; }, "above late_limit"},
      {[](EdgeClockSettings& s) { s.max_missing = 0; }, "max_missing is outside 1 .. 1e9"},
      {[](EdgeClockSettings& s) { s.lock_after = 1; }, "lock_after is outside 2 .. 1000"},
      {[](EdgeClockSettings& s) { s.lock_after = 1001; }, "lock_after"},
      {[](EdgeClockSettings& s) { s.start_timeout = 0ns; }, "start_timeout"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.says);
    EdgeClockSettings settings;
    row.spoil(settings);
    EdgeClockStatus status;
    try {
      const EdgeClock clock{settings, status};
      ADD_FAILURE() << "accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr(row.says));
    }
  }
}

TEST(EdgeClockSettings, LimitsThatAreNotSetFollowTheEdgePeriod) {
  const struct {
    std::optional<Nanoseconds> jitter, late;
    Nanoseconds expected_jitter, expected_late;
  } rows[] = {
      {{}, {}, 100us, 250us}, {30us, {}, 30us, 250us},   {300us, {}, 300us, 300us},
      {{}, 50us, 50us, 50us}, {{}, 500us, 100us, 500us},
  };
  for (const auto& row : rows) {
    EdgeClockSettings settings;
    settings.jitter_limit = row.jitter;
    settings.late_limit = row.late;
    EdgeClockStatus status;
    const EdgeClock clock{settings, status};
    EXPECT_EQ(clock.jitter_limit(), row.expected_jitter);
    EXPECT_EQ(clock.late_limit(), row.expected_late);
  }
}

TEST(EdgeClockNames, AreThoseOfTheRigFile) {
  const char* faults[] = {"glitch",     "double",  "late", "jitter",  "missing",
                          "wrong_rate", "no_edge", "gone", "overflow"};
  for (std::size_t i = 0; i < kClockFaults; ++i) EXPECT_EQ(name_of(static_cast<ClockFault>(i)), faults[i]);
  const char* states[] = {"acquiring", "locked", "holdover", "lost"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(name_of(static_cast<ClockState>(i)), states[i]);
  EXPECT_EQ(name_of(static_cast<ClockFault>(99)), "?");
  EXPECT_EQ(name_of(static_cast<ClockState>(99)), "?");
}

// ---- the mapping
// -------------------------------------------------------------------------------------------

TEST(EdgeClockMapping, IsClockMonotonicBeforeItIsSettled) {
  Fixture bench;
  for (const std::int64_t t : {std::int64_t{0}, std::int64_t{1'234'567'891}, std::int64_t{4} << 60}) {
    EXPECT_EQ(bench.clock.from_monotonic(Mono{Nanoseconds{t}}).time_since_epoch().count(), t);
    EXPECT_EQ(bench.clock.to_monotonic(TimePoint<RigTime>{Nanoseconds{t}}).time_since_epoch().count(), t);
  }
  EXPECT_FALSE(bench.clock.acquisition_done());
  EXPECT_EQ(bench.status.state, ClockState::acquiring);
}

TEST(EdgeClockMapping, BothDirectionsAgree) {
  const unsigned seed = any_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  for (const Discipline discipline : {Discipline::pll, Discipline::edge})
    for (const Period frame : {kMillisecond, kSixtyHertz, kThirdOfAMillisecond}) {
      EdgeClockSettings settings = with(discipline, frame);
      settings.slew = 0.05;
      const Nanoseconds length = frame.floor();
      Fixture bench{settings, {.slower = -4e-4, .jitter = length / 30, .seed = seed}};
      for (int i = 0; i < 300; ++i) {
        bench.feed();
        for (int j = 0; j < 20; ++j) {
          const auto near = static_cast<std::int64_t>(random() % 4'000'000'000) - 1'000'000;
          const Mono mono = SimKernel::now + Nanoseconds{near};
          const TimePoint<RigTime> rig = bench.clock.from_monotonic(mono);
          const Nanoseconds there = bench.clock.to_monotonic(rig) - mono;
          ASSERT_LE(std::abs(there.count()), 1);
          const Nanoseconds back = bench.clock.from_monotonic(bench.clock.to_monotonic(rig)) - rig;
          ASSERT_GE(back, 0ns) << "a wait would end early";
          ASSERT_LE(back, 1ns);
        }
      }
      ASSERT_EQ(bench.status.state, ClockState::locked);
    }
}

TEST(EdgeClockMapping, FramesStartOnTheGrid) {
  const struct {
    Period frame;
    std::int64_t edges_per_frame, frames_per_edge;
    std::int64_t at, start;
    const char* why;
  } rows[] = {
      {kMillisecond, 1, 1, 5'000'000, 5'000'000, "on the grid already"},
      {kMillisecond, 1, 1, 5'000'011, 6'000'000, "after it: the next"},
      {kMillisecond, 1, 1, 5'000'010, 5'000'000, "a rounded slot"},
      {kMillisecond, 1, 1, 5'999'999, 6'000'000, "just before it"},
      {kMillisecond, 1, 1, -500'000, 0, "before the beginning of time"},
      {kMillisecond, 1, 1, -1'500'000, -1'000'000, "long before it"},
      {kMillisecond, 10, 1, 5'100'000, 6'000'000, "each tenth edge"},
      {kMillisecond, 1, 1000, 5'100'000, 6'000'000, "between the edges"},
      {kSixtyHertz, 1, 1, 16'666'666, 16'666'666, "frame 1 of 60 Hz"},
      {kSixtyHertz, 1, 1, 33'333'330, 33'333'333, "frame 2"},
      {kSixtyHertz, 1, 1, 40'000'000, 50'000'000, "frame 3"},
      {kThirdOfAMillisecond, 1, 1, 700'000, 1'000'000, "3 kHz"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    EdgeClockSettings settings = with(Discipline::pll, row.frame);
    settings.edges_per_frame = row.edges_per_frame;
    settings.frames_per_edge = row.frames_per_edge;
    Fixture bench{settings};
    EXPECT_EQ(bench.clock.frame_start(TimePoint<RigTime>{Nanoseconds{row.at}}).time_since_epoch().count(),
              row.start);
  }
}

TEST(EdgeClockMapping, KnowsWhichSlotsLieOnEdges) {
  const struct {
    Period frame;
    std::int64_t edges_per_frame, frames_per_edge;
    std::int64_t slot;
    std::optional<std::int64_t> edge;
  } rows[] = {
      {kMillisecond, 1, 1, 7'000'000, 7},     {kMillisecond, 1, 1, 7'000'010, 7},
      {kMillisecond, 1, 1, 6'999'990, 7},     {kMillisecond, 1, 1, 7'000'011, {}},
      {kMillisecond, 1, 1, 7'500'000, {}},    {kMillisecond, 10, 1, 7'000'000, 70},
      {kMillisecond, 1, 1000, 7'000'000, {}}, {kMillisecond, 1, 1000, 7'000'000'000, 7},
      {kSixtyHertz, 1, 1, 33'333'333, 2},     {kSixtyHertz, 1, 1, 33'333'334, 2},
      {kSixtyHertz, 1, 1, -16'666'667, -1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.slot);
    EdgeClockSettings settings = with(Discipline::pll, row.frame);
    settings.edges_per_frame = row.edges_per_frame;
    settings.frames_per_edge = row.frames_per_edge;
    Fixture bench{settings};
    EXPECT_EQ(bench.clock.edge_at(TimePoint<RigTime>{Nanoseconds{row.slot}}), row.edge);
  }
}

// ---- the first acquisition
// ---------------------------------------------------------------------------------

TEST(EdgeClockAcquires, AfterSoManyEdges) {
  for (const std::int64_t lock_after : {2, 3, 8, 100, 1000})
    for (const double slower : {0.0, 9e-4, -9e-4}) {
      SCOPED_TRACE(testing::Message() << "lock_after " << lock_after << ", slower " << slower);
      EdgeClockSettings settings;
      settings.lock_after = lock_after;
      Fixture bench{settings, {.slower = slower}};
      bench.feed_many(lock_after);
      EXPECT_FALSE(bench.clock.acquisition_done());
      const TimePoint<RigTime> before = bench.clock.now();
      const Mono newest = bench.feed();
      EXPECT_TRUE(bench.clock.acquisition_done());
      EXPECT_EQ(bench.status.state, ClockState::locked);
      EXPECT_EQ(bench.status.edges, lock_after + 1);
      EXPECT_EQ(bench.status.missing, 0);
      EXPECT_EQ(bench.status.relocks, 0);
      EXPECT_EQ(all_faults(bench.status), 0);
      EXPECT_LE(std::abs(bench.off_grid(newest).count()), 1) << "an edge is on the grid";
      EXPECT_NEAR(bench.status.frequency_ppm, (1 / (1 + slower) - 1) * 1e6, 2);
      EXPECT_GE(bench.clock.now(), before);
      const Nanoseconds moved =
          bench.clock.from_monotonic(newest).time_since_epoch() - newest.time_since_epoch();
      EXPECT_GE(moved, 0ns) << "not even the first setting goes back";
      EXPECT_LT(moved, 1ms) << "near CLOCK_MONOTONIC";
    }
}

TEST(EdgeClockAcquires, ThroughGlitchesAndDoublesAndGaps) {
  Fixture bench{{}, {.slower = 1e-4}};
  bench.feed_many(2);
  bench.edges.glitch(300us);
  bench.feed_many(4);
  bench.edges.glitch(20us);
  bench.feed_many(2);
  bench.edges.gap(2);
  while (!bench.clock.acquisition_done()) bench.feed();
  EXPECT_EQ(bench.status.state, ClockState::locked);
  EXPECT_EQ(bench.status.edges, 9);
  EXPECT_EQ(bench.status.missing, 2);
  EXPECT_EQ(count_of(bench.status, ClockFault::glitch), 1);
  EXPECT_EQ(count_of(bench.status, ClockFault::doubled), 1);
  EXPECT_NEAR(bench.status.frequency_ppm, -100, 1);
}

TEST(EdgeClockAcquires, OnlyEdgesOfTheRightRate) {
  const struct {
    double slower;
    bool right;
    const char* why;
  } rows[] = {
      {0.00095, true, "just inside"},
      {-0.00095, true, "just inside, faster"},
      {0.0019, false, "998.1 Hz"},
      {-0.0019, false, "1001.9 Hz"},
      {0.5, false, "667 Hz"},
      {1.0, false, "every second edge"},
      {-0.499, false, "nearly twice as many"},
      {-0.5002, false, "a little more than twice"},
      {-2.0 / 3, false, "three times"},
      {9, false, "a tenth"},
  };
  for (const auto& row : rows)
    for (const OnClockFault policy :
         {OnClockFault::free_run, OnClockFault::freeze, OnClockFault::terminate}) {
      SCOPED_TRACE(row.why);
      EdgeClockSettings settings;
      settings.on[static_cast<std::size_t>(ClockFault::wrong_rate)] = policy;
      Fixture bench{settings, {.slower = row.slower, .jitter = 50ns}};
      for (int i = 0; i < 40 && !bench.clock.acquisition_done(); ++i) bench.feed();
      const bool free = policy == OnClockFault::free_run;
      EXPECT_EQ(bench.clock.acquisition_done(), row.right || free);
      EXPECT_EQ(bench.status.state, row.right ? ClockState::locked : ClockState::acquiring);
      EXPECT_EQ(count_of(bench.status, ClockFault::wrong_rate) > 0, !row.right);
      const auto reaction = bench.clock.take_reaction();
      ASSERT_EQ(reaction.has_value(), !row.right && !free);
      if (!reaction) continue;
      EXPECT_EQ(reaction->fault, ClockFault::wrong_rate);
      EXPECT_EQ(reaction->action, policy);
      EXPECT_NEAR(reaction->measured_period, 1e6 * (1 + row.slower), 500);
    }
}

TEST(EdgeClockAcquires, AWrongRateThatBecomesRightWhileFreeRunning) {
  Fixture bench{{}, {.slower = 0.02}};
  bench.feed_many(60);
  EXPECT_TRUE(bench.clock.acquisition_done());
  EXPECT_EQ(bench.status.state, ClockState::acquiring);
  EXPECT_EQ(bench.status.frequency_ppm, 0) << "the internal clock";
  EXPECT_GE(count_of(bench.status, ClockFault::wrong_rate), 5) << "one for each window";
  bench.edges.set_slower(2e-4);
  bench.feed_many(1200);
  EXPECT_EQ(bench.status.state, ClockState::locked);
  EXPECT_EQ(bench.status.relocks, 0) << "it is the first lock";
  const Mono newest = bench.feed();
  EXPECT_LT(std::abs(bench.off_grid(newest).count()), 1000);
}

TEST(EdgeClockAcquires, NoisyEdgesAreCountedUntilTheyAreGood) {
  EdgeClockSettings settings;
  settings.jitter_limit = 2us;
  settings.on[static_cast<std::size_t>(ClockFault::jitter)] = OnClockFault::freeze;
  Fixture bench{settings, {.jitter = 40us}};
  bench.feed_many(30);
  EXPECT_FALSE(bench.clock.acquisition_done());
  const std::int64_t jitter = count_of(bench.status, ClockFault::jitter);
  EXPECT_EQ(jitter, 30 - 8) << "all that have left the window";
  const auto reaction = bench.clock.take_reaction();
  ASSERT_TRUE(reaction);
  EXPECT_EQ(reaction->fault, ClockFault::jitter);
  for (int i = 0; i < 9; ++i) bench.feed_at(bench.edges.ideal(40 + i));
  EXPECT_TRUE(bench.clock.acquisition_done());
  EXPECT_EQ(bench.status.state, ClockState::locked);
}

TEST(EdgeClockAcquires, EdgesThatNeverFitDoNotHoldUpTheStartForEver) {
  EdgeClockSettings settings;
  settings.jitter_limit = 2us;
  Fixture bench{settings, {.jitter = 40us}};
  for (int i = 0; i < 200 && !bench.clock.acquisition_done(); ++i) bench.feed();
  EXPECT_TRUE(bench.clock.acquisition_done()) << "the policy is free_run";
  EXPECT_EQ(bench.status.state, ClockState::acquiring);
}

// ---- the loop
// ----------------------------------------------------------------------------------------------

struct Convergence {
  std::int64_t smoothing;
  Nanoseconds phase;
  double slower;
  double slew;
  std::int64_t edges;     // until it stays within ...
  Nanoseconds within;     // ... this
  Nanoseconds overshoot;  // at most, on the other side
};

TEST(EdgeClockLoop, ConvergesAsTheTableSays) {
  const Convergence rows[] = {
      // smoothing, phase, frequency, slew | edges, within, overshoot
      {2, 80us, 0, 0.1, 12, 100ns, 1us},      {5, 80us, 0, 0.1, 40, 100ns, 3us},
      {10, 80us, 0, 0.1, 85, 100ns, 5us},     {10, -80us, 0, 0.1, 85, 100ns, 5us},
      {100, 80us, 0, 0.1, 900, 100ns, 12us},  {10, 0us, 5e-4, 0.1, 65, 100ns, 50ns},
      {10, 0us, -5e-4, 0.1, 65, 100ns, 50ns}, {10, 40us, 3e-4, 0.1, 80, 100ns, 3us},
      {10, 80us, 0, 1e-3, 140, 100ns, 1us},   {10, 80us, 0, 1e-4, 830, 100ns, 200ns},
      {50, 0us, 5e-4, 0.1, 400, 100ns, 50ns},
  };
  for (const Convergence& row : rows) {
    SCOPED_TRACE(testing::Message() << "smoothing " << row.smoothing << ", phase " << row.phase.count()
                                    << " ns, slower " << row.slower << ", slew " << row.slew);
    EdgeClockSettings settings;
    settings.smoothing = row.smoothing;
    settings.slew = row.slew;
    Fixture bench{settings};
    bench.feed_many(20);
    ASSERT_EQ(bench.status.state, ClockState::locked);
    bench.edges.jump(row.phase);
    bench.edges.set_slower(row.slower);
    std::int64_t converged = 0;
    Nanoseconds overshoot{0};
    const double sign = row.phase.count() != 0 ? std::copysign(1, static_cast<double>(row.phase.count()))
                                               : std::copysign(1, row.slower);
    const std::int64_t rounds = 4 * row.edges;
    for (std::int64_t k = 1; k <= rounds; ++k) {
      const Mono stamp = bench.edges.take();
      const Nanoseconds off = -bench.off_grid(stamp);  // negative rig time off the grid: the edge was early
      bench.feed_at(stamp);
      if (std::abs(off.count()) > row.within.count()) converged = k;
      overshoot = std::max(overshoot, Nanoseconds{std::llround(sign * static_cast<double>(off.count()))});
    }
    RecordProperty("edges", static_cast<int>(converged));
    if (std::getenv("TACTUS_TEST_FIGURES") != nullptr)  // NOLINT(concurrency-mt-unsafe): nobody sets it
      std::printf(
          "smoothing %5ld  phase %4ld us  frequency %5.0f ppm  slew %g: %ld edges, overshoot %ld ns\n",
          static_cast<long>(row.smoothing), static_cast<long>(row.phase.count() / 1000), row.slower * 1e6,
          row.slew, static_cast<long>(converged), static_cast<long>(overshoot.count()));
    EXPECT_LE(converged, row.edges);
    EXPECT_LE(overshoot, row.overshoot);
    EXPECT_EQ(all_faults(bench.status), 0);
    EXPECT_NEAR(bench.status.frequency_ppm, (1 / (1 + row.slower) - 1) * 1e6, 1);
  }
}

TEST(EdgeClockLoop, DisciplineEdgeTakesThePhaseOfEachEdge) {
  Fixture bench{with(Discipline::edge), {.slower = 3e-4, .jitter = 30us, .seed = 7}};
  while (!bench.clock.acquisition_done()) bench.feed();
  for (int i = 0; i < 500; ++i) {
    const Mono stamp = bench.feed();
    ASSERT_EQ(bench.off_grid(stamp), 0ns);
    ASSERT_EQ(bench.clock.to_monotonic(TimePoint<RigTime>{kMillisecond.times(bench.clock.last_edge())}),
              stamp);
  }
  EXPECT_EQ(all_faults(bench.status), 0);
}

TEST(EdgeClockLoop, NowNeverGoesBackWhenAnEdgeIsLate) {
  Fixture bench{with(Discipline::edge)};
  bench.feed_many(20);
  const Mono stamp = bench.edges.take() + 90us;  // late, within the limit
  SimKernel::pass_to(stamp);
  const TimePoint<RigTime> before = bench.clock.now();
  bench.clock.edge(stamp);
  bench.clock.advance(stamp);
  EXPECT_LT(bench.clock.from_monotonic(stamp), before) << "the line goes back";
  EXPECT_EQ(bench.clock.now(), before) << "what is told does not";
  SimKernel::pass(95us);
  EXPECT_GT(bench.clock.now(), before);
}

TEST(EdgeClockLoop, SmoothsTheJitterOfTheEdges) {
  const struct {
    std::int64_t smoothing;
    double share;  // of the input's, root mean square
  } rows[] = {{5, 0.62}, {10, 0.42}, {30, 0.24}, {100, 0.14}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.smoothing);
    EdgeClockSettings settings;
    settings.smoothing = row.smoothing;
    settings.slew = 0.05;
    Fixture bench{settings, {.slower = 2e-4, .jitter = 20us, .seed = 3}};
    bench.feed_many(10 + 20 * row.smoothing);
    double squares = 0;
    constexpr int kEdges = 4000;
    for (int i = 0; i < kEdges; ++i) {
      const Mono ideal = bench.edges.ideal(bench.edges.fed());
      const double off = static_cast<double>(bench.off_grid(ideal).count());
      squares += off * off;
      bench.feed();
    }
    const double input = 20'000 / std::sqrt(3.0);
    const double output = std::sqrt(squares / kEdges);
    if (std::getenv("TACTUS_TEST_FIGURES") != nullptr)  // NOLINT(concurrency-mt-unsafe): nobody sets it
      std::printf("smoothing %ld: output jitter is %.3f of the input's\n", static_cast<long>(row.smoothing),
                  output / input);
    EXPECT_LT(output, row.share * input);
    EXPECT_EQ(all_faults(bench.status), 0);
  }
}

TEST(EdgeClockLoop, MillionsOfEdgesDoNotDrift) {
  for (const Period frame : {kThirdOfAMillisecond, kSixtyHertz}) {
    EdgeClockSettings settings = with(Discipline::pll, frame);
    EdgeClockStatus status;
    EdgeClock clock{settings, status, &SimKernel::read};
    SimKernel::now = SimKernel::kStart;
    const std::int64_t kEdges = trials(5'000'000);  // of each of the two periods
    Mono stamp{};
    for (std::int64_t k = 0; k < kEdges; ++k) {
      // 31/1024 ppm slow: exact in integers at each edge.
      const Nanoseconds nominal = frame.times(k);
      stamp = SimKernel::kStart + nominal + Nanoseconds{nominal.count() / 1'000'000 * 31 / 1024};
      clock.edge(stamp);
      clock.advance(stamp);
      if (k % 500'000 != 499'999) continue;
      const Nanoseconds off = clock.from_monotonic(stamp).time_since_epoch() - frame.times(clock.last_edge());
      ASSERT_LE(std::abs(off.count()), 20) << "after " << k << " edges";
    }
    EXPECT_EQ(status.edges, kEdges);
    EXPECT_EQ(status.missing, 0);
    EXPECT_EQ(all_faults(status), 0);
    EXPECT_LE(clock.phase_errors().max(), 50ns);
  }
}

TEST(EdgeClockLoop, OnePulsePerSecondDisciplinesAKilohertz) {
  EdgeClockSettings settings;
  settings.frames_per_edge = 1000;
  Fixture bench{settings, {.slower = -3e-5, .jitter = 200ns, .seed = 5}};
  bench.feed_many(100);
  EXPECT_EQ(bench.status.state, ClockState::locked);
  EXPECT_NEAR(bench.status.frequency_ppm, 30, 0.2);
  const TimePoint<RigTime> edge{settings.edge_period().times(bench.clock.last_edge())};
  for (std::int64_t k = 0; k < 1000; ++k) {
    const TimePoint<RigTime> slot = edge + kMillisecond.times(k);
    EXPECT_EQ(bench.clock.edge_at(slot).has_value(), k == 0);
    EXPECT_EQ(bench.clock.frame_start(slot - 1us), slot);
  }
  EXPECT_EQ(all_faults(bench.status), 0);
}

TEST(EdgeClockLoop, ABatchOfEdgesIsWorthAsMuchAsOneByOne) {
  EdgeClockSettings settings;
  settings.edges_per_frame = 10;
  settings.slew = 0.05;
  Fixture bench{settings, {.slower = 5e-4, .seed = 5}};
  bench.feed_many(20);
  bench.edges.jump(4us);
  for (int frame = 0; frame < 100; ++frame) {
    Mono stamp{};
    for (int i = 0; i < 10; ++i) {
      stamp = bench.edges.take();
      SimKernel::pass_to(stamp);
      bench.clock.edge(stamp);
    }
    SimKernel::pass(13us);
    bench.clock.advance(SimKernel::now);
  }
  const Mono stamp = bench.feed();
  EXPECT_LT(std::abs(bench.off_grid(stamp).count()), 20);
  EXPECT_EQ(all_faults(bench.status), 0);
}

// ---- properties
// --------------------------------------------------------------------------------------------

/// What never may happen, whatever the edges do: looked at after each edge and in between.
class Watcher {
 public:
  explicit Watcher(Fixture& bench) : bench_(bench) {}

  /// Right before the clock is fed or told the time.
  void before() {
    acquisition_done_ = bench_.clock.acquisition_done();
    line_ = bench_.clock.from_monotonic(SimKernel::now);
    told_ = bench_.clock.now();
  }
  /// Right after it, at the same time.
  void after(std::int64_t fed) const {
    ASSERT_GE(bench_.clock.now(), told_) << "now() went back";
    if (!acquisition_done_) return;
    const EdgeClockSettings& settings = bench_.clock.settings();
    const Nanoseconds step = bench_.clock.from_monotonic(SimKernel::now) - line_;
    const bool takes_phase =
        settings.discipline == Discipline::edge &&
        (bench_.status.state == ClockState::locked || bench_.status.state == ClockState::holdover);
    if (takes_phase && fed > 0) {
      ASSERT_LE(std::abs(step.count()), bench_.clock.jitter_limit().count() * (14 * fed + 1) / 10 + 2);
    } else {
      ASSERT_LE(std::abs(step.count()), 1) << "a step";
    }
    const double most = settings.slew + settings.rate_tolerance;
    const Nanoseconds length = settings.edge_period().floor() / 7;
    for (int i = 0; i < 9; ++i) {
      const Mono from = SimKernel::now + i * length;
      const double rig = static_cast<double>(
          (bench_.clock.from_monotonic(from + length) - bench_.clock.from_monotonic(from)).count());
      const double mono = static_cast<double>(length.count());
      // Mono per rig is what is bounded; and two roundings.
      ASSERT_LE(std::abs(mono - rig), most * rig + 3) << "the rate leaves its bounds";
    }
  }

 private:
  Fixture& bench_;
  bool acquisition_done_ = false;
  TimePoint<RigTime> line_{};
  TimePoint<RigTime> told_{};
};

void run_random_stream(unsigned seed) {
  std::mt19937 random{seed};
  const auto chance = [&random](double share) {
    return std::uniform_real_distribution<double>{0, 1}(random) < share;
  };
  const auto between = [&random](double from, double to) {
    return std::uniform_real_distribution<double>{from, to}(random);
  };
  const Period periods[] = {kMillisecond, kSixtyHertz, kThirdOfAMillisecond, {10'000'000, 1}};
  EdgeClockSettings settings = with(chance(0.5) ? Discipline::pll : Discipline::edge, periods[random() % 4]);
  settings.smoothing = static_cast<std::int64_t>(std::exp(between(std::log(2), std::log(200))));
  settings.slew = std::exp(between(std::log(1e-5), std::log(0.1)));
  settings.rate_tolerance = std::exp(between(std::log(1e-5), std::log(0.05)));
  settings.lock_after = 2 + static_cast<std::int64_t>(random() % 12);
  settings.max_missing = 1 + static_cast<std::int64_t>(random() % 20);
  if (chance(0.3)) settings.edges_per_frame = 1 + static_cast<std::int64_t>(random() % 10);
  const double period = settings.edge_period().seconds() * 1e9;
  EdgeStream stream{.slower = between(-0.8, 0.8) * settings.rate_tolerance,
                    .jitter = Nanoseconds{std::llround(between(0, 0.04) * period)},
                    .dropped = chance(0.5) ? between(0, 0.1) : 0,
                    .doubled = chance(0.3) ? between(0, 0.05) : 0,
                    .glitches = chance(0.3) ? between(0, 0.05) : 0,
                    .seed = seed};
  Fixture bench{settings, stream};
  Watcher watcher{bench};
  const int edges = 150 + static_cast<int>(random() % 150);
  for (int i = 0; i < edges; ++i) {
    if (chance(0.01)) bench.edges.jump(Nanoseconds{std::llround(between(-0.3, 0.7) * period)});
    if (chance(0.01)) bench.edges.gap(static_cast<std::int64_t>(random() % 30));
    if (chance(0.01)) bench.edges.disturb(Nanoseconds{std::llround(between(-0.4, 0.4) * period)});
    if (chance(0.01)) bench.edges.set_slower(between(-1.5, 1.5) * settings.rate_tolerance);
    const Mono stamp = bench.edges.next();
    // Time goes on in steps of up to an edge period or two: looked at in between.
    while (SimKernel::now + Nanoseconds{std::llround(1.7 * period)} < stamp) {
      SimKernel::pass(Nanoseconds{std::llround(between(0.5, 1.5) * period)});
      watcher.before();
      bench.clock.advance(SimKernel::now);
      ASSERT_NO_FATAL_FAILURE(watcher.after(0));
    }
    SimKernel::pass_to(bench.edges.next() + Nanoseconds{std::llround(between(0, 0.3) * period)});
    watcher.before();
    const std::int64_t fed_before = bench.edges.fed();
    while (bench.edges.next() <= SimKernel::now) bench.clock.edge(bench.edges.take());
    if (chance(0.005)) bench.clock.overflowed();
    if (chance(0.005)) bench.clock.unwatched();
    if (chance(0.01)) bench.clock.overdue(bench.clock.last_edge() + 1);
    bench.clock.advance(SimKernel::now);
    ASSERT_NO_FATAL_FAILURE(watcher.after(bench.edges.fed() - fed_before));
  }
}

TEST(EdgeClockProperty, TheRateIsBoundedAndTimeNeverGoesBack) {
  const unsigned seed = any_seed();
  for (unsigned i = 0; i < static_cast<unsigned>(trials(3000)); ++i) {
    SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed + i);
    ASSERT_NO_FATAL_FAILURE(run_random_stream(seed + i));
  }
}

/// Each edge fed is in one place, each number that passed is in one place.
void run_counted_stream(unsigned seed) {
  std::mt19937 random{seed};
  const auto between = [&random](double from, double to) {
    return std::uniform_real_distribution<double>{from, to}(random);
  };
  EdgeClockSettings settings = with(random() % 2 == 0 ? Discipline::pll : Discipline::edge);
  settings.max_missing = 1 + static_cast<std::int64_t>(random() % 20);
  settings.smoothing = 5 + static_cast<std::int64_t>(random() % 40);
  EdgeStream stream{.slower = between(-9e-4, 9e-4),
                    .jitter = Nanoseconds{std::llround(between(0, 20'000))},
                    .dropped = between(0, 0.1),
                    .doubled = between(0, 0.1),
                    .glitches = between(0, 0.1),
                    .seed = seed};
  Fixture bench{settings, stream};
  while (!bench.clock.acquisition_done()) bench.feed();
  const std::int64_t first = bench.clock.last_edge() - (bench.status.edges + bench.status.missing) + 1;
  for (int i = 0; i < 1000; ++i) {
    bench.feed(1us);
    if (random() % 200 == 0) bench.edges.gap(static_cast<std::int64_t>(random() % 30));
  }
  const EdgeClockStatus& status = bench.status;
  for (std::int64_t last = bench.clock.last_edge();  // ends with an edge that was accepted
       status.state != ClockState::locked || bench.clock.last_edge() == last;)
    last = bench.clock.last_edge(), bench.feed(1us);
  ASSERT_EQ(status.edges + status.unsettled + count_of(status, ClockFault::glitch) +
                count_of(status, ClockFault::doubled) + count_of(status, ClockFault::jitter),
            bench.edges.fed());
  ASSERT_EQ(count_of(status, ClockFault::jitter), 0) << "jitter below half of its limit is none";
  ASSERT_EQ(count_of(status, ClockFault::wrong_rate), 0);
  const std::int64_t passed = bench.clock.last_edge() - first + 1;
  ASSERT_GE(status.edges + status.missing + status.unsettled, passed);
  ASSERT_LE(status.edges + status.missing, passed);
  if (status.unsettled == 0) {
    ASSERT_EQ(status.edges + status.missing, passed);
  }
  ASSERT_LE(status.consecutive_missing, status.max_consecutive_missing);
}

TEST(EdgeClockRates, HalfTheRateUnderWayIsAnotherRate) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    Fixture bench{with(discipline), {}};
    while (!bench.clock.acquisition_done()) bench.feed();
    for (int i = 0; i < 500 && count_of(bench.status, ClockFault::wrong_rate) == 0; ++i) {
      bench.edges.gap(1);
      bench.feed();
    }
    EXPECT_EQ(count_of(bench.status, ClockFault::wrong_rate), 1);
    EXPECT_EQ(count_of(bench.status, ClockFault::missing), 0) << "never two in a row";
  }
}

/// The state that may be told never again once the rate is known to be wrong.
void feed_never_locked(Fixture& bench, EdgeStream stream, int edges) {
  bench.edges = SimEdges(stream, bench.edges.take());
  for (int i = 0; i < edges; ++i) {
    bench.feed();
    if (count_of(bench.status, ClockFault::wrong_rate) > 0) {
      ASSERT_NE(bench.status.state, ClockState::locked) << "edge " << i;
    }
  }
  ASSERT_GE(count_of(bench.status, ClockFault::wrong_rate), 1);
}

TEST(EdgeClockRates, EdgesThatMeetTheGridNowAndThenAreNotFollowed) {
  // 1.2 kHz meets 1 kHz at every sixth edge, 2 kHz at every second, 1.5 and 4/3 kHz at every third and fourth.
  for (const Period period : {Period{1'000'000'000, 1200}, Period{500'000, 1}, Period{2'000'000, 3},
                              Period{750'000, 1}, Period{1'500'000, 1}, Period{3'000'000, 1}}) {
    for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
      SCOPED_TRACE(period.seconds());
      EdgeClockSettings settings = with(discipline);
      settings.max_missing = 1000;
      Fixture bench{settings, {}};
      while (!bench.clock.acquisition_done()) bench.feed();
      bench.feed_many(500);
      ASSERT_EQ(bench.status.state, ClockState::locked);
      feed_never_locked(bench, {.period = period, .jitter = 5us, .dropped = 0.02}, 3000);
      const auto reaction = bench.clock.take_reaction();
      if (reaction) {
        EXPECT_NEAR(reaction->measured_period, period.seconds() * 1e9, 0.02 * period.seconds() * 1e9);
      }
      bench.edges = SimEdges({.period = kMillisecond, .jitter = 5us}, bench.edges.take());
      bench.feed_many(2000);
      EXPECT_EQ(bench.status.state, ClockState::locked) << "of the right rate again";
    }
  }
}

TEST(EdgeClockRates, JitterIsNoRate) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    Fixture bench{with(discipline), {}};
    while (!bench.clock.acquisition_done()) bench.feed();
    bench.edges = SimEdges({.period = kMillisecond, .jitter = 200us}, bench.edges.take());
    bench.feed_many(5000);
    EXPECT_EQ(count_of(bench.status, ClockFault::wrong_rate), 0);
    EXPECT_GT(count_of(bench.status, ClockFault::jitter), 500);
  }
}

TEST(EdgeClockRates, EveryFourthEdgeMissingIsNot) {
  Fixture bench{with(Discipline::pll), {}};
  while (!bench.clock.acquisition_done()) bench.feed();
  for (int i = 0; i < 5000; ++i) {
    if (i % 3 == 0) bench.edges.gap(1);
    bench.feed();
  }
  EXPECT_EQ(count_of(bench.status, ClockFault::wrong_rate), 0);
  EXPECT_GT(bench.status.missing, 1600);
}

TEST(EdgeClockProperty, EveryEdgeAndEveryNumberIsCountedOnce) {
  const unsigned seed = same_seed();
  for (unsigned i = 0; i < 500; ++i) {
    SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed + i);
    ASSERT_NO_FATAL_FAILURE(run_counted_stream(seed + i));
  }
}

TEST(EdgeClockProperty, SteadyEdgesWithJitterBelowTheLimitAreNoFault) {
  const unsigned seed = same_seed();
  for (unsigned i = 0; i < 300; ++i) {
    SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed + i);
    std::mt19937 random{seed + i};
    EdgeClockSettings settings =
        with(i % 2 == 0 ? Discipline::pll : Discipline::edge, i % 3 == 0 ? kSixtyHertz : kMillisecond);
    settings.smoothing = 2 + static_cast<std::int64_t>(random() % 60);
    settings.lock_after = 8 + static_cast<std::int64_t>(random() % 30);
    settings.slew = 1e-3 + 1e-5 * static_cast<double>(random() % 5000);
    const std::int64_t limit = settings.frame.floor().count() / 10;
    const bool smooth = settings.discipline == Discipline::pll && settings.smoothing >= 5;
    const Nanoseconds jitter{smooth ? limit / 2 : limit / 3};
    Fixture bench{
        settings,
        {.slower = -9e-4 + 1e-6 * static_cast<double>(random() % 1800), .jitter = jitter, .seed = i}};
    bench.feed_many(1500);
    ASSERT_EQ(bench.status.state, ClockState::locked);
    ASSERT_EQ(all_faults(bench.status), 0)
        << "smoothing " << settings.smoothing << ", lock_after " << settings.lock_after << ", jitter "
        << count_of(bench.status, ClockFault::jitter);
    ASSERT_EQ(bench.status.missing, 0);
    ASSERT_EQ(bench.status.edges, 1500);
  }
}

// ---- real time
// ---------------------------------------------------------------------------------------------

TEST(EdgeClockRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings = with(discipline);
    settings.on.fill(OnClockFault::freeze);
    Fixture bench{settings,
                  {.slower = 1e-4, .jitter = 60us, .dropped = 0.05, .doubled = 0.05, .glitches = 0.05}};
    const HeapWatch heap;
    for (int i = 0; i < 5000; ++i) {
      if (i % 500 == 100) bench.edges.gap(20);
      if (i % 500 == 200) bench.edges.jump(300us);
      if (i % 1000 == 300) bench.edges.set_slower(0.01);
      if (i % 1000 == 700) bench.edges.set_slower(1e-4);
      if (i == 1500) bench.clock.overflowed();
      if (i == 1600) bench.clock.unwatched();
      if (i == 1700) bench.clock.resumed();
      bench.feed();
      (void)bench.clock.now();
      (void)bench.clock.frame_start(bench.clock.now());
      (void)bench.clock.take_reaction();
    }
    bench.clock.gone(ENODEV);
    bench.quiet(1s);
    EXPECT_EQ(heap.calls(), 0U);
  }
}

}  // namespace
}  // namespace tactus::rtsync::edge_clock_test
