// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus::executive {

/// The life of a rig. The names are Cloe's; docs/rig-states.md says what happens in each.
enum class State : std::uint8_t {
  connect,
  start,
  step_begin,
  step_simulator,
  step_controller,
  step_end,
  pause,
  resume,
  stop,
  reset,
  abort,
  disconnect,
};
inline constexpr std::size_t kStates = 12;

constexpr std::string_view name_of(State state) {
  constexpr std::array<std::string_view, kStates> kNames = {
      "Connect", "Start",  "StepBegin", "StepSimulator", "StepController", "StepEnd",
      "Pause",   "Resume", "Stop",      "Reset",         "Abort",          "Disconnect"};
  return kNames[static_cast<std::size_t>(state)];
}

struct Transition {
  State from;
  State to;
};

/// Every transition there is. What is not here does not happen.
inline constexpr Transition kLifecycle[] = {
    {State::connect, State::start},
    {State::connect, State::abort},  // a library, a device or a privilege that is required is missing
    {State::start, State::step_begin},
    {State::start, State::pause},  // the external clock is at fault before the first frame
    {State::start, State::stop},   // stopped before the first frame
    {State::start, State::abort},  // an initialization job failed
    {State::step_begin, State::step_simulator},
    {State::step_begin, State::abort},
    {State::step_simulator, State::step_controller},
    {State::step_simulator, State::abort},
    {State::step_controller, State::step_simulator},  // the next sub-frame time
    {State::step_controller, State::step_end},
    {State::step_controller, State::abort},
    {State::step_end, State::step_begin},
    {State::step_end, State::pause},
    {State::step_end, State::stop},
    {State::step_end, State::abort},
    {State::pause, State::resume},
    {State::pause, State::stop},
    {State::pause, State::abort},
    {State::resume, State::step_begin},
    {State::resume, State::pause},  // the external clock is at fault again
    {State::resume, State::stop},   // the freeze was the answer to overruns
    {State::resume, State::abort},
    {State::stop, State::reset},
    {State::stop, State::disconnect},
    {State::reset, State::start},
    {State::reset, State::abort},  // a model cannot be set back
    {State::abort, State::stop},   // what can still be ended in order is
    {State::abort, State::disconnect},
};

constexpr bool can_go(State from, State to) {
  for (const Transition& transition : kLifecycle)
    if (transition.from == from && transition.to == to) return true;
  return false;
}

namespace detail {

constexpr bool reaches(State from, State to) {
  std::array<bool, kStates> seen{};
  seen[static_cast<std::size_t>(from)] = true;
  for (std::size_t round = 0; round < kStates; ++round)
    for (const Transition& t : kLifecycle)
      if (seen[static_cast<std::size_t>(t.from)]) seen[static_cast<std::size_t>(t.to)] = true;
  return seen[static_cast<std::size_t>(to)];
}

template <class Fits>
constexpr bool every_state(Fits fits) {
  for (std::size_t i = 0; i < kStates; ++i)
    if (!fits(static_cast<State>(i))) return false;
  return true;
}

/// A working rig can be aborted wherever it is; ending states lead to the end by themselves.
constexpr bool can_abort(State state) {
  const bool ending = state == State::stop || state == State::abort || state == State::disconnect;
  return ending || can_go(state, State::abort);
}

constexpr bool no_transition_twice() {
  std::size_t found = 0;
  for (std::size_t from = 0; from < kStates; ++from)
    for (std::size_t to = 0; to < kStates; ++to)
      found += can_go(static_cast<State>(from), static_cast<State>(to)) ? 1U : 0U;
  return found == std::size(kLifecycle);
}

}  // namespace detail

static_assert(detail::every_state([](State state) { return detail::reaches(State::connect, state); }),
              "a state without a way to it");
static_assert(detail::every_state([](State state) { return detail::reaches(state, State::disconnect); }),
              "a rig that cannot be ended");
static_assert(detail::every_state(detail::can_abort),
              "a state in which an unrecoverable error has no way out");
static_assert(detail::no_transition_twice(), "a transition stands in the table twice");
static_assert(detail::every_state([](State to) { return !can_go(State::disconnect, to); }),
              "a rig that comes back from the dead");

}  // namespace tactus::executive
