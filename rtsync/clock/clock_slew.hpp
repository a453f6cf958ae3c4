// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// A time on CLOCK_MONOTONIC: whole nanoseconds and a rest, so that nothing is lost by rounding.
struct Moment {
  std::int64_t whole = 0;
  double part = 0;
};

/// Rig time to CLOCK_MONOTONIC and back: straight, with one knee.
///
///     mono(rig) = mono + (rig - rig0) * (1 + rate)   until `span` later, and from there on 1 + rate_after
///
/// Units    nanoseconds; rates are deviations from 1.
/// Threads  a plain value.
class ClockSlew {
 public:
  ClockSlew() = default;
  ClockSlew(std::int64_t rig, Moment mono, double rate, std::int64_t span, double rate_after) TACTUS_RT;
  Moment at(std::int64_t rig) const TACTUS_RT;
  /// The rig time at which the line has reached `mono`; to_rig(what at(t) is rounded up to) >= t.
  std::int64_t to_rig(std::int64_t mono) const TACTUS_RT;
  std::int64_t knee() const TACTUS_RT { return knee_; }  ///< end of the bend, in rig time

 private:
  std::int64_t rig_ = 0;
  Moment mono_;
  double rate_ = 0;
  std::int64_t knee_ = 0;
  Moment knee_mono_;
  double rate_after_ = 0;
};

}  // namespace tactus::rtsync
