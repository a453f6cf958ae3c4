// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "executive/campaign/engine/engine.hpp"
#include "executive/campaign/engine/sbatch_script.hpp"
#include "executive/campaign/engine/slurm_commands.hpp"
#include "executive/campaign/engine/task_files.hpp"
#include "executive/campaign/file/slurm_settings.hpp"

namespace tactus::campaign::slurm {

/// Slurm, by its programs and by the file of completed jobs (JobCompType=jobcomp/filetxt). Without that file `scontrol
/// show job` says how a task ended, as long as Slurm remembers it (MinJobAge).
///
/// Threads  that of the runner.
class SlurmEngine final : public Engine {
 public:
  SlurmEngine(SlurmSettings settings, TaskPlaces places, Commands& commands)
      : settings_(std::move(settings)), places_(std::move(places)), commands_(commands) {}

  /// Throws config::ConfigError with the place of the key that the cluster does not know.
  EngineLimits limits(const ArrayNeeds& needs) override;
  void write_task(const ArrayJob& array, std::int64_t task, const TaskWork& work) override;
  std::string log(const ArrayJob& array, std::int64_t task) override;
  std::string submit(const ArrayJob& array) override;
  std::vector<std::string> find(const std::string& name) override;
  std::vector<QueuedTasks> queue(const std::vector<std::string>& names) override;
  std::vector<TaskEnd> ends() override;
  std::optional<TaskEnd> fate(const std::string& job, std::int64_t task) override;
  void cancel(const std::string& job, Cancel what) override;
  std::vector<CaseReport> reports(const ArrayJob& array) override;
  Outcome outcome(const std::filesystem::path& folder, std::int64_t number, const ProcessEnd& end) override;
  void forget(const ArrayJob& array) override;
  double now() override;
  void wait(RunnerSignals& signals, double seconds) override;

 private:
  std::string ask(const std::vector<std::string>& words);
  void look_at_partition(EngineLimits& limits, std::string& name);
  void count_slots(EngineLimits& limits, const ArrayNeeds& needs, const std::string& partition);

  SlurmSettings settings_;
  TaskPlaces places_;
  Commands& commands_;
  std::filesystem::path completed_;  // JobCompLoc; empty: there is none that we may read
  std::uintmax_t completed_read_ = 0;
  std::map<int, TaskReports> reports_;
};

}  // namespace tactus::campaign::slurm
