// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/courier.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "drivers/link/courier_calls.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::drivers::link {
namespace {

using namespace std::chrono_literals;
using rtsync::WaitMode;

constexpr auto kLook = 5ms;  // how long it rests at most
constexpr auto kLookFrozen = 2ms;
constexpr Nanoseconds kFinest{10us};  // between two looks at the outbox
constexpr Nanoseconds kCoarsest{1ms};
constexpr auto kForAnswers = 200ms;  // to calls of a step that is to be completed

}  // namespace

Courier::Courier(Ledger& ledger, PeerCommands& commands, Exchange& exchange, const rtsync::Period& frame,
                 const rtsync::Period& real_frame)
    : ledger_(ledger),
      commands_(commands),
      exchange_(exchange),
      frame_(frame.floor()),
      step_(ledger.settings.step ? ledger.settings.step->floor() : frame_),
      real_frame_(real_frame.floor()),
      timed_(ledger.settings.mode != LinkMode::free) {
  for (std::size_t i = 0; i < ledger.signals.subscriptions.size(); ++i) ears_.push_back({&ledger, i});
  for (std::size_t i = 0; i < ledger.signals.networks.size(); ++i) networks_.push_back({&ledger, i});
  for (std::size_t i = 0; i < ledger.settings.commands.size(); ++i) functions_.push_back({&commands, i});
}

void Courier::run() noexcept {
  try {
    try {
      join();
      carry();
      leave_now();
    } catch (const Refused& refused) {
      fail(refused.what);
      destroy();
    }
  } catch (const Abandoned&) {
    // Nobody waits any more. What is left is to let the others know that we are gone.
    if (participant_ != nullptr && api_ != nullptr) (void)api_->Participant_Destroy.address(participant_);
    return;
  } catch (const std::exception& failure) {
    fail(std::string("the link failed: ") + failure.what());
  } catch (...) {  // a C API throws nothing; this one did
    fail("the link failed: " + ledger_.settings.library + " threw something");
  }
  const std::scoped_lock held(ledger_.mutex);
  ended_ = true;
  ledger_.changed.notify_all();
}

/// Fails. Before it has joined this is why it cannot; later it is the end of the rig.
void Courier::fail(const std::string& why) {
  bool joined = false;
  {
    const std::scoped_lock held(ledger_.mutex);
    joined = joined_;
    failed_ = true;
    failure_ = why;
    ledger_.changed.notify_all();
  }
  if (joined) ledger_.abort_rig(why);
}

// ----------------------------------------------------------------------------------------------------- owner

bool Courier::wait_for_join(const bool& cancelled) {
  std::unique_lock held(ledger_.mutex);
  ledger_.changed.wait(held, [&] { return joined_ || failed_ || ended_ || cancelled; });
  return joined_ && !cancelled;
}

std::string Courier::failure() {
  const std::scoped_lock held(ledger_.mutex);
  return failure_;
}

void Courier::leave(const executive::LinkEnd& end) {
  const std::scoped_lock held(ledger_.mutex);
  end_ = end;
  ledger_.woken.open(ledger_.woken.value() + 1);
  ledger_.changed.notify_all();
}

std::string Courier::wait_for_end(std::chrono::milliseconds longest_call, std::chrono::milliseconds longest) {
  std::unique_lock held(ledger_.mutex);
  const Steady::time_point began = Steady::now();
  while (!ended_) {
    const Steady::time_point now = Steady::now();
    if (in_call_ != nullptr &&
        (now >= std::max(began, call_began_) + longest_call || now >= began + longest)) {
      abandoned_ = true;
      return in_call_;
    }
    ledger_.changed.wait_for(held, 20ms);
  }
  return "";
}

// --------------------------------------------------------------------------------------------------- library

void Courier::begin_call(const char* name) {
  const std::scoped_lock held(ledger_.mutex);
  in_call_ = name;
  call_began_ = Steady::now();
}

void Courier::end_call(const char* name, SilKit_ReturnCode code, const std::string& words) {
  const std::scoped_lock held(ledger_.mutex);
  in_call_ = nullptr;
  if (code != SilKit_ReturnCode_SUCCESS) {
    ++ledger_.facts.refused_calls;
    ledger_.facts.error = std::string(name) + " answered " + std::to_string(code) + " " + words;
  }
  if (abandoned_) throw Abandoned{};
}

// ---------------------------------------------------------------------------------------------- while it runs

void Courier::carry() {
  try {
    while (!asked_to_leave()) {
      ledger_.tick();
      complete_ready();
      if (exchange_.degrade.load(std::memory_order_acquire)) return degrade();
      timed_ ? complete_steps() : publish_all();
      answer_calls();
      tell_pause();
      rest();
    }
  } catch (const std::exception& failure) {
    ledger_.abort_rig(std::string("the link failed: ") + failure.what());
  }
}

bool Courier::asked_to_leave() {
  const std::scoped_lock held(ledger_.mutex);
  return end_.has_value();
}

void Courier::complete_ready() {
  if (ready_told_ || !ledger_.may_start()) return;
  ready_told_ = true;
  start_controllers();
  if (call(api_->LifecycleService_CompleteCommunicationReadyHandlerAsync, lifecycle_) ==
      SilKit_ReturnCode_SUCCESS)
    return;
  ledger_.abort_rig("the library does not let the federation start: " +
                    std::string(api_->LifecycleService_CompleteCommunicationReadyHandlerAsync.name) +
                    " was refused");
}

void Courier::complete_steps() {
  while (completed_ <= exchange_.granted.load(std::memory_order_acquire) &&
         completed_ < exchange_.steps_done.load(std::memory_order_acquire)) {
    publish_step(completed_);
    if (!servers_.empty() && ledger_.settings.mode == LinkMode::follow)
      commands_.wait_for_answers(completed_, kForAnswers);
    const SilKit_ReturnCode code = call(api_->TimeSyncService_CompleteSimulationStep, time_);
    ++completed_;  // also if refused: that no grant follows is for the frames to judge
    const std::scoped_lock held(ledger_.mutex);
    if (code == SilKit_ReturnCode_SUCCESS) ++ledger_.facts.steps_completed;
  }
}

/// The record of a step may be missing: there was no room for it. Then nothing is said in that step.
void Courier::publish_step(std::int64_t step) {
  while (const std::byte* const record = exchange_.outbox.front()) {
    Outgoing head;
    std::memcpy(&head, record, sizeof head);
    if (head.step > step) break;
    if (head.step == step) publish(record + sizeof head);
    exchange_.outbox.release();
  }
  send_frames(step);
}

void Courier::publish_all() {
  while (const std::byte* const record = exchange_.outbox.front()) {
    publish(record + sizeof(Outgoing));
    exchange_.outbox.release();
    const std::scoped_lock held(ledger_.mutex);
    ++ledger_.facts.steps_completed;
  }
  send_frames(std::numeric_limits<std::int64_t>::max());
}

void Courier::publish(const std::byte* blocks) {
  for (std::size_t i = 0; i < publishers_.size(); ++i) {
    const Layout& layout = ledger_.signals.publications[i].layout;
    encode(layout, blocks, payload_);
    blocks += layout.bytes;
    const SilKit_ByteVector data{payload_.data(), payload_.size()};
    if (call(api_->DataPublisher_Publish, publishers_[i], &data) == SilKit_ReturnCode_SUCCESS) {
      exchange_.messages_out.fetch_add(1, std::memory_order_relaxed);
    } else {
      exchange_.publish_failed.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

/// A pause that is asked for outside of Running is an error to the library: it waits for the right state.
void Courier::tell_pause() {
  const bool wanted = ledger_.wants_pause();
  if (!wanted) pause_refused_ = false;
  if (wanted == pause_told_ || pause_refused_) return;
  const SilKit_ParticipantState state = ledger_.own_state();
  if (wanted && state == SilKit_ParticipantState_Running) {
    const char* const why = exchange_.why.load(std::memory_order_acquire);
    const bool known = why != nullptr && *why != '\0';
    pause_told_ = call(api_->LifecycleService_Pause, lifecycle_, known ? why : "the rig is paused") ==
                  SilKit_ReturnCode_SUCCESS;
    pause_refused_ = !pause_told_;
    if (known) ledger_.note(std::string("the rig is paused for all: ") + why);
  } else if (!wanted && state == SilKit_ParticipantState_Paused) {
    pause_told_ = false;
    (void)call(api_->LifecycleService_Continue, lifecycle_);
  } else if (!wanted && state != SilKit_ParticipantState_Running) {
    pause_told_ = false;  // it ended meanwhile
  }
}

/// Rests until something may be to do: a grant, the end of a step, or the time to look.
void Courier::rest() {
  const std::uint32_t woken = ledger_.woken.value();
  const std::uint32_t stepped = exchange_.stepped.value();
  const MonotonicInstant now = rtsync::monotonic_now();
  const std::int64_t done = exchange_.steps_done.load(std::memory_order_acquire);
  const bool open = !timed_ || completed_ <= exchange_.granted.load(std::memory_order_acquire);
  const bool backlog = completed_ < done;
  if ((timed_ && open && backlog) || asked_to_leave()) return;
  const MonotonicInstant expected{Nanoseconds{exchange_.expected_end_ns.load(std::memory_order_relaxed)}};
  const bool runs = exchange_.federation.load(std::memory_order_relaxed) == Federation::running;
  if (exchange_.frozen.load(std::memory_order_relaxed)) {
    (void)exchange_.stepped.wait(stepped + 1, WaitMode::futex, now + kLookFrozen);
  } else if (!runs || (!open && (backlog || expected != MonotonicInstant{}))) {
    (void)ledger_.woken.wait(woken + 1, WaitMode::futex, now + kLook);
  } else {
    MonotonicInstant until = now + (timed_ ? kLook : kCoarsest);
    if (open && expected > now) {
      until = std::min(until, expected);
    } else if (open && expected != MonotonicInstant{}) {
      // The longer the end is overdue, the less it costs to see it a bit later.
      until = now + std::clamp(std::max(real_frame_ / 50, (now - expected) / 8), kFinest, kCoarsest);
    }
    (void)exchange_.stepped.wait(stepped + 1, WaitMode::futex, until);
  }
}

}  // namespace tactus::drivers::link
