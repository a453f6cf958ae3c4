// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "rtsync/clock/clock.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// Clock that measures job times: the time-stamp counter if it can be trusted, else CLOCK_MONOTONIC; never
/// the clock that frames are paced by, which belongs to one thread.
///
/// Threads  any.
class JobClock {
 public:
  /// Nanoseconds of a clock that any thread may read. Must not throw.
  using Read = std::function<std::int64_t()>;

  /// `counter`: the time-stamp counter is tried before `read`. Takes 4 ms then, less what has passed since
  /// TscFacts::note(): a short run, as a case of a campaign, would mostly wait for more than times of jobs need.
  /// @when setup
  JobClock(bool counter, Read read) : read_(std::move(read)) {
    if (!counter) return;
    rtsync::TscFacts facts = rtsync::TscFacts::probe();
    facts.half = rtsync::Nanoseconds{2'000'000};
    const rtsync::ClockChoice choice = rtsync::choose_tsc_clock(facts);
    if (const auto* const tsc = dynamic_cast<const rtsync::TscClock*>(choice.clock.get()))
      scale_ = tsc->scale();
  }
  std::uint64_t ticks() const TACTUS_RT {
    return scale_ != 0 ? rtsync::read_tsc() : static_cast<std::uint64_t>(read_());
  }
  rtsync::Nanoseconds to_time(std::uint64_t ticks) const TACTUS_RT {
    if (scale_ == 0) return rtsync::Nanoseconds{static_cast<std::int64_t>(ticks)};
    return rtsync::Nanoseconds{static_cast<std::int64_t>((static_cast<rtsync::Wide>(ticks) * scale_) >> 32)};
  }

  /// The fewest ticks that are longer than a time.                                              @when setup
  std::uint64_t ticks_beyond(rtsync::Nanoseconds time) const {
    const auto next = static_cast<rtsync::Wide>(time.count()) + 1;
    if (scale_ == 0) return static_cast<std::uint64_t>(next);
    return static_cast<std::uint64_t>(((next << 32) + scale_ - 1) / scale_);
  }
  /// Nanoseconds per tick times 2^32; 0: ticks are nanoseconds.
  std::uint64_t scale() const TACTUS_RT { return scale_; }

  static std::int64_t monotonic() TACTUS_RT { return rtsync::monotonic_now().time_since_epoch().count(); }

 private:
  Read read_;
  std::uint64_t scale_ = 0;  // ns per tick times 2^32; 0: ticks are nanoseconds of read_
};

}  // namespace tactus::executive
