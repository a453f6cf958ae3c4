// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/cause/run_causes.hpp"
#include "executive/capability/checkpoint/rig_checkpoints.hpp"
#include "executive/capability/clock/clock_status_part.hpp"
#include "executive/driver/live_knowledge.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run_base/pacing.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "rtsync/facts/host_facts.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::executive {

/// It is one of those whose calls are measured.
bool runs_in_frames(const PlannedJob& job);
/// Adds how often a job was called, and its times.
void add_job_times(config::Json& entry, const rtsync::JobHistogram& times);
/// The external clock, as summary.json has it.
config::Json external_clock_json(const rtsync::EdgeClock& clock, const rtsync::EdgeClockStatus& status,
                                 const std::string& source);

/// What a run tells of itself while it goes on: docs/http-api.md has the keys.
///
/// Threads  the service thread.
class RunReports {
 public:
  struct Run {
    const Rig& rig;
    Executive& executive;
    const RunCauses& causes;
    const Pacing& pacing;
    ClockStatusPart* clock;  ///< nullptr: it is internal
    const RigThreads& threads;
    const RigCpus& cpus;
    const RigCheckpoints& checkpoints;
    const std::vector<rtsync::Provision>& provisions;
    bool realtime;
  };
  /// All must outlive it.
  explicit RunReports(const Run& run) : run_(run) {}

  config::Json make(LiveReport which);

 private:
  using Clock = std::chrono::steady_clock;

  config::Json timing() const;
  config::Json jobs() const;
  config::Json clock() const;
  config::Json link() const;
  config::Json drivers() const;
  config::Json threads() const;
  config::Json doctor();

  const Run run_;
  std::optional<std::vector<rtsync::Fact>> facts_;  // of the machine
  Clock::time_point probed_{};
};

}  // namespace tactus::executive
