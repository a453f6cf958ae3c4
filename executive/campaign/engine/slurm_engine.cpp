// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/slurm_engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

#include "config/text.hpp"
#include "executive/campaign/engine/slurm_text.hpp"
#include "executive/campaign/run/runner.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::campaign::slurm {
namespace {

namespace fs = std::filesystem;
using config::ConfigError;

/// Parts of answers after which it is asked again later.
constexpr std::array<std::string_view, 9> kLater{
    "Unable to contact", "Socket timed out", "Resource temporarily unavailable",
    "Job count limit",   "try again",        "Connection refused",
    "MaxSubmitJob",      "not responding",   "SlurmctldTimeout"};

std::string one_line(const std::string& text) {
  std::string line(config::trimmed(text));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::int64_t number_or(const std::map<std::string, std::string>& words, const std::string& key,
                       std::int64_t other) {
  const auto at = words.find(key);
  if (at == words.end()) return other;
  const long long number = std::strtoll(at->second.c_str(), nullptr, 10);
  return number > 0 ? number : other;
}

}  // namespace

std::string SlurmEngine::ask(const std::vector<std::string>& words) {
  Answer answer = commands_.run(words);
  if (answer.status != 0)
    throw EngineBusy(words.front() + " (status " + std::to_string(answer.status) +
                     "): " + one_line(answer.text));
  return std::move(answer.text);
}

EngineLimits SlurmEngine::limits(const ArrayNeeds& needs) {
  for (const char* const program : {"sbatch", "squeue", "scancel", "scontrol", "sinfo"})
    if (!commands_.has(program))
      throw CampaignError(
          CampaignError::Kind::machine,
          std::string("--on slurm: there is no ") + program +
              " in PATH; run this on a machine of the cluster that submits jobs, install the package "
              "slurm-client there, or run with --on local");
  std::map<std::string, std::string> config;
  try {
    config = config_of(ask({"scontrol", "show", "config"}));
  } catch (const EngineBusy& error) {
    throw CampaignError(CampaignError::Kind::machine,
                        std::string("--on slurm: the cluster does not answer: ") + error.what() +
                            "; look whether slurmctld runs and SLURM_CONF is right, or run with --on local");
  }
  EngineLimits limits{.array_size = number_or(config, "MaxArraySize", 1001),
                      .jobs = number_or(config, "MaxJobCount", 10'000)};
  completed_.clear();
  if (config["JobCompType"] == "jobcomp/filetxt" && ::access(config["JobCompLoc"].c_str(), R_OK) == 0)
    completed_ = config["JobCompLoc"];
  std::string partition = settings_.partition.value;
  look_at_partition(limits, partition);
  if (needs.bench) {
    const std::string types = "," + config["GresTypes"] + ",";
    if (types.find("," + settings_.gres.value + ",") == std::string::npos)
      throw ConfigError(
          settings_.gres.place, settings_.gres.path.empty() ? "slurm.gres" : settings_.gres.path,
          "the cluster has no generic resource " + config::show(settings_.gres.value) + "; it has " +
              (config["GresTypes"] == "(null)" ? "none" : config["GresTypes"]) +
              ". Real-time cases need one for each bench: GresTypes=" + settings_.gres.value +
              " and Gres=" + settings_.gres.value + ":1 of each node with a bench in slurm.conf");
  }
  count_slots(limits, needs, partition);
  return limits;
}

void SlurmEngine::look_at_partition(EngineLimits& limits, std::string& name) {
  std::vector<std::string> all;
  const std::string text = ask({"scontrol", "-o", "show", "partition"});
  bool found = false;
  for (const std::string_view line : rtsync::lines_of(text)) {
    const auto words = words_of(line);
    const auto of = words.find("PartitionName");
    if (of == words.end()) continue;
    all.push_back(of->second);
    const auto is_default = words.find("Default");
    if (name.empty() ? is_default == words.end() || is_default->second != "YES" : of->second != name)
      continue;
    found = true;
    name = of->second;
    if (const auto most = words.find("MaxTime"); most != words.end())
      limits.longest_s = seconds_of(most->second);
    if (const auto state = words.find("State"); state != words.end() && state->second != "UP")
      throw ConfigError(settings_.partition.place, "slurm.partition",
                        "partition " + config::show(name) + " is " + state->second +
                            "; name one that is up, or ask the administrator of the cluster");
  }
  if (found) return;
  std::string there = rtsync::joined(all);
  const config::SourceLocation& place = name.empty() ? settings_.origin.place : settings_.partition.place;
  throw ConfigError(place, "slurm.partition",
                    (name.empty() ? "the cluster has no default partition"
                                  : "the cluster has no partition " + config::show(name)) +
                        "; it has " + (there.empty() ? "none" : there));
}

void SlurmEngine::count_slots(EngineLimits& limits, const ArrayNeeds& needs, const std::string& partition) {
  const std::string text = ask({"sinfo", "-h", "-N", "-p", partition, "-o", "%N|%c|%m|%G"});
  std::int64_t slots = 0, most_cpus = 0, most_memory = 0, benches = 0;
  for (const std::string_view line : rtsync::lines_of(text)) {
    std::vector<std::string_view> cells = rtsync::parts_of(line, '|');
    cells.resize(std::max<std::size_t>(cells.size(), 4));
    const std::int64_t cpus = std::strtoll(std::string(cells[1]).c_str(), nullptr, 10);
    const std::int64_t memory = std::strtoll(std::string(cells[2]).c_str(), nullptr, 10);
    const std::int64_t own = gres_of(cells[3], settings_.gres.value);
    most_cpus = std::max(most_cpus, cpus);
    most_memory = std::max(most_memory, memory);
    benches += own;
    const std::int64_t by_cpus = cpus / std::max(1, needs.cpus);
    slots += needs.bench ? std::min(own, by_cpus) : by_cpus;
  }
  if (needs.bench && benches == 0)
    throw ConfigError(settings_.gres.place, "slurm.gres",
                      "no node of partition " + config::show(partition) + " has a " +
                          config::show(settings_.gres.value) + "; write Gres=" + settings_.gres.value +
                          ":1 to each node with a bench in slurm.conf");
  if (slots == 0)
    throw ConfigError(
        settings_.origin.place, "slurm.cpus",
        "a task needs " + std::to_string(needs.cpus) + " CPUs, and no node of partition " +
            config::show(partition) + " has more than " + std::to_string(most_cpus) +
            "; give the rig fewer threads, write slurm: { cpus: N }, or name another partition");
  if (most_memory > 1 && needs.memory_mb > most_memory)
    throw ConfigError(settings_.origin.place, "slurm.memory",
                      "a task needs " + std::to_string(needs.memory_mb) + " MB, and no node of partition " +
                          config::show(partition) + " has more than " + std::to_string(most_memory) +
                          " MB; write slurm: { memory: ... }, or name another partition");
  limits.slots = slots;
}

void SlurmEngine::write_task(const ArrayJob& array, std::int64_t task, const TaskWork& work) {
  campaign::write_task(array.folder, task, work);
}

std::string SlurmEngine::log(const ArrayJob& array, std::int64_t task) {
  constexpr std::size_t kMost = 300;
  int error = 0;
  const std::string text = rtsync::read_folder_file(array.folder / ("log." + std::to_string(task)), error);
  return one_line(text.size() > kMost ? text.substr(text.size() - kMost) : text);
}

std::string SlurmEngine::submit(const ArrayJob& array) {
  const fs::path script = array.folder / "job.sh";
  const std::string text = sbatch_script(settings_, array, places_);
  if (const int error = rtsync::replace_folder_file(script, text); error != 0)
    throw std::system_error(error, std::generic_category(), script.string());
  const Answer answer =
      commands_.run({"sbatch", "--parsable", "--export=ALL,TACTUS_CAMPAIGN_CASE=none", script.string()});
  if (answer.status != 0) {
    for (const std::string_view each : kLater)
      if (answer.text.find(each) != std::string::npos) throw EngineBusy(one_line(answer.text));
    throw CampaignError(CampaignError::Kind::machine,
                        "--on slurm: sbatch refused the job: " + one_line(answer.text) + "; its script is " +
                            script.string() + ", made of slurm: of the campaign (" +
                            settings_.origin.place.text() + "); fix that, and start the campaign again");
  }
  const std::string job = job_of(answer.text);
  if (job.empty()) throw EngineBusy("sbatch gave no id: " + one_line(answer.text));
  return job;
}

std::vector<std::string> SlurmEngine::find(const std::string& name) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& job) {
    if (std::ranges::find(all, job) == all.end()) all.push_back(job);
  };
  for (const QueuedTasks& each : queue({name})) add(each.job);
  std::ifstream file(completed_);
  for (std::string line; !completed_.empty() && std::getline(file, line);)
    if (line.find(" Name=" + name + " ") != std::string::npos)
      if (const auto end = end_of_task(line)) add(end->job);
  return all;
}

std::vector<QueuedTasks> SlurmEngine::queue(const std::vector<std::string>& names) {
  std::string all = rtsync::joined(names, ",");
  // Without that variable squeue cuts the list of tasks that wait.
  return queue_of(ask({"env", "SLURM_BITSTR_LEN=0", "squeue", "-h", "--name=" + all, "-o", kQueueFormat}));
}

std::vector<TaskEnd> SlurmEngine::ends() {
  std::vector<TaskEnd> all;
  if (completed_.empty()) return all;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(completed_, error);
  if (error) return all;
  if (size < completed_read_) completed_read_ = 0;  // it was rotated
  if (size == completed_read_) return all;
  std::ifstream file(completed_);
  file.seekg(static_cast<std::streamoff>(completed_read_));
  for (std::string line; std::getline(file, line) && !file.eof();) {
    completed_read_ += line.size() + 1;
    if (auto end = end_of_task(line)) all.push_back(std::move(*end));
  }
  return all;
}

std::optional<TaskEnd> SlurmEngine::fate(const std::string& job, std::int64_t task) {
  const Answer answer = commands_.run({"scontrol", "-o", "show", "job", job + "_" + std::to_string(task)});
  if (answer.status != 0) return std::nullopt;
  auto end = end_of_task(answer.text.substr(0, answer.text.find('\n')));
  if (end && end->task != task) return std::nullopt;
  return end;
}

void SlurmEngine::cancel(const std::string& job, Cancel what) {
  if (what == Cancel::all) {
    (void)ask({"scancel", job});
    return;
  }
  (void)ask({"scancel", "--state=PENDING", job});
  (void)commands_.run({"scancel", "--batch", "--signal=USR1", "--state=RUNNING", job});
}

std::vector<CaseReport> SlurmEngine::reports(const ArrayJob& array) {
  return reports_[array.array].read(array.folder);
}

Outcome SlurmEngine::outcome(const fs::path& folder, std::int64_t /*number*/, const ProcessEnd& end) {
  return outcome_of(folder / "run", end);
}

void SlurmEngine::forget(const ArrayJob& array) {
  reports_.erase(array.array);
  std::error_code error;
  fs::remove_all(array.folder, error);
}

double SlurmEngine::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SlurmEngine::wait(RunnerSignals& signals, double seconds) {
  const int asked = signals.asked();
  const double until = now() + seconds;
  for (double left = seconds; left > 0 && signals.asked() == asked; left = until - now())
    signals.wait(std::chrono::milliseconds(static_cast<std::int64_t>(left * 1000) + 1));
}

}  // namespace tactus::campaign::slurm
