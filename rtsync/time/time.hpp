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

struct RigTime;        ///< the rig's clock: CLOCK_MONOTONIC, or what the rig chose instead
struct MonotonicTime;  ///< CLOCK_MONOTONIC: what the kernel's timers and event time stamps are in
struct SimTime;        ///< the simulated world: 0 at the first frame, one period per frame
struct VirtualTime;    ///< clock on which the participants of a federation agreed

/// A point in time of one clock. Points of different clocks do not subtract, compare or convert.
template <class ClockTag>
using TimePoint = std::chrono::time_point<ClockTag, Nanoseconds>;

struct RigTime {
  using duration = Nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = TimePoint<RigTime>;
  static constexpr bool is_steady = true;
};

struct MonotonicTime {
  using duration = Nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = TimePoint<MonotonicTime>;
  static constexpr bool is_steady = true;
};

struct VirtualTime {
  using duration = Nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = TimePoint<VirtualTime>;
  static constexpr bool is_steady = true;
};

struct SimTime {
  using duration = Nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = TimePoint<SimTime>;
  static constexpr bool is_steady = true;
};

}  // namespace tactus::rtsync
