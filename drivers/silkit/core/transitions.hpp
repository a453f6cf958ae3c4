// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Tables of transitions between states, and what the compiler checks about them.
#include <cstddef>

namespace tactus::silkit {

template <class State>
struct Transition {
  State from;
  State to;
};

template <class State, std::size_t kSize>
constexpr bool can_go(const Transition<State> (&table)[kSize], State from, State to) {
  for (const Transition<State>& each : table)
    if (each.from == from && each.to == to) return true;
  return false;
}

/// Returns true if some way of one or more transitions leads from one state to the other.
template <class State, std::size_t kSize>
constexpr bool reaches(const Transition<State> (&table)[kSize], State from, State to) {
  State reached[kSize] = {};
  std::size_t count = 0;
  const auto has = [&](State state) {
    for (std::size_t i = 0; i < count; ++i)
      if (reached[i] == state) return true;
    return false;
  };
  for (bool more = true; more;) {
    more = false;
    for (const Transition<State>& each : table) {
      if ((each.from != from && !has(each.from)) || has(each.to)) continue;
      reached[count++] = each.to;
      more = true;
    }
  }
  return has(to);
}

template <class State, std::size_t kSize>
constexpr bool every_state_is_reached(const Transition<State> (&table)[kSize], State from) {
  for (const Transition<State>& each : table)
    if (each.from != from && !reaches(table, from, each.from)) return false;
  return true;
}

template <class State, std::size_t kSize>
constexpr bool every_state_reaches(const Transition<State> (&table)[kSize], State to) {
  for (const Transition<State>& each : table)
    if (!reaches(table, each.from, to)) return false;
  return true;
}

template <class State, std::size_t kSize>
constexpr bool no_transition_twice(const Transition<State> (&table)[kSize]) {
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (table[i].from == table[j].from && table[i].to == table[j].to) return false;
  return true;
}

}  // namespace tactus::silkit
