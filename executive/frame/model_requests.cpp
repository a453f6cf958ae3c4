// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/model_requests.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace tactus::executive {

void ModelRequests::set_realtime(bool on) TACTUS_RT {
  if (!on) sync_.disable();
  if (on && realtime_allowed_) sync_.enable();
}

std::optional<std::int64_t> ModelRequests::frame_of(const ModelInstance& model) TACTUS_RT {
  const std::vector<PlannedJob>& jobs = program_.plan().jobs;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].model != &model) continue;
    const Lane& lane = program_.lane_of(jobs[i].thread);
    if (lane.running_job() == i) return lane.frame();
  }
  return std::nullopt;
}

bool ModelRequests::enable_job(std::string_view name, bool on) TACTUS_RT {
  if (lane_ == nullptr)
    return program_.enable(name, on, worker_ == nullptr ? JobSwitches::kOutside : worker_->thread);
  const std::uint32_t job = program_.find(name);
  return job != kNoPlanJob && lane_->ask({kNoPlanJob, job, on, TACTUS_PAUSE, 0});
}

bool ModelRequests::call_at(std::string_view model, std::string_view job,
                            std::int64_t sim_time_ns) TACTUS_RT {
  const std::uint32_t index = program_.names().find(model, job);
  return index != kNoPlanJob && program_.switches().call_at(index, sim_time_ns);
}

bool ModelRequests::command(tactus_command command, std::int64_t value) TACTUS_RT {
  if (static_cast<int>(command) < TACTUS_PAUSE || static_cast<int>(command) > TACTUS_SAFE_STATE) return false;
  if (lane_ != nullptr) return lane_->ask({kNoPlanJob, kNoPlanJob, false, command, value});
  if (worker_ == nullptr) return apply(command, value);
  if (worker_->command_count == worker_->commands.size()) return false;
  worker_->commands[worker_->command_count++] = {command, value};
  return true;
}

bool ModelRequests::apply(tactus_command command, std::int64_t value) TACTUS_RT {
  if (command == TACTUS_SAFE_STATE) {
    commands_.request_safe_pause();
    return true;
  }
  // From a library: any number may come.
  const CommandRow* const row = find_command([=](const CommandRow& each) {
    return each.of_model != 0 && each.of_model == static_cast<int>(command);
  });
  if (row == nullptr) return false;
  if (pace_held_ && row->command <= Command::run_until) return false;  // pause, resume, step
  commands_.give(row->command, std::max<std::int64_t>(value, row->command == Command::step ? 1 : 0),
                 kByModel);
  return true;
}

void ModelRequests::take_from_lanes() TACTUS_RT {
  std::array<std::size_t, Schedule::kMostLanes> taken{};
  for (;;) {
    std::size_t first = program_.lanes();
    for (std::size_t lane = 0; lane < program_.lanes(); ++lane) {
      const std::span<const JobRequest> asks = program_.lane(lane).asks();
      if (taken[lane] == asks.size()) continue;
      if (first == program_.lanes() || program_.order_of(asks[taken[lane]].by) <
                                           program_.order_of(program_.lane(first).asks()[taken[first]].by))
        first = lane;
    }
    if (first == program_.lanes()) break;
    const JobRequest& ask = program_.lane(first).asks()[taken[first]++];
    ask.job != kNoPlanJob ? (void)program_.enable(program_.plan().jobs[ask.job].name, ask.on)
                          : (void)apply(ask.command, ask.value);
  }
  for (std::size_t lane = 0; lane < program_.lanes(); ++lane) program_.lane(lane).clear_job_requests();
}

void ModelRequests::take_from(AsyncWorker& worker) TACTUS_RT {
  program_.switches().post(worker);
  for (std::size_t i = 0; i < worker.command_count; ++i)
    (void)apply(worker.commands[i].command, worker.commands[i].value);
  worker.command_count = 0;
}

}  // namespace tactus::executive
