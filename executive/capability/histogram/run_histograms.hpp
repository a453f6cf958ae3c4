// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Shows the histograms that models of drivers have measured: in summary.json, and to clients.
///
/// Threads  the service thread.
class RunHistograms final : public Capability {
 public:
  explicit RunHistograms(RunContext& run) : run_(run) {}
  static bool is_needed(const RunContext& run) { return !run.rig.driver_models().empty(); }

  void summarize(config::Json& all, Summary what) const override;
  void report(LiveReport which, config::Json& body) override;

 private:
  config::Json rows() const;

  RunContext& run_;
};

/// Returns a histogram as summary.json has it. @when service
config::Json row_of(const std::string& model, const ModelHistogram& histogram);

}  // namespace tactus::executive
