// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/flight/flight_ring.hpp"
#include "executive/frame/frame_note.hpp"

namespace tactus::executive {

/// Puts why a frame was late, and what was looked at, into a flight recorder's ring: at most kMost records.
///
/// RT  yes.
class FindingRecords {
 public:
  static constexpr std::size_t kMost = 1 + kFlightFigures;

  FindingRecords(FlightRing& ring, std::int64_t frame) TACTUS_RT : ring_(ring), frame_(frame) {}

  void put(const Finding& finding, bool of_wake) TACTUS_RT {
    if (finding.cause == rtsync::Cause::none) return;
    using enum FlightFigure;
    const rtsync::Evidence& seen = finding.evidence;
    ring_.put(
        {static_cast<std::uint64_t>(frame_), finding.job,
         static_cast<std::uint16_t>(static_cast<unsigned>(finding.cause) |
                                    static_cast<unsigned>(finding.facts.part) << FlightCause::kPartShift |
                                    (of_wake ? FlightCause::kOfWake : 0U)),
         FlightKind::cause});
    figure(took, finding.facts.took);
    if (finding.facts.usual.count() != 0) figure(usual, finding.facts.usual);
    if (finding.cause == rtsync::Cause::catching_up) figure(began_in_frame, finding.frame);
    if (seen.switches) {
      figure(blocked, seen.switches->blocked);
      figure(blocks, seen.switches->blocks);
      figure(preempted, seen.switches->preempted);
      figure(preemptions, seen.switches->preemptions);
      if (seen.switches->migrations > 0) {
        figure(migrated, seen.switches->migrated);
        figure(migrations, seen.switches->migrations);
      }
    }
    if (seen.faults) {
      figure(minor_faults, seen.faults->minor);
      figure(major_faults, seen.faults->major);
      figure(in_faults, seen.faults->took);
    }
    if (seen.heap) {
      figure(heap_calls, static_cast<std::int64_t>(seen.heap->calls));
      figure(in_heap, seen.heap->took);
    }
    if (seen.maps && seen.maps->calls > 0) {
      figure(map_calls, static_cast<std::int64_t>(seen.maps->calls));
      figure(mapped_faults, static_cast<std::int64_t>(seen.maps->faults));
      figure(in_map_calls, seen.maps->took);
    }
    if (seen.others) {
      if (seen.others->thread != 0) figure(other_thread, seen.others->thread);
      figure(other_had_cpu, seen.others->longest);
      figure(others_had_cpu, seen.others->ran);
      figure(nobody_had_cpu, seen.others->idle);
    }
    if (seen.silence) {
      figure(silent, seen.silence->took);
      figure(in_kernel, seen.silence->in_kernel);
    }
    if (seen.interrupts) figure(in_interrupts, seen.interrupts->took);
    if (seen.others) figure(cpu_silent, seen.others->still_ready + seen.others->still_asleep);
    if (seen.idle_exit) figure(idle_exit, *seen.idle_exit);
  }

 private:
  void figure(FlightFigure which, std::int64_t value) TACTUS_RT {
    ring_.put({static_cast<std::uint64_t>(value), 0, static_cast<std::uint16_t>(which), FlightKind::figure});
  }
  void figure(FlightFigure which, rtsync::Nanoseconds value) TACTUS_RT { figure(which, value.count()); }

  FlightRing& ring_;
  const std::int64_t frame_;
};

}  // namespace tactus::executive
