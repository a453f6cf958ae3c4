// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/isolation/isolation_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "executive/run_base/run_part.hpp"

namespace tactus::executive {

/// The processes of isolated models in one run.
///
/// Threads  the service thread.
class RunIsolation final : public RunPart {
 public:
  /// Both must outlive it. @when setup
  RunIsolation(Isolation& isolation, Executive& executive)
      : isolation_(isolation), part_(isolation, executive) {
    executive.add(part_);
  }

  /// Puts each where the thread that calls it runs. What became of it. @when setup
  std::vector<rtsync::Provision> place(const RigSettings& settings, const RigCpus& cpus, bool realtime);
  /// Ends them, after all jobs. Returns what went wrong; see Isolation::end_models(). @when service
  std::vector<std::string> end_models() { return isolation_.end_models(); }
  void poll(RunVoice& voice) override;
  bool owns(pid_t tid) const override { return tid == isolation_.tid(); }
  /// How each of them ended, if it did so while the rig ran.
  config::Json summary() const;

 private:
  Isolation& isolation_;
  IsolationPart part_;
};

}  // namespace tactus::executive
