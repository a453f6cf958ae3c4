// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "drivers/silkit/core/engine.hpp"

namespace tactus::silkit {
namespace {

constexpr std::size_t kMostKeptBack = 10'000;  // calls, while somebody else sends without end

}  // namespace

/// Fills in what to call now. Returns false if the call must not be made any more.
bool Engine::is_due(Call& call) {
  if (call.what == Call::What::step || call.what == Call::What::step_async) {
    if (!call.begun && (!time_.begin_step(call) || services_begin_step(call))) return false;
    time_.enter_handler();
    return true;
  }
  call.function = call.due();
  return static_cast<bool>(call.function);
}

bool Engine::next_call(Call& call) {
  while (!calls_.empty()) {
    call = std::move(calls_.front());
    calls_.pop_front();
    if (call.own) --own_calls_;
    if (!held_.empty() && held_.contains({call.what, call.handler_id})) {
      keep_back(std::move(call));
      continue;
    }
    if (!is_due(call)) continue;
    running_ = true;
    return true;
  }
  return false;
}

void Engine::keep_back(Call&& call) {
  if (kept_back_.size() >= kMostKeptBack) {
    if (!std::exchange(some_lost_, true))
      log(LogTopic::life_cycle, LogSink::Level::warn,
          "a handler takes too long with the calls that are repeated for it when it is added: later calls "
          "are lost in "
          "part");
    kept_back_.pop_front();
  }
  kept_back_.push_back(std::move(call));
}

void Engine::release(Call::What what, std::uint64_t handler) {
  if (held_.erase({what, handler}) == 0) return;
  const auto its = std::stable_partition(kept_back_.begin(), kept_back_.end(), [&](const Call& call) {
    return call.what != what || call.handler_id != handler;
  });
  // They are older than what is due now.
  calls_.insert(calls_.begin(), std::move_iterator(its), std::move_iterator(kept_back_.end()));
  kept_back_.erase(its, kept_back_.end());
  if (kept_back_.empty()) some_lost_ = false;
}

void Engine::call_ended(const Call& call, const std::string& thrown) {
  running_ = false;
  // What was asked for meanwhile comes first: whoever stops or pauses in a step does not ask for another one.
  while (!when_idle_.empty()) {
    const std::function<void()> command = std::move(when_idle_.front());
    when_idle_.pop_front();
    command();
  }
  if (!thrown.empty()) {
    fail(call, thrown);
  } else if (call.what == Call::What::step || call.what == Call::What::step_async) {
    time_.handler_returned(call.what);
  } else {
    lifecycle_.finished(call.what);
  }
  lifecycle_.advance();
}

void Engine::fail(const Call& call, const std::string& thrown) {
  time_.handler_failed();
  const std::string text = std::string("the ") + call.name + " handler failed: " + thrown;
  if (call.what != Call::What::abort) return lifecycle_.report_error(text);
  log(LogTopic::life_cycle, LogSink::Level::error, text);
  lifecycle_.finished(call.what);  // there is nothing left to do but to end
}

void Engine::when_idle(std::function<void()> command) {
  if (running_) {
    when_idle_.push_back(std::move(command));
  } else {
    command();
  }
}

}  // namespace tactus::silkit
