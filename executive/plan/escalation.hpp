// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "rtsync/time/time.hpp"
#include "rtsync/wait/overrun_policy.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::executive {

/// Action after something took too long too often.
enum class StepAction : std::uint8_t {
  count,       ///< say so
  skip,        ///< sets on_overrun until there is slack again; of the rig alone
  catch_up,    ///< sets on_overrun until there is slack again; of the rig alone
  reanchor,    ///< sets on_overrun until there is slack again; of the rig alone
  shed,        ///< leave optional jobs out until there is room again
  demote,      ///< call a job less often until there is room again
  freeze,      ///< freeze the rig; it ends when it is resumed
  safe_state,  ///< drive the outputs safe and freeze the rig; it ends when it is resumed
  terminate,   ///< end the rig, outputs safe
};

/// "safe_state".
constexpr std::string_view name_of(StepAction action) {
  using enum StepAction;
  constexpr rtsync::Worded<StepAction> kWords[] = {
      {count, "count"},        {skip, "skip"},     {catch_up, "catch_up"}, {reanchor, "reanchor"},
      {shed, "shed"},          {demote, "demote"}, {freeze, "freeze"},     {safe_state, "safe_state"},
      {terminate, "terminate"}};
  return rtsync::word_of(kWords, action);
}

/// New value of on_overrun; nothing: the step does not change it.
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

/// A step of an escalation: the action after a number of events within a time.
struct EscalationStep {
  static constexpr std::int64_t kMost = 1000;
  std::int64_t after = 1;
  rtsync::Nanoseconds within{1'000'000'000};
  StepAction action = StepAction::count;
  bool operator==(const EscalationStep&) const = default;
};

}  // namespace tactus::executive
