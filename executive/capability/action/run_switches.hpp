// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "executive/frame/switch_log.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// The run's side of things that are switched by name: it says when each began and ended, and what came of it.
///
/// Threads  the service thread.
class RunSwitches : public Capability {
 public:
  void poll(RunVoice& voice) override;
  void finish() override;

 protected:
  /// `one`, `several`: words for them; texts that stay.
  RunSwitches(RunContext& run, const char* one, const char* several)
      : run_(run), one_(one), several_(several) {}

  virtual SwitchLog& log() = 0;
  virtual const std::string& name_of(std::size_t number) const = 0;
  /// Adds the figures to a row of the summary.
  static void add_figures(config::Json& row, const SwitchFigures& figures);

 private:
  RunContext& run_;
  const char* const one_;
  const char* const several_;
};

}  // namespace tactus::executive
