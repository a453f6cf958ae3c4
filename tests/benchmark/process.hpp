// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace tactus::benchmark {

/// Cost of a process, and of those that it waited for.
struct ProcessCost {
  double wall_ms = 0;
  double cpu_ms = 0;
  double peak_mib = 0;  ///< of the largest of them; where it was watched, of itself alone, as last seen
};

/// Runs a command whose output nobody reads. `watch`: looks at its memory meanwhile. Throws std::runtime_error when it
/// cannot be run, or does not end with 0.
ProcessCost run_process(const std::vector<std::string>& words, bool watch = false);

}  // namespace tactus::benchmark
