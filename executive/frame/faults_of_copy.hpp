// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/driver/statistics.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Charges the checkpoint with page faults that made a job late while one was copied in pieces: its pages are watched,
/// and each fault waits for the kernel that watches or lets go of them. Pages from the disk, and of memory that the job
/// mapped, stay the job's. @when rt  a copy was under way in the frame
inline void charge_copy_with_faults(Finding& finding) TACTUS_RT {
  const rtsync::Evidence& seen = finding.evidence;
  if (finding.cause != rtsync::Cause::faulted || !seen.faults || seen.faults->minor == 0) return;
  if (seen.faults->major > 0 || (seen.maps && seen.maps->took > rtsync::Nanoseconds{0})) return;
  finding.cause = rtsync::Cause::housekeeping;
  finding.part = "checkpoints";
  finding.part_took = seen.faults->took;
}

}  // namespace tactus::executive
