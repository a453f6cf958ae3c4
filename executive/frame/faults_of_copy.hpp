// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/frame/frame_note.hpp"
#include "executive/state/gradual_copy.hpp"
#include "rtsync/evidence/kernel_events.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Faults of a job while a checkpoint was copied in pieces.
struct FaultsSeen {
  std::uint32_t all = 0;
  std::uint32_t watched = 0;  ///< faults on pages that the copy watches
  bool complete = true;       ///< each of them was seen
};

/// Reads a ring of each fault between two times. @when rt  a copy was under way in the frame
inline FaultsSeen faults_between(const rtsync::EventRing& ring, rtsync::EvidenceTime from,
                                 rtsync::EvidenceTime to, const GradualCopy& copy) TACTUS_RT {
  using Kind = rtsync::EventRecord::Kind;
  constexpr std::size_t kLargestRecord = 64;
  FaultsSeen seen;
  if (!ring.is_open()) return {0, 0, false};
  const rtsync::EventBytes bytes = ring.bytes();
  const std::uint64_t head = ring.head();
  seen.complete = head - ring.tail() + kLargestRecord <= ring.size();
  rtsync::EventRecord record;
  for (std::uint64_t at = ring.tail(); at < head;) {
    if (!bytes.next(at, head, record)) return {0, 0, false};
    if (record.kind == Kind::limited || record.kind == Kind::lost) seen.complete = false;
    if (record.kind != Kind::minor_fault || record.at < from || record.at > to) continue;
    ++seen.all;
    if (copy.watches(record.address)) ++seen.watched;
  }
  return seen;
}

/// Says how much of the time of a job's faults the copy had: each waits for the kernel that watches or lets go of its
/// pages. Of many the first ones stand for all. Where too few of them were seen all are the copy's, but for pages from the
/// disk and of memory that the job mapped. @when rt  a copy was under way in the frame
inline void share_faults_with_copy(const FaultsSeen& seen, rtsync::Evidence& evidence) TACTUS_RT {
  constexpr std::uint32_t kEnough = 16;
  if (!evidence.faults || evidence.faults->minor == 0) return;
  rtsync::FaultTimes& faults = *evidence.faults;
  const std::int64_t all = std::int64_t{faults.minor} + faults.major;
  const rtsync::Nanoseconds minor = faults.took / all * faults.minor;
  const bool maps = evidence.maps && evidence.maps->took > rtsync::Nanoseconds{0};
  if (seen.all >= (seen.complete ? 1 : kEnough))
    faults.of_copy = minor * seen.watched / seen.all;
  else if (!seen.complete && faults.major == 0 && !maps)
    faults.of_copy = faults.took;
}

/// Names the checkpoint where its faults had most of it.
inline void name_copy(Finding& finding) TACTUS_RT {
  if (finding.cause != rtsync::Cause::housekeeping || finding.part != nullptr || !finding.evidence.faults ||
      finding.evidence.faults->of_copy == rtsync::Nanoseconds{0})
    return;
  finding.part = "checkpoints";
  finding.part_took = finding.evidence.faults->of_copy;
}

}  // namespace tactus::executive
