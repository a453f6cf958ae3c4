// SPDX-License-Identifier: Apache-2.0
/// Shows what a unit did: how far its steps came, how late its clocks were served, and how long partitions waited.
#include <array>
#include <string>

#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/model/unit_times.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr double kLongWaitSeconds = 1e-3;  // s
constexpr double kNearlyNothing = 1e-9;

std::string clock_text(const ClockVariable& clock) {
  const auto& priority = clock.of->clock.priority;
  return "clock '" + clock.of->name + "', " + clock.of->clock.interval_variability +
         (priority ? ", priority " + std::to_string(*priority) : "");
}

}  // namespace

bool FmiModel::histogram(std::uint32_t number, MeasuredHistogram& to) {
  if (execution_ == Execution::co_simulation) {
    if (number == 0) {
      to.name = "step.lag";
      to.about =
          "steps, and what each lacked of the time that it was asked to reach, by the unit's last successful "
          "time; "
          "one that failed, or that the unit discarded, lacks all of it";
      measured_.lag.fill(to, kNearlyNothing, std::array{"own step", "discard", "error", "end"});
      return true;
    }
    --number;
  }
  if (number >= 2 * partitions_.size()) return false;
  const std::size_t at = number / 2;
  const ClockVariable& clock = contents_.partitions[at];
  const UnitTimes::OfClock& times = measured_.clocks[at];
  if (number % 2 == 0) {
    to.name = clock.name + ".late";
    to.about = clock_text(clock) + ": its ticks, and the time from each to " +
               (event_mode_ ? "the event that served it" : "the frame that served it");
    times.late.fill(to, 0, std::array<const char*, 0>{});
    return true;
  }
  to.name = clock.name + ".wait";
  to.about =
      clock_text(clock) +
      ": calls of its partition, and the time that each waited for other partitions of the unit on other "
      "threads; calls that failed are counted with those that waited too long";
  times.wait.fill(to, kLongWaitSeconds,
                  std::array{"locked section", "equal priority", "higher priority", "failed"});
  return true;
}

}  // namespace tactus::drivers::fmi
