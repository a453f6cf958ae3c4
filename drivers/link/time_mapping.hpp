// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::drivers::link {

/// Relation of the times of a linked rig. Frames are counted, slots are when they start, and
///
///     simulated time = frame * period
///     virtual time   = first virtual time + (frame - first frame) * period
///
/// whatever the clock did: slots may be lost or frozen, frames and both these times are not.
///
/// Threads  a plain value.
struct TimeMapping {
  std::int64_t first_frame = 0;  ///< the first that the rig runs; not 0 when it continues from a checkpoint
  rtsync::TimePoint<rtsync::VirtualTime> first_virtual{};  ///< virtual time of that frame
  rtsync::Period period;

  /// Virtual time of a frame, at its StepBegin; the end of time, if it is beyond that. @when any
  rtsync::TimePoint<rtsync::VirtualTime> virtual_time(std::int64_t frame) const TACTUS_RT {
    return after_first(period.times(frame - first_frame));
  }
  /// The same of a simulated time, to the nanosecond where frames are whole ones.                   @when any
  rtsync::TimePoint<rtsync::VirtualTime> virtual_time(
      rtsync::TimePoint<rtsync::SimTime> time) const TACTUS_RT {
    return after_first(time.time_since_epoch() - period.times(first_frame));
  }

 private:
  rtsync::TimePoint<rtsync::VirtualTime> after_first(rtsync::Nanoseconds since) const TACTUS_RT {
    const rtsync::TimePoint<rtsync::VirtualTime> end = rtsync::TimePoint<rtsync::VirtualTime>::max();
    return since > end - first_virtual ? end : first_virtual + since;  // first_virtual is not negative
  }
};

}  // namespace tactus::drivers::link
