// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/slurm_settings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "config/rules.hpp"
#include "config/text.hpp"

namespace tactus::campaign {

using namespace std::chrono_literals;
using namespace config;

const Fields<SlurmSettings>& slurm_fields() {
  using S = SlurmSettings;
  constexpr std::int64_t kMost = 1'000'000'000;
  static const Fields<S> fields{
      "How the cases are run on a Slurm cluster, with `--on slurm`.",
      {
          located<S>(&S::origin),
          optional("partition", &S::partition, "the partition; without it Slurm's default"),
          optional("account", &S::account, "the account that pays"),
          optional("qos", &S::qos, "the quality of service"),
          optional("time_limit", &S::time_limit, range(1min, Nanoseconds(24h * 365)),
                   "longest time of a task; without it from the time limit, or the estimate, of its cases"),
          optional("at_most", &S::at_most, count("tasks", 1, kMost),
                   "tasks that run at the same time; without it as many as the cluster lets"),
          optional("cases_a_task", &S::cases_a_task, count("cases", 1, 100'000),
                   "cases that a task runs one after the other; without it by `task_time`"),
          optional("task_time", &S::task_time, range(1s, Nanoseconds(24h * 7)),
                   "time that a task shall take, by which cases are put together"),
          optional("queued", &S::queued, count("tasks", 1, kMost),
                   "tasks that are in Slurm's queue at the same time; without it at most half of "
                   "its MaxJobCount, and twice what can run"),
          optional("cpus", &S::cpus, count("CPUs", 1, 4096),
                   "CPUs of a task; without it one for each thread of the rig with the most"),
          optional("memory", &S::memory, bytes(1 << 20, std::int64_t{1} << 50),
                   "memory of a task; without it from the heap and the stacks of the rig"),
          optional("gres", &S::gres,
                   "with `realtime: yes`: the generic resource (GRES) that stands for a bench"),
          optional("requeue", &S::requeue, "let Slurm run a task again whose node failed"),
          optional("options", &S::options, "further options of sbatch, as `--constraint=fast`"),
      }};
  return fields;
}

void check_slurm(const SlurmSettings& slurm, Problems& problems) {
  const auto has_controls = [](const std::string& text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < ' '; });
  };
  for (const auto* const each : {&slurm.partition, &slurm.account, &slurm.qos, &slurm.gres})
    if (has_controls(each->value) || each->value.find_first_of(" \t\"'") != std::string::npos)
      problems.add(*each, show(each->value) + " is not a name; write letters, digits, '_' and '-'");
  if (slurm.gres.value.empty()) problems.add(slurm.gres, "is empty; write the name of a GRES, as bench");
  constexpr std::array<std::string_view, 15> kOurs{
      "--array",   "-a",           "--job-name", "-J", "--output", "-o",       "--error",   "-e",
      "--requeue", "--no-requeue", "--wait",     "-W", "--chdir",  "--export", "--parsable"};
  for (const auto& option : slurm.options) {
    const std::string name = option.value.substr(0, option.value.find('='));
    if (has_controls(option.value) || !option.value.starts_with('-'))
      problems.add(option,
                   show(option.value) + " is not an option of sbatch; write for example --constraint=fast");
    else if (std::ranges::find(kOurs, name) != kOurs.end())
      problems.add(option, show(name) + " is set by the campaign itself; leave it out");
  }
}

}  // namespace tactus::campaign
