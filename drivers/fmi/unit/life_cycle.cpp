// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/life_cycle.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr unsigned bit(Phase phase) { return 1U << static_cast<unsigned>(phase); }
template <class... P>
constexpr unsigned in(P... phases) {
  return (bit(phases) | ...);
}
using P = Phase;

constexpr unsigned kAlive = in(P::made, P::configuring, P::initializing, P::step_complete, P::values_set,
                               P::handling, P::activating, P::terminated);

/// Phases from which a call is allowed, and the phase after it. P::none as `to` of a row but free: the phase stays.
struct Row {
  Call call;
  unsigned from2;  ///< FMI 2.0; 0: it has no such function
  unsigned from3;
  Phase to;
};

constexpr Row kRows[] = {
    {Call::instantiate, in(P::none), in(P::none), P::made},
    {Call::enter_configuration, 0, in(P::made), P::configuring},
    {Call::exit_configuration, 0, in(P::configuring), P::made},
    {Call::enter_initialization, in(P::made), in(P::made), P::initializing},
    {Call::exit_initialization, in(P::initializing), in(P::initializing), P::step_complete},
    {Call::set_start, in(P::made, P::initializing), in(P::made, P::initializing), P::none},
    {Call::set_structural, 0, in(P::configuring), P::none},
    {Call::set_input, in(P::step_complete), in(P::step_complete, P::values_set, P::activating),
     P::values_set},
    {Call::get, in(P::initializing, P::step_complete, P::terminated),
     in(P::initializing, P::step_complete, P::handling, P::activating, P::terminated, P::failed), P::none},
    {Call::step, in(P::step_complete), in(P::step_complete, P::values_set), P::step_complete},
    {Call::terminate, in(P::step_complete), in(P::step_complete, P::values_set, P::handling, P::activating),
     P::terminated},
    {Call::reset, kAlive | bit(P::failed), kAlive | bit(P::failed), P::made},
    {Call::state, kAlive & ~bit(P::configuring), kAlive & ~bit(P::configuring), P::none},
    {Call::set_state, (kAlive & ~bit(P::configuring)) | bit(P::failed),
     (kAlive & ~bit(P::configuring)) | bit(P::failed), P::step_complete},
    {Call::activate, 0, in(P::activating), P::none},
    {Call::clocks, 0, in(P::initializing, P::handling), P::none},
    {Call::set_interval, 0, in(P::initializing, P::handling), P::none},
    {Call::enter_event, 0, in(P::step_complete, P::values_set), P::handling},
    {Call::handle_event, 0, in(P::handling), P::none},
    {Call::enter_step, 0, in(P::handling), P::step_complete},
    {Call::free, kAlive | bit(P::failed), kAlive | bit(P::failed), P::none},
};

constexpr const Row& row_of(Call call) { return kRows[static_cast<unsigned>(call)]; }

constexpr bool is_in_order() {
  for (unsigned i = 0; i < sizeof kRows / sizeof kRows[0]; ++i)
    if (static_cast<unsigned>(kRows[i].call) != i) return false;
  return true;
}
static_assert(is_in_order(), "the rows are in the order of Call");

constexpr bool nothing_from(Phase phase) {
  for (const Row& row : kRows)
    if (((row.from2 | row.from3) & bit(phase)) != 0) return false;
  return true;
}
static_assert(nothing_from(Phase::fatal), "after Fatal nothing may be called");

constexpr bool allows(Call call, Phase phase, Version version) {
  const Row& row = row_of(call);
  return ((version == Version::fmi2 ? row.from2 : row.from3) & bit(phase)) != 0;
}
/// May each step of a frame be a Set, a step and a Get, again and again?
constexpr bool may_follow(Version version) {
  const Phase set = version == Version::fmi2 ? Phase::step_complete : row_of(Call::set_input).to;
  return allows(Call::set_input, Phase::step_complete, version) && allows(Call::set_input, set, version) &&
         allows(Call::step, Phase::step_complete, version) && allows(Call::step, set, version) &&
         row_of(Call::step).to == Phase::step_complete && allows(Call::get, Phase::step_complete, version) &&
         row_of(Call::get).to == Phase::none;
}
static_assert(may_follow(Version::fmi2) && may_follow(Version::fmi3), "LifeCycle::may_step()");

}  // namespace

bool LifeCycle::may(Call call) const noexcept { return allows(call, phase(), version_); }

void LifeCycle::done(Call call, Status status) noexcept {
  if (status == Status::illegal) return;
  if (status == Status::fatal) {
    become(Phase::fatal);
    return;
  }
  if (call == Call::instantiate && !is_good(status)) return;
  if (!is_good(status)) {
    // A value that a unit discards is not an error of its own; a step is, and an activation.
    if (status != Status::discard || call == Call::step || call == Call::activate) fail();
    return;
  }
  // FMI 2.0 reads outputs at once after a Set, without a step.
  Phase to = row_of(call).to;
  if (execution_ == Execution::scheduled && (to == Phase::step_complete || to == Phase::values_set))
    to = Phase::activating;
  if (event_mode_ && call == Call::exit_initialization) to = Phase::handling;
  if (call != Call::free && (to == Phase::none || (to == Phase::values_set && version_ == Version::fmi2)))
    return;
  go_on(call, to);
}

void LifeCycle::go_on(Call call, Phase to) noexcept {
  Phase now = phase();
  while (allows(call, now, version_))
    if (phase_.compare_exchange_weak(now, to, std::memory_order_relaxed)) return;
}

void LifeCycle::fail() noexcept {
  Phase now = phase();
  while (now != Phase::fatal)
    if (phase_.compare_exchange_weak(now, Phase::failed, std::memory_order_relaxed)) return;
}

const char* name_of(Status status) {
  constexpr const char* kNames[] = {"OK", "Warning", "Discard", "Error", "Fatal", "Pending", "not called"};
  return kNames[static_cast<unsigned>(status)];
}

}  // namespace tactus::drivers::fmi
