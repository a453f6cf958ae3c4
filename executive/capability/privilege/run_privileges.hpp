// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/privilege/privilege_watch.hpp"
#include "executive/capability/privilege/settings.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Reports and reacts when a run loses what the machine had granted it (`on_privilege_lost`).
///
/// Threads  the service thread; look: any but a frame's.
class RunPrivileges final : public Capability {
 public:
  /// All must outlive it. @when setup
  RunPrivileges(Executive& executive, const RigThreads& threads, OnPrivilegeLost on_lost)
      : executive_(executive), threads_(threads), on_lost_(on_lost) {}
  explicit RunPrivileges(RunContext& run)
      : RunPrivileges(*run.executive, *run.threads,
                      run.rig.settings().of<PrivilegeSettings>().on_privilege_lost) {
    run_ = &run;
  }

  /// Starts to watch that these threads keep what they have; `memory`: its lock, too. @when setup
  using Capability::start;
  void start(const std::vector<pid_t>& threads, bool memory) { watch_.start(threads, memory); }
  void look() {
    if (!threads_.stuck()) watch_.look(executive_.frames_done());  // whose real time the watchdog took away
  }
  /// Reports what was taken away since the last time, and does what the rig file demands.
  void tell(RunVoice& voice);
  void poll_seldom(RunVoice& voice) override;
  /// Reason why the rig was aborted; empty: it was not.
  const std::string& reason() const { return reason_; }
  config::Json summary() const;

  void watch() override {
    if (run_->realtime) start(run_->frame_threads, run_->memory_locked);
  }
  void frames_ended() override { look(); }
  void ended() override;
  void summarize(config::Json& all, Summary what) const override {
    if (what == Summary::ended) all["rt"]["changed"] = summary();
  }

 private:
  RunContext* run_ = nullptr;
  Executive& executive_;
  const RigThreads& threads_;
  const OnPrivilegeLost on_lost_;
  PrivilegeWatch watch_;
  std::string reason_;
};

}  // namespace tactus::executive
