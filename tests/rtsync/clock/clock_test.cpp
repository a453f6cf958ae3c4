// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync::clock_test {
namespace {

using testing::HasSubstr;

/// A simulated machine: a counter of a given rate and CLOCK_MONOTONIC, moved by wait() and by every reading.
/// Static, because the facts are plain functions.
struct Machine {
  static inline double hertz;        // of the counter
  static inline double hertz_later;  // after the first wait
  static inline double ticks_now;    // not whole: rounded when read
  static inline std::int64_t ns_now;
  static inline std::int64_t reading_ns;  // what one reading of either takes
  static inline int waits;
  static inline int readings;
  static inline int interrupt_every;  // every so many readings of the counter the thread is away for 50 us
  static inline bool stands_still;

  static void boot(double rate) {
    hertz = hertz_later = rate;
    ticks_now = 7e12;
    ns_now = 5'000'000'000'000;
    reading_ns = 20;
    waits = readings = interrupt_every = 0;
    stands_still = false;
  }
  static void pass(std::int64_t ns) {
    ns_now += ns;
    if (!stands_still) ticks_now += static_cast<double>(ns) * (waits >= 2 ? hertz_later : hertz) * 1e-9;
  }
  static std::uint64_t ticks() {
    pass(reading_ns);
    if (++readings; interrupt_every != 0 && readings % interrupt_every == 0) pass(50'000);
    return static_cast<std::uint64_t>(ticks_now);
  }
  static TimePoint<MonotonicTime> monotonic() {
    pass(reading_ns);
    return TimePoint<MonotonicTime>{Nanoseconds{ns_now}};
  }
  static void wait(Nanoseconds time) {
    ++waits;
    pass(time.count());
  }
  static TscFacts facts() { return {true, true, "tsc", &ticks, &monotonic, &wait, "tsc"}; }
};

TEST(TscChoice, FallsBackWithTheReason) {
  const struct {
    void (*change)(TscFacts&);
    const char* reason;
  } rows[] = {
      {[](TscFacts& facts) { facts.has_counter = false; }, "no time-stamp counter"},
      {[](TscFacts& facts) { facts.invariant = false; }, "not invariant"},
      {[](TscFacts& facts) { facts.kernel_clock_source = "hpet"; }, "'hpet', not 'tsc'"},
      {[](TscFacts& facts) { facts.kernel_clock_source = ""; }, "'', not 'tsc'"},
      {[](TscFacts& facts) { facts.kernel_clock_source = "kvm-clock"; }, "'kvm-clock'"},
      {[](TscFacts& facts) { facts.own_source = "arch_sys_counter"; }, "'tsc', not 'arch_sys_counter'"},
      {[](TscFacts&) { Machine::stands_still = true; }, "did not advance"},
      {[](TscFacts& facts) { facts.monotonic = [] { return TimePoint<MonotonicTime>{Nanoseconds{1}}; }; },
       "did not advance"},
      {[](TscFacts&) { Machine::hertz_later = Machine::hertz * 1.0004; }, "differ by more than 200 ppm"},
      {[](TscFacts&) { Machine::hertz_later = Machine::hertz * 0.9996; }, "differ by more than 200 ppm"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    Machine::boot(2.4e9);
    TscFacts facts = Machine::facts();
    row.change(facts);
    const ClockChoice choice = choose_tsc_clock(facts);
    ASSERT_NE(choice.clock, nullptr) << "there is a clock in any case";
    EXPECT_STREQ(choice.clock->name(), "monotonic");
    EXPECT_THAT(choice.reason, HasSubstr(row.reason));
    EXPECT_THAT(choice.reason, HasSubstr("CLOCK_MONOTONIC instead of tsc")) << "and what is used instead";
  }
}

TEST(TscChoice, CalibratesToAFewPartsPerMillion) {
  for (const double hertz : {1.0e9, 2.4e9, 2'399'987'654.0, 5.0e9, 19.2e6}) {
    SCOPED_TRACE(hertz);
    Machine::boot(hertz);
    const ClockChoice choice = choose_tsc_clock(Machine::facts());
    EXPECT_EQ(choice.reason, "");
    ASSERT_STREQ(choice.clock->name(), "tsc");
    const auto& tsc = dynamic_cast<const TscClock&>(*choice.clock);
    const double ns_per_tick = static_cast<double>(tsc.scale()) / 4294967296.0;
    EXPECT_NEAR(ns_per_tick * hertz * 1e-9, 1, 6e-6);
  }
}

TEST(TscChoice, WaitsOnlyForWhatNoEarlierMomentCovers) {
  const auto noted = [](std::initializer_list<std::int64_t> pauses_ms) {
    Machine::boot(2.4e9);
    TscFacts facts = Machine::facts();
    for (const std::int64_t pause : pauses_ms) {
      facts.noted.push_back({Machine::ticks(), Machine::monotonic()});
      Machine::pass(pause * 1'000'000);
    }
    return facts;
  };
  const struct {
    std::initializer_list<std::int64_t> pauses_ms;  // after each moment that was noted
    std::int64_t least_ms, most_ms;                 // that it waits
  } rows[] = {{{}, 20, 21},       {{4}, 15, 17},       {{30}, 9, 11},   {{12, 12}, 0, 0},
              {{3, 12, 4}, 5, 7}, {{900, 300}, 9, 11}, {{2000}, 20, 21}};
  for (const auto& row : rows) {
    const TscFacts facts = noted(row.pauses_ms);
    const std::int64_t before = Machine::ns_now;
    const ClockChoice choice = choose_tsc_clock(facts);
    const std::int64_t waited_ms = (Machine::ns_now - before) / 1'000'000;
    ASSERT_STREQ(choice.clock->name(), "tsc") << choice.reason;
    EXPECT_GE(waited_ms, row.least_ms);
    EXPECT_LE(waited_ms, row.most_ms);
    const double ns_per_tick =
        static_cast<double>(dynamic_cast<const TscClock&>(*choice.clock).scale()) / 4294967296.0;
    EXPECT_NEAR(ns_per_tick * 2.4, 1, 6e-6);
  }
}

TEST(TscChoice, AnEarlierMomentFindsACounterThatIsNotSteady) {
  Machine::boot(2.4e9);
  TscFacts facts = Machine::facts();
  facts.noted.push_back({Machine::ticks(), Machine::monotonic()});
  Machine::pass(15'000'000);
  facts.noted.push_back({Machine::ticks(), Machine::monotonic()});
  Machine::hertz *= 1.0004;
  Machine::pass(15'000'000);
  EXPECT_THAT(choose_tsc_clock(facts).reason, HasSubstr("differ by more than 200 ppm"));
}

TEST(TscChoice, AShorterMeasurementNeedsLessTimeAndAllowsMore) {
  const auto facts_after = [](std::int64_t pause_ns) {
    Machine::boot(2.4e9);
    TscFacts facts = Machine::facts();
    facts.half = Nanoseconds{2'000'000};
    for (int i = 0; i < 2; ++i) {
      facts.noted.push_back({Machine::ticks(), Machine::monotonic()});
      Machine::pass(pause_ns);
    }
    return facts;
  };
  const std::pair<std::int64_t, std::int64_t> waits[] = {
      {0, 4'000'000}, {2'500'000, 0}, {1'500'000, 2'000'000}};
  for (const auto& [pause_ns, expected_ns] : waits) {
    const TscFacts facts = facts_after(pause_ns);
    const std::int64_t before = Machine::ns_now;
    const ClockChoice choice = choose_tsc_clock(facts);
    ASSERT_STREQ(choice.clock->name(), "tsc") << choice.reason;
    EXPECT_NEAR(static_cast<double>(Machine::ns_now - before), static_cast<double>(expected_ns), 1e5);
    EXPECT_NEAR(
        static_cast<double>(dynamic_cast<const TscClock&>(*choice.clock).scale()) / 4294967296.0 * 2.4, 1,
        3e-5);
  }
  // The counter is faster in half of the second half, from the second moment on.
  for (const double faster : {1.0012, 1.0024}) {
    TscFacts facts = facts_after(2'500'000);
    Machine::hertz *= faster;
    facts.noted.push_back({Machine::ticks(), Machine::monotonic()});
    Machine::pass(2'500'000);
    const ClockChoice choice = choose_tsc_clock(facts);
    SCOPED_TRACE(faster);
    if (faster < 1.002)
      EXPECT_EQ(choice.reason, "");
    else
      EXPECT_THAT(choice.reason, HasSubstr("differ by more than 800 ppm"));
  }
}

TEST(TscChoice, AnInterruptionBetweenTwoReadingsDoesNotCount) {
  Machine::boot(2.4e9);
  Machine::interrupt_every = 3;  // of eight pairs of readings some are always undisturbed
  const ClockChoice choice = choose_tsc_clock(Machine::facts());
  ASSERT_STREQ(choice.clock->name(), "tsc") << choice.reason;
  const auto& tsc = dynamic_cast<const TscClock&>(*choice.clock);
  EXPECT_NEAR(static_cast<double>(tsc.scale()) / 4294967296.0 * 2.4, 1, 6e-6);
}

TEST(TscChoice, ASlightSlewIsNoReason) {
  Machine::boot(2.4e9);
  Machine::hertz_later = Machine::hertz * 1.0001;  // NTP steering CLOCK_MONOTONIC may look like this
  EXPECT_EQ(choose_tsc_clock(Machine::facts()).reason, "");
}

TEST(TscClock, CountsFromItsBase) {
  if (read_tsc() == 0) GTEST_SKIP() << "no time-stamp counter here";
  constexpr TimePoint<RigTime> kBase{Nanoseconds{1'000'000'000'000'000}};
  constexpr std::uint64_t kOne = std::uint64_t{1} << 32;  // one nanosecond per tick
  const std::uint64_t before = read_tsc();
  TscClock clock{before, kBase, kOne};
  const TimePoint<RigTime> now = clock.now();
  const std::uint64_t after = read_tsc();
  EXPECT_GE(now, kBase);
  EXPECT_LE((now - kBase).count(), static_cast<std::int64_t>(after - before));
  EXPECT_EQ(clock.scale(), kOne);

  // A thousand years of ticks need more than 64 bits on the way; the product must not wrap.
  TscClock old{read_tsc() - (std::uint64_t{1} << 62), kBase, kOne / 2};
  EXPECT_GE((old.now() - kBase).count(), std::int64_t{1} << 61);
}

TEST(TscClock, ACounterThatIsBehindTheBaseReadsEarlierNotCenturiesLater) {
  if (read_tsc() == 0) GTEST_SKIP() << "no time-stamp counter here";
  constexpr TimePoint<RigTime> kBase{Nanoseconds{1'000'000'000'000'000}};
  constexpr std::uint64_t kAhead = std::uint64_t{1} << 40;  // as read on another CPU, whose counter is ahead
  TscClock clock{read_tsc() + kAhead, kBase, std::uint64_t{1} << 31};
  const TimePoint<RigTime> now = clock.now();
  EXPECT_LE(now, kBase);
  EXPECT_GE(now, kBase - Nanoseconds{std::int64_t{1} << 40});
}

TEST(Clocks, NeverGoBackAndKnowTheKernelsTime) {
  MonotonicClock monotonic;
  const ClockChoice choice = choose_tsc_clock(TscFacts::probe());
  SCOPED_TRACE(choice.reason);
  ASSERT_NE(choice.clock, nullptr);
  EXPECT_EQ(choice.reason.empty(), std::string{choice.clock->name()} == "tsc");
  PacedClock* const clocks[] = {&monotonic, choice.clock.get()};
  for (PacedClock* const clock : clocks) {
    SCOPED_TRACE(clock->name());
    TimePoint<RigTime> last = clock->now();
    for (int i = 0; i < 100'000; ++i) {
      const TimePoint<RigTime> now = clock->now();
      ASSERT_GE(now, last);
      last = now;
    }
    // Now on this clock is now on the kernel's, give or take what the thread was away for in between.
    const TimePoint<MonotonicTime> before = monotonic_now();
    const TimePoint<MonotonicTime> mapped = clock->to_monotonic(clock->now());
    const TimePoint<MonotonicTime> after = monotonic_now();
    EXPECT_GE(mapped, before - (after - before));
    EXPECT_LE(mapped, after);
    // A distance stays a distance.
    const Nanoseconds ahead{5'000'000};
    const TimePoint<MonotonicTime> from = monotonic_now();
    const TimePoint<MonotonicTime> to = clock->to_monotonic(clock->now() + ahead);
    const TimePoint<MonotonicTime> until = monotonic_now();
    EXPECT_GE(to, from + ahead - (until - from));
    EXPECT_LE(to, until + ahead);
  }
  EXPECT_STREQ(monotonic.name(), "monotonic");
  EXPECT_EQ(monotonic.to_monotonic(TimePoint<RigTime>{Nanoseconds{42}}),
            TimePoint<MonotonicTime>{Nanoseconds{42}});
}

TEST(ClocksRt, NeverTouchTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  MonotonicClock monotonic;
  TscClock tsc{read_tsc(), monotonic.now(), std::uint64_t{1} << 31};
  const HeapWatch heap;
  for (int i = 0; i < 1000; ++i) {
    (void)monotonic.to_monotonic(monotonic.now());
    (void)tsc.to_monotonic(tsc.now());
  }
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::rtsync::clock_test
