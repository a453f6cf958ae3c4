// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::app {

/// The command `tactus`, from its arguments to its exit status; what it says goes to stdout and stderr. A
/// command that runs a rig changes its process for good (CPUs, memory, signals): once per process.
/// @when setup
int command_main(int argc, char** argv);

}  // namespace tactus::app
