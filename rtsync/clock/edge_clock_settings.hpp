// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rtsync/time/histogram.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/time/time.hpp"

/// Settings (EdgeClockSettings) and status (EdgeClockStatus) of an external frame clock.
namespace tactus::rtsync {

/// Way in which a frame follows its edge.
enum class Discipline : std::uint8_t {
  edge,  ///< wake on the event: the frame begins one interrupt and one wake-up after the edge
  pll,   ///< wake at the predicted edge: neither reaches the frame
};

enum class ClockState : std::uint8_t {
  acquiring,  ///< edges are there, rate and phase are not yet settled
  locked,     ///< the frames follow the edges
  holdover,   ///< an edge is missing: on the internal clock at the rate learnt, for a few edges
  lost,       ///< too many missing, or the line is gone: on the internal clock until edges are back
};
std::string_view name_of(ClockState state);

/// Faults of an edge. Each has a counter and a policy of its own.
enum class ClockFault : std::uint8_t {
  glitch,      ///< an edge inside the blanking window after an accepted one
  doubled,     ///< a second edge close to an accepted one (within the jitter limit)
  late,        ///< an edge later than late_limit after its prediction
  jitter,      ///< an edge farther than jitter_limit from its prediction, either way
  missing,     ///< max_missing edges in a row did not come
  wrong_rate,  ///< the edges come at another rate than the rig file says
  no_edge,     ///< no edge within start_timeout
  gone,        ///< the line or the chip was removed
  overflow,    ///< the kernel's event buffer was full, edges may have been lost
};
inline constexpr std::size_t kClockFaults = 9;
/// "missing", "wrong_rate" ...: as in the rig file's on_<name>.
std::string_view name_of(ClockFault fault);

/// Reaction of the rig to a fault.
enum class OnClockFault : std::uint8_t {
  free_run,   ///< count it and continue, on the internal clock until good edges are back
  freeze,     ///< Pause at the end of the frame
  terminate,  ///< Stop at the end of the frame
};

struct EdgeClockSettings {
  Period frame{1'000'000, 1};
  std::int64_t edges_per_frame = 1;  ///< 1 .. 1000; at least one of the two is 1
  std::int64_t frames_per_edge = 1;  ///< 1 .. 100000
  Discipline discipline = Discipline::pll;
  /// Edges over which the loop averages: 1 / natural frequency in radians per edge. 2 .. 10000.
  std::int64_t smoothing = 10;
  /// Most that the phase is moved per second, in seconds: 1e-6 .. 0.1.
  double slew = 1e-3;
  /// Largest deviation of the edges' rate from the nominal one, as a ratio: 1e-6 .. 0.1.
  double rate_tolerance = 1e-3;
  /// Share of an edge period after an accepted edge in which no other is taken: 0 .. 0.9, in effect at most
  /// 1 - 2 * jitter_limit / edge period, so that two good edges never are too close.
  double blanking = 0.5;
  /// Largest distance of a good edge from its prediction. The prediction itself is not perfect: set it to
  /// twice the jitter of the source, three times with discipline `edge` or a smoothing below 5. Not set: a
  /// tenth of the edge period, or of the frame if that is shorter, or late_limit if that is less. At most
  /// late_limit.
  std::optional<Nanoseconds> jitter_limit;
  /// Longest wait for an edge after its prediction. Not set: a quarter of the edge period, or of the frame if
  /// that is shorter. At most half of the edge period.
  std::optional<Nanoseconds> late_limit;
  std::int64_t max_missing = 10;  ///< missing edges in a row that mean the clock is lost: 1 .. 1e9
  /// Rises to four times that at the start, while jitter leaves the rate of the edges in doubt.
  std::int64_t lock_after = 8;  ///< good edges in a row that mean it is locked: 2 .. 1000
  Nanoseconds start_timeout{5'000'000'000};
  std::array<OnClockFault, kClockFaults> on{};  ///< policies by ClockFault; free_run unless set
  bool operator==(const EdgeClockSettings&) const = default;

  /// Nominal time between two edges, exact. Throws std::invalid_argument when it does not fit. @when setup
  Period edge_period() const;
};

/// The same settings. Throws std::invalid_argument naming the field, its range and its value. @when setup
const EdgeClockSettings& checked(const EdgeClockSettings& settings);

/// State of the external clock. The paced thread writes it within its waits; jobs may read it.
struct EdgeClockStatus {
  ClockState state = ClockState::acquiring;
  std::int64_t edges = 0;      ///< accepted
  std::int64_t missing = 0;    ///< edges that did not come
  std::int64_t unsettled = 0;  ///< edges that came while acquiring, before their rate was known to be right
  std::int64_t consecutive_missing = 0;
  std::int64_t max_consecutive_missing = 0;
  std::array<std::int64_t, kClockFaults> faults{};  ///< counters by ClockFault
  std::int64_t relocks = 0;                         ///< times it was locked again after holdover or lost
  std::int64_t phase_error_ns = 0;  ///< newest edge minus its prediction: positive, the edge was later
  double frequency_ppm = 0;         ///< measured rate of the edges against nominal: positive, they are faster
  std::int64_t frames_locked = 0;   ///< waits that ended in state locked
  std::int64_t frames_free = 0;     ///< waits that ended in another state: on the internal clock
  /// Lateness of the edge that starts the frame, measured from its slot at the last wait; also of an edge
  /// that was given up. 0: the edge came in time, or the frame waits for none.
  Nanoseconds edge_late{0};
  bool edge_missed = false;    ///< it was given up
  bool edge_injected = false;  ///< a fault of the rig made it late, or took it away
  std::int64_t injected = 0;   ///< edges that such faults have made late or taken away so far
};

}  // namespace tactus::rtsync
