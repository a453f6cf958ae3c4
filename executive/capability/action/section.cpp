// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/number.hpp"
#include "executive/capability/action/action_parser.hpp"
#include "executive/capability/action/settings.hpp"

namespace tactus::executive {

void plan_actions(Draft& draft) {
  ActionPlan& plan = *draft.settings.of<PlannedActions>().plan;
  plan = {};
  ActionParser parser(draft, plan);
  for (const CommandSettings& command : draft.settings.commands) {
    if (command.what.actions.is_null()) continue;
    const std::string owner = "commands at " + config::print_duration(command.at);
    const std::uint32_t list = parser.add(command.what.actions, command.origin.path + ".do", owner);
    if (list != ActionPlan::kNone) plan.timed.push_back({command.at, list});
  }
  std::ranges::stable_sort(plan.timed,
                           [](const TimedActions& a, const TimedActions& b) { return a.at < b.at; });
}

void note_pauses(Draft& draft) {
  const bool takes_commands = draft.rig.link != nullptr && draft.rig.link->takes_commands();
  if (!draft.rig.live_servers.empty() || takes_commands) return;
  for (const ActionList& list : draft.settings.of<PlannedActions>().plan->lists)
    for (const Action& action : list.actions)
      if (action.kind == ActionKind::pause || action.kind == ActionKind::safe_state) {
        draft.rig.notes.push_back(
            list.owner + ": '" + action.text +
            "' pauses a rig without a control port, so it waits for SIGUSR2 or a model; "
            "add live:, as live: { http: { listen: 127.0.0.1:8600 } }, or use stop");
        return;
      }
}

}  // namespace tactus::executive
