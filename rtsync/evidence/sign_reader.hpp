// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "rtsync/evidence/event_record.hpp"
#include "rtsync/evidence/thread_times.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// A ring of a CPU, and how far it was read for signs of life.
struct SignRing {
  std::uint32_t cpu = 0;
  EventBytes bytes;
  std::uint64_t at = 0;
  std::uint64_t head = 0;
  std::optional<EventRecord> next;   ///< the sign that comes next
  Nanoseconds next_late{0};          ///< time by which that took longer than the interval
  std::optional<EvidenceTime> last;  ///< time of the last sign of any thread
  bool full = false;                 ///< lack of room for what comes after `head`
  bool has_own = false;              ///< it holds a sign of the thread; looked for if it is full
};

/// Hands the records of a thread on, and between them its signs of life, which are in the rings of its CPUs.
///
/// RT  yes; bounded by the number of records.
class SignReader {
 public:
  /// `rings`, whose `next` is empty: no CPU twice. `restarted`: the signs began anew then.
  SignReader(std::span<SignRing> rings, std::int32_t thread, ThreadTimes& times,
             std::optional<EvidenceTime> restarted = std::nullopt) TACTUS_RT;

  /// Adds a record. Records come in the order of the thread's ring. On another CPU, to which the thread was
  /// moved, it has no signs.
  void add(const EventRecord& record) TACTUS_RT;
  /// Completes the signs up to `to`, after the last record.
  void finish(EvidenceTime to) TACTUS_RT;

 private:
  void find_next(SignRing& ring) TACTUS_RT;
  void find_end(SignRing& ring) TACTUS_RT;
  Nanoseconds late_of(SignRing& ring, EvidenceTime at) const TACTUS_RT;
  void add_signs_until(EvidenceTime time) TACTUS_RT;

  std::span<SignRing> rings_;
  std::int32_t thread_;
  ThreadTimes& times_;
  std::optional<EvidenceTime> restarted_;
  bool seen_ = false;
};

}  // namespace tactus::rtsync
