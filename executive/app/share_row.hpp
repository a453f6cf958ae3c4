// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A row for a table of machines: which processor and kernel, and how late a rig was there and why. It holds no name of
/// the machine, user or folder, no serial number, and of the kernel's name only what it is a version of.
///
/// Threads  every function is re-entrant. @when service
#include <filesystem>
#include <string>

#include "config/json.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::app {

/// Facts of the machine in the row.
struct SharedMachine {
  std::string processor;  ///< "AMD EPYC, 2 CPUs, virtual"
  std::string kernel;     ///< "6.12.9 PREEMPT_RT"
};
SharedMachine read_shared_machine(const std::filesystem::path& root = "/");

/// Head of the table in Markdown, two lines.
std::string share_head();
/// Row of a run, from its summary.json: "| AMD EPYC, 2 CPUs | 6.12.9 PREEMPT_RT | ... |".
std::string share_row(const SharedMachine& machine, const config::Json& summary);

/// Runs a rig without models in a folder of its own for that time, prints the row, and returns the exit status.
int share_machine(rtsync::Nanoseconds time);

}  // namespace tactus::app
