// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

/// The elements of inputs that are fed, and by which connection.
using Fed = std::map<std::pair<const Variable*, std::uint32_t>, const ConnectionSettings*>;

void make_connection(Draft& draft, const ConnectionSettings& settings, Fed& fed) {
  config::Problems& problems = draft.problems;
  if (settings.from.value.empty() || settings.to.value.empty()) return;  // already complained about
  const auto from = draft.find_variable(settings.from);
  const auto to = draft.find_variable(settings.to);
  if (!from || !to) return;
  if (settings.direct && settings.delayed)
    return problems.add(settings.origin, "'direct' and 'delayed' exclude each other; choose one");
  const Connection connection{*from, *to, settings.delayed, settings.scale, settings.offset, settings.direct};
  if (const auto reason = validate(connection)) return problems.add(settings.origin, *reason);
  for (std::uint32_t i = 0; i < to->elements; ++i) {
    const auto [other, first] = fed.emplace(std::pair(to->variable, to->first + i), &settings);
    if (first) continue;
    problems.add(settings.to, "'" + to->name() + "' is already fed by '" + other->second->from.value + "' (" +
                                  other->second->origin.place.text() + "); an input has one source");
    break;
  }
  draft.plan.connections.push_back(connection);
  draft.origins.connections.push_back(settings.origin);
}

}  // namespace

void make_connections(Draft& draft) {
  Fed fed;
  for (const ConnectionSettings& settings : draft.settings.connect) make_connection(draft, settings, fed);
  const std::vector<Connection>& all = draft.plan.connections;
  for (const DirectLoop& loop : find_direct_loops(all))
    draft.problems.add(draft.origins.connections[static_cast<std::size_t>(loop.closing - all.data())],
                       "closes a loop without delay: " + loop.path +
                           "; its models have no order; add 'delayed: yes' to one of its connections");
}

}  // namespace tactus::executive
