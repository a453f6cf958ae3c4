// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/json.hpp"
#include "executive/capability/clock/clock_status_part.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/clock/edge_clock.hpp"

namespace tactus::executive {

/// The external clock of one run, as others see it.
///
/// Threads  the service thread.
class RunClock final : public Capability {
 public:
  static bool is_needed(const RunContext& run) { return run.pacing->edge_clock() != nullptr; }
  explicit RunClock(RunContext& run) : run_(run), status_(run.rig.clock_status(), run.pacing->sleeper()) {
    run.executive->add(status_);
  }

  ClockStatusPart& status() { return status_; }
  void summarize(config::Json& all, Summary what) const override;
  void report(LiveReport which, config::Json& body) override;

 private:
  RunContext& run_;
  ClockStatusPart status_;
};

/// The status of the external clock of a run; nullptr: the run has an internal one.
inline ClockStatusPart* clock_status(const RunContext& run) {
  RunClock* const clock = run.find<RunClock>();
  return clock == nullptr ? nullptr : &clock->status();
}

}  // namespace tactus::executive
