// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "executive/campaign/engine/engine.hpp"
#include "executive/campaign/file/slurm_settings.hpp"
#include "executive/campaign/run/runner.hpp"

namespace tactus::campaign {

/// The needs of a runner of an engine beside the work itself.
struct ClusterWork {
  SlurmSettings settings;
  ArrayNeeds needs;  ///< needs of each task, without its time limit
  /// Time limit of a task of this number of cases of that mean time.
  std::function<double(const EngineLimits&, std::int64_t cases_a_task, double case_s)> time_limit;
  double poll_s = 1;         ///< time between two questions; more where the engine answers slowly
  double late_files_s = 30;  ///< longest time that files of an ended task take through the shared folder
};

/// Runs the cases of a campaign that have no result yet as arrays of tasks on an engine, and stores what becomes of them:
/// the same folder and the same database as run_campaign().
///
/// **Nothing is done twice, nothing left out.** The attempts of an array are claimed in the database before it is
/// submitted, under a name by which it is found again. A runner that was killed leaves its arrays to the engine; the next
/// one goes on with them. An attempt that two instances of a task ran, since the engine took the first for dead, has one
/// folder: that of the first that ended.
///
/// **Signals** The first SIGINT, SIGTERM or SIGHUP: tasks that wait are cancelled, those that run end after their case. The
/// second: all are cancelled. In both cases the rest has no result.
///
/// Threads  one. Throws CampaignError.
RunSummary run_on_engine(const CampaignWork& work, const CaseSource& cases, const RunChoices& choices,
                         const ClusterWork& cluster, Engine& engine, RunListener& listener);

}  // namespace tactus::campaign
