// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A model partition of a unit for scheduled execution: what its clock says, and how far it is.
///
/// Threads  a value.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drivers/fmi/model/contents.hpp"
#include "drivers/fmi/model/tick_times.hpp"
#include "drivers/fmi/model/values.hpp"

namespace tactus::drivers::fmi {

/// Source of a clock's ticks.
enum class ClockKind : std::uint8_t {
  periodic,   ///< its cycle: constant, fixed, calculated, tunable
  triggered,  ///< the rig: whoever counts its variable on
  countdown,  ///< the unit: once, after an interval that it gives
  changing    ///< the unit: again and again, with an interval that it may change
};

/// A cycle of num / den nanoseconds; den 0: none.
struct Cycle {
  std::int64_t num = 0, den = 0;
  double seconds() const { return static_cast<double>(num) / static_cast<double>(den) * 1e-9; }
  bool operator==(const Cycle&) const = default;
};

struct Partition {
  std::uint32_t clock = 0;
  std::string name;  ///< name of the unit's clock, for messages
  std::string job;
  ClockKind kind = ClockKind::periodic;
  bool may_be_set = false;             ///< fixed, tunable: the rig may choose another cycle
  Cycle cycle{};                       ///< periodic: what the unit's description says
  std::optional<Cycle> other_cycle{};  ///< cycle that the rig file says instead
  std::int64_t shift_ns = 0;           ///< periodic: time of its first tick
  std::size_t timed = 0;               ///< place in the list of clocks whose intervals the unit gives
  unsigned rank = 0;                   ///< its urgency among all clocks of the unit; 0 is the most urgent
  unsigned phase = 0;                  ///< phase of its job: the more urgent comes first
  std::vector<Values*> inputs{}, tunables{}, outputs{};

  // Variables, which checkpoints keep.
  std::int64_t ticks = 0;   ///< activations
  std::int64_t asked = 0;   ///< triggered: counted on by the rig
  std::int64_t served = 0;  ///< value of `asked` at the last activation
  double next = -1;         ///< countdown, changing: time at which it is due, s; below 0: it is not
  double interval = 0;      ///< changing: what the unit gave last, s
  double late = 0;          ///< the same: longest time from due to its frame, s
  std::int64_t news = 0;    ///< countdown started by a partition of another model: an input
  double due = -1;          ///< the same: time of its tick, an input
  std::int64_t seen = 0;    ///< value of `news` that was taken

  bool ticks_now = false;  ///< event mode: it ticks at this moment
  TickTimes times{};       ///< event mode: when it ticks

  bool is_timed() const { return kind == ClockKind::countdown || kind == ClockKind::changing; }
};

/// Returns what a clock of a description means. With a reason in `problem` it cannot be run.
Partition partition_of(const ClockVariable& clock, std::string& problem);

/// Sorts by urgency, and gives phases: equal priorities have equal ones. A clock without priority comes last.
void give_phases(std::vector<Partition>& partitions, const std::vector<ClockVariable>& clocks);

}  // namespace tactus::drivers::fmi
