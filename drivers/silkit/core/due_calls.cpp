// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "drivers/silkit/core/parts.hpp"

namespace tactus::silkit {
namespace {

constexpr std::size_t kMostKeptBack = 10'000;  // calls, while somebody else sends without end

}  // namespace

/// Gives a call the handler of now. False: it is not to be made any more, as its state has passed or its
/// handler is gone.
bool Engine::Impl::still_due(Call& call) {
  using enum ParticipantState;
  const auto look_up = [&](const auto& handlers, auto& handler) {
    const auto found = handlers.find(call.handler_id);
    if (found != handlers.end()) handler = found->second;
    return found != handlers.end();
  };
  switch (call.what) {
    case Call::What::communication_ready:
    case Call::What::communication_ready_async:
      call.plain = ready_handler;
      return status.state == communication_initialized;
    case Call::What::starting:
      call.plain = starting_handler;
      return status.state == ready_to_run;
    case Call::What::stop:
      call.plain = stop_handler;
      return status.state == stopping;
    case Call::What::shutdown:
      call.plain = shutdown_handler;
      return status.state == shutting_down;
    case Call::What::abort:
      call.abort = abort_handler;
      return status.state == aborting;
    case Call::What::other_steps_completed:
      return look_up(others_handlers, call.plain);
    case Call::What::system_state:
      return look_up(system_handlers, call.system_state);
    case Call::What::status:
      return look_up(status_handlers, call.status_handler);
    case Call::What::connected:
      call.connection = connected_handler;
      return call.handler_id == connected_handler_id;
    case Call::What::disconnected:
      call.connection = disconnected_handler;
      return true;
    case Call::What::data:
      call.data_handler = call.subscriber->handler;
      // Who has virtual time never sees a message without one: it is that of the step it is seen in.
      if (call.now_ns == kNoTime && time_created && time.begun()) call.now_ns = time.current().time_ns;
      return true;
    case Call::What::service:
      call.function = call.due();
      return static_cast<bool>(call.function);
    case Call::What::step_end:
      step_ending_ = false;
      finish_step();
      return false;
    case Call::What::step:
    case Call::What::step_async:
      if (call.begun) return true;
      step_queued = false;
      return may_step() && time.ready();
  }
  return false;
}

bool Engine::Impl::next_call(Call& call) {
  while (!calls_.empty()) {
    call = std::move(calls_.front());
    calls_.pop_front();
    if (call.own) --own_calls_;
    if (!held_.empty() && held_.contains({call.what, call.handler_id})) {
      keep_back(std::move(call));
      continue;
    }
    if (!still_due(call)) continue;
    if (!call.begun && (call.what == Call::What::step || call.what == Call::What::step_async)) {
      begin_step(call);
      if (!step_open) continue;  // it was not to be: too late for this one
      if (services_begin_step(call)) continue;
    }
    running_ = call.what;
    return true;
  }
  return false;
}

void Engine::Impl::keep_back(Call&& call) {
  if (kept_back_.size() >= kMostKeptBack) {
    if (!std::exchange(some_lost_, true))
      say(LogSink::Level::warn,
          "a handler takes too long with what it is told when it is added: what came meanwhile is lost in "
          "part");
    kept_back_.pop_front();
  }
  kept_back_.push_back(std::move(call));
}

void Engine::Impl::release(Call::What what, std::uint64_t handler) {
  if (held_.erase({what, handler}) == 0) return;
  const auto its = std::stable_partition(kept_back_.begin(), kept_back_.end(), [&](const Call& call) {
    return call.what != what || call.handler_id != handler;
  });
  // They are older than what is due now.
  calls_.insert(calls_.begin(), std::move_iterator(its), std::move_iterator(kept_back_.end()));
  kept_back_.erase(its, kept_back_.end());
  if (kept_back_.empty()) some_lost_ = false;
}

void Engine::Impl::call_ended(const Call& call, const std::string& thrown) {
  running_.reset();
  // What was asked for meanwhile comes first: whoever stops or pauses in a step does not ask for another one.
  while (!when_idle_.empty()) {
    const std::function<void()> command = std::move(when_idle_.front());
    when_idle_.pop_front();
    command();
  }
  if (thrown.empty()) {
    finish(call);
  } else {
    fail(call, thrown);
  }
  advance();
}

void Engine::Impl::when_idle(std::function<void()> command) {
  if (in_call()) {
    when_idle_.push_back(std::move(command));
  } else {
    command();
  }
}

void Engine::Impl::tick() {
  wake_at.reset();
  request_step();
  advance();  // to follow a stop
}

void Engine::Impl::queue(Call::What what, std::uint64_t handler) {
  Call call;
  call.what = what;
  call.handler_id = handler;
  calls_.push_back(std::move(call));
}

}  // namespace tactus::silkit
