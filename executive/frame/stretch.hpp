// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "executive/frame/frame_note.hpp"
#include "executive/frame/job_clock.hpp"
#include "rtsync/evidence/thread_times.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

/// A part of the frame, on the thread of a lane.
struct Stretch {
  rtsync::LatePart part = rtsync::LatePart::job;
  std::size_t lane = 0;
  std::uint32_t job = Finding::kNoJob;
  rtsync::EvidenceTime from{};
  rtsync::EvidenceTime to{};
  rtsync::Nanoseconds usual{0};
  rtsync::HeapTimes heap{};
  JobGroup group{};
  bool for_others = false;
  bool always = false;  // it is the longest, and nothing takes longer than usual
  rtsync::Nanoseconds time() const TACTUS_RT { return to - from; }
  rtsync::Nanoseconds excess() const TACTUS_RT { return always ? time() : time() - usual; }
  /// Returns true if the longest wait in it was that long, and it is a wait: others may have come beside that one.
  bool is_wait(rtsync::Nanoseconds longest) const TACTUS_RT { return longest * 4 > time(); }
};

/// Puts the ticks of lanes on the kernel's clock, by two readings of one moment.
class LaneTimes {
 public:
  /// Reads both clocks a few times and keeps the closest pair: the thread may be held up between two readings.
  /// @when rt
  explicit LaneTimes(const JobClock& clock) TACTUS_RT : clock_(clock) {
    constexpr int kTries = 3;
    std::uint64_t apart = UINT64_MAX;
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t before = clock.ticks();
      const rtsync::EvidenceTime time = rtsync::monotonic_now();
      const std::uint64_t between = clock.ticks() - before;
      if (between >= apart) continue;
      apart = between;
      ticks_ = before + between / 2;
      time_ = time;
    }
  }
  rtsync::EvidenceTime at(std::uint64_t ticks) const TACTUS_RT {
    return time_ - clock_.to_time(ticks_ - ticks);
  }

 private:
  const JobClock& clock_;
  std::uint64_t ticks_ = 0;
  rtsync::EvidenceTime time_{};
};

}  // namespace tactus::executive
