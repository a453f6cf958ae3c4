#pragma once
#include <cstdint>

namespace tactus::executive {

/// What a record of the flight recorder says.
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
  cause,          ///< value: the frame's number; id: the job; detail: which cause
  figure,         ///< value: a figure of the cause before it; detail: which
};

/// What happened between frames.
enum class FlightEvent : std::uint8_t { paused, resumed, realtime_on, realtime_off, went_back, clock_state };

/// Of a frame, beside the cause of its overrun (rtsync::OverrunCause) in the lowest three bits.
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
