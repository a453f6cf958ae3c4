// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kLongest = 86400.0 * 365;  // s

Cycle reduced(std::int64_t num, std::int64_t den) {
  const std::int64_t common = std::gcd(num, den);
  return {num / common, den / common};
}

/// Takes a decimal number of seconds as whole picoseconds, which it is if anybody wrote it.
std::optional<Cycle> cycle_of(double seconds) {
  if (!(seconds >= 0) || seconds > kLongest) return std::nullopt;
  const double ns = seconds * 1e9;
  if (std::abs(ns - std::round(ns)) <= 1e-6) return Cycle{static_cast<std::int64_t>(std::round(ns)), 1};
  return reduced(static_cast<std::int64_t>(std::round(ns * 1000)), 1000);
}

std::optional<Cycle> cycle_of(std::uint64_t counter, std::uint64_t resolution) {
  if (resolution == 0 || resolution > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  const std::uint64_t common = std::gcd(counter, resolution);
  if (common == 0) return std::nullopt;
  counter /= common;
  resolution /= common;
  if (counter > static_cast<std::uint64_t>(INT64_MAX / kSecond)) return std::nullopt;
  if (counter == 0) return Cycle{0, 1};
  return reduced(static_cast<std::int64_t>(counter) * kSecond, static_cast<std::int64_t>(resolution));
}

std::string job_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  for (const char* const own : {"initialize", "end", "save", "restore"})
    if (name == own) return name + "_clock";
  return name;
}

}  // namespace

Partition partition_of(const ClockVariable& clock, std::string& problem) {
  const ClockFacts& facts = clock.of->clock;
  const std::string& variability = facts.interval_variability;
  Partition made{.clock = clock.of->reference, .name = clock.of->name, .job = job_name(clock.name)};
  if (variability == "triggered") {
    made.kind = ClockKind::triggered;
    return made;
  }
  if (variability == "countdown" || variability == "changing") {
    made.kind = variability == "countdown" ? ClockKind::countdown : ClockKind::changing;
    return made;
  }
  made.may_be_set = variability == "fixed" || variability == "tunable";
  const std::string which = "clock " + in_quotes(made.name) + " ";
  std::optional<Cycle> cycle;
  if (facts.interval_counter && facts.resolution)
    cycle = cycle_of(*facts.interval_counter, *facts.resolution);
  else if (facts.interval)
    cycle = cycle_of(*facts.interval);
  else
    problem = which + "(" + variability +
              ") has no interval in the description (intervalDecimal, or intervalCounter and resolution), so "
              "tactus does not know the cycle of its partition";
  if (problem.empty() && (!cycle || cycle->num == 0))
    problem = which + "has an interval that is not a cycle: more than 0 s and at most a year are possible";
  if (cycle) made.cycle = *cycle;
  std::optional<Cycle> shift = Cycle{0, 1};
  if (facts.shift_counter && facts.resolution)
    shift = cycle_of(*facts.shift_counter, *facts.resolution);
  else if (facts.shift)
    shift = cycle_of(*facts.shift);
  if (problem.empty() && (!shift || shift->den != 1 || (shift->num != 0 && made.cycle.den != 1)))
    problem = which + "has a shift, and shift and interval are not both whole nanoseconds";
  if (problem.empty()) made.shift_ns = shift->num;
  return made;
}

void give_phases(std::vector<Partition>& partitions, const std::vector<ClockVariable>& clocks) {
  std::vector<std::uint32_t> priorities;
  for (const ClockVariable& clock : clocks)
    priorities.push_back(clock.of->clock.priority.value_or(UINT32_MAX));
  std::vector<std::uint32_t> sorted = priorities;
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const auto rank = std::ranges::find(sorted, priorities[i]) - sorted.begin();
    partitions[i].rank = static_cast<unsigned>(rank);
    partitions[i].phase = static_cast<unsigned>(60000 + 10 * rank);
  }
}

}  // namespace tactus::drivers::fmi
