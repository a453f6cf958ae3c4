// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.hpp"

namespace tactus::campaign {

/// The choices of `slurm:` in a campaign file. 0 and empty: not given, and then chosen or left to Slurm.
///
/// Threads  plain values; the table is immutable.                                             @when setup
struct SlurmSettings {
  config::Origin origin{};
  config::Located<std::string> partition{}, account{}, qos{};
  config::Nanoseconds time_limit{0};  ///< longest time of a task
  std::int64_t at_most = 0;           ///< tasks that run at the same time
  std::int64_t cases_a_task = 0;
  config::Nanoseconds task_time = std::chrono::minutes(5);  ///< time that a task shall last
  std::int64_t queued = 0;                                  ///< tasks that wait or run at the same time
  std::int64_t cpus = 0;                                    ///< need of a task
  std::int64_t memory = 0;                                  ///< bytes, of a task
  config::Located<std::string> gres{"bench", {}, {}};       ///< generic resource that is a bench
  bool requeue = true;
  std::vector<config::Located<std::string>> options{};  ///< further options of sbatch
};

const config::Fields<SlurmSettings>& slurm_fields();
/// Looks at what no table can: words with line breaks, options that the campaign sets itself.
void check_slurm(const SlurmSettings& slurm, config::Problems& problems);

}  // namespace tactus::campaign
