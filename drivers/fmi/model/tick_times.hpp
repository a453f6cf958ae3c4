// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Times at which a clock of a unit with event mode ticks: constant, fixed, tunable, changing and countdown clocks.
///
/// Threads  a value.
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "drivers/fmi/description/description.hpp"

namespace tactus::drivers::fmi {

inline constexpr int kMostTicks = 1000;  ///< ticks of a clock in a step

/// Returns true if two times are one, but for rounding.
bool is_same_time(double a, double b) noexcept;

/// Returns true if a periodic clock may have this interval: more than 0 s, at most a year.
bool is_interval(double seconds) noexcept;
/// Returns true if a time is a whole number of steps, 0 of them too; of no step: always.
bool is_multiple_of(double seconds, double step) noexcept;

struct TickTimes {
  /// Source of the interval.
  enum class Source : std::uint8_t {
    none,         ///< a triggered clock: it has none
    description,  ///< constant
    rig,          ///< fixed, tunable: the description's, unless the rig says another
    unit          ///< asked for: changing, countdown, and fixed or tunable ones that depend on parameters
  };
  Source source = Source::none;
  bool periodic = false;
  bool tunable = false;    ///< periodic: its interval may change while the rig runs
  bool countdown = false;  ///< the unit starts it at any event
  double described = 0;    ///< interval of the description, s; 0: it has none
  double shift = 0;        ///< periodic: time of its first tick after the start, s
  double refused = 0;      ///< last interval that the rig wanted and was refused, s
  bool has_refused = false;

  // Variables, which checkpoints keep.
  double interval = 0;            ///< s; of Source::rig what the rig wants
  double told = 0;                ///< interval that the unit has, s
  double next = -1;               ///< time of its next tick, s; below 0: none
  double origin = 0;              ///< periodic: time from which its ticks are counted, s
  std::int64_t origin_ticks = 0;  ///< ticks before the one at the origin
  double late = 0;                ///< longest time from a tick to the event that served it, s

  bool is_timed() const { return source != Source::none; }
  bool is_due(double now) const noexcept { return next >= 0 && (next <= now || is_same_time(next, now)); }
  /// Notes that an interval is refused. False: the one that was refused last, which was said.             @when rt
  bool refuse(double wanted) noexcept;
  /// Counts the periodic ticks from a time on, the first one there.                                    @when rt
  void begin_at(double time, std::int64_t ticks) noexcept;
  /// Notes a tick that was served at `now`; `ticks` is the number of all.                                @when rt
  void served(double now, std::int64_t ticks) noexcept;
  /// Takes the interval that the unit gave at the event at `now`. False: it is none that a clock can have.  @when rt
  bool take(double now, double given, std::int64_t ticks) noexcept;
};

/// Returns what a clock of a description means in event mode. With a reason in `problem` it cannot tick.
TickTimes tick_times_of(const Variable& clock, std::string& problem);

/// Returns true if a clock with this interval and shift ticks too often for steps of `step` seconds, or does not fit them
/// where they cannot be cut, and writes the reason to `why`.                                                                            @when rt
bool refuse_ticks(const Interface& interface, const char* name, double interval, double shift, double step,
                  std::span<char> why) noexcept;

/// Takes a time as a rig file writes it, "15 ms". Nothing: it is none, or in a unit that is not looked at here.
std::optional<double> seconds_of(const std::string& text);

}  // namespace tactus::drivers::fmi
