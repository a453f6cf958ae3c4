// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Time has a type: two clocks never meet in one subtraction.
#include <chrono>
#include <cstdint>

namespace tactus {

using Nanoseconds = std::chrono::duration<std::int64_t, std::nano>;

}  // namespace tactus

namespace tactus::rtsync {

using tactus::Nanoseconds;

/// A point in time of one clock. Points of different clocks do not subtract, compare or convert.
template <class ClockTag>
using TimePoint = std::chrono::time_point<ClockTag, Nanoseconds>;

/// Facts of a clock that the standard library asks for.
template <class ClockTag>
struct ClockFacts {
  using duration = Nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = TimePoint<ClockTag>;
  static constexpr bool is_steady = true;
};

/// The rig's clock: CLOCK_MONOTONIC, or what the rig chose instead.
struct RigTime : ClockFacts<RigTime> {};
/// CLOCK_MONOTONIC: what the kernel's timers and event time stamps are in.
struct MonotonicTime : ClockFacts<MonotonicTime> {};
/// The simulated world: 0 at the first frame, one period per frame.
struct SimTime : ClockFacts<SimTime> {};
/// Clock on which the participants of a federation agreed.
struct VirtualTime : ClockFacts<VirtualTime> {};

}  // namespace tactus::rtsync
