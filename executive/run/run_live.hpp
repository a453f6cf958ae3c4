// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "executive/capability/checkpoint/rig_checkpoints.hpp"
#include "executive/capability/flight/run_flight.hpp"
#include "executive/capability/live/live_access.hpp"
#include "executive/capability/record/run_recordings.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run/run_reports.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "executive/run_base/run_options.hpp"
#include "executive/run_base/run_part.hpp"

namespace tactus::executive {

/// Live access of one run: the side that answers, and the servers.
class RunLive final : public RunPart {
 public:
  /// All must outlive it. @when setup
  RunLive(const Rig& rig, Executive& executive, const RunOptions& options, bool realtime,
          RigCheckpoints& checkpoints, RunRecordings& recordings, RunFlight& flight);
  /// Who answers what clients ask of the run. @when setup
  void set_reports(const RunReports::Run& run) { reports_.emplace(run); }

  /// Programs outside may look in from here on. Throws MachineError. @when setup
  void open(const RigCpus& cpus, RunVoice& voice);
  /// The frames are over: whoever waits is told, then the servers close.
  void close(const RunEnd& end, RunVoice& voice);
  void poll(RunVoice& voice) override;
  bool owns(pid_t tid) const override { return tid == access_.tid(); }
  LiveAccess& access() { return access_; }
  const LiveAccess& access() const { return access_; }

 private:
  const Rig& rig_;
  LiveAccess access_;
  std::optional<RunReports> reports_;
};

}  // namespace tactus::executive
