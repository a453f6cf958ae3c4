// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/sbatch_script.hpp"

#include "executive/campaign/case.hpp"
#include "executive/campaign/engine/slurm_text.hpp"

namespace tactus::campaign::slurm {

std::vector<std::string> sbatch_options(const SlurmSettings& settings, const ArrayJob& array) {
  std::string tasks = "--array=0-" + std::to_string(array.tasks - 1);
  if (settings.at_most > 0) tasks += "%" + std::to_string(settings.at_most);
  std::vector<std::string> words{"--job-name=" + array.name,
                                 std::move(tasks),
                                 "--nodes=1",
                                 "--ntasks=1",
                                 "--cpus-per-task=" + std::to_string(array.needs.cpus),
                                 "--output=/dev/null",
                                 settings.requeue ? "--requeue" : "--no-requeue"};
  if (array.needs.memory_mb > 0) words.push_back("--mem=" + std::to_string(array.needs.memory_mb) + "M");
  if (array.needs.time_limit_s > 0) words.push_back("--time=" + time_text(array.needs.time_limit_s));
  if (!settings.partition.value.empty()) words.push_back("--partition=" + settings.partition.value);
  if (!settings.account.value.empty()) words.push_back("--account=" + settings.account.value);
  if (!settings.qos.value.empty()) words.push_back("--qos=" + settings.qos.value);
  if (array.needs.bench) words.push_back("--gres=" + settings.gres.value + ":1");
  for (const auto& option : settings.options) words.push_back(option.value);
  return words;
}

std::string sbatch_script(const SlurmSettings& settings, const ArrayJob& array, const TaskPlaces& places) {
  std::string text = "#!/bin/sh\n";
  for (const std::string& word : sbatch_options(settings, array)) text += "#SBATCH " + word + "\n";
  const auto status = [](int number) { return " || exit " + std::to_string(number) + "\n"; };
  const std::string log = shell_word((array.folder / "log").string());
  text += "cd " + shell_word(places.directory.string()) + status(kTaskNoFolder);
  text += "[ -d " + shell_word(array.folder.string()) + " ]" + status(kTaskNoFolder);
  text += "[ -x " + shell_word(places.program.string()) + " ]" + status(kTaskNoProgram);
  text += "(: >>" + log + ".$SLURM_ARRAY_TASK_ID) 2>/dev/null" + status(kTaskNoWrite);
  text += "exec >>" + log + ".$SLURM_ARRAY_TASK_ID 2>&1\n";
  text +=
      "TACTUS_TASK=$SLURM_ARRAY_TASK_ID TACTUS_INSTANCE=$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0} "
      "TACTUS_NODE=$SLURMD_NODENAME\n"
      "export TACTUS_TASK TACTUS_INSTANCE TACTUS_NODE\n";
  text += "exec " + shell_word(places.program.string()) + " campaign task " +
          shell_word(places.campaign.string()) + " " + std::to_string(array.array) + "\n";
  return text;
}

}  // namespace tactus::campaign::slurm
