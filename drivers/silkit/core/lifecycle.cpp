// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/lifecycle.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <set>
#include <utility>

#include "drivers/silkit/core/monitor.hpp"
#include "drivers/silkit/core/virtual_time.hpp"

namespace tactus::silkit {

using enum ParticipantState;

namespace {

constexpr std::int64_t kAnnouncedIsHeardWithin = 200'000'000;  // ns

}  // namespace

constexpr Lifecycle::Handled Lifecycle::kHandled[] = {
    {communication_initialized, Call::What::communication_ready, "communication ready", ready_to_run,
     "communication ready handler completed", &Lifecycle::ready_},
    {ready_to_run, Call::What::starting, "starting", running, "started", &Lifecycle::starting_},
    {stopping, Call::What::stop, "stop", stopped, "stop handler completed", &Lifecycle::stop_},
    {shutting_down, Call::What::shutdown, "shutdown", shutdown, "shutdown handler completed",
     &Lifecycle::shutdown_},
    {aborting, Call::What::abort, "abort", shutdown, "aborted", nullptr},
};

const Lifecycle::Handled* Lifecycle::handled_in(ParticipantState state) {
  static_assert(std::ranges::all_of(
      kHandled, [](const Handled& row) { return can_go(kLifecycle, row.state, row.next); }));
  const Handled* const found = std::ranges::find(kHandled, state, &Handled::state);
  return found == std::end(kHandled) ? nullptr : found;
}

Lifecycle::Lifecycle(EngineHost& host, Monitor& monitor, VirtualTime& time)
    : host_(host), monitor_(monitor), time_(time) {
  status_.participant = host.participant();
}

void Lifecycle::create(OperationMode mode) {
  if (mode == OperationMode::invalid)
    throw Refusal(Code::configuration, "the operation mode must be coordinated (10) or autonomous (20)");
  if (created())
    throw Refusal(Code::unspecified,
                  "participant " + host_.participant() + " has a lifecycle service already");
  mode_ = mode;
}

void Lifecycle::start() {
  if (!created())
    throw Refusal(Code::wrong_state, "participant " + host_.participant() + " has no lifecycle service");
  if (started()) throw Refusal(Code::logic, "the lifecycle has been started already");
  time_.warn_without_handler();
  service_ = host_.services().announce_internal(
      "LifecycleService", {{"LifecycleIsCoordinated", std::to_string(static_cast<int>(mode_))}});
  time_.announce();
  enter(services_created, "lifecycle started");
  if (abort_wanted_) abort();
  advance();
}

void Lifecycle::on_communication_ready(PlainHandler handler) {
  ready_ = wanted(std::move(handler));
  ready_asynchronously_ = false;
}

void Lifecycle::on_communication_ready_async(PlainHandler handler) {
  on_communication_ready(std::move(handler));
  ready_asynchronously_ = true;
}

void Lifecycle::complete_communication_ready() {
  if (!created() || !ready_asynchronously_)
    throw Refusal(Code::wrong_state, "there is no asynchronous communication ready handler to be completed");
  if (status_.state != communication_initialized || progress_ == Progress::none)
    throw Refusal(Code::wrong_state, "the communication ready handler has not been called");
  host_.when_idle([this] {
    if (status_.state == communication_initialized) progress_ = Progress::done;
    advance();
  });
}

void Lifecycle::enter(ParticipantState state, std::string reason) {
  assert(can_go(kLifecycle, status_.state, state) && "a transition that is not in kLifecycle");
  progress_ = Progress::none;
  status_.refresh_us = status_.enter_us;
  status_.enter_us = host_.settings().wall_us();
  status_.state = state;
  status_.reason = std::move(reason);
  host_.log(LogTopic::life_cycle, LogSink::Level::info,
            "state " + std::string(name_of(state)) + ": " + status_.reason);
  host_.senders().tell_all(message_type::kParticipantStatus, service_,
                           StatusMessage{status_.participant, static_cast<std::int16_t>(state),
                                         status_.reason, status_.enter_us, status_.refresh_us});
  monitor_.take(status_);
}

void Lifecycle::begin_barrier() {
  std::set<PeerId> asked;
  for (const Link::Receiver& receiver :
       host_.senders().link(kDefaultNetwork, message_type::kBarrierCall).receivers)
    if (receiver.peer != kRegistryPeer) asked.insert(receiver.peer);
  host_.senders().tell_all(message_type::kBarrierCall, host_.request_reply_service(),
                           BarrierCall{barrier_.begin(std::move(asked)), 1, {}});
}

void Lifecycle::barrier_answered(PeerId peer, const Uuid& uuid) {
  barrier_.answered(peer, uuid);
  advance();
}

void Lifecycle::advance() {
  if (advancing_ || !started()) return;
  advancing_ = true;
  while (advance_once()) {
  }
  advancing_ = false;
  time_.try_step();
}

/// Returns true if a state was left: there may be more to do.
bool Lifecycle::advance_once() {
  const auto system_is = [&](ParticipantState state) {
    return !coordinated() || monitor_.system().state() == state;
  };
  const bool ends = status_.state == shutting_down || status_.state == shutdown ||
                    status_.state == aborting || status_.state == error;
  if (coordinated() && !ends && monitor_.system().has_required() &&
      !monitor_.system().requires_participant(status_.participant)) {
    report_error("participant " + status_.participant +
                 " is coordinated, but is not among the required participants of the workflow configuration");
    return true;
  }
  switch (status_.state) {
    case invalid:
    case error:
      return false;
    case services_created:
      if (progress_ == Progress::none) {
        if (!system_is(services_created)) return false;
        progress_ = Progress::begun;
        begin_barrier();
      }
      if (!barrier_.done()) return false;
      enter(communication_initializing, "services are known");
      return true;
    case communication_initializing:
      if (host_.awaits_acknowledges()) return false;
      enter(communication_initialized, "communication is set up");
      return true;
    case communication_initialized:
      if (progress_ == Progress::none && !system_is(communication_initialized)) return false;
      return handle();
    case ready_to_run:
      if (progress_ == Progress::none && !system_is(ready_to_run) && !monitor_.system().has_started())
        return false;
      return handle();
    case running:
    case paused:
      if (!is_stopping_with_system() || awaits_announced_step()) return false;
      stop("the system is stopping");
      return true;
    case stopped:
      if (!barrier_.done()) return false;
      enter(shutting_down, "all messages are delivered");
      return true;
    case stopping:
    case shutting_down:
    case aborting:
      return handle();
    case shutdown:
      if (barrier_.done()) progress_ = Progress::done;
      return false;
  }
  return false;
}

/// Calls the handler of the present state, if there is one, and leaves the state when it has returned.
bool Lifecycle::handle() {
  const Handled& row = *handled_in(status_.state);
  if (progress_ == Progress::none) {
    progress_ = Progress::done;
    if (handler_of(row)) {
      progress_ = Progress::begun;
      Call call{.what = status_.state == communication_initialized && ready_asynchronously_
                            ? Call::What::communication_ready_async
                            : row.what,
                .name = row.handler};
      call.due = [this, &row] { return status_.state == row.state ? handler_of(row) : nullptr; };
      host_.queue(std::move(call));
    }
  }
  if (progress_ != Progress::done) return false;
  leave_handled(row);
  return true;
}

void Lifecycle::leave_handled(const Handled& row) {
  enter(row.next, row.reason);
  if (row.next == running) return time_.request_step();
  if (row.next == stopped || row.next == shutdown) begin_barrier();
  if (row.next == stopped && abort_wanted_) abort();
}

/// Returns the user's function for the state of `row`, or nothing.
std::function<void()> Lifecycle::handler_of(const Handled& row) const {
  if (row.function == nullptr) {
    if (!abort_) return nullptr;
    return [handler = abort_, before = before_abort_] { (*handler)(before); };
  }
  const PlainHandler& handler = this->*row.function;
  if (!handler || (row.what == Call::What::starting && time_.created())) return nullptr;
  return [handler] { (*handler)(); };
}

void Lifecycle::finished(Call::What what) {
  if (what == Call::What::shutdown &&
      status_.state == aborting) {  // the abort handler is not called any more
    enter(shutdown, "shutdown handler completed");
    return begin_barrier();
  }
  const Handled* const row = handled_in(status_.state);
  if (row != nullptr && row->what == what) progress_ = Progress::done;
}

/// Returns true if the system stops; a slow stream may show it past Stopping already.
bool Lifecycle::is_stopping_with_system() const {
  const SystemView& system = monitor_.system();
  return coordinated() && system.requires_participant(status_.participant) &&
         (system.state() == stopping || system.state() == stopped || system.state() == shutting_down ||
          system.state() == shutdown || system.is_ending());
}

/// Returns true while a stop has to wait. The stop may have been sent after all participants had announced the next step, and
/// may arrive before what was sent ahead of it. Such a step is taken; each running peer has a moment to announce it, or
/// to stop as well. Once it is taken, its handler comes first.
bool Lifecycle::awaits_announced_step() {
  if (!is_running() || !time_.created()) return false;
  if (time_.step_open()) return time_.step_taken();
  const std::int64_t now = host_.steady_ns();
  if (!follow_stop_at_) follow_stop_at_ = now + kAnnouncedIsHeardWithin;
  return now < *follow_stop_at_ && time_.may_still_step();
}

void Lifecycle::pause(std::string reason) {
  if (!started())
    return host_.log(LogTopic::life_cycle, LogSink::Level::warn, "pause: the lifecycle has not been started");
  if (!can_go(kLifecycle, status_.state, paused))
    return report_error("pause was asked for in state " + std::string(name_of(status_.state)) + ": " +
                        reason);
  enter(paused, std::move(reason));
  advance();
}

void Lifecycle::resume() {
  if (!started())
    return host_.log(LogTopic::life_cycle, LogSink::Level::warn,
                     "continue: the lifecycle has not been started");
  if (status_.state != paused)
    return report_error("continue was asked for in state " + std::string(name_of(status_.state)));
  enter(running, "continued");
  time_.resume();
  advance();
}

void Lifecycle::stop(std::string reason) {
  if (status_.state == error) {
    enter(shutting_down, std::move(reason));
  } else if (can_go(kLifecycle, status_.state, stopping)) {
    enter(stopping, std::move(reason));
  } else {
    return host_.log(LogTopic::life_cycle, LogSink::Level::warn,
                     "stop was asked for in state " + std::string(name_of(status_.state)) +
                         ", which changes nothing: " + reason);
  }
  advance();
}

void Lifecycle::report_error(std::string reason) {
  if (!started() || status_.state == shutdown)
    return host_.log(LogTopic::life_cycle, LogSink::Level::warn,
                     "an error was reported outside of the lifecycle: " + reason);
  host_.log(LogTopic::life_cycle, LogSink::Level::error, reason);
  if (!can_go(kLifecycle, status_.state, error)) return;  // it ends as it is
  enter(error, std::move(reason));
  if (abort_wanted_) abort();
}

void Lifecycle::abort() {
  if (!started() || status_.state == stopping) {
    abort_wanted_ = true;  // at the start; or when the stop handler has returned
    return;
  }
  if (!can_go(kLifecycle, status_.state, aborting)) return;
  abort_wanted_ = false;
  before_abort_ = status_.state;
  enter(aborting, "the simulation is aborted");
  advance();
}

}  // namespace tactus::silkit
