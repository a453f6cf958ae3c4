// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "rtsync/evidence/thread_times.hpp"

namespace tactus::rtsync {

/// Adds up how long a CPU did nothing at all while a thread was off it, from the records of that CPU. Its signs of life
/// come whatever runs there, so where they are missing, the machine stood still, and no thread had the CPU. A switch shows
/// that it did not. Some virtual CPUs give none while they are idle, for minutes: unless one came in idle time before,
/// idle time without them says nothing.
///
/// RT  yes; bounded by the number of records.
class CpuSilence {
 public:
  /// `alive`: the interval of its signs of life; 0: it has none. `off`: the times, the oldest first.
  CpuSilence(std::span<const ThreadTimes::Off> off, std::uint32_t cpu, Nanoseconds alive) TACTUS_RT
      : off_(off),
        cpu_(cpu),
        alive_(alive) {}

  /// Adds a record. Records come in the order of the ring.
  void add(const EventRecord& record) TACTUS_RT;
  /// Its signs of life began anew then: what lies around it is not known.
  void restarted(EvidenceTime at) TACTUS_RT { restarted_ = at; }
  /// Adds what was seen, after the last record. At `end` the thread was on its CPU again.
  void finish(EvidenceTime end, OtherThreads& others) TACTUS_RT;

 private:
  void silent_up_to(EvidenceTime time) TACTUS_RT;
  bool is_before(EvidenceTime time) const TACTUS_RT { return !off_.empty() && time <= off_.front().from; }

  std::span<const ThreadTimes::Off> off_;
  std::uint32_t cpu_;
  Nanoseconds alive_;
  std::optional<EvidenceTime> restarted_;
  std::optional<EvidenceTime> sign_;  // the last one
  EvidenceTime active_{};             // the last record of any kind
  Nanoseconds ready_{0};
  Nanoseconds asleep_{0};
  Nanoseconds at_wake_{0};
  Nanoseconds idle_unseen_{0};  // the thread slept, and the CPU was idle
  bool idle_sign_ = false;      // one came from an idle CPU, before the thread left a CPU first
  bool is_idle_ = false;        // since the last record
};

}  // namespace tactus::rtsync
