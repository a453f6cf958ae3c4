// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The command in the process of the test. A program that has this file does commands that start no rig so, whenever
/// a test calls run():
///
///     const Finished done = run(tactus({"check", "rig.yaml"}, dir.path()));   // no process is started
///
/// A process of its own has what needs one: `run`, a terminal, another program in front, an environment that the
/// dynamic linker or a sanitizer reads, and each Command with `own_process`.
///
/// Environment, current folder, signals and standard descriptors are afterwards what they were. A command that crashes
/// takes the test program with it; the last lines on stderr then name the command, and all that it had said.
#include "tests/support/process.hpp"

namespace tactus::test {

/// Start to end, as run() does it, whatever the command; a `run` without its witness. `terminal` has no effect.
Finished run_in_process(const Command& command);

/// True if run() runs the command in the process of the test.
bool is_run_in_process(const Command& command);

}  // namespace tactus::test
