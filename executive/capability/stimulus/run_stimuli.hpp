// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "executive/capability/action/run_switches.hpp"
#include "executive/capability/stimulus/stimulus_part.hpp"

namespace tactus::executive {

/// Drives variables by the stimuli of the rig, and says when each began and ended.
class RunStimuli final : public RunSwitches {
 public:
  explicit RunStimuli(RunContext& run);
  static bool is_needed(const RunContext& run) {
    return !run.rig.settings().of<PlannedStimuli>().all->empty();
  }

  void summarize(config::Json& all, Summary what) const override;
  /// States of its switches.                                                                       @when any
  const SwitchRow& switches() const { return part_; }

 private:
  SwitchLog& log() override { return part_.log(); }
  const std::string& name_of(std::size_t number) const override { return (*stimuli_)[number].name; }

  std::shared_ptr<const std::vector<CompiledStimulus>> stimuli_;
  StimulusPart part_;
};

}  // namespace tactus::executive
