// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "rtsync/evidence/thread_times.hpp"

namespace tactus::rtsync {

/// Adds up how long a debugger or a signal had stopped a thread, from the records of a CPU that it left. It may have come
/// back on another one, as its own records say.
///
/// RT  yes; bounded by the number of records.
class StopTimes {
 public:
  /// `off`: when the thread was off its CPUs, the oldest first.
  StopTimes(std::span<const ThreadTimes::Off> off, std::uint32_t cpu, std::int32_t thread) TACTUS_RT
      : off_(off),
        cpu_(cpu),
        thread_(thread) {}

  void add(const EventRecord& record) TACTUS_RT {
    using K = EventRecord::Kind;
    const bool leaves = record.kind == K::off || record.kind == K::preempted;
    if (leaves && record.thread == thread_) {
      stop_ = record.stop;
      since_ = record.at;
    } else if ((leaves && record.next == thread_) || (record.kind == K::on && record.thread == thread_)) {
      count_up_to(record.at);
      stop_ = EventRecord::Stop::none;
    }
  }
  /// Takes the time from where it was counted as a sleep.
  void finish(SwitchTimes& switches) TACTUS_RT {
    count_up_to(EvidenceTime::max());
    switches.traced += take(switches, traced_);
    switches.signalled += take(switches, signalled_);
  }

 private:
  /// The stop is the first time off this CPU that is not over when the thread leaves it.
  void count_up_to(EvidenceTime time) TACTUS_RT {
    if (stop_ == EventRecord::Stop::none) return;
    for (const ThreadTimes::Off& off : off_) {
      if (off.cpu != cpu_ || off.to <= since_) continue;
      const Nanoseconds part = std::max(std::min(time, off.to) - std::max(since_, off.from), Nanoseconds{0});
      (stop_ == EventRecord::Stop::traced ? traced_ : signalled_) += part;
      return;
    }
  }
  static Nanoseconds take(SwitchTimes& switches, Nanoseconds time) TACTUS_RT {
    const Nanoseconds held = std::min(switches.held, time);
    const Nanoseconds blocked = std::min(switches.blocked, time - held);
    switches.held -= held;
    switches.blocked -= blocked;
    switches.longest_block = std::min(switches.longest_block, switches.blocked);
    return held + blocked;
  }

  std::span<const ThreadTimes::Off> off_;
  std::uint32_t cpu_;
  std::int32_t thread_;
  EventRecord::Stop stop_ = EventRecord::Stop::none;
  EvidenceTime since_{};
  Nanoseconds traced_{0};
  Nanoseconds signalled_{0};
};

}  // namespace tactus::rtsync
