// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "config/document.hpp"
#include "executive/plan/rig.hpp"

namespace tactus::app {

/// Question whether the jobs have enough time, and the source of the figures.
struct LoadQuestion {
  std::string from;  ///< a run folder; empty: budgets alone
  bool max = false;  ///< true: the longest call of the run instead of the p99
};

/// Prints the plan of a rig: its threads, jobs, state, devices and connections. Returns the reasons against running it.
/// Throws CommandError: `from` is no run of this rig.
std::vector<std::string> print_plan(const executive::Rig& rig, const LoadQuestion& question);
void print_notes(const executive::Rig& rig);
/// Names what a rig file of an earlier version now means.
void print_changed_meaning(const config::Document& document, const executive::Rig& rig);

}  // namespace tactus::app
