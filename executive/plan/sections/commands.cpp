// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/number.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/model/job_class.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

/// A job that can be switched on and off.
void check_switched(Draft& draft, const Located<std::string>& name) {
  std::vector<std::string> names;
  for (const PlannedJob& job : draft.plan.jobs) {
    if (job.name == name.value && !is_cyclic(job.job_class))
      draft.problems.add(name, "'" + name.value + "' is a job of class " +
                                   std::string(name_of(job.job_class)) +
                                   "; only jobs of the cyclic classes are switched on and off");
    if (job.name == name.value) return;
    if (is_cyclic(job.job_class)) names.push_back(job.name);
  }
  if (draft.rig.models.size() < draft.settings.models.size()) return;  // of one that could not be made
  draft.problems.add(name, "there is no job '" + name.value + "'" + did_you_mean(name.value, names));
}

/// Keys that belong to other commands. Actions have all that belongs to them in themselves.
void check_keys(config::Problems& problems, const CommandSettings& settings) {
  const bool is_command = settings.what.actions.is_null();
  const CommandArgument argument = row_of(settings.what.command).argument;
  const auto check = [&](const auto& key, bool belongs, const char* name, const std::string& whose) {
    if (!key || (is_command && belongs)) return;
    problems.add(*key, std::string("'") + name + "' has no place " +
                           (is_command ? "here: it belongs to 'do: " + whose + "'"
                                       : "beside a list of actions; remove it"));
  };
  check(settings.frames, argument == CommandArgument::frames, "frames", "step");
  check(settings.until, argument == CommandArgument::sim_time, "until", "run_until");
  check(settings.rest, settings.what.command == Command::pause, "for", "pause");
  check(settings.file, argument == CommandArgument::new_file, "file", "checkpoint");
  check(settings.job, argument == CommandArgument::job, "job", "enable' or 'do: disable");
}

TimedCommand plan_command(Draft& draft, const CommandSettings& settings) {
  config::Problems& problems = draft.problems;
  TimedCommand timed{settings.at, {settings.what.command}, {}};
  if (settings.rest) timed.rest = settings.rest->value;
  switch (row_of(settings.what.command).argument) {
    case CommandArgument::frames:
      timed.call.value = settings.frames ? settings.frames->value : 1;
      break;
    case CommandArgument::sim_time:
      if (!settings.until) {
        problems.add(settings.origin, "missing key 'until' (the simulated time to run to)");
        break;
      }
      timed.call.value = settings.until->value.count();
      if (settings.until->value <= timed.at)
        problems.add(*settings.until, config::print_duration(settings.until->value) + " is not after 'at', " +
                                          config::print_duration(timed.at));
      break;
    case CommandArgument::job:
      if (!settings.job) {
        problems.add(settings.origin, "missing key 'job' (model.job)");
        break;
      }
      timed.call.name = settings.job->value;
      check_switched(draft, *settings.job);
      break;
    case CommandArgument::new_file:
      if (settings.file) timed.call.name = settings.file->value;
      if (!draft.settings.of<CheckpointSection>().enabled)
        problems.add(settings.origin, "no checkpoint can be taken with checkpoint.enabled: no");
      break;
    default:
      break;
  }
  return timed;
}

}  // namespace

void plan_commands(Draft& draft) {
  std::vector<TimedCommand>& commands = draft.plan.commands;
  for (const CommandSettings& settings : draft.settings.commands) {
    check_keys(draft.problems, settings);
    if (settings.what.actions.is_null()) commands.push_back(plan_command(draft, settings));
  }
  std::ranges::stable_sort(commands,
                           [](const TimedCommand& a, const TimedCommand& b) { return a.at < b.at; });
}

}  // namespace tactus::executive
