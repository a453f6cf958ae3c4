// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace tactus::executive {

/// Meaning of a record of the flight recorder.
enum class FlightKind : std::uint8_t {
  job = 1,  ///< value: ticks at which job `id` ended, and the next one of the thread began
  idle,     ///< value: ticks at which a job began after a while in which none ran
  frame,    ///< value: the frame's number; id: slots lost; detail: FlightFlags. The six that follow are its
  stamp,    ///< value: ticks at which the frame was recorded; id: housekeeping before it, in ns
  slot,     ///< value: when it should have begun, in ns of the rig's clock
  late,     ///< value: ns
  work,     ///< value: ns
  slack,    ///< value: ns; the last of a frame
  anchor_ticks,   ///< value: ticks; with the two that follow: one moment on all clocks
  anchor_kernel,  ///< value: ns of CLOCK_MONOTONIC
  anchor_rig,     ///< value: ns of the rig's clock
  event,          ///< value: ticks; detail: FlightEvent; id: what belongs to it
  cause,          ///< value: the frame's number; id: the job; detail: FlightCause. Precedes its frame
  figure,         ///< value: a figure of the cause before it; detail: FlightFigure
  wait,           ///< value: ticks at which the thread began to wait; id: for which thread, or kGrant
  wait_end,       ///< value: ticks at which that wait ended
  variable,       ///< value: bits of variable `id` after the frame before
  edge,    ///< value: phase error of the external clock in ns; id: edges so far; detail: missing so far
  on_cpu,  ///< the kernel's. value: ns of CLOCK_MONOTONIC; id: the thread from then on; detail: FlightSwitch
  page_fault,  ///< the kernel's. id: how many; detail: the thread of the rig, and FlightSwitch::kMajor
};

/// Event between frames.
enum class FlightEvent : std::uint8_t {
  paused,
  resumed,
  realtime_on,
  realtime_off,
  went_back,
  clock_state,
  command,  ///< id: executive::Command
  changes,  ///< id: how many packets of sets and forces
  granted,  ///< id: the frame
};

/// Value that stands for the grant of a federation, in place of an awaited thread.
inline constexpr std::uint32_t kGrantAwaited = UINT32_MAX;
/// Value that stands for an unknown thread on a CPU.
inline constexpr std::uint32_t kUnknownThread = UINT32_MAX;

/// Layout of the kernel's records.
struct FlightSwitch {
  static constexpr std::uint16_t kCpu = 0x7fff;
  static constexpr std::uint16_t kReady = 0x8000;  ///< the thread before could have continued
  static constexpr std::uint16_t kMajor = 0x8000;  ///< the page fault read the disk
};

/// Layout of a cause, beside rtsync::Cause in the lowest byte and rtsync::LatePart in the three bits above
/// it.
struct FlightCause {
  static constexpr std::uint16_t kCause = 0xff, kPart = 0x700, kOfWake = 0x800;
  static constexpr unsigned kPartShift = 8;
};

/// Figures that were examined to find a cause; durations are in ns. The numbers stay.
enum class FlightFigure : std::uint8_t {
  took,
  usual,
  blocked,
  blocks,
  preempted,
  preemptions,
  migrated,
  migrations,
  minor_faults,
  major_faults,
  in_faults,
  heap_calls,
  in_heap,
  other_thread,
  other_had_cpu,
  others_had_cpu,
  nobody_had_cpu,
  silent,
  in_kernel,
  in_interrupts,
  cpu_silent,
  idle_exit,
  began_in_frame,
  map_calls,
  mapped_faults,
  in_map_calls,
};
inline constexpr std::size_t kFlightFigures = 26;

/// Flags of a frame, beside the cause of its overrun (rtsync::OverrunCause) in the lowest three bits.
struct FlightFlags {
  static constexpr std::uint16_t kCause = 7, kPaced = 8, kLateWake = 16, kHousekeeping = 32, kGrace = 64;
};

/// One entry of a ring: 16 bytes in memory.
struct FlightRecord {
  std::uint64_t value = 0;
  std::uint32_t id = 0;
  std::uint16_t detail = 0;
  FlightKind kind = FlightKind::job;

  std::uint64_t packed() const {
    return std::uint64_t{id} | std::uint64_t{detail} << 32 |
           std::uint64_t{static_cast<std::uint8_t>(kind)} << 48;
  }
  static FlightRecord from(std::uint64_t value, std::uint64_t packed) {
    return {value, static_cast<std::uint32_t>(packed), static_cast<std::uint16_t>(packed >> 32),
            static_cast<FlightKind>(packed >> 48)};
  }
  bool operator==(const FlightRecord&) const = default;
};

}  // namespace tactus::executive
