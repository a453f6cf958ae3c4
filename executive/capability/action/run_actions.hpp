// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "executive/capability/action/action_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Events, steps and actions of a run: what the frames do of them, and the log, the journal and summary.json of it.
///
/// Threads  the service thread.
class RunActions final : public Capability {
 public:
  explicit RunActions(RunContext& run);
  static bool is_needed(const RunContext& run) {
    return !run.rig.settings().of<PlannedActions>().plan->empty();
  }

  ActionPart& part() { return part_; }

  void poll(RunVoice& voice) override;
  void ended() override { poll(*run_.voice); }
  void finish() override;
  void summarize(config::Json& all, Summary what) const override;

 private:
  void tell(const ActionNote& note, RunVoice& voice);
  void add_entry(const ActionNote& note, const char* what, const std::string& name);
  std::string at(const ActionNote& note) const;

  RunContext& run_;
  std::shared_ptr<const ActionPlan> plan_;
  ActionPart part_;
  std::int64_t lines_ = 0;  // of the log
};

}  // namespace tactus::executive
