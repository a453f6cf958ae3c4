// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/cpu_silence.hpp"

#include <algorithm>

namespace tactus::rtsync {

/// Adds the silence up to `time`, from when the next sign of life was due.
void CpuSilence::silent_up_to(EvidenceTime time) TACTUS_RT {
  constexpr Nanoseconds kWake{100'000};  // from the end of a stop to the thread on its CPU
  if (!sign_ || alive_ == Nanoseconds{0} || time - *sign_ <= alive_ + alive_ / 4) return;
  if (restarted_ && *restarted_ >= *sign_ - alive_ && *restarted_ <= time) return;
  const EvidenceTime from = std::max(*sign_ + alive_, active_);
  for (const ThreadTimes::Off& off : off_) {
    if (off.cpu != cpu_ || off.from >= time || off.to <= from) continue;
    const Nanoseconds part = std::min(off.to, time) - std::max(off.from, from);
    if (is_idle_ && !idle_sign_) {
      if (!off.ready) idle_unseen_ += part;
    } else if (off.ready) {
      ready_ += part;
    } else {
      asleep_ += part;
      if (time + kWake >= off.to) at_wake_ += part;
    }
  }
}

void CpuSilence::add(const EventRecord& record) TACTUS_RT {
  using Kind = EventRecord::Kind;
  // Where the kernel takes no samples for a while, their absence says nothing.
  if (record.kind == Kind::limited || record.kind == Kind::lost) sign_.reset();
  const bool sign = record.kind == Kind::alive;
  if (!sign && record.kind != Kind::off && record.kind != Kind::preempted && record.kind != Kind::on) return;
  silent_up_to(record.at);
  active_ = record.at;
  if (sign) sign_ = record.at;
  if (sign && record.thread == 0 && is_before(record.at)) idle_sign_ = true;
  is_idle_ = (sign || record.kind == Kind::on ? record.thread : record.next) == 0;
}

void CpuSilence::finish(EvidenceTime end, OtherThreads& others) TACTUS_RT {
  silent_up_to(end);
  others.still_ready += ready_;
  others.idle_unseen += idle_unseen_;
  others.still_asleep += asleep_;
  others.still_at_wake += at_wake_;
}

}  // namespace tactus::rtsync
