// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "executive/capability/watch/crash_guard.hpp"
#include "executive/capability/watch/witness_part.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::executive {

/// View that the witness, the process above a rig, has of this run; does nothing without a witness. A crash
/// drives the outputs safe, and leaves word of what ran.
///
/// Threads  the service thread.
class RunWitness final : public Capability {
 public:
  /// `page`: what the witness sees; nullptr: there is no witness. It must outlive this.
  explicit RunWitness(rtsync::WitnessPage* page) : page_(page) {}
  explicit RunWitness(RunContext& run) : RunWitness(rtsync::witness_page()) {
    run_ = &run;
    watch(*run.executive, run.cpus.helpers);
    crash_guard_.emplace(*run.executive);
  }

  using Capability::watch;
  /// Lets the witness see from here on how far the rig came, and moves it away from the CPUs of the frames.
  /// @when setup
  void watch(Executive& executive, const rtsync::CpuSet& helpers);
  /// Shows the witness which jobs never returned.
  void finish() override;

 private:
  RunContext* run_ = nullptr;
  rtsync::WitnessPage* const page_;
  std::optional<WitnessPart> part_;
  std::optional<CrashGuard> crash_guard_;
};

}  // namespace tactus::executive
