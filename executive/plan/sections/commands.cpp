// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/number.hpp"
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

/// Keys that belong to other commands.
void check_keys(config::Problems& problems, const CommandSettings& settings) {
  const Command command = settings.command;
  const auto check = [&](const auto& key, bool belongs, const char* name, const char* whose) {
    if (key && !belongs)
      problems.add(*key, std::string("'") + name + "' has no place here: it belongs to 'do: " + whose + "'");
  };
  check(settings.frames, command == Command::step, "frames", "step");
  check(settings.until, command == Command::run_until, "until", "run_until");
  check(settings.rest, command == Command::pause, "for", "pause");
  check(settings.file, command == Command::checkpoint, "file", "checkpoint");
  check(settings.job, command == Command::enable || command == Command::disable, "job",
        "enable' or 'do: disable");
}

TimedCommand plan_command(Draft& draft, const CommandSettings& settings) {
  config::Problems& problems = draft.problems;
  check_keys(problems, settings);
  TimedCommand timed;
  timed.at = settings.at;
  timed.command = settings.command;
  if (settings.frames) timed.frames = settings.frames->value;
  if (settings.rest) timed.rest = settings.rest->value;
  if (settings.file) timed.text = settings.file->value;
  if (timed.command == Command::run_until && !settings.until) {
    problems.add(settings.origin, "missing key 'until' (the simulated time to run to)");
  } else if (timed.command == Command::run_until) {
    timed.until = settings.until->value;
    if (timed.until <= timed.at)
      problems.add(*settings.until, config::print_duration(timed.until) + " is not after 'at', " +
                                        config::print_duration(timed.at));
  } else if (timed.command == Command::enable || timed.command == Command::disable) {
    if (settings.job) {
      timed.text = settings.job->value;
      check_switched(draft, *settings.job);
    } else {
      problems.add(settings.origin, "missing key 'job' (model.job)");
    }
  } else if (timed.command == Command::checkpoint && !draft.settings.checkpoint.enabled) {
    problems.add(settings.origin, "no checkpoint can be taken with checkpoint.enabled: no");
  }
  return timed;
}

}  // namespace

void plan_commands(Draft& draft) {
  std::vector<TimedCommand>& commands = draft.plan.commands;
  for (const CommandSettings& settings : draft.settings.commands)
    commands.push_back(plan_command(draft, settings));
  std::stable_sort(commands.begin(), commands.end(),
                   [](const TimedCommand& a, const TimedCommand& b) { return a.at < b.at; });
}

}  // namespace tactus::executive
