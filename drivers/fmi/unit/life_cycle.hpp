// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Says when a function of a unit may be called: one table for both versions of the standard.
///
/// With event mode (3.0), initialization leads to it, and back and forth between it and step complete.
///
///     none ─► made ─► (configuring ─►) initializing ─► step complete ─► terminated ─► none
///              ▲                                        │        ▲
///              └────────── reset ───────────────────────┤        │ step
///                                          set (3.0) ─► values set
///
/// In scheduled execution `activating` takes the place of the last two: partitions are activated there.
///
/// After an error a 2.0 unit may be reset or freed, a 3.0 unit also be read; after a fatal one nothing is called.
///
/// Threads  as its unit.                                                                                    @when any
#include <atomic>
#include <cstdint>

#include "drivers/fmi/description/description.hpp"

namespace tactus::drivers::fmi {

enum class Phase : std::uint8_t {
  none,           ///< there is no instance
  made,           ///< Instantiated
  configuring,    ///< Configuration Mode, 3.0
  initializing,   ///< Initialization Mode
  step_complete,  ///< Step Complete, Step Mode
  values_set,     ///< the same after a Set, where 3.0 forbids a Get until the next step
  handling,       ///< Event Mode
  activating,     ///< Clock Activation Mode of scheduled execution
  terminated,
  failed,  ///< it answered Error, or Discard to a step or an activation
  fatal    ///< it answered Fatal: the library must not be called again
};

enum class Call : std::uint8_t {
  instantiate,
  enter_configuration,
  exit_configuration,
  enter_initialization,  ///< SetupExperiment comes first in 2.0
  exit_initialization,
  set_start,       ///< variables whose initial is exact or approx
  set_structural,  ///< structural parameters
  set_input,       ///< inputs and tunable parameters
  get,
  step,
  terminate,
  reset,
  state,      ///< get, serialize and free the state
  set_state,  ///< deserialize and set it
  activate,   ///< a model partition
  clocks,     ///< get intervals, outside of an activation
  set_interval,
  enter_event,
  handle_event,  ///< set and get inputs, outputs and clocks in Event Mode, and update discrete states
  enter_step,
  free
};

enum class Status : std::uint8_t {
  ok,
  warning,
  discard,
  error,
  fatal,
  pending,
  illegal  ///< not called: the standard forbids it in this phase
};
constexpr bool is_good(Status status) { return status == Status::ok || status == Status::warning; }
const char* name_of(Status status);

class LifeCycle {
 public:
  explicit LifeCycle(Version version, Execution execution = Execution::co_simulation)
      : version_(version), execution_(execution) {}
  /// Uses event mode from the next instance on.
  void use_event_mode() noexcept { event_mode_ = true; }
  Phase phase() const { return phase_.load(std::memory_order_relaxed); }
  /// Returns true if the standard allows the call now.
  bool may(Call call) const noexcept;
  /// Returns true if sets of inputs, a step and gets may follow each other now: the table says so, at compile time.
  bool may_step() const noexcept {
    const Phase now = phase();
    return now == Phase::step_complete || (now == Phase::values_set && version_ == Version::fmi3);
  }
  /// Takes good answers to sets of inputs, a step and gets.
  void stepped() noexcept { become(Phase::step_complete); }
  /// Takes what the unit answered to a call that was allowed.
  void done(Call call, Status status) noexcept;

 private:
  void become(Phase phase) noexcept { phase_.store(phase, std::memory_order_relaxed); }
  /// Goes on to a phase, unless another thread has led to one in which the call is forbidden.
  void go_on(Call call, Phase to) noexcept;
  /// Notes a failure. After Fatal it stays Fatal.
  void fail() noexcept;

  Version version_;
  Execution execution_;
  bool event_mode_ = false;
  /// Partitions on several threads leave it as it is, unless one fails: then it stays so until a reset, another state or
  /// the end of the instance, whichever answers come later.
  std::atomic<Phase> phase_{Phase::none};
};

}  // namespace tactus::drivers::fmi
