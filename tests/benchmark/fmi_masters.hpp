// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::benchmark {

/// Runs a unit by whole programs that write ten outputs of each step into a file: tactus, and `fmusim` of the Reference
/// FMUs if TACTUS_FMUSIM names it. What a step takes is the difference of a long run and a short one.
void ask_masters(bool quick);

}  // namespace tactus::benchmark
