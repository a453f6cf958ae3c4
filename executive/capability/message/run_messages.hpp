// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Passes messages of models that drivers make on to the log, also of isolated ones. A frame only leaves them in the driver's memory.
///
/// Threads  the service thread.
class RunMessages final : public Capability {
 public:
  explicit RunMessages(RunContext& run) : run_(run) {}
  static bool is_needed(const RunContext& run) {
    return !run.rig.driver_models().empty() || run.rig.isolation() != nullptr;
  }

  /// Takes a limited number of messages each time: a model that never stops does not hold up the others.
  void poll(RunVoice& voice) override;
  void finish() override;

 private:
  void take(RunVoice& voice, int most);
  template <class Model>
  void take_of(const std::string& name, Model& model, RunVoice& voice, int most);

  RunContext& run_;
  std::set<std::string> failed_;  // models whose messages cannot be taken
};

}  // namespace tactus::executive
