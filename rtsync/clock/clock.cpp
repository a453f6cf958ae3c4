// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/clock.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <mutex>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "rtsync/time/period.hpp"

namespace tactus::rtsync {
namespace {

using Pair = ClockPair;

constexpr Nanoseconds kHalf{10'000'000};      // of a calibration, from which on its length allows no less
constexpr Nanoseconds kApart{2'000};          // the most that two halves of a calibration may differ
constexpr Nanoseconds kYoung{1'000'000'000};  // the rates of both clocks are as they were
std::mutex noting_pairs;
std::vector<Pair> noted_pairs;  // with noting_pairs

/// Both clocks at one moment: of eight tries the one in which the two counter reads were closest together, so
/// that an interruption between them does not count.
Pair read_both(const TscFacts& facts) {
  Pair best{};
  std::uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = facts.ticks();
    const TimePoint<MonotonicTime> time = facts.monotonic();
    const std::uint64_t after = facts.ticks();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {before + (after - before) / 2, time};
  }
  return best;
}

/// Waits until half a calibration has passed since then.
void wait_since(const Pair& begin, const TscFacts& facts) {
  const Nanoseconds passed = facts.monotonic() - begin.time;
  if (passed < facts.half) facts.wait(facts.half - passed);
}

/// Nanoseconds per tick times 2^32 between two readings; 0 when the counter did not advance.
std::uint64_t scale_between(const Pair& a, const Pair& b) {
  const std::uint64_t ticks = b.ticks - a.ticks;
  const std::int64_t ns = (b.time - a.time).count();
  if (b.ticks <= a.ticks || ns <= 0) return 0;
  return static_cast<std::uint64_t>((static_cast<Wide>(ns) << 32) / static_cast<Wide>(ticks));
}

}  // namespace

TimePoint<RigTime> MonotonicClock::now() TACTUS_RT {
  return TimePoint<RigTime>{monotonic_now().time_since_epoch()};
}

TscClock::TscClock(std::uint64_t base_ticks, TimePoint<RigTime> base, std::uint64_t scale)
    : base_ticks_(base_ticks), base_(base), scale_(scale) {}

TimePoint<RigTime> TscClock::now() TACTUS_RT {
  // Signed: a CPU whose counter is a little behind the one that was calibrated on reads a little earlier.
  const auto ticks = static_cast<std::int64_t>(read_tsc() - base_ticks_);
  return base_ + Nanoseconds{static_cast<std::int64_t>((static_cast<Wide>(ticks) * scale_) >> 32)};
}

TimePoint<MonotonicTime> TscClock::to_monotonic(TimePoint<RigTime> t) TACTUS_RT {
  return monotonic_now() + (t - now());
}

static TscFacts this_counter() {
  TscFacts facts;
#if defined(__x86_64__)
  facts.has_counter = true;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  facts.invariant = __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
#elif defined(__aarch64__)
  facts.has_counter = true;
  facts.invariant = true;  // by the architecture: one system counter of constant rate, the same on all CPUs
  facts.own_source = "arch_sys_counter";
#endif
  facts.ticks = [] { return read_tsc(); };
  facts.monotonic = [] { return monotonic_now(); };
  facts.wait = [](Nanoseconds time) {
    const timespec t = to_timespec(time);
    ::nanosleep(&t,
                nullptr);  // cut short by a signal: a shorter measurement, which the comparison below judges
  };
  return facts;
}

TscFacts TscFacts::probe() {
  TscFacts facts = this_counter();
  std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::getline(source, facts.kernel_clock_source);
  const std::scoped_lock lock(noting_pairs);
  facts.noted = noted_pairs;
  return facts;
}

void TscFacts::note() {
  const Pair now = read_both(this_counter());
  const std::scoped_lock lock(noting_pairs);
  std::erase_if(noted_pairs, [&](const Pair& each) { return now.time - each.time > kYoung; });
  noted_pairs.push_back(now);
}

ClockChoice choose_tsc_clock(const TscFacts& facts) {
  const auto fall_back = [](std::string reason) {
    return ClockChoice{std::make_unique<MonotonicClock>(),
                       "clock: CLOCK_MONOTONIC instead of tsc: " + std::move(reason)};
  };
  if (!facts.has_counter)
    return fall_back("this processor has no time-stamp counter (neither x86-64 nor ARM64)");
  if (!facts.invariant)
    return fall_back(
        "the time-stamp counter is not invariant (CPUID 80000007h EDX bit 8 is 0): its rate may change");
  if (facts.kernel_clock_source != facts.own_source)
    return fall_back("the kernel's own clock source is '" + facts.kernel_clock_source + "', not '" +
                     facts.own_source +
                     "': it does not trust the counter (dmesg | grep -iE 'tsc|arch_timer' says why)");
  const Pair now = read_both(facts);
  const auto young = [&](const Pair& each) { return now.time - each.time <= kYoung; };
  const auto first_noted = std::ranges::find_if(facts.noted, young);
  const Pair start = first_noted == facts.noted.end() ? now : *first_noted;
  const auto half_way = std::find_if(first_noted, facts.noted.end(),
                                     [&](const Pair& each) { return each.time - start.time >= facts.half; });
  if (half_way == facts.noted.end()) wait_since(start, facts);
  const Pair middle = half_way == facts.noted.end() ? read_both(facts) : *half_way;
  wait_since(middle, facts);
  const Pair end = read_both(facts);
  const std::uint64_t first = scale_between(start, middle);
  const std::uint64_t second = scale_between(middle, end);
  if (first == 0 || second == 0)
    return fall_back("the time-stamp counter did not advance during calibration");
  const std::uint64_t apart = first > second ? first - second : second - first;
  // Each end is known to some 100 ns; what differs more is not a steady counter. Longer halves allow no more than kHalf.
  const Nanoseconds half = std::clamp(std::min(middle.time - start.time, end.time - middle.time), facts.half,
                                      std::max(facts.half, kHalf));
  if (static_cast<Wide>(apart) * half.count() > static_cast<Wide>(first) * kApart.count())
    return fall_back("two calibrations of the time-stamp counter differ by more than " +
                     std::to_string((kApart.count() * 1'000'000 + half.count() / 2) / half.count()) + " ppm");
  return {std::make_unique<TscClock>(end.ticks, TimePoint<RigTime>{end.time.time_since_epoch()},
                                     scale_between(start, end)),
          ""};
}

}  // namespace tactus::rtsync
