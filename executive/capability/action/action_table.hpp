// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include "executive/capability/action/action.hpp"

namespace tactus::executive {

/// Argument that belongs to an action.
enum class ActionArgument : std::uint8_t {
  nothing,
  text,       ///< any text; may be missing
  some_text,  ///< any text
  values,     ///< variables with values
  variables,  ///< names of variables
  job,        ///< names of jobs
  file,       ///< a plain file name; may be missing
  thing,      ///< names of things that are switched
  thing_on,   ///< names of things, each with on or off
  running,    ///< names of faults or stimuli
  event_job,  ///< names of jobs of class on_event
  factor,     ///< a factor
};

/// One action of the table from which events, sequences and commands take theirs.
struct ActionRow {
  const char* word;
  ActionKind kind;
  ActionArgument argument;
  const char* form;   ///< form as a text
  const char* about;  ///< effect
  bool on = false;    ///< turn, job
};

/// All actions, in the order of the documentation.
std::span<const ActionRow> action_rows();

}  // namespace tactus::executive
