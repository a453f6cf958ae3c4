// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "rtsync/evidence/thread_times.hpp"

namespace tactus::rtsync {

/// Adds up how long a debugger or a signal had stopped a thread, from the records of the CPU that it left.
///
/// RT  yes; bounded by the number of records.
class StopTimes {
 public:
  StopTimes(EvidenceTime from, EvidenceTime to, std::int32_t thread) TACTUS_RT : from_(from),
                                                                                 to_(to),
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
    count_up_to(to_);
    switches.traced += take(switches, traced_);
    switches.signalled += take(switches, signalled_);
  }

 private:
  void count_up_to(EvidenceTime time) TACTUS_RT {
    const Nanoseconds part = std::max(std::min(time, to_) - std::max(since_, from_), Nanoseconds{0});
    if (stop_ == EventRecord::Stop::traced) traced_ += part;
    if (stop_ == EventRecord::Stop::signalled) signalled_ += part;
  }
  static Nanoseconds take(SwitchTimes& switches, Nanoseconds time) TACTUS_RT {
    const Nanoseconds held = std::min(switches.held, time);
    const Nanoseconds blocked = std::min(switches.blocked, time - held);
    switches.held -= held;
    switches.blocked -= blocked;
    switches.longest_block = std::min(switches.longest_block, switches.blocked);
    return held + blocked;
  }

  EvidenceTime from_;
  EvidenceTime to_;
  std::int32_t thread_;
  EventRecord::Stop stop_ = EventRecord::Stop::none;
  EvidenceTime since_{};
  Nanoseconds traced_{0};
  Nanoseconds signalled_{0};
};

}  // namespace tactus::rtsync
