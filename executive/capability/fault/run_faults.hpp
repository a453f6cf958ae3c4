// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "executive/capability/action/run_switches.hpp"
#include "executive/capability/fault/fault_part.hpp"

namespace tactus::executive {

/// Disturbs a run by the faults of the rig, and says when each began and ended.
class RunFaults final : public RunSwitches {
 public:
  explicit RunFaults(RunContext& run);
  static bool is_needed(const RunContext& run) {
    return !run.rig.settings().of<PlannedFaults>().all->empty();
  }

  void start() override;
  void summarize(config::Json& all, Summary what) const override;
  /// Its faults of the link; nullptr: none.                                                        @when setup
  FaultPart* link_faults();
  /// States of its switches.                                                                       @when any
  const SwitchRow& switches() const { return part_; }

 private:
  SwitchLog& log() override { return part_.log(); }
  bool may_call(const DrivenModel& model) const;
  const std::string& name_of(std::size_t number) const override { return (*faults_)[number].name; }

  RunContext& run_;
  std::shared_ptr<const std::vector<CompiledFault>> faults_;
  FaultPart part_;
};

}  // namespace tactus::executive
