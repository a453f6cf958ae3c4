// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "executive/capability/stimulus/stimulus_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Drives variables by the stimuli of the rig, and says when each began and ended.
class RunStimuli final : public Capability {
 public:
  explicit RunStimuli(RunContext& run);
  static bool is_needed(const RunContext& run);

  void poll(RunVoice& voice) override;
  void finish() override;
  void summarize(config::Json& all, Summary what) const override;
  /// States of its switches.                                                                       @when any
  const SwitchRow& switches() const { return part_; }

 private:
  RunContext& run_;
  std::shared_ptr<const std::vector<CompiledStimulus>> stimuli_;
  StimulusPart part_;
};

}  // namespace tactus::executive
