// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/isolation/isolation_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

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
