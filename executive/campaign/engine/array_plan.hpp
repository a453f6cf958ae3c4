// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/campaign/engine/engine.hpp"
#include "executive/campaign/file/campaign_file.hpp"

namespace tactus::campaign {

/// The knowledge by which cases are put together.
struct ArrayKnowledge {
  std::int64_t left = 0;    ///< cases that no task has
  std::int64_t queued = 0;  ///< tasks that wait or run
  std::int64_t timed = 0;   ///< cases that have a time
  double case_s = 0;        ///< their mean
};

/// The next array.
struct ArrayShape {
  std::int64_t tasks = 0;         ///< 0: none now
  std::int64_t cases_a_task = 1;  ///< the last task may have fewer
};

/// Chooses how many tasks there are and how many cases each has: so many that a task takes `task_time`, but not so many that
/// slots stay empty at the end. While no case has a time, a first array of single cases finds one.
ArrayShape next_array(const SlurmSettings& settings, const EngineLimits& limits, const ArrayKnowledge& known);

/// Tasks that may wait or run at the same time.
std::int64_t most_queued(const SlurmSettings& settings, const EngineLimits& limits);
/// Cases that go together by their time alone.
std::int64_t cases_by_time(const SlurmSettings& settings, double case_s);

/// CPUs and memory of a task: those of the rig that needs the most. Throws config::ConfigError.      @when setup
ArrayNeeds needs_of(const CampaignFile& file);
/// Time limit of a task of this number of cases: that of the file, else from the time limit of a case or its estimate.
double time_limit_of(const CampaignFile& file, const EngineLimits& limits, std::int64_t cases_a_task,
                     double case_s);

}  // namespace tactus::campaign
