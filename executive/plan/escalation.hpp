// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "rtsync/time/time.hpp"
#include "rtsync/wait/overrun_policy.hpp"

namespace tactus::executive {

/// What is done when something took too long so often.
enum class StepAction : std::uint8_t {
  count,       ///< say so
  skip,        ///< until there is room again, on_overrun is this; of the rig alone
  catch_up,    ///< likewise
  reanchor,    ///< likewise
  shed,        ///< leave optional jobs out until there is room again
  demote,      ///< call a job less often until there is room again
  freeze,      ///< freeze the rig; it ends when it is resumed
  safe_state,  ///< drive the outputs safe and freeze the rig; it ends when it is resumed
  terminate,   ///< end the rig, outputs safe
};

/// "safe_state".
constexpr std::string_view name_of(StepAction action) {
  switch (action) {
    case StepAction::count:
      return "count";
    case StepAction::skip:
      return "skip";
    case StepAction::catch_up:
      return "catch_up";
    case StepAction::reanchor:
      return "reanchor";
    case StepAction::shed:
      return "shed";
    case StepAction::demote:
      return "demote";
    case StepAction::freeze:
      return "freeze";
    case StepAction::safe_state:
      return "safe_state";
    case StepAction::terminate:
      break;
  }
  return "terminate";
}

/// What on_overrun becomes; nothing: the step is about something else.
constexpr std::optional<rtsync::OnOverrun> on_overrun_of(StepAction action) {
  switch (action) {
    case StepAction::skip:
      return rtsync::OnOverrun::skip;
    case StepAction::catch_up:
      return rtsync::OnOverrun::catch_up;
    case StepAction::reanchor:
      return rtsync::OnOverrun::reanchor;
    default:
      return std::nullopt;
  }
}

/// A step of an escalation: what is done when so much came within so long.
struct EscalationStep {
  static constexpr std::int64_t kMost = 1000;
  std::int64_t after = 1;
  rtsync::Nanoseconds within{1'000'000'000};
  StepAction action = StepAction::count;
  bool operator==(const EscalationStep&) const = default;
};

}  // namespace tactus::executive
