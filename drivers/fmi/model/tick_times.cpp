// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/tick_times.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr double kLongestInterval = 86400.0 * 365;  // s

double quotient(std::uint64_t counter, std::uint64_t resolution) {
  return static_cast<double>(counter) / static_cast<double>(resolution);
}

}  // namespace

bool is_interval(double seconds) noexcept { return seconds > 0 && seconds <= kLongestInterval; }

bool is_multiple_of(double seconds, double step) noexcept {
  if (!(step > 0)) return true;
  const double ratio = seconds / step;
  return std::abs(ratio - std::round(ratio)) <= 1e-9 * std::max(1.0, ratio);
}

bool is_same_time(double a, double b) noexcept {
  return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

void TickTimes::begin_at(double time, std::int64_t ticks) noexcept {
  next = origin = time;
  origin_ticks = ticks;
}

bool TickTimes::refuse(double wanted) noexcept {
  const bool is_same = has_refused && (wanted == refused || (std::isnan(wanted) && std::isnan(refused)));
  has_refused = true;
  refused = wanted;
  return !is_same;
}

void TickTimes::served(double now, std::int64_t ticks) noexcept {
  if (now > next && !is_same_time(now, next)) late = std::max(late, now - next);
  // One multiplication, as for communication points.
  next = periodic ? origin + static_cast<double>(ticks - origin_ticks) * told : -1;
}

bool TickTimes::take(double now, double given, std::int64_t ticks) noexcept {
  if (!std::isfinite(given) || given < 0 || (periodic && given <= 0)) return false;
  interval = told = given;
  begin_at(now + given, ticks);
  return true;
}

TickTimes tick_times_of(const Variable& clock, std::string& problem) {
  const ClockFacts& facts = clock.clock;
  const std::string& variability = facts.interval_variability;
  TickTimes made;
  if (variability == "triggered") return made;
  made.countdown = variability == "countdown";
  made.periodic = !made.countdown && variability != "changing";
  made.tunable = variability == "tunable";
  made.source = TickTimes::Source::unit;
  if (!made.periodic) return made;
  const bool exact = facts.resolution && *facts.resolution != 0;
  const bool has_interval = facts.interval.has_value() || (facts.interval_counter && exact);
  const std::string which = "clock " + in_quotes(clock.name) + " ";
  made.shift = facts.shift_counter && exact ? quotient(*facts.shift_counter, *facts.resolution)
                                            : facts.shift.value_or(0);
  if (!(made.shift >= 0) || made.shift > kLongestInterval)
    problem = which + "has a shift that is not a time: from 0 s to a year is possible";
  if (!has_interval) {
    if (variability == "constant")
      problem = which +
                "(constant) has no interval in the description (intervalDecimal, or intervalCounter and "
                "resolution)";
    return made;
  }
  made.source = variability == "constant" ? TickTimes::Source::description : TickTimes::Source::rig;
  made.described = facts.interval_counter && exact ? quotient(*facts.interval_counter, *facts.resolution)
                                                   : *facts.interval;
  made.interval = made.told = made.described;
  if (!is_interval(made.described))
    problem = which + "has an interval that is not a cycle: more than 0 s and at most a year are possible";
  return made;
}

bool refuse_ticks(const Interface& interface, const char* name, double interval, double shift, double step,
                  std::span<char> why) noexcept {
  if (interval * kMostTicks < step) {
    (void)std::snprintf(
        why.data(), why.size(),
        "the step is %.9g s, and clock '%.60s' ticks every %.9g s: at most %d ticks in a step are "
        "possible; give job 'step' a shorter 'cycle'",
        step, name, interval, kMostTicks);
    return true;
  }
  if (interface.variable_step || (is_multiple_of(interval, step) && is_multiple_of(shift, step)))
    return false;
  (void)std::snprintf(why.data(), why.size(),
                      "the step is %.9g s, and clock '%.60s' ticks every %.9g s from %.9g s on: the unit "
                      "takes no shorter step to "
                      "get there (canHandleVariableCommunicationStepSize), so both have to be multiples of "
                      "'cycle' of job 'step'",
                      step, name, interval, shift);
  return true;
}

std::optional<double> seconds_of(const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                                            {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const auto& [symbol, factor] : kUnits)
    if (symbol == unit) return factor >= 1 ? value * factor : value / std::round(1 / factor);
  return std::nullopt;
}

}  // namespace tactus::drivers::fmi
