// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "config/json.hpp"
#include "executive/capability/policy/policy_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Says which steps of escalations a run takes, and what comes back.
///
/// Threads  the service thread.
class RunPolicies final : public Capability {
 public:
  /// Both must outlive it. @when setup
  RunPolicies(Executive& executive, PolicyVariables& variables);
  explicit RunPolicies(RunContext& run) : RunPolicies(*run.executive, run.rig.policy_variables()) {
    run_ = &run;
  }
  static bool is_needed(const RunContext& run) { return PolicyPart::is_needed(run.executive->plan()); }

  /// Steps that change something, and what comes back.
  void poll(RunVoice& voice) override;
  /// Those that change nothing: a line each, however many there were.
  void poll_seldom(RunVoice& voice) override;
  /// Returns its part of summary.json.
  config::Json summary() const;

  void finish() override {
    poll(*run_->voice);
    poll_seldom(*run_->voice);
  }
  void summarize(config::Json& all, Summary what) const override {
    if (what == Summary::ended) all["policies"] = summary();
  }

 private:
  std::string text(const PolicyNote& note) const;
  std::string jobs_text(const PolicyNote& note) const;
  bool changes_something(const PolicyNote& note) const;
  std::string effect_text(const PolicyNote& note) const;

  void poll_hard_budgets(RunVoice& voice);

  RunContext* run_ = nullptr;
  Executive& executive_;
  const JobRelief& relief_;
  PolicyPart part_;
  std::uint64_t lost_ = 0;
  struct Repeated {
    PolicyNote first;
    std::int64_t times = 0;
    std::int64_t last_frame = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Repeated> repeated_;  // by watched and step
  std::set<std::uint32_t> named_;                                         // jobs, since the last second began
  std::map<std::uint32_t, std::int64_t> exceeded_;                        // how often, as it was said last
};

}  // namespace tactus::executive
