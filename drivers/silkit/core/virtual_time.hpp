// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "drivers/silkit/core/numbered_handlers.hpp"
#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/core/time_sync.hpp"
#include "drivers/silkit/core/transitions.hpp"

namespace tactus::silkit {

class Lifecycle;
class Monitor;

/// The state of a simulation step.
enum class StepState : std::uint8_t {
  idle,             ///< No step is due.
  queued,           ///< A call of the step handler is due.
  taken,            ///< Calls of services come before its handler.
  in_handler,       ///< The step is taken; its handler is called.
  completed_early,  ///< The same, and the handler has completed the step already.
  open,             ///< The handler has returned, and the step is not complete.
  ending,           ///< The step is complete once the messages of this participant to itself are delivered.
};

inline constexpr Transition<StepState> kSteps[] = {
    {StepState::idle, StepState::queued},
    {StepState::queued, StepState::idle},  // it is not to be taken any more
    {StepState::queued, StepState::taken},
    {StepState::taken, StepState::in_handler},
    {StepState::in_handler, StepState::completed_early},
    {StepState::in_handler, StepState::open},
    {StepState::in_handler, StepState::ending},
    {StepState::in_handler, StepState::idle},
    {StepState::completed_early, StepState::open},  // the handler fails
    {StepState::completed_early, StepState::ending},
    {StepState::completed_early, StepState::idle},
    {StepState::open, StepState::ending},
    {StepState::open, StepState::idle},
    {StepState::ending, StepState::open},  // they are delivered; there may be more
};

static_assert(every_state_is_reached(kSteps, StepState::idle));
static_assert(every_state_reaches(kSteps, StepState::idle));
static_assert(no_transition_twice(kSteps));

/// Agrees with the peers on the simulation steps of this participant, and calls the user's handler.
///
/// Threads  one at a time.
class VirtualTime final : public Service {
 public:
  VirtualTime(EngineHost& host, Lifecycle& lifecycle, Monitor& monitor);

  /// Throw Refusal.
  void create();
  void on_step(StepHandler handler, std::int64_t step_ns, bool asynchronous);
  void set_step(std::int64_t step_ns);

  void complete_step();
  /// Called once a step, when all peers have completed theirs. Null is refused.
  std::uint64_t add_others_handler(PlainHandler handler) { return others_handlers_.add(std::move(handler)); }
  RemovedHandler remove_others_handler(std::uint64_t id) { return others_handlers_.remove(id); }

  /// ---- for the lifecycle

  void warn_without_handler() const;
  void announce();
  void resume();
  void request_step();
  void try_step();
  /// Returns true if a step is queued, or a running peer may still announce its next step.
  bool may_still_step() const;

  /// Takes the queued step. Returns false if the step must not be taken any more.
  bool begin_step(Call& call);
  void enter_handler() { go(StepState::in_handler); }
  void handler_returned(Call::What what);
  void handler_failed();

  void tick() override;
  void receive(const Sender& from, std::uint64_t tag, ByteView body) override;
  void service_changed(PeerId peer, const ServiceDescriptor& service, bool created) override;
  void peer_left(PeerId peer, const std::string& name);
  void tell_others_completed();

  bool created() const { return created_; }
  bool step_open() const { return state_ != StepState::idle && state_ != StepState::queued; }
  /// Returns true if a step is taken, and its handler is the next call but for those of services.
  bool step_taken() const { return state_ == StepState::taken; }
  std::int64_t now_ns() const { return created_ && sync_.begun() ? sync_.current().time_ns : kNoTime; }
  /// steady_ns() since when the user's step is open; nothing: none is, or the participant is paused.
  std::optional<std::int64_t> open_since() const;
  /// The peer whose next step this participant waits for, when what other peers say of theirs makes no difference yet;
  /// kRegistryPeer: it has a step of its own to complete first.
  std::optional<PeerId> awaited_peer() const;
  std::optional<std::int64_t> wake_at() const override { return wake_at_; }

 private:
  void go(StepState next);
  bool may_step() const;
  bool coupling_allows();
  bool announce_step();
  bool find_beginning();
  void finish_step();
  void send(const NextSimTask& task);
  void measure_phase(const char* name);

  EngineHost& host_;
  Lifecycle& lifecycle_;
  Monitor& monitor_;
  TimeSync sync_;
  Link& steps_;
  std::map<PeerId, LogThrottle> went_back_;
  bool created_ = false;
  bool asynchronous_ = false;
  StepHandler handler_;
  StepState state_ = StepState::idle;
  bool others_told_ = false;  // that all others have completed their steps
  NumberedHandlers<PlainHandler> others_handlers_;
  std::uint64_t service_ = 0;
  std::int64_t open_since_ns_ = 0;                // steady clock
  std::optional<std::int64_t> coupled_since_ns_;  // steady clock at virtual time coupled_at_ns_
  std::int64_t coupled_at_ns_ = 0;
  std::optional<std::int64_t> wake_at_;
  std::optional<std::int64_t> phase_since_ns_;  // steady clock: the step or its handler has begun or ended
};

}  // namespace tactus::silkit
