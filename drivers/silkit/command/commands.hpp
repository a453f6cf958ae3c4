// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/driver/command_driver.hpp"

namespace tactus::silkit::command {

/// The commands, each an executive::CommandDriver, which the caller deletes. What a plug-in's own file includes is this
/// alone: the options of a command line are costly to compile, and so compiled together.
///
/// Threads  any.
executive::Driver* make_demo();
executive::Driver* make_monitor();
executive::Driver* make_registry();
executive::Driver* make_workflow();

}  // namespace tactus::silkit::command
