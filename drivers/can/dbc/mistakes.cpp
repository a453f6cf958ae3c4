// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "drivers/can/dbc/bits.hpp"
#include "drivers/can/dbc/parser.hpp"

namespace tactus::drivers::can {
namespace {

/// Pairs of signals that are compared at most, of all messages: one with thousands of overlaps is not worth more.
constexpr std::size_t kMostPairs = 20'000'000;

bool meet(const std::vector<SwitchRange>& a, const std::vector<SwitchRange>& b) {
  return std::ranges::any_of(a, [&](const SwitchRange& x) {
    return std::ranges::any_of(b,
                               [&](const SwitchRange& y) { return x.first <= y.last && y.first <= x.last; });
  });
}

/// Returns true if both signals can be in one frame: no switch above both excludes it.
bool together(const Message& message, const Signal& a, const Signal& b) {
  const auto parent = [&](const Signal& of) {
    return &message.signals[static_cast<std::size_t>(of.of_switch)];
  };
  for (const Signal* x = &a; x->of_switch >= 0; x = parent(*x))
    for (const Signal* y = &b; y->of_switch >= 0; y = parent(*y))
      if (x->of_switch == y->of_switch && !meet(x->present, y->present)) return false;
  return true;
}

void look_for_shared_bits(const Message& message, std::size_t& pairs, Notes& notes) {
  FrameBits used{};
  std::vector<FrameBits> all;
  all.reserve(message.signals.size());
  for (const Signal& signal : message.signals) {
    const FrameBits bits = bits_of(signal);
    if (share(used, bits)) {
      for (std::size_t i = 0; i < all.size() && pairs < kMostPairs; ++i) {
        ++pairs;
        const Signal& other = message.signals[i];
        if (!share(all[i], bits) || !together(message, signal, other)) continue;
        notes.warn(signal.line, "signal " + message.name + "." + signal.name + ": shares bits with " +
                                    other.name + " (line " + std::to_string(other.line) + ")");
        break;
      }
    }
    all.push_back(bits);
    for (std::size_t i = 0; i < used.size(); ++i) used[i] |= bits[i];
  }
}

void look_at_range(const Message& message, const Signal& signal, Notes& notes) {
  const std::string what = "signal " + message.name + "." + signal.name;
  if (signal.min > signal.max) {
    notes.warn(signal.line, what + ": its range [min|max] has min above max");
    return;
  }
  if (!signal.has_range() || signal.kind != ValueKind::whole) return;
  const double top = std::ldexp(1.0, static_cast<int>(signal.length) - (signal.is_signed ? 1 : 0));
  const double least = signal.physical(signal.is_signed ? -top : 0);
  const double most = signal.physical(top - 1);
  const double step = std::abs(signal.factor);
  if (signal.max > std::max(least, most) + step || signal.min < std::min(least, most) - step)
    notes.warn(signal.line, what + ": its " + std::to_string(signal.length) +
                                " bits do not reach all of its range [min|max]");
}

/// Says that a start value (GenSigStartValue) is none of the raw values.
void look_at_start(const Message& message, const Signal& signal, Notes& notes) {
  if (!signal.start_raw || signal.kind != ValueKind::whole) return;
  const double top = std::ldexp(1.0, static_cast<int>(signal.length) - (signal.is_signed ? 1 : 0));
  if (*signal.start_raw <= top - 1 && *signal.start_raw >= (signal.is_signed ? -top : 0)) return;
  notes.warn(signal.line, "signal " + message.name + "." + signal.name + ": its " +
                              std::to_string(signal.length) +
                              " bits do not hold its start value (GenSigStartValue)");
}

void look_at_names(Database& database, Notes& notes) {
  std::unordered_map<std::string, std::uint32_t> names;
  for (const Message& message : database.messages) {
    const auto [at, fresh] = names.emplace(message.name, message.line);
    if (!fresh)
      notes.warn(message.line, "message " + message.name + ": the one in line " + std::to_string(at->second) +
                                   " has this name, too; the name means that one");
  }
  std::unordered_set<std::string> nodes;
  for (const Node& node : database.nodes) nodes.insert(node.name);
  if (nodes.empty()) {
    if (!database.messages.empty())
      notes.warn(1, "no nodes are listed (BU_); they are taken from the messages");
    std::unordered_set<std::string> found;
    for (const Message& message : database.messages)
      if (!message.sender.empty() && message.sender != "Vector__XXX" && found.insert(message.sender).second)
        database.nodes.push_back({message.sender, {}, {}, message.line});
    return;
  }
  for (const Message& message : database.messages)
    if (!message.sender.empty() && message.sender != "Vector__XXX" && !nodes.contains(message.sender))
      notes.warn(message.line, "message " + message.name + ": its sender " + message.sender +
                                   " is not a listed node (BU_)");
}

}  // namespace

void look_for_mistakes(Database& database, Notes& notes) {
  std::size_t pairs = 0;
  for (Message& message : database.messages) {
    for (Signal& signal : message.signals) {
      signal.beyond = bytes_of(signal) > message.length;
      if (signal.beyond)
        notes.warn(signal.line, "signal " + message.name + "." + signal.name +
                                    ": its bits extend beyond its message, which has " +
                                    std::to_string(message.length) +
                                    (message.length == 1 ? " byte" : " bytes"));
      look_at_range(message, signal, notes);
      look_at_start(message, signal, notes);
    }
    look_for_shared_bits(message, pairs, notes);
  }
  if (pairs >= kMostPairs) notes.warn(0, "too many signals share bits to compare them all");
  look_at_names(database, notes);
}

}  // namespace tactus::drivers::can
