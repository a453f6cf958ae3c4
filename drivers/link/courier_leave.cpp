// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "drivers/link/courier_calls.hpp"

// How the courier leaves: in order, in error, or because the rig continues unlinked.
namespace tactus::drivers::link {
namespace {

using namespace std::chrono_literals;

constexpr auto kForSending = 100ms;  // until what was said last has left this machine
constexpr auto kForRunning = 200ms;
constexpr auto kForNextStep = 1s;   // of those that the others still owe at the end
constexpr auto kForLastSteps = 5s;  // all of them
constexpr auto kForShutdown = 3s;

bool is_running(SilKit_ParticipantState state) { return state == SilKit_ParticipantState_Running; }
bool is_shut_down(SilKit_ParticipantState state) { return state == SilKit_ParticipantState_Shutdown; }

}  // namespace

bool Courier::wait_for_state(std::chrono::milliseconds limit, bool (*reached)(SilKit_ParticipantState)) {
  const Steady::time_point until = Steady::now() + limit;
  for (;;) {
    if (reached(ledger_.own_state())) return true;
    if (Steady::now() >= until) return false;
    std::unique_lock held(ledger_.mutex);
    ledger_.changed.wait_for(held, 5ms);
    held.unlock();
    SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
    if (call(api_->LifecycleService_State, &state, lifecycle_) == SilKit_ReturnCode_SUCCESS)
      ledger_.own_state(state);
  }
}

void Courier::leave_now() {
  if (participant_ == nullptr) return;
  executive::LinkEnd end;
  {
    std::unique_lock held(ledger_.mutex);
    ledger_.changed.wait(held, [&] { return end_.has_value(); });
    end = *end_;
  }
  if (end.in_order) {
    leave_in_order();
  } else {
    leave_in_error(end.reason);
  }
  ledger_.leave_federation();
  destroy();
}

void Courier::leave_in_order() {
  ledger_.begin_leaving();
  answer_all();
  if (ledger_.own_state() == SilKit_ParticipantState_Paused && pause_told_) {
    pause_told_ = false;
    (void)call(api_->LifecycleService_Continue, lifecycle_);
    (void)wait_for_state(kForRunning, is_running);
  }
  const Steady::time_point until = Steady::now() + kForLastSteps;
  Steady::time_point progress = Steady::now();
  while (is_running(ledger_.own_state())) {
    const std::int64_t before = completed_;
    timed_ ? complete_steps() : publish_all();
    const Steady::time_point now = Steady::now();
    if (completed_ > before) progress = now;
    if (!timed_ || completed_ >= exchange_.steps_done.load(std::memory_order_acquire) || now >= until ||
        now >= progress + kForNextStep)
      break;
    std::unique_lock held(ledger_.mutex);
    ledger_.changed.wait_for(held, 1ms);
  }
  const SilKit_ParticipantState state = ledger_.own_state();
  std::string reason;
  {
    const std::scoped_lock held(ledger_.mutex);
    reason = end_->reason;
  }
  if (state == SilKit_ParticipantState_Running || state == SilKit_ParticipantState_Paused) {
    if (call(api_->LifecycleService_Stop, lifecycle_, reason.c_str()) != SilKit_ReturnCode_SUCCESS) return;
  } else if (state < SilKit_ParticipantState_Running || state == SilKit_ParticipantState_Error) {
    return;  // there is nothing to stop
  }
  if (wait_for_state(kForShutdown, is_shut_down)) {
    std::this_thread::sleep_for(kForSending);  // who disconnects at once may take its last word back
    return;
  }
  ledger_.note("the federation did not let the participant shut down in time; it left in state " +
               std::string(name_of_state(ledger_.own_state())));
}

void Courier::leave_in_error(const std::string& why) {
  ledger_.begin_leaving();
  answer_all();
  const SilKit_ParticipantState state = ledger_.own_state();
  if (!started_ || state >= SilKit_ParticipantState_ShuttingDown || state == SilKit_ParticipantState_Error)
    return;
  (void)call(api_->LifecycleService_ReportError, lifecycle_, why.c_str());
  std::this_thread::sleep_for(kForSending);
}

void Courier::degrade() {
  const char* const text = exchange_.why.load(std::memory_order_acquire);
  const std::string why = text == nullptr || *text == '\0' ? "the federation was too late" : text;
  ledger_.leave_federation();
  ledger_.note("continues unlinked: " + why);
  {
    const std::scoped_lock held(ledger_.mutex);
    ledger_.facts.degraded = true;
  }
  leave_in_error(why);
  destroy();
}

void Courier::destroy() {
  if (auto* const participant = std::exchange(participant_, nullptr); participant != nullptr)
    (void)call(api_->Participant_Destroy, participant);
  if (auto* const configuration = std::exchange(configuration_, nullptr); configuration != nullptr)
    (void)call(api_->ParticipantConfiguration_Destroy, configuration);
}

}  // namespace tactus::drivers::link
