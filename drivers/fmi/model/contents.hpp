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

struct Contents {
  std::vector<RigVariable> inputs;      ///< set before each step
  std::vector<RigVariable> tunables;    ///< tunable parameters: set before a step when they have changed
  std::vector<RigVariable> parameters;  ///< fixed ones: set before initialization
  std::vector<RigVariable> outputs;     ///< got after each step, local variables that were asked for too
  std::vector<RigVariable> constants;   ///< got once, after initialization: calculated parameters, constants
  std::vector<const Variable*> texts;   ///< parameters of type String and Binary
  std::vector<const Variable*> structure;  ///< structural parameters
  std::vector<LeftOut> left_out;
};

/// Wishes of the rig file.
struct Wishes {
  std::map<std::string, std::int64_t> structure;  ///< structural parameters by name
  std::vector<std::string> locals;                ///< local variables to show; '*' stands for any text
};

/// A mistake in a wish: the key of the rig file, and a sentence.
struct WishProblem {
  std::string path;
  std::string text;
};

/// Names that the driver's own variables have.
inline constexpr const char* kOwnNames[] = {"unit_steps",  "unit_time",  "unit_lag",
                                            "unit_status", "unit_state", "unit_state_bytes"};

Contents contents_of(const Description& description, const Wishes& wishes,
                     std::vector<WishProblem>& problems);

/// Returns reasons why the unit cannot run in a rig, by its description alone. Empty: it can.
std::vector<std::string> refusals(const Description& description);

/// Returns the reason why a step of `step` seconds does not fit the unit's own; empty: it does.
std::string step_refusal(const Description& description, double step);

}  // namespace tactus::drivers::fmi
