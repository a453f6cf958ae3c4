// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_search.hpp"

#include <algorithm>

#include "executive/flight/flight_ring_reader.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {
namespace {

/// Part of a frame that is read, its last record first.
struct FrameBackwards {
  std::int64_t work_ns = 0;
  std::int64_t late_ns = 0;
  std::int64_t slot_ns = 0;  // of the rig's clock
  std::uint64_t stamp = 0;   // ticks behind its end; 0: it is cut
  bool paced = false;
};

/// Returns true if the frame ended before the slot of `first`, or before its wake if that has none.
bool ended_before(const FrameBackwards& frame, const FrameBackwards& first, std::uint64_t tick_scale) {
  if (frame.paced && first.paced) return frame.slot_ns + frame.late_ns + frame.work_ns <= first.slot_ns;
  return flight_ticks_as_ns(first.stamp - frame.stamp, tick_scale) >= first.work_ns + first.late_ns;
}

}  // namespace

std::int64_t flight_ticks_as_ns(std::uint64_t ticks, std::uint64_t scale) {
  if (scale == 0) return static_cast<std::int64_t>(ticks);
  return static_cast<std::int64_t>(
      (static_cast<rtsync::Wide>(static_cast<std::int64_t>(ticks)) * static_cast<rtsync::Wide>(scale)) >> 32);
}

/// Finds the start with two frames that ended before the first slot, and the clocks' moments after them: so
/// jobs of earlier frames, and times, are as in a view of all.
std::uint64_t start_of_frames(const FlightFile& file, std::optional<std::int64_t> frame,
                              std::int64_t before) {
  constexpr int kFramesBefore = 2;
  FlightRingBackReader records(file.head(0), file.cells(0));
  FrameBackwards now, first;
  bool found = false;
  int frames_before = 0;
  while (const std::optional<FlightRecord> record = records.next()) {
    const std::int64_t value = bounded_ns(static_cast<std::int64_t>(record->value));
    switch (record->kind) {
      case FlightKind::slack:
        now = {};
        break;
      case FlightKind::work:
        now.work_ns = value;
        break;
      case FlightKind::late:
        now.late_ns = std::max<std::int64_t>(value, 0);
        break;
      case FlightKind::slot:
        now.slot_ns = value;
        break;
      case FlightKind::stamp:
        now.stamp = record->value;
        break;
      case FlightKind::frame:
        if (now.stamp == 0) break;
        now.paced = (record->detail & FlightFlags::kPaced) != 0;
        if (!found) {
          found = !frame || value == *frame;
          if (found) first = now;
        } else if (before > 0) {
          --before;
          first = now;
        } else if (ended_before(now, first, file.plan().tick_scale)) {
          ++frames_before;
        }
        break;
      case FlightKind::anchor_ticks:
        if (frames_before >= kFramesBefore) return records.index();
        break;
      default:
        break;
    }
  }
  return 0;
}

std::uint64_t start_of_jobs(const FlightFile& file, std::size_t ring, std::uint64_t since) {
  if (since == 0) return 0;
  constexpr int kBefore = 3;  // a wait is two records, and begins where the job before it ended
  int before = 0;
  FlightRingBackReader records(file.head(ring), file.cells(ring));
  while (const std::optional<FlightRecord> record = records.next()) {
    const bool has_ticks = record->kind == FlightKind::job || record->kind == FlightKind::idle ||
                           record->kind == FlightKind::wait || record->kind == FlightKind::wait_end;
    if (has_ticks && record->value < since && ++before == kBefore) return records.index();
  }
  return 0;
}

}  // namespace tactus::executive
