// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The command in the process of the test: many wrong files and command lines, each in milliseconds.
#include "tests/support/process.hpp"

namespace tactus::test {

/// Start to end, as run() does it, for a command that starts no rig. `env` and `terminal` have no effect.
Finished run_in_process(const Command& command);

}  // namespace tactus::test
