// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "drivers/silkit/core/barrier.hpp"
#include "drivers/silkit/core/numbered_handlers.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/core/transitions.hpp"

namespace tactus::silkit {

class Monitor;
class VirtualTime;

/// Every transition of a participant's state. A transition that is not in this table does not happen.
inline constexpr Transition<ParticipantState> kLifecycle[] = {
    {ParticipantState::invalid, ParticipantState::services_created},
    {ParticipantState::services_created, ParticipantState::communication_initializing},
    {ParticipantState::services_created, ParticipantState::error},
    {ParticipantState::services_created, ParticipantState::aborting},
    {ParticipantState::communication_initializing, ParticipantState::communication_initialized},
    {ParticipantState::communication_initializing, ParticipantState::error},
    {ParticipantState::communication_initializing, ParticipantState::aborting},
    {ParticipantState::communication_initialized, ParticipantState::ready_to_run},
    {ParticipantState::communication_initialized, ParticipantState::error},
    {ParticipantState::communication_initialized, ParticipantState::aborting},
    {ParticipantState::ready_to_run, ParticipantState::running},
    {ParticipantState::ready_to_run, ParticipantState::error},
    {ParticipantState::ready_to_run, ParticipantState::aborting},
    {ParticipantState::running, ParticipantState::paused},
    {ParticipantState::running, ParticipantState::stopping},
    {ParticipantState::running, ParticipantState::error},
    {ParticipantState::running, ParticipantState::aborting},
    {ParticipantState::paused, ParticipantState::running},
    {ParticipantState::paused, ParticipantState::stopping},
    {ParticipantState::paused, ParticipantState::error},
    {ParticipantState::paused, ParticipantState::aborting},
    {ParticipantState::stopping, ParticipantState::stopped},  // an abort waits until here
    {ParticipantState::stopping, ParticipantState::error},
    {ParticipantState::stopped, ParticipantState::shutting_down},
    {ParticipantState::stopped, ParticipantState::error},
    {ParticipantState::stopped, ParticipantState::aborting},
    {ParticipantState::error, ParticipantState::shutting_down},  // the user stops a participant with an error
    {ParticipantState::error, ParticipantState::aborting},
    {ParticipantState::shutting_down, ParticipantState::shutdown},
    {ParticipantState::shutting_down, ParticipantState::error},
    {ParticipantState::aborting, ParticipantState::shutdown},
};

static_assert(every_state_is_reached(kLifecycle, ParticipantState::invalid));
static_assert(every_state_reaches(kLifecycle, ParticipantState::shutdown));
static_assert(no_transition_twice(kLifecycle));
static_assert(!reaches(kLifecycle, ParticipantState::shutdown, ParticipantState::shutdown));

/// Leads this participant through kLifecycle as far as its peers and the user's handlers allow.
///
/// Threads  one at a time.
class Lifecycle {
 public:
  Lifecycle(EngineHost& host, Monitor& monitor, VirtualTime& time);

  /// Throw Refusal.
  void create(OperationMode mode);
  void start();
  void complete_communication_ready();

  /// Null is refused.
  void on_communication_ready(PlainHandler handler);
  /// The participant stays CommunicationInitialized until complete_communication_ready().
  void on_communication_ready_async(PlainHandler handler);
  void on_starting(PlainHandler handler) { starting_ = wanted(std::move(handler)); }
  void on_stop(PlainHandler handler) { stop_ = wanted(std::move(handler)); }
  void on_shutdown(PlainHandler handler) { shutdown_ = wanted(std::move(handler)); }
  void on_abort(AbortHandler handler) { abort_ = wanted(std::move(handler)); }

  // ---- for the engine, and the parts of it

  void pause(std::string reason);
  void resume();
  void stop(std::string reason);
  void report_error(std::string reason);
  /// Ends the lifecycle as fast as possible.
  void abort();

  /// Goes as far as states, barriers and acknowledges allow.
  void advance();
  void finished(Call::What what);
  void barrier_answered(PeerId peer, const Uuid& uuid);
  void peer_left(PeerId peer) { barrier_.left(peer); }
  /// steady_ns() at which advance() is to be called.
  std::optional<std::int64_t> wake_at() const { return is_running() ? follow_stop_at_ : std::nullopt; }

  bool created() const { return mode_ != OperationMode::invalid; }
  bool coordinated() const { return mode_ == OperationMode::coordinated; }
  bool started() const { return status_.state != ParticipantState::invalid; }
  bool is_running() const { return status_.state == ParticipantState::running; }
  const Status& status() const { return status_; }
  /// Returns true if the lifecycle is over, and no peer needs this participant's answers any more.
  bool complete() const { return status_.state == ParticipantState::shutdown && progress_ == Progress::done; }

 private:
  /// Progress of the present state's own work: a barrier, or a handler of the user's.
  enum class Progress : std::uint8_t { none, begun, done };
  /// Row of a state that lasts until a handler has returned.
  struct Handled {
    ParticipantState state;
    Call::What what;
    const char* handler;
    ParticipantState next;
    const char* reason;                 // of the next state
    PlainHandler Lifecycle::*function;  // null: abort_
  };
  static const Handled kHandled[];

  static const Handled* handled_in(ParticipantState state);
  void enter(ParticipantState state, std::string reason);
  void begin_barrier();
  bool advance_once();
  bool handle();
  void leave_handled(const Handled& row);
  std::function<void()> handler_of(const Handled& row) const;
  bool is_stopping_with_system() const;
  bool awaits_announced_step();

  EngineHost& host_;
  Monitor& monitor_;
  VirtualTime& time_;
  OperationMode mode_ = OperationMode::invalid;
  Status status_;
  Progress progress_ = Progress::none;
  Barrier barrier_;
  bool advancing_ = false;
  bool abort_wanted_ = false;
  bool ready_asynchronously_ = false;
  ParticipantState before_abort_ = ParticipantState::invalid;
  std::optional<std::int64_t> follow_stop_at_;  // steady clock, at the latest
  PlainHandler ready_, starting_, stop_, shutdown_;
  AbortHandler abort_;
  std::uint64_t service_ = 0;
};

}  // namespace tactus::silkit
