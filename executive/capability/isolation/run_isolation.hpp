// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "config/json.hpp"
#include "executive/frame/executive.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/isolation/isolation.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Handles the end of an isolated model's process that did not fail its job: `on_crash: freeze`,
/// `safe_state`, `replace`.
class IsolationPart final : public FramePart {
 public:
  /// Both must outlive it. @when setup
  IsolationPart(Isolation& isolation, Executive& executive)
      : FramePart("isolated models"), isolation_(isolation), executive_(executive) {}

  void end_frame(std::int64_t) TACTUS_RT override { take_lost(); }
  void changed(RigChange& change) TACTUS_RT override {
    if (change.what == RigChange::freeze_frame) take_lost();
    for (IsolatedModel& model : isolation_.models()) {
      if (change.what == RigChange::resumed) model.refuse_from_now();
      if (change.what == RigChange::goes_back && change.refusal == nullptr) change.refusal = model.stays();
    }
  }

 private:
  void take_lost() TACTUS_RT {
    for (IsolatedModel& model : isolation_.models()) {
      if (!model.take_lost()) [[likely]]
        continue;
      executive_.status().lose_model();
      if (model.on_crash() == OnCrash::safe_state) executive_.drive_outputs_safe();
      if (model.on_crash() != OnCrash::replace) executive_.request_pause();
    }
  }

  Isolation& isolation_;
  Executive& executive_;
};

/// The processes of isolated models in one run.
///
/// Threads  the service thread.
class RunIsolation final : public Capability {
 public:
  static bool is_needed(const RunContext& run) { return run.rig.isolation() != nullptr; }
  explicit RunIsolation(RunContext& run)
      : run_(run), isolation_(*run.rig.isolation()), part_(isolation_, *run.executive) {
    run.executive->add(part_);
  }

  /// Puts each where the thread that calls it runs.
  void prepare() override;
  void ended() override;
  /// Ends them: what one of them does while it is destroyed is an end of the run, too.
  void after_jobs() override;
  void poll(RunVoice& voice) override;
  bool owns(pid_t tid) const override { return tid == isolation_.tid(); }
  /// End of each process that ended while the rig ran.
  void summarize(config::Json& all, Summary what) const override;

 private:
  RunContext& run_;
  Isolation& isolation_;
  IsolationPart part_;
};

}  // namespace tactus::executive
