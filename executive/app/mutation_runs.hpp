// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>

#include "executive/app/test_runs.hpp"

namespace tactus::app {

/// The choices of `tactus test --mutate` beside those of its tests.
struct MutationRuns {
  std::string only;             ///< text that "motor.speed stuck" holds; empty: any
  std::optional<double> least;  ///< share of mutants that has to be seen
  std::optional<std::chrono::nanoseconds>
      patience;  ///< limit for each mutant; by default ten times the run without one, at least a minute
  std::size_t jobs = 0;  ///< processes side by side; 0: one for each CPU
  bool json = false;
};

/// Runs the tests once as they are, then once for each mutant of the rig's outputs, and prints which of them no
/// expectation saw. Returns 0; kVerdictFailed if less than `least` were seen; kEndedEarly if some have no verdict; the
/// status of the tests if they do not pass without a mutant. Throws CommandError, config::ConfigError.  @when service
int run_mutants(const TestRuns& asked, const MutationRuns& choices);

}  // namespace tactus::app
