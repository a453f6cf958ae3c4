// SPDX-License-Identifier: Apache-2.0
/// Clocks of a unit with event mode (`event_mode`): their variables, and when they tick.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "drivers/fmi/abi/fmi3.hpp"
#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {

void FmiModel::declare_clocks(Declare& d) {
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const ClockVariable& clock = contents_.partitions[i];
    Partition& each = partitions_[i];
    if (each.times.is_timed()) {
      declare_tick_times(d, clock, each);
      continue;
    }
    d.input(clock.name.c_str(), each.asked, "",
            "ticks of the clock that are wanted: it ticks when it changes");
    d.state(clock.served.c_str(), each.served, "", "value of the clock that was served");
    d.state(clock.ticks.c_str(), each.ticks, "", "ticks of the clock");
  }
  for (std::size_t i = 0; i < output_ticks_.size(); ++i)
    d.output(contents_.output_clocks[i].name.c_str(), output_ticks_[i], "", "ticks of the clock");
  d.state("unit_next_event", next_event_, "s", "time of the next event that the unit named; below 0: none");
  declare_last_set();
}

void FmiModel::declare_tick_times(Declare& d, const ClockVariable& clock, Partition& partition) const {
  TickTimes& times = partition.times;
  d.output(clock.ticks.c_str(), partition.ticks, "", "ticks of the clock");
  d.output(clock.next.c_str(), times.next, "s", "time of the next tick of the clock; below 0: none");
  d.output(clock.late.c_str(), times.late, "s", "longest time from a tick to the event that served it");
  constexpr const char* kAbout = "interval of the clock";
  if (times.source == TickTimes::Source::rig && times.tunable) {
    d.input(clock.interval.c_str(), times.interval, "s", "interval of the clock, from a change on");
  } else if (times.source == TickTimes::Source::rig) {
    d.parameter(clock.interval.c_str(), times.interval, "s", kAbout);
    declare_fixed(clock.interval.c_str(),
                  "is the interval of a fixed clock of the unit: it can be set before the start alone, in "
                  "the rig file "
                  "under 'parameters'");
  } else {
    d.output(clock.interval.c_str(), times.interval, "s", kAbout);
  }
  d.state(clock.told.c_str(), times.told, "s", "interval that the unit has");
  if (!times.periodic) return;
  d.state(clock.from.c_str(), times.origin, "s", "time from which the ticks are counted");
  d.state(clock.before.c_str(), times.origin_ticks, "", "ticks before that");
}

void FmiModel::need_ticks() {
  const auto any = [&](auto is) { return std::ranges::any_of(partitions_, is); };
  unit_->need_ticks(!partitions_.empty(),
                    any([](const Partition& each) { return each.times.source == TickTimes::Source::unit; }),
                    any([](const Partition& each) {
                      const TickTimes& times = each.times;
                      return times.source == TickTimes::Source::rig && times.interval != times.described;
                    }));
}

/// Takes the interval of a clock that the rig file gives as a parameter, which is set later.
void FmiModel::take_given_interval(const ClockVariable& clock, Partition& partition,
                                   const Problems& problems) const {
  const auto given = given_.find(clock.interval);
  if (partition.times.source != TickTimes::Source::rig || given == given_.end()) return;
  const std::optional<double> seconds = seconds_of(given->second);
  if (!seconds) return;  // tactus says what is wrong with it, or initialization does
  if (is_interval(*seconds))
    partition.times.interval = *seconds;
  else
    problems.add("parameters." + clock.interval, "is " + given->second +
                                                     "; the interval of a clock is more than 0 s "
                                                     "and at most a year");
}

/// Writes why the clocks do not fit steps of `step` seconds. False: they do, as far as their intervals are known.
bool FmiModel::refuse_clocks(double step, std::span<char> why) const noexcept {
  return event_mode_ && std::ranges::any_of(partitions_, [&](const Partition& each) {
           return each.times.periodic && each.times.interval > 0 &&
                  refuse_ticks(interface(), each.name.c_str(), each.times.interval, each.times.shift, step,
                               why);
         });
}

int FmiModel::clock_failed(const Partition& partition, const char* what, double seconds) const {
  return fail_with(Line("clock '%.60s': %s %.9g s%s", partition.name.c_str(), what, seconds,
                        "; more than 0 s and at most a year are possible"));
}

/// Gives the unit the intervals of the rig file, and asks it for those that it has. In initialization.
int FmiModel::initialize_tick_times() {
  for (Partition& each : partitions_) {
    TickTimes& times = each.times;
    each.ticks = 0;
    each.ticks_now = false;
    each.served = each.asked;
    times.late = 0;
    times.has_refused = false;
    if (!times.is_timed()) continue;
    times.next = -1;
    if (times.source == TickTimes::Source::rig) {
      if (!is_interval(times.interval))
        return clock_failed(each, "the rig gives it an interval of", times.interval);
      times.told = times.described;
      if (times.interval != times.told)
        if (const int bad = take("SetInterval", unit_->set_interval(each.clock, times.interval)); bad != 0)
          return bad;
      times.told = times.interval;
    } else if (times.source == TickTimes::Source::unit) {
      if (const int bad = ask_first_interval(each); bad != 0) return bad;
    }
    if (times.periodic) times.begin_at(start_ + times.shift, 0);
  }
  return 0;
}

int FmiModel::ask_first_interval(Partition& partition) {
  TickTimes& times = partition.times;
  double given = 0;
  abi3::Qualifier qualifier = abi3::kNotYetKnown;
  if (const int bad = take("GetInterval", unit_->ask_interval(partition.clock, given, qualifier)); bad != 0)
    return bad;
  if (!times.periodic) {
    if (qualifier != abi3::kNotYetKnown && !times.take(start_, given, 0)) say_interval(partition, given);
    return 0;
  }
  if (qualifier == abi3::kNotYetKnown) given = 0;
  if (!is_interval(given)) return clock_failed(partition, "the unit gives it an interval of", given);
  times.interval = times.told = given;
  double shift = 0;
  const Status status = unit_->ask_shift(partition.clock, shift);
  if (status == Status::illegal) return 0;  // it has no such function: that of the description
  if (const int bad = take("GetShift", status); bad != 0) return bad;
  if (!(shift >= 0) || !std::isfinite(shift))
    return clock_failed(partition, "the unit gives it a shift of", shift);
  times.shift = shift;
  return 0;
}

/// Says once that the interval of a clock is none.
void FmiModel::say_interval(const Partition& partition, double interval) {
  if (std::exchange(interval_said_, true)) return;
  warn(Line(
      "the unit gives clock '%.60s' an interval of %.9g s, and %s 0 s is expected; the clock does not tick",
      partition.name.c_str(), interval, partition.times.periodic ? "more than" : "at least"));
}

/// Returns true if the rig wants another interval of a tunable clock.
bool FmiModel::wants_interval() const noexcept {
  return std::ranges::any_of(partitions_, [](const Partition& each) {
    return each.times.tunable && each.times.source == TickTimes::Source::rig &&
           each.times.interval != each.times.told;
  });
}

/// Says why a clock keeps its interval. `fits`: the unit alone takes no other.
void FmiModel::say_refused(const Partition& partition, double wanted, bool fits) {
  const Line most(" and at most a year, with at most %d ticks in a step", kMostTicks);
  warn(Line("the interval of clock '%.60s' stays %.9g s, and %.9g s is not taken: %s%s",
            partition.name.c_str(), partition.times.told, wanted,
            fits ? "the unit has no fmi3SetIntervalDecimal" : "it has to be more than 0 s",
            fits                        ? ""
            : interface().variable_step ? static_cast<const char*>(most)
                                        : ", and a multiple of the step"));
}

/// Gives the unit the intervals that the rig has changed; they count from now on. In an event.
int FmiModel::change_intervals(double now) {
  for (Partition& each : partitions_) {
    TickTimes& times = each.times;
    if (!times.tunable || times.source != TickTimes::Source::rig || times.interval == times.told) continue;
    const double wanted = times.interval;
    const bool fits = is_interval(wanted) && wanted * kMostTicks >= frame_.step &&
                      (interface().variable_step || is_multiple_of(wanted, frame_.step));
    if (!fits || !unit_->takes_intervals()) {
      times.interval = times.told;
      if (times.refuse(wanted)) say_refused(each, wanted, fits);
      continue;
    }
    if (const Status status = unit_->set_interval(each.clock, wanted); !is_good(status))
      return event_failed("SetInterval", status);
    times.told = wanted;
    times.begin_at(now + wanted, each.ticks);
  }
  return 0;
}

/// Returns the time of the first tick that is to come, s; below 0: there is none.
double FmiModel::next_tick() const noexcept {
  double first = -1;
  for (const Partition& each : partitions_)
    if (each.times.next >= 0 && (first < 0 || each.times.next < first)) first = each.times.next;
  return first;
}

bool FmiModel::is_tick_due(double now) const noexcept {
  return std::ranges::any_of(partitions_, [&](const Partition& each) { return each.times.is_due(now); });
}

/// Lets the clocks tick whose time has come, and if `asked` those that the rig triggers, with their inputs. In an event.
int FmiModel::tick_clocks(double now, bool asked) {
  bool any = false;
  for (Partition& each : partitions_) {
    if (each.times.is_timed() ? !each.times.is_due(now) : !asked || each.asked == each.served) continue;
    each.served = each.asked;
    each.ticks_now = any = true;
    ++each.ticks;
    const bool is_late = each.times.is_timed() && !is_same_time(now, each.times.next);
    const double late = is_late ? now - each.times.next : 0;
    measured_.clocks[static_cast<std::size_t>(&each - partitions_.data())].late.add(late, false, 0);
    if (each.times.is_timed()) each.times.served(now, each.ticks);
    if (const Status status = unit_->tick(each.clock); !is_good(status))
      return event_failed("SetClock", status);
  }
  if (!any) return 0;
  for (Values* const group : clocked_in_)
    if (any_ticks(group->clocks()))
      if (const Status status = group->set_in_event(*unit_); !is_good(status))
        return event_failed("Set of inputs of a clock", status);
  return 0;
}

/// Asks for the intervals that the update at `now` may have given, and ends the ticks of this moment.
int FmiModel::end_ticks(double now) {
  for (Partition& each : partitions_) {
    TickTimes& times = each.times;
    const bool ticked = std::exchange(each.ticks_now, false);
    if (times.source != TickTimes::Source::unit) continue;
    const bool may_be_new = times.countdown || (times.periodic ? times.tunable && tunables_set_ : ticked);
    if (!may_be_new) continue;
    double given = 0;
    abi3::Qualifier qualifier = abi3::kNotYetKnown;
    if (const Status status = unit_->ask_interval(each.clock, given, qualifier); !is_good(status))
      return event_failed("GetInterval", status);
    // A changing clock that ticked has an interval, be it the same; of all others only a new one counts.
    const bool counts =
        qualifier == abi3::kChanged || (qualifier == abi3::kUnchanged && !times.periodic && !times.countdown);
    if (counts && !times.take(now, given, each.ticks)) say_interval(each, given);
  }
  tunables_set_ = false;
  return 0;
}

}  // namespace tactus::drivers::fmi
