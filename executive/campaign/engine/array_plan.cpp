// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/array_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "executive/run/run_setup.hpp"

namespace tactus::campaign {
namespace {

constexpr std::int64_t kPilots = 100;                    // single cases by which the first time is found
constexpr std::int64_t kEnoughTimes = 8;                 // of which a mean is taken
constexpr std::int64_t kMostInTask = 100'000;            // of a task
constexpr std::int64_t kBase = std::int64_t{128} << 20;  // memory of tactus itself, with room
constexpr double kStart = 60;                            // seconds that a task may take beside its cases

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double in_s(config::Nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::int64_t most_queued(const SlurmSettings& settings, const EngineLimits& limits) {
  const std::int64_t bound = std::max<std::int64_t>(1, limits.jobs / 2);
  if (settings.queued > 0) return std::min(settings.queued, std::max<std::int64_t>(1, limits.jobs - 1));
  const std::int64_t slots = settings.at_most > 0 ? std::min(settings.at_most, limits.slots)
                                                  : std::max<std::int64_t>(1, limits.slots);
  return std::min(bound, std::max<std::int64_t>(2 * slots, 16));
}

std::int64_t cases_by_time(const SlurmSettings& settings, double case_s) {
  if (case_s <= 0) return 1;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::floor(std::min(in_s(settings.task_time) / case_s, 1e9))), 1,
      kMostInTask);
}

ArrayShape next_array(const SlurmSettings& settings, const EngineLimits& limits,
                      const ArrayKnowledge& known) {
  ArrayShape shape;
  const std::int64_t most = most_queued(settings, limits);
  if (known.left <= 0 || known.queued > most / 2) return shape;
  const std::int64_t room = std::min(most - known.queued, std::max<std::int64_t>(1, limits.array_size));
  const std::int64_t slots = settings.at_most > 0 ? std::min(settings.at_most, limits.slots)
                                                  : std::max<std::int64_t>(1, limits.slots);
  if (settings.cases_a_task > 0) {
    shape.cases_a_task = settings.cases_a_task;
  } else if (known.timed < std::min(kEnoughTimes, known.left)) {
    if (known.queued > 0) return shape;  // the first ones tell soon
    shape.tasks = std::min({known.left, room, std::min(kPilots, 2 * slots)});
    return shape;
  } else {
    shape.cases_a_task = std::min(cases_by_time(settings, known.case_s), divided_up(known.left, slots));
  }
  shape.tasks = std::min(room, divided_up(known.left, shape.cases_a_task));
  return shape;
}

ArrayNeeds needs_of(const CampaignFile& file) {
  ArrayNeeds needs;
  std::int64_t memory = 0;
  for (const std::string& rig : file.rigs) {
    const auto loaded = executive::load_rig(rig, {.set = file.set});
    const executive::RigSettings& settings = loaded->settings();
    std::int64_t bytes = kBase + settings.memory.heap + settings.threads.main.stack;
    for (const executive::WorkerSettings& each : settings.threads.workers) bytes += each.stack;
    memory = std::max(memory, bytes);
    needs.cpus = std::max(needs.cpus, 1 + static_cast<int>(settings.threads.workers.size()));
  }
  if (file.slurm.cpus > 0) needs.cpus = static_cast<int>(file.slurm.cpus);
  if (file.slurm.memory > 0) memory = file.slurm.memory;
  needs.memory_mb = divided_up(memory, std::int64_t{1} << 20);
  needs.bench = file.realtime;
  return needs;
}

double time_limit_of(const CampaignFile& file, const EngineLimits& limits, std::int64_t cases_a_task,
                     double case_s) {
  double time = in_s(file.slurm.time_limit);
  if (time <= 0) {
    const double cases = static_cast<double>(cases_a_task);
    if (file.each.timeout != config::Nanoseconds::max())
      time = kStart + cases * (in_s(file.each.timeout) + 10);
    else if (case_s > 0)
      time = 10 * kStart + 10 * cases * case_s;
    if (time <= 0) return 0;
  }
  return limits.longest_s > 0 ? std::min(time, limits.longest_s) : time;
}

}  // namespace tactus::campaign
