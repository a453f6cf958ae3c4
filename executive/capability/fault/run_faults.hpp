// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "executive/capability/fault/fault_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Disturbs a run by the faults of the rig, and says when each began and ended.
class RunFaults final : public Capability {
 public:
  explicit RunFaults(RunContext& run);
  static bool is_needed(const RunContext& run);

  void poll(RunVoice& voice) override;
  void finish() override;
  void summarize(config::Json& all, Summary what) const override;
  /// States of its switches.                                                                       @when any
  const SwitchRow& switches() const { return part_; }

 private:
  RunContext& run_;
  std::shared_ptr<const std::vector<CompiledFault>> faults_;
  FaultPart part_;
};

}  // namespace tactus::executive
