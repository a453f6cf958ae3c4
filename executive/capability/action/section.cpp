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
  std::stable_sort(plan.timed.begin(), plan.timed.end(),
                   [](const TimedActions& a, const TimedActions& b) { return a.at < b.at; });
}

}  // namespace tactus::executive
