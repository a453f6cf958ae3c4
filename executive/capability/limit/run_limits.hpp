// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/capability/limit/limited_job.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Says what the limits of outputs cut, at the first time and at the end.
class RunLimits final : public Capability {
 public:
  explicit RunLimits(RunContext& run);
  static bool is_needed(const RunContext& run) { return !run.rig.settings().of<PlannedLimits>().all.empty(); }

  void poll_seldom(RunVoice& voice) override;
  void finish() override { poll_seldom(*run_.voice); }
  void summarize(config::Json& all, Summary what) const override;

 private:
  /// Adds the limits' state to that of the rig.
  struct Part final : FramePart {
    explicit Part(const PlannedLimits& limits) : FramePart("limits"), planned(limits) {}
    void joined(FrameServices& services) override;
    const PlannedLimits& planned;
  };

  RunContext& run_;
  const PlannedLimits& planned_;
  Part part_;
  std::vector<bool> said_;
};

}  // namespace tactus::executive
