// SPDX-License-Identifier: Apache-2.0
#include "executive/app/campaign_cluster.hpp"

#include <algorithm>
#include <cstdlib>

#include "config/number.hpp"
#include "executive/app/commands.hpp"
#include "executive/campaign/engine/array_plan.hpp"
#include "executive/campaign/engine/cluster_runner.hpp"
#include "executive/campaign/engine/slurm_engine.hpp"
#include "executive/campaign/engine/task.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using campaign::ArrayNeeds;
using campaign::CampaignFile;
using campaign::EngineLimits;

campaign::slurm::TaskPlaces places_of(const campaign::RunChoices& choices) {
  return {choices.folder, fs::current_path(), choices.program};
}

std::string task_word(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

campaign::RunSummary run_on_slurm(const CampaignFile& file, const campaign::CampaignWork& work,
                                  const campaign::CaseSource& cases, const campaign::RunChoices& choices,
                                  campaign::RunListener& listener) {
  std::error_code error;
  fs::create_directories(choices.folder, error);
  if (error)
    throw campaign::CampaignError(campaign::CampaignError::Kind::machine,
                                  choices.folder.string() + ": " + error.message() +
                                      "; name another folder, which the nodes share, with --out");
  campaign::slurm::HostCommands commands(choices.folder);
  campaign::slurm::SlurmEngine engine(file.slurm, places_of(choices), commands);
  campaign::ClusterWork cluster;
  cluster.settings = file.slurm;
  cluster.needs = needs_of(file);
  cluster.time_limit = [&file](const EngineLimits& limits, std::int64_t cases_a_task, double case_s) {
    return time_limit_of(file, limits, cases_a_task, case_s);
  };
  return run_on_engine(work, cases, choices, cluster, engine, listener);
}

config::Json slurm_plan(const CampaignFile& file, const campaign::CampaignPlan& plan,
                        const campaign::CaseTimes& times, const campaign::RunChoices& choices) {
  const ArrayNeeds needs = needs_of(file);
  EngineLimits limits;
  std::string cluster;
  try {
    campaign::slurm::HostCommands commands(fs::temp_directory_path());
    campaign::slurm::SlurmEngine engine(file.slurm, places_of(choices), commands);
    limits = engine.limits(needs);
  } catch (const campaign::CampaignError& no_cluster) {
    limits = {};
    limits.slots = std::max<std::int64_t>(1, file.slurm.at_most);
    cluster = no_cluster.what();
  }
  campaign::ArrayKnowledge known{.left = std::max<std::int64_t>(plan.cases - plan.excluded - times.done, 0),
                                 .timed = times.done,
                                 .case_s = times.seconds.value_or(0)};
  const campaign::ArrayShape shape = next_array(file.slurm, limits, known);
  campaign::ArrayJob array{1, "tactus-ID-1", campaign::array_folder(choices.folder, 1), shape.tasks, needs};
  array.needs.time_limit_s = time_limit_of(file, limits, shape.cases_a_task, known.case_s);
  const bool pilot = file.slurm.cases_a_task == 0 && known.timed < 8;
  const std::int64_t tasks = (known.left + shape.cases_a_task - 1) / shape.cases_a_task;
  config::Json json{{"cases", known.left},
                    {"first_array",
                     {{"tasks", shape.tasks},
                      {"cases_a_task", shape.cases_a_task},
                      {"cpus", array.needs.cpus},
                      {"memory_mb", array.needs.memory_mb},
                      {"time_limit_s", array.needs.time_limit_s},
                      {"bench", array.needs.bench}}},
                    {"limits",
                     {{"array_size", limits.array_size},
                      {"jobs", limits.jobs},
                      {"slots", limits.slots},
                      {"queued", most_queued(file.slurm, limits)}}}};
  json["tasks"] = pilot ? config::Json() : config::Json(tasks);
  json["no_cluster"] = cluster.empty() ? config::Json() : config::Json(cluster);
  json["script"] = shape.tasks > 0 ? sbatch_script(file.slurm, array, places_of(choices)) : "";
  return json;
}

std::string slurm_plan_text(const config::Json& plan) {
  const auto number = [](const config::Json& value) { return std::to_string(value.get<std::int64_t>()); };
  const config::Json& first = plan["first_array"];
  const config::Json& limits = plan["limits"];
  std::string text;
  if (plan["cases"] == 0) return "on slurm: nothing is left to run\n";
  if (plan["no_cluster"].is_string())
    text +=
        "note: " + plan["no_cluster"].get<std::string>() + "; what follows is for usual limits of Slurm\n";
  text += "on slurm: " + number(plan["cases"]) + " cases";
  if (plan["tasks"].is_null())
    text += "; a first array of " + number(first["tasks"]) +
            " single cases measures how long one takes; the other cases are then grouped by that";
  else
    text += " in " + number(plan["tasks"]) + " tasks of " + number(first["cases_a_task"]) +
            "; the first array has " + number(first["tasks"]);
  text += "\na task: " + number(first["cpus"]) + " CPUs, " + number(first["memory_mb"]) + " MB" +
          (first["bench"] == true ? ", a bench" : "") + "; on the cluster " + number(limits["slots"]) +
          " run at the same time, at most " + number(limits["queued"]) +
          " are in its queue, an index is below " + number(limits["array_size"]) + "\n";
  return text + plan["script"].get<std::string>();
}

int run_campaign_task(const std::string& folder, const std::string& array) {
  const auto number = config::parse_integer(array);
  const auto task = config::parse_integer(task_word("TACTUS_TASK"));
  const std::string instance = task_word("TACTUS_INSTANCE");
  if (folder.empty() || !number || *number.value < 1 || !task || *task.value < 0 || instance.empty() ||
      instance.find('/') != std::string::npos)
    throw CommandError(
        kWrongInput,
        "`campaign task DIR ARRAY` is started by the jobs of `tactus campaign FILE --on slurm`, with "
        "TACTUS_TASK and TACTUS_INSTANCE; nothing is to be done by hand");
  return campaign::run_task({fs::absolute(folder), static_cast<int>(*number.value), *task.value, instance,
                             task_word("TACTUS_NODE"), fs::read_symlink("/proc/self/exe")});
}

}  // namespace tactus::app
