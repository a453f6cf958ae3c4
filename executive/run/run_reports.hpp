// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <vector>

#include "config/json.hpp"
#include "executive/driver/live_knowledge.hpp"
#include "executive/frame/executive.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/facts/host_facts.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::executive {

/// It is one of those whose calls are measured.
bool runs_in_frames(const PlannedJob& job);
/// Adds how often a job was called, and its times.
void add_job_times(config::Json& entry, const rtsync::JobHistogram& times);
/// Adds a budget, and how often it was exceeded where jobs were `counted`.
void add_budget(config::Json& entry, const JobBudgets::Budget& budget, bool counted);
/// Provisions that the machine refused, as summary.json and clients have them.
config::Json refused_json(const std::vector<rtsync::Provision>& provisions);

/// Reports of a run on itself while it runs: docs/http-api.md has the keys.
///
/// Threads  the service thread.
class RunReports {
 public:
  /// It must outlive this.
  explicit RunReports(RunContext& run) : run_(run) {}

  config::Json make(LiveReport which);

 private:
  using Clock = std::chrono::steady_clock;

  config::Json own(LiveReport which);
  config::Json timing() const;
  config::Json jobs() const;
  config::Json clock() const;
  config::Json drivers() const;
  config::Json threads() const;
  config::Json doctor();

  RunContext& run_;
  std::optional<std::vector<rtsync::Fact>> facts_;  // of the machine
  Clock::time_point probed_{};
};

}  // namespace tactus::executive
