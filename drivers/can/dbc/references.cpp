// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "drivers/can/dbc/parser.hpp"

namespace tactus::drivers::can {
namespace {

/// Makes the indexes of the names; leaves out signals whose name their message has already.
void index_names(Statements& all, Notes& notes) {
  for (std::size_t n = 0; n < all.database.nodes.size(); ++n)
    all.nodes.emplace(all.database.nodes[n].name, n);
  all.signals.resize(all.database.messages.size());
  for (std::size_t m = 0; m < all.database.messages.size(); ++m) {
    Message& message = all.database.messages[m];
    auto& index = all.signals[m];
    std::size_t kept = 0;
    for (std::size_t s = 0; s < message.signals.size(); ++s) {
      Signal& signal = message.signals[s];
      const auto [at, fresh] = index.emplace(signal.name, kept);
      if (!fresh) {
        notes.warn(signal.line, "signal " + message.name + "." + signal.name + ": line " +
                                    std::to_string(message.signals[at->second].line) +
                                    " has this name already; this one is left out");
        continue;
      }
      if (kept != s) {
        message.signals[kept] = std::move(signal);
        all.places[m][kept] = all.places[m][s];
      }
      ++kept;
    }
    message.signals.erase(message.signals.begin() + static_cast<std::ptrdiff_t>(kept), message.signals.end());
    all.places[m].resize(kept);
  }
}

std::size_t index_of(const Statements& all, const Message& message) {
  return static_cast<std::size_t>(&message - all.database.messages.data());
}

int signal_index(const Statements& all, const Message& message, std::string_view name) {
  const auto& index = all.signals[index_of(all, message)];
  const auto at = index.find(readable(name));
  return at == index.end() ? -1 : static_cast<int>(at->second);
}

void set_comments(Statements& all, Notes& notes) {
  for (const Comment& each : all.comments) {
    auto* const to = part_of(all, each.target, "CM_", notes, [](auto& object) { return &object.comment; });
    if (to != nullptr) *to = readable(each.text);
  }
}

void set_names(Statements& all, Notes& notes) {
  std::unordered_map<std::string, const ValueTable*> tables;
  for (const ValueTable& table : all.database.tables) tables.emplace(table.name, &table);
  for (const SetNames& each : all.names) {
    Signal* const signal = signal_of(all, each.target, "VAL_", notes);
    if (signal == nullptr) continue;
    signal->names.clear();
    if (!each.table.empty()) {
      const auto at = tables.find(readable(each.table));
      if (at == tables.end())
        notes.warn(each.target.line, "VAL_: there is no table " + readable(each.table));
      else
        signal->names = at->second->names;
    }
    for (const auto& [number, name] : each.names) {
      if (number != std::floor(number) || std::abs(number) > 9.2e18) {
        notes.warn(each.target.line, "VAL_: " + readable(each.target.name) + ": '" + readable(name) +
                                         "' names a value that is not whole; it is left out");
        continue;
      }
      signal->names.push_back({static_cast<std::int64_t>(number), readable(name)});
    }
  }
}

void set_kinds(Statements& all, Notes& notes) {
  for (const SetKind& each : all.kinds) {
    Signal* const signal = signal_of(all, each.target, "SIG_VALTYPE_", notes);
    if (signal == nullptr || each.kind == 0) continue;
    const unsigned bits = each.kind == 1 ? 32 : 64;
    if (each.kind > 2)
      notes.error(each.target.line, "SIG_VALTYPE_: " + signal->name + ": " + std::to_string(each.kind) +
                                        " is not one of 0 (whole), 1 (float), 2 (double)");
    else if (signal->length != bits)
      notes.error(each.target.line, "SIG_VALTYPE_: " + signal->name + " has " +
                                        std::to_string(signal->length) + " bits; a " +
                                        (bits == 32 ? "float has 32" : "double has 64"));
    else
      signal->kind = bits == 32 ? ValueKind::float32 : ValueKind::float64;
  }
}

/// Switches of signals with mN: the only, or the first, switch of their message.
void set_simple_switches(Statements& all, Notes& notes) {
  for (std::size_t m = 0; m < all.database.messages.size(); ++m) {
    Message& message = all.database.messages[m];
    int root = -1;
    std::size_t roots = 0;
    for (std::size_t s = 0; s < message.signals.size(); ++s) {
      if (!message.signals[s].is_switch || all.places[m][s].has_value) continue;
      if (roots++ == 0) root = static_cast<int>(s);
    }
    for (std::size_t s = 0; s < message.signals.size(); ++s) {
      const WrittenPlace& place = all.places[m][s];
      Signal& signal = message.signals[s];
      if (!place.has_value || signal.of_switch >= 0) continue;
      const std::string what = "signal " + message.name + "." + signal.name;
      if (root < 0) {
        notes.warn(signal.line,
                   what + ": is multiplexed, but its message has no switch (M); it is taken as always there");
      } else if (place.without_number) {
        notes.warn(signal.line,
                   what + ": 'm' has no number, and no SG_MUL_VAL_ says when it is there; it is never there");
        signal.of_switch = root;
      } else {
        if (roots > 1)
          notes.warn(signal.line, what +
                                      ": several switches (M), and no SG_MUL_VAL_ says which one selects it; "
                                      "the first is taken, " +
                                      message.signals[static_cast<std::size_t>(root)].name);
        signal.of_switch = root;
        signal.present = {{place.value, place.value}};
      }
    }
  }
}

/// Breaks circles of switches, and those that are too deep.
void check_depth(Message& message, Notes& notes) {
  for (Signal& signal : message.signals) {
    unsigned depth = 0;
    for (int at = signal.of_switch; at >= 0 && depth <= kDeepestMultiplexer; ++depth)
      at = message.signals[static_cast<std::size_t>(at)].of_switch;
    if (depth <= kDeepestMultiplexer) continue;
    notes.error(signal.line, "signal " + message.name + "." + signal.name + ": more than " +
                                 std::to_string(kDeepestMultiplexer) +
                                 " switches above it, or switches in a circle");
    signal.of_switch = -1;
    signal.present.clear();
  }
}

void set_switches(Statements& all, Notes& notes) {
  for (const SetSwitch& each : all.switches) {
    Message* const message = message_of(all, each.target, "SG_MUL_VAL_", notes);
    Signal* const signal = message == nullptr ? nullptr : signal_of(all, each.target, "SG_MUL_VAL_", notes);
    if (signal == nullptr) continue;
    const int by = signal_index(all, *message, each.by);
    const std::string what = "SG_MUL_VAL_: " + message->name + "." + signal->name;
    if (by < 0) {
      notes.error(each.target.line, what + ": there is no switch '" + readable(each.by) + "' in its message");
    } else if (each.present.empty()) {
      notes.warn(each.target.line, what + ": has no values");
    } else {
      Signal& selects = message->signals[static_cast<std::size_t>(by)];
      if (!selects.is_switch)
        notes.warn(each.target.line, what + ": its switch " + selects.name + " is not marked by M");
      selects.is_switch = true;
      signal->of_switch = by;
      signal->present = each.present;
    }
  }
  set_simple_switches(all, notes);
  for (Message& message : all.database.messages) {
    check_depth(message, notes);
    for (Signal& signal : message.signals) {
      if (!signal.is_switch || signal.kind == ValueKind::whole) continue;
      notes.error(signal.line, "signal " + message.name + "." + signal.name + ": a switch cannot be a float");
      signal.kind = ValueKind::whole;
    }
  }
}

}  // namespace

Message* message_of(Statements& all, const Target& target, const char* statement, Notes& notes) {
  if (all.left_out.contains(target.id) || target.id == kIndependentId) return nullptr;
  const auto at = all.by_id.find(target.id);
  if (at != all.by_id.end()) return &all.database.messages[at->second];
  notes.warn(target.line,
             std::string(statement) + ": there is no message with the number " + std::to_string(target.id));
  return nullptr;
}

Node* node_of(Statements& all, const Target& target, const char* statement, Notes& notes) {
  const std::string name = readable(target.name);
  if (const auto at = all.nodes.find(name); at != all.nodes.end()) return &all.database.nodes[at->second];
  notes.warn(target.line, std::string(statement) + ": there is no node " + name);
  return nullptr;
}

Signal* signal_of(Statements& all, const Target& target, const char* statement, Notes& notes) {
  Message* const message = message_of(all, target, statement, notes);
  if (message == nullptr) return nullptr;
  const int at = signal_index(all, *message, target.name);
  if (at >= 0) return &message->signals[static_cast<std::size_t>(at)];
  notes.warn(target.line, std::string(statement) + ": message " + message->name + " has no signal " +
                              readable(target.name));
  return nullptr;
}

void resolve_references(Statements& all, Notes& notes) {
  index_names(all, notes);
  set_comments(all, notes);
  set_kinds(all, notes);
  set_names(all, notes);
  set_switches(all, notes);
  for (const SetSenders& each : all.senders)
    if (Message* const message = message_of(all, each.target, "BO_TX_BU_", notes))
      for (const std::string_view node : each.nodes) message->senders.push_back(readable(node));
  for (const SetGroup& each : all.groups) {
    Message* const message = message_of(all, each.target, "SIG_GROUP_", notes);
    if (message == nullptr) continue;
    for (const std::string_view name : each.signals)
      if (signal_index(all, *message, name) < 0)
        notes.warn(each.target.line,
                   "SIG_GROUP_: message " + message->name + " has no signal " + readable(name));
  }
}

}  // namespace tactus::drivers::can
