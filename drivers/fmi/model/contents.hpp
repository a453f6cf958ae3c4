// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Sorts the variables of a unit: inputs, parameters and outputs of the model, and those that a rig does not have, with
/// the reason.
///
/// Threads  @when setup
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "drivers/fmi/description/description.hpp"
#include "drivers/fmi/model/values.hpp"

namespace tactus::drivers::fmi {

/// A variable that the rig does not have, and why.
struct LeftOut {
  const Variable* variable;
  std::string why;
};

/// A clock of a unit for scheduled execution, and the names of what a rig has of it.
struct ClockVariable {
  const Variable* of = nullptr;
  std::string name;        ///< variable that counts the ticks of a triggered one, or of an output
  std::string ticks{};     ///< calls of its partition
  std::string next{};      ///< next time of one whose interval the unit gives
  std::string late{};      ///< the same: longest time that it waited for a frame
  std::string interval{};  ///< interval of a changing one, with event mode of each timed one
  std::string served{};    ///< value of a triggered one that was served
  std::string news{};      ///< countdown, between two models of one unit: times that it was started
  std::string due{};       ///< the same: time of its tick
  std::string seen{};      ///< the same: times that were taken
  std::string told{};      ///< event mode: interval that the unit has
  std::string from{};      ///< the same: time from which ticks of a periodic one are counted
  std::string before{};    ///< the same: ticks before that
};

/// A structural parameter, which sizes of arrays depend on.
struct StructureVariable {
  const Variable* of = nullptr;
  std::string name;          ///< name in the rig
  std::uint64_t size = 0;    ///< value with which the variables are laid out
  std::uint64_t memory = 0;  ///< value that the rig has: another cannot be
};

/// Returns true if the unit has to be told: it is not the start value of its description.
inline bool is_other(const StructureVariable& one) {
  return one.of->start.wholes.empty() || static_cast<std::uint64_t>(one.of->start.wholes[0]) != one.size;
}

struct Contents {
  std::vector<RigVariable> inputs;      ///< set before each step
  std::vector<RigVariable> tunables;    ///< tunable parameters: set before a step when they have changed
  std::vector<RigVariable> parameters;  ///< fixed ones: set before initialization
  std::vector<RigVariable> outputs;     ///< got after each step, local variables that were asked for too
  std::vector<RigVariable> constants;   ///< got once, after initialization: calculated parameters, constants
  std::vector<ClockVariable> partitions;  ///< input clocks, each with its partition, or those of event mode
  std::vector<ClockVariable> output_clocks;
  std::vector<const Variable*> texts;  ///< parameters of type String and Binary
  std::vector<StructureVariable> structure;
  std::vector<LeftOut> left_out;
};

/// Wishes of the rig file.
struct Wishes {
  Execution execution = Execution::co_simulation;
  bool event_mode = false;  ///< co-simulation with event mode
  std::map<std::string, std::string>
      parameters{};                   ///< texts under 'parameters' in the rig file, by names in the rig
  std::vector<std::string> locals{};  ///< local variables to show; '*' stands for any text
};

/// A mistake in a wish: the key of the rig file, and a sentence.
struct WishProblem {
  std::string path;
  std::string text;
};

inline constexpr std::size_t kMostPartitions = 64;

/// Names that the driver's own variables have.
inline constexpr const char* kOwnNames[] = {"unit_steps",      "unit_time",    "unit_lag",
                                            "unit_status",     "unit_state",   "unit_state_bytes",
                                            "unit_next_event", "unit_last_set"};

Contents contents_of(const Description& description, const Wishes& wishes,
                     std::vector<WishProblem>& problems);

/// Returns the kind of interface that a rig uses if nothing is said.
Execution usual_execution(const Description& description);

/// Returns reasons why the unit cannot run in a rig, by its description alone. Empty: it can.
std::vector<std::string> refusals(const Description& description, Execution execution);

/// Returns the reason why a step of `step` seconds does not fit the unit's own; empty: it does.
std::string step_refusal(const Description& description, double step);

}  // namespace tactus::drivers::fmi
