// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/response_times.hpp"

#include <cstdint>

#include "rtsync/time/period.hpp"

namespace tactus::executive {
namespace {

using rtsync::Wide;

Wide needed_within(Wide time, std::span<const PeriodicTask> tasks, std::size_t task) {
  Wide needed = tasks[task].takes.count();
  for (std::size_t j = 0; j < tasks.size(); ++j) {
    if (j == task || tasks[j].priority < tasks[task].priority) continue;
    const Wide period = tasks[j].period.count();
    needed += (time + period - 1) / period * tasks[j].takes.count();
  }
  return needed;
}

ResponseTime response_time(std::span<const PeriodicTask> tasks, std::size_t task) {
  const Wide deadline = tasks[task].deadline.count();
  const auto shown = [](Wide time) { return Nanoseconds{static_cast<std::int64_t>(time)}; };
  for (Wide time = tasks[task].takes.count(); time <= deadline;) {
    const Wide needed = needed_within(time, tasks, task);
    if (needed == time) return {shown(time), true};
    time = needed;
    if (time > deadline) return {shown(time), false};
  }
  return {tasks[task].takes, false};
}

}  // namespace

std::vector<ResponseTime> response_times(std::span<const PeriodicTask> tasks) {
  std::vector<ResponseTime> times;
  for (std::size_t task = 0; task < tasks.size(); ++task) times.push_back(response_time(tasks, task));
  return times;
}

}  // namespace tactus::executive
