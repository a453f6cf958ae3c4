// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>

#include "config/json.hpp"
#include "executive/capability/watch/witness_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/run_base/run_log.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::executive {

/// What the witness, the process above a rig, sees of this run. Nothing happens where there is none.
///
/// Threads  the service thread.
class RunWitness {
 public:
  /// `page`: what the witness sees; nullptr: there is no witness. It must outlive this.
  explicit RunWitness(rtsync::WitnessPage* page = rtsync::witness_page()) : page_(page) {}

  /// What is known so far: how summary.json begins if the rig is killed.
  void tell(const std::function<config::Json()>& facts, RunLog& log) const;
  /// From here on it sees how far the rig came, and leaves the CPUs of the frames. @when setup
  void watch(Executive& executive, const rtsync::CpuSet& helpers);

 private:
  rtsync::WitnessPage* const page_;
  std::optional<WitnessPart> part_;
};

}  // namespace tactus::executive
