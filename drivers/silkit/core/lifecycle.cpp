// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "drivers/silkit/core/parts.hpp"
#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {

using enum ParticipantState;

namespace {

constexpr std::int64_t kAnnouncedIsHeardWithin = 200'000'000;  // ns

/// A sum that no clock will ever show is the end of time.
std::int64_t after(std::int64_t since_ns, double wait_ns) {
  constexpr double kEnd = 0x1p63;
  std::int64_t sum = INT64_MAX;
  if (!(wait_ns < kEnd) || __builtin_add_overflow(since_ns, static_cast<std::int64_t>(wait_ns), &sum))
    return INT64_MAX;
  return sum;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- states

void Engine::Impl::set_state(ParticipantState state, std::string reason) {
  status.refresh_us = status.enter_us;
  status.enter_us = settings.wall_us();
  status.state = state;
  status.reason = std::move(reason);
  say(LogSink::Level::info, "state " + std::string(name_of(state)) + ": " + status.reason);
  body_.clear();
  encode_body(body_, StatusMessage{status.participant, static_cast<std::int16_t>(state), status.reason,
                                   status.enter_us, status.refresh_us});
  links.broadcast(links.link(kDefaultNetwork, message_type::kParticipantStatus), lifecycle_service, body_);
  take_status(status);
}

/// What a participant, this one too, says of itself.
void Engine::Impl::take_status(const Status& said) {
  const ParticipantState before = system.state();
  if (!system.take(said)) return;
  for (const auto& [handler_id, handler] : status_handlers) {
    Call call;
    call.what = Call::What::status;
    call.handler_id = handler_id;
    call.status = said;
    calls_.push_back(std::move(call));
  }
  note_system_state(before);
}

void Engine::Impl::note_system_state(ParticipantState before) {
  if (system.state() == before) return;
  say(LogSink::Level::info, "the system is in state " + std::string(name_of(system.state())),
      LogTopic::system_state);
  for (const auto& [handler_id, handler] : system_handlers) {
    Call call;
    call.what = Call::What::system_state;
    call.handler_id = handler_id;
    call.state = system.state();
    calls_.push_back(std::move(call));
  }
}

void Engine::Impl::set_required(std::vector<std::string> names) {
  const ParticipantState before = system.state();
  system.set_required(std::move(names));
  note_system_state(before);
  advance();
}

void Engine::Impl::start_lifecycle() {
  if (time_created && !step_handler_set)
    say(LogSink::Level::warn, "the time sync service has no step handler: its steps are empty",
        LogTopic::time_sync);
  lifecycle_service = discovery.announce_internal(
      "LifecycleService", {{"LifecycleIsCoordinated", std::to_string(static_cast<int>(mode))}});
  time_service = discovery.announce_internal(
      "TimeSyncService", {{"TimeSyncActive", time_created ? "1" : "0"},
                          {"TimeSyncDynamicStepSize", settings.dynamic_step.value_or(false) ? "1" : "0"}});
  set_state(services_created, "lifecycle started");
  if (abort_wanted) abort();
  advance();
}

void Engine::Impl::begin_barrier() {
  std::set<PeerId> asked;
  Link& link = links.link(kDefaultNetwork, message_type::kBarrierCall);
  for (const Link::Receiver& receiver : link.receivers)
    if (receiver.peer != kRegistryPeer) asked.insert(receiver.peer);
  body_.clear();
  encode_body(body_, BarrierCall{barrier.begin(std::move(asked)), 1, {}});
  links.broadcast(link, request_reply_service, body_);
}

bool Engine::Impl::waits_for_acknowledges() const {
  for (const Receiver& receiver : receivers_)
    if (!receiver.data.unacknowledged.empty()) return true;
  return false;
}

bool Engine::Impl::peers_know_services() const {
  return std::all_of(receivers_.begin(), receivers_.end(),
                     [](const Receiver& receiver) { return receiver.unheard.empty(); });
}

void Engine::Impl::advance() {
  if (advancing_ || !started()) return;
  advancing_ = true;
  while (advance_once()) {
  }
  advancing_ = false;
  try_step();
}

/// True: a state was left, or something begun; there may be more.
bool Engine::Impl::advance_once() {
  const bool coordinated = mode == OperationMode::coordinated;
  const auto system_is = [&](ParticipantState state) { return !coordinated || system.state() == state; };
  const bool ends = status.state == shutting_down || status.state == shutdown || status.state == aborting ||
                    status.state == error;
  if (coordinated && !ends && system.has_required() && !system.requires_participant(settings.name)) {
    report_error("participant " + settings.name +
                 " is coordinated, but is not among the required participants of the workflow configuration");
    return true;
  }
  switch (status.state) {
    case invalid:
    case error:
      return false;
    case services_created:
      if (!barrier.begun()) {
        if (!system_is(services_created)) return false;
        begin_barrier();
      }
      if (!barrier.done()) return false;
      set_state(communication_initializing, "services are known");
      return true;
    case communication_initializing:
      if (waits_for_acknowledges()) return false;
      set_state(communication_initialized, "communication is set up");
      return true;
    case communication_initialized:
      if (ready_completed) {
        set_state(ready_to_run, "communication ready handler completed");
        return true;
      }
      if (ready_pending || !system_is(communication_initialized)) return false;
      ready_pending = true;
      if (!ready_handler) {
        ready_completed = true;
        return true;
      }
      queue(ready_asynchronously ? Call::What::communication_ready_async : Call::What::communication_ready);
      return false;
    case ready_to_run:
      if (starting_called || !(system_is(ready_to_run) || system.has_started())) return false;
      starting_called = true;
      if (!time_created && starting_handler) {
        queue(Call::What::starting);
        return false;
      }
      set_state(running, "started");
      request_step();
      return true;
    case running:
    case paused:
      // A slow stream may show the system past Stopping already.
      if (coordinated && system.requires_participant(settings.name) &&
          (system.state() == stopping || system.state() == stopped || system.state() == shutting_down ||
           system.state() == shutdown || system.is_ending())) {
        if (awaits_announced_step()) return false;
        stop("the system is stopping");
        return true;
      }
      return false;
    case stopping:
      if (!stop_called) {
        stop_called = true;
        if (stop_handler) {
          queue(Call::What::stop);
          return false;
        }
        stop_done = true;
      }
      if (!stop_done) return false;
      set_state(stopped, "stop handler completed");
      begin_barrier();
      if (abort_wanted) abort();
      return true;
    case stopped:
      if (!barrier.done()) return false;
      set_state(shutting_down, "all messages are delivered");
      return true;
    case shutting_down:
      if (shutdown_called) return false;
      shutdown_called = true;
      if (shutdown_handler) {
        queue(Call::What::shutdown);
        return false;
      }
      set_state(shutdown, "shutdown handler completed");
      begin_barrier();
      return true;
    case aborting:
      if (abort_called) return false;
      abort_called = true;
      if (abort_handler) {
        Call call;
        call.what = Call::What::abort;
        call.state = before_abort;
        calls_.push_back(std::move(call));
        return false;
      }
      set_state(shutdown, "aborted");
      begin_barrier();
      return true;
    case shutdown:
      complete = complete || barrier.done();
      return false;
  }
  return false;
}

/// A function of the user's has returned.
void Engine::Impl::finish(const Call& call) {
  switch (call.what) {
    case Call::What::communication_ready:
      ready_completed = true;
      break;
    case Call::What::starting:
      if (status.state == ready_to_run) set_state(running, "started");
      break;
    case Call::What::stop:
      stop_done = true;
      break;
    case Call::What::shutdown:
    case Call::What::abort:
      if (status.state != shutting_down && status.state != aborting) break;
      set_state(shutdown, call.what == Call::What::abort ? "aborted" : "shutdown handler completed");
      begin_barrier();
      break;
    case Call::What::step:
      step_in_handler = false;
      measure_handler_returned();
      finish_step();
      break;
    case Call::What::step_async:
      step_in_handler = false;
      measure_handler_returned();
      if (step_completed_early) {
        finish_step();
      } else if (step_open && !others_told) {
        tell_others_completed();
      }
      break;
    default:
      break;
  }
}

/// A function of the user's has failed.
void Engine::Impl::fail(const Call& call, const std::string& thrown) {
  const auto name = [&] {
    switch (call.what) {
      case Call::What::communication_ready:
      case Call::What::communication_ready_async:
        return "communication ready";
      case Call::What::starting:
        return "starting";
      case Call::What::stop:
        return "stop";
      case Call::What::shutdown:
        return "shutdown";
      case Call::What::abort:
        return "abort";
      case Call::What::step:
      case Call::What::step_async:
        return "simulation step";
      case Call::What::other_steps_completed:
        return "other steps completed";
      case Call::What::system_state:
        return "system state";
      case Call::What::status:
        return "participant status";
      case Call::What::connected:
        return "participant connected";
      case Call::What::disconnected:
        return "participant disconnected";
      case Call::What::data:
        return "data message";
      case Call::What::service:
        return call.name.c_str();
      case Call::What::step_end:
        break;
    }
    return "?";
  }();
  step_in_handler = false;
  const std::string text = std::string("the ") + name + " handler failed: " + thrown;
  if (call.what == Call::What::abort) {
    say(LogSink::Level::error, text);
    finish(call);  // there is nothing left to do but to end
  } else {
    report_error(text);
  }
}

void Engine::Impl::complete_communication_ready() {
  if (!lifecycle_created || !ready_asynchronously)
    throw Refusal(Code::wrong_state, "there is no asynchronous communication ready handler to be completed");
  if (status.state != communication_initialized || !ready_pending)
    throw Refusal(Code::wrong_state, "the communication ready handler has not been called");
  when_idle([this] {
    ready_completed = true;
    advance();
  });
}

void Engine::Impl::pause(std::string reason) {
  if (!started()) return say(LogSink::Level::warn, "pause: the lifecycle has not been started");
  if (status.state != running)
    return report_error("pause was asked for in state " + std::string(name_of(status.state)) + ": " + reason);
  set_state(paused, std::move(reason));
  advance();
}

void Engine::Impl::resume() {
  if (!started()) return say(LogSink::Level::warn, "continue: the lifecycle has not been started");
  if (status.state != paused)
    return report_error("continue was asked for in state " + std::string(name_of(status.state)));
  set_state(running, "continued");
  step_since_ns = settings.steady_ns();
  coupled_since_ns.reset();
  request_step();
  advance();
}

void Engine::Impl::stop(std::string reason) {
  if (status.state == error) {
    shutdown_called = false;
    set_state(shutting_down, std::move(reason));
  } else if (status.state == running || status.state == paused) {
    set_state(stopping, std::move(reason));
  } else {
    return say(LogSink::Level::warn, "stop was asked for in state " + std::string(name_of(status.state)) +
                                         ", which changes nothing: " + reason);
  }
  advance();
}

void Engine::Impl::report_error(std::string reason) {
  if (!started() || status.state == shutdown)
    return say(LogSink::Level::warn, "an error was reported outside of the lifecycle: " + reason);
  say(LogSink::Level::error, reason);
  if (status.state == error || status.state == aborting) return;  // it ends as it is
  set_state(error, std::move(reason));
  if (abort_wanted) abort();
}

/// Ends the lifecycle as fast as may be.
void Engine::Impl::abort() {
  if (!started() || status.state == stopping) {
    abort_wanted = true;  // at the start; or when the stop handler has returned
    return;
  }
  if (status.state == shutting_down || status.state == shutdown || status.state == aborting) return;
  abort_wanted = false;
  abort_called = false;
  before_abort = status.state;
  set_state(aborting, "the simulation is aborted");
  advance();
}

// ---------------------------------------------------------------------------------------------- virtual time

void Engine::Impl::on_time_sync_service(PeerId peer, const ServiceDescriptor& service) {
  if (service.attribute("TimeSyncActive") != "1") return;
  const auto found = peers.find(peer);
  if (found == peers.end() || time.has(peer)) return;
  time.add(peer, service.attribute("TimeSyncDynamicStepSize") == "1");
  if (!time_created) return;
  if (mode == OperationMode::autonomous &&
      !has_capability(found->second.info.capabilities, "autonomous-synchronous")) {
    say(LogSink::Level::error,
        "participant " + found->second.info.name +
            " knows nothing of participants that come late: the simulation is aborted");
    body_.clear();
    encode_body(body_, SystemCommand{1});
    links.broadcast(links.link(kDefaultNetwork, message_type::kSystemCommand), controller_service, body_);
    when_idle([this] { abort(); });
    return;
  }
  if (const auto position = time.position()) send_step(*position);  // what was said before, it has not heard
}

void Engine::Impl::send_step(const NextSimTask& task) {
  body_.clear();
  encode_body(body_, task);
  links.broadcast(links.link(kDefaultNetwork, message_type::kNextSimTask), time_service, body_);
}

bool Engine::Impl::may_step() const {
  return time_created && status.state == running && !step_open &&
         !(mode == OperationMode::coordinated && system.state() == error);
}

void Engine::Impl::request_step() {
  if (!time_created || status.state != running || step_open) return;
  (void)announce_step();
  try_step();
}

/// Tells the others of the next step, once the wall clock has come there: until then it holds them back too.
bool Engine::Impl::announce_step() {
  if (!coupling_allows()) return false;
  if (const auto task = time.request()) send_step(*task);
  return true;
}

/// The wall clock has come to where the next step may begin.
bool Engine::Impl::coupling_allows() {
  if (settings.animation_factor <= 0 || !coupled_since_ns) return true;
  const std::int64_t now = settings.steady_ns();
  const std::int64_t due = after(*coupled_since_ns, static_cast<double>(time.next().time_ns - coupled_at_ns) *
                                                        settings.animation_factor);
  if (now >= due) return true;
  wake_at = due;
  return false;
}

void Engine::Impl::try_step() {
  if (step_queued || !may_step() || !time.ready() || !announce_step()) return;
  step_queued = true;
  Call call;
  call.what = step_asynchronous ? Call::What::step_async : Call::What::step;
  calls_.push_back(std::move(call));
}

/// The stop that has been heard may have been sent after everybody had announced the next step: who follows a stop may
/// be heard before what was said ahead of it. Such a step is taken; each that runs has a moment to announce it, or to
/// stop as well.
bool Engine::Impl::awaits_announced_step() {
  if (!time_created || status.state != running || step_open) return false;
  const std::int64_t now = settings.steady_ns();
  if (!follow_stop_at) follow_stop_at = now + kAnnouncedIsHeardWithin;
  if (now >= *follow_stop_at) return false;
  return step_queued || time.awaits([this](PeerId peer) {
    const auto found = peers.find(peer);
    const Status* const last = found == peers.end() ? nullptr : system.status_of(found->second.info.name);
    return last != nullptr && last->state == running;
  });
}

/// While nothing that other peers say of their steps makes a difference.
std::optional<PeerId> Engine::Impl::awaited_peer() const {
  if (step_open && !step_in_handler && others_handlers.empty()) return kRegistryPeer;
  return may_step() && !step_queued ? time.awaited() : std::nullopt;
}

/// The step is taken now; step_open stays false when it is not to be.
void Engine::Impl::begin_step(Call& call) {
  if (!time.begun()) {
    if (const auto at = time.hop_on()) {
      if (mode == OperationMode::coordinated) {
        report_error(
            "participant " + settings.name +
            " is coordinated, but virtual time has advanced without it: start it before the simulation "
            "runs, or make it autonomous");
        body_.clear();
        encode_body(body_, SystemCommand{1});
        links.broadcast(links.link(kDefaultNetwork, message_type::kSystemCommand), controller_service, body_);
        abort();
        return;
      }
      time.start_at(*at);
    }
  }
  const bool dynamic = settings.dynamic_step.value_or(time.somebody_is_dynamic());
  const NextSimTask task = time.take_step(dynamic);
  step_open = true;
  step_in_handler = true;
  step_completed_early = false;
  others_told = false;
  step_since_ns = settings.steady_ns();
  measure_step_begun();
  if (!coupled_since_ns) {  // the wall clock counts from here
    coupled_since_ns = step_since_ns;
    coupled_at_ns = task.time_ns;
  }
  call.what = step_asynchronous ? Call::What::step_async : Call::What::step;
  call.step = step_handler;
  call.now_ns = task.time_ns;
  call.duration_ns = task.duration_ns;
}

void Engine::Impl::finish_step() {
  if (step_ending_) return;
  if (own_calls_ > 0) {  // what the step has sent to this participant itself belongs to it
    step_ending_ = true;
    return queue(Call::What::step_end);
  }
  step_open = false;
  measure_step_done();
  request_step();
}

void Engine::Impl::complete_step() {
  if (!step_asynchronous || !step_open) {
    say(LogSink::Level::warn,
        step_asynchronous ? "CompleteSimulationStep was called, but no step is open"
                          : "CompleteSimulationStep was called, but there is no asynchronous simulation step "
                            "handler",
        LogTopic::time_sync);
    return;
  }
  if (step_in_handler) {
    step_completed_early = true;  // the handler has not returned yet
  } else {
    finish_step();
  }
}

/// For who waits until all others are done with the present step.
void Engine::Impl::tell_others_completed() {
  if (others_handlers.empty() || !time.others_completed()) return;
  others_told = true;
  for (const auto& [handler_id, handler] : others_handlers)
    queue(Call::What::other_steps_completed, handler_id);
}

}  // namespace tactus::silkit
