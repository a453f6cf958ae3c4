#pragma once
#include <cstdint>

#include "rtsync/clock.hpp"
#include "rtsync/period.hpp"

namespace tactus::executive {

/// What job times are measured with: the time-stamp counter whenever it can be trusted, whatever the rig's
/// clock is.
class JobClock {
 public:
  /// @when setup
  JobClock(const rtsync::Clock& clock, bool wanted) : clock_(clock) {
    if (!wanted) return;
    const rtsync::ClockChoice choice = rtsync::choose_tsc_clock(rtsync::TscFacts::probe());
    if (const auto* const tsc = dynamic_cast<const rtsync::TscClock*>(choice.clock.get()))
      scale_ = tsc->scale();
  }
  std::uint64_t ticks() const TACTUS_RT {
    return scale_ != 0 ? rtsync::read_tsc()
                       : static_cast<std::uint64_t>(clock_.now().time_since_epoch().count());
  }
  rtsync::Nanoseconds to_time(std::uint64_t ticks) const TACTUS_RT {
    if (scale_ == 0) return rtsync::Nanoseconds{static_cast<std::int64_t>(ticks)};
    return rtsync::Nanoseconds{static_cast<std::int64_t>((static_cast<rtsync::Wide>(ticks) * scale_) >> 32)};
  }

 private:
  const rtsync::Clock& clock_;
  std::uint64_t scale_ = 0;  // ns per tick times 2^32; 0: ticks are the clock's nanoseconds
};

}  // namespace tactus::executive
