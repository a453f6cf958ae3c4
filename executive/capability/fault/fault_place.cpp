// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/fault_place.hpp"

#include <algorithm>

#include "config/text.hpp"
#include "executive/model/suggest.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

constexpr const char* kNoLink = "this rig has no link (link:), so it has no peers and sends no signals";

/// "'a', 'b'".
std::string all_of(const std::vector<std::string>& names) {
  return rtsync::joined(names, ", ", [&](const std::string& name) { return config::show(name); });
}

/// Says why a received signal is not disturbed here.
std::string received_text(const LinkSignal& signal) {
  return config::show(signal.name) +
         " is received; what is received is disturbed through the input that it feeds: write 'on: " +
         (signal.variables.empty() ? "model.input" : signal.variables[0].name()) + "'";
}

}  // namespace

std::string clock_problem(const Draft& draft, std::optional<rtsync::Nanoseconds> late) {
  const ClockSection& clock = draft.settings.clock;
  if (clock.driver.value == "internal")
    return "this rig has no external clock, so it has no edges; add 'clock: { driver: gpio, ... }', or make "
           "a "
           "job longer ('on: job model.job, longer: 300 us')";
  if (!late) return "";
  const rtsync::Nanoseconds between = clock.settings(draft.plan.frame).edge_period().floor();
  if (*late < between) return "";
  return rtsync::duration_text(late->count()) + " is not less than the time between two edges, " +
         rtsync::duration_text(between.count()) +
         ": such an edge comes when the next one does; write 'missing_edge: yes', or a shorter time";
}

std::string find_peer(const Draft& draft, std::string_view name, std::vector<std::size_t>& received) {
  // Left out by the command, or complained of already: nothing can be found in it.
  if (draft.rig.link == nullptr) return draft.names_link || draft.link_overrides.off ? "" : kNoLink;
  std::vector<std::string> peers, unsaid;
  for (const LinkSignal& signal : draft.rig.link->signals()) {
    if (signal.sent) continue;
    if (signal.peer.empty()) unsaid.push_back(signal.name);
    if (signal.peer == name) received.push_back(signal.number);
    if (!signal.peer.empty() && std::ranges::find(peers, signal.peer) == peers.end())
      peers.push_back(signal.peer);
  }
  if (!received.empty()) return "";
  const std::string wanted(name);
  if (!wanted.empty() && wanted == draft.rig.link->own_name())
    return config::show(wanted) + " is this rig itself; a peer is another participant";
  if (peers.empty() && unsaid.empty())
    return "the link receives nothing (link.subscribe), so no peer can fall silent";
  std::string why = "no signal of the link comes from a participant " + config::show(wanted) +
                    (peers.empty() ? "" : did_you_mean(wanted, peers));
  if (!unsaid.empty())
    why += "; of " + all_of(unsaid) +
           " the rig file does not say who sends it: write 'peer: " + (wanted.empty() ? "NAME" : wanted) +
           "' there, as in link.subscribe." + unsaid[0];
  return why;
}

std::string find_sent(const Draft& draft, std::string_view name, VariableRef& ref, SentVariable& at) {
  if (draft.rig.link == nullptr) return draft.names_link ? "" : kNoLink;
  const std::vector<LinkSignal> signals = draft.rig.link->signals();
  const std::size_t dot = name.find('.');
  const std::string signal_name(name.substr(0, dot));
  const auto find = [&](bool sent) {
    return std::ranges::find_if(
        signals, [&](const LinkSignal& each) { return each.sent == sent && each.name == signal_name; });
  };
  const auto found = find(true);
  if (found == signals.end()) {
    if (const auto received = find(false); received != signals.end()) return received_text(*received);
    std::vector<std::string> names;
    for (const LinkSignal& each : signals)
      if (each.sent) names.push_back(each.name);
    return "the link sends no signal " + config::show(signal_name) + did_you_mean(signal_name, names);
  }
  at.signal = found->number;
  const std::vector<std::string> members = names_of(found->variables, &VariableRef::name);
  if (dot == std::string_view::npos) {
    if (found->variables.size() != 1)
      return config::show(signal_name) + " carries several variables; name one of them: 'link " +
             signal_name + "." + (members.empty() ? "model.variable" : members[0]) + "'; it carries " +
             all_of(members);
    ref = at.whole = found->variables[0];
    return "";
  }
  const std::string wanted(name.substr(dot + 1));
  std::string why;
  const auto variable = draft.look_up(wanted, why);
  if (!variable && std::ranges::find(members, wanted) == members.end())
    return why.empty() ? "'" + wanted + "' is not a variable of this rig" : why;
  for (at.index = 0; at.index < found->variables.size(); ++at.index) {
    const VariableRef& each = found->variables[at.index];
    if (variable->variable != each.variable || variable->first < each.first ||
        variable->first + variable->elements > each.first + each.elements)
      continue;
    ref = *variable;
    at.whole = each;
    return "";
  }
  return config::show(signal_name) + " does not carry '" + wanted + "'" + did_you_mean(wanted, members);
}

}  // namespace tactus::executive
