// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/courier.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "drivers/link/courier_calls.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::drivers::link {
namespace {

using namespace std::chrono_literals;
using rtsync::WaitMode;

constexpr auto kLook = 5ms;  // how long it rests at most
constexpr auto kLookFrozen = 2ms;
constexpr Nanoseconds kFinest{10us};  // between two looks at the outbox
constexpr Nanoseconds kCoarsest{1ms};
constexpr auto kForSending = 100ms;  // until what was said last has left this machine
constexpr auto kForRunning = 200ms;
constexpr auto kForNextStep = 1s;   // of those that the others still owe at the end
constexpr auto kForLastSteps = 5s;  // all of them
constexpr auto kForShutdown = 3s;
constexpr auto kForAnswers = 200ms;  // to calls of a step that is to be completed

/// The link says itself what matters, and stdout is the rig's.
constexpr const char* kQuiet = R"({"Logging": {"Sinks": [{"Type": "Stdout", "Level": "Off"}]}})";

bool is_running(SilKit_ParticipantState state) { return state == SilKit_ParticipantState_Running; }
bool is_shut_down(SilKit_ParticipantState state) { return state == SilKit_ParticipantState_Shutdown; }

Ledger& ledger_of(void* context) { return *static_cast<Ledger*>(context); }

SilKit_LabelKind kind_of(LabelKind kind) {
  return kind == LabelKind::mandatory ? SilKit_LabelKind_Mandatory : SilKit_LabelKind_Optional;
}

/// A signal as the library wants it; points into the signal, and into itself.
struct Spec {
  explicit Spec(const Signal& signal) : labels(labels_of(signal.labels)), value(tactus_silkit_DataSpec()) {
    value.topic = signal.topic.c_str();
    value.mediaType = signal.media_type.c_str();
    value.labelList = {labels.size(), labels.data()};
  }
  Spec(const Spec&) = delete;
  Spec& operator=(const Spec&) = delete;

  std::vector<SilKit_Label> labels;
  SilKit_DataSpec value;
};

}  // namespace

std::vector<SilKit_Label> labels_of(const std::vector<LabelSettings>& settings) {
  std::vector<SilKit_Label> labels;
  for (const LabelSettings& label : settings)
    labels.push_back({label.key.c_str(), label.value.c_str(), kind_of(label.kind)});
  return labels;
}

Courier::Courier(Ledger& ledger, PeerCommands& commands, Exchange& exchange, const rtsync::Period& frame,
                 const rtsync::Period& real_frame)
    : ledger_(ledger),
      commands_(commands),
      exchange_(exchange),
      frame_(frame.floor()),
      real_frame_(real_frame.floor()),
      timed_(ledger.settings.mode != LinkMode::free) {
  for (std::size_t i = 0; i < ledger.signals.subscriptions.size(); ++i) ears_.push_back({&ledger, i});
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

// ------------------------------------------------------------------------------------------------------ join

void Courier::join() {
  const LinkSettings& settings = ledger_.settings;
  try {
    begin_call("dlopen");
    auto api = std::make_unique<Api>(settings.library);
    end_call("dlopen", SilKit_ReturnCode_SUCCESS, "");
    api_ = std::move(api);
  } catch (const executive::DeviceError& error) {
    end_call("dlopen", SilKit_ReturnCode_SUCCESS, "");
    throw Refused{error.what()};
  }
  std::string name;
  {
    const std::scoped_lock held(ledger_.mutex);
    ledger_.facts.library = api_->title();
    name = ledger_.facts.participant;
  }
  try {
    if (settings.configuration) {
      must(api_->ParticipantConfiguration_FromFile, &configuration_, settings.configuration->c_str());
    } else {
      must(api_->ParticipantConfiguration_FromString, &configuration_, kQuiet);
    }
    must(api_->Participant_Create, &participant_, configuration_, name.c_str(), settings.registry.c_str());
    create_services();
    create_signals();
    create_functions();
    must(api_->LifecycleService_StartLifecycle, lifecycle_);
    started_ = true;
  } catch (const Refused& refused) {
    // Our own library says itself what to do; of another one's refusal to connect nothing is known but that.
    const bool nowhere = refused.what.find("Participant_Create") != std::string::npos &&
                         refused.what.find("CONFIGURATIONERROR") == std::string::npos &&
                         refused.what.find("tactus registry") == std::string::npos;
    throw Refused{"participant '" + name + "' cannot join the federation at " + settings.registry + " with " +
                  api_->title() + ": " + refused.what +
                  (nowhere ? "; is the registry running (tactus registry --listen-uri " + settings.registry +
                                 "), and is the name free?"
                           : "")};
  }
  const std::scoped_lock held(ledger_.mutex);
  joined_ = true;
  ledger_.changed.notify_all();
}

void Courier::create_services() {
  const LinkSettings& settings = ledger_.settings;
  void* const context = &ledger_;
  SilKit_LifecycleConfiguration configuration = tactus_silkit_LifecycleConfiguration();
  configuration.operationMode = settings.operation == Operation::coordinated
                                    ? SilKit_OperationMode_Coordinated
                                    : SilKit_OperationMode_Autonomous;
  must(api_->LifecycleService_Create, &lifecycle_, participant_, &configuration);
  SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
  must(api_->LifecycleService_Status, &status, lifecycle_);
  if (status.participantName != nullptr) ledger_.own_name(status.participantName);

  must(api_->LifecycleService_SetCommunicationReadyHandlerAsync, lifecycle_, context,
       [](void* ledger, SilKit_LifecycleService*) { ledger_of(ledger).on_communication_ready(); });
  must(api_->LifecycleService_SetStartingHandler, lifecycle_, context,
       [](void* ledger, SilKit_LifecycleService*) { ledger_of(ledger).on_starting(); });
  must(api_->LifecycleService_SetStopHandler, lifecycle_, context,
       [](void* ledger, SilKit_LifecycleService*) { ledger_of(ledger).on_stop(); });
  must(api_->LifecycleService_SetShutdownHandler, lifecycle_, context,
       [](void* ledger, SilKit_LifecycleService*) { ledger_of(ledger).on_shutdown(); });
  must(api_->LifecycleService_SetAbortHandler, lifecycle_, context,
       [](void* ledger, SilKit_LifecycleService*, SilKit_ParticipantState) { ledger_of(ledger).on_abort(); });
  if (timed_) {
    const Nanoseconds step = settings.step ? settings.step->floor() : frame_;
    must(api_->TimeSyncService_Create, &time_, lifecycle_);
    must(
        api_->TimeSyncService_SetSimulationStepHandlerAsync, time_, static_cast<void*>(this),
        [](void* courier, SilKit_TimeSyncService*, SilKit_NanosecondsTime now,
           SilKit_NanosecondsTime duration) { static_cast<Courier*>(courier)->on_step(now, duration); },
        static_cast<SilKit_NanosecondsTime>(step.count()));
  }

  SilKit_HandlerId id = 0;
  must(api_->SystemMonitor_Create, &monitor_, participant_);
  must(api_->SystemMonitor_SetParticipantConnectedHandler, monitor_, context,
       [](void* ledger, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
         if (who != nullptr) ledger_of(ledger).on_connected(who->participantName);
       });
  must(api_->SystemMonitor_SetParticipantDisconnectedHandler, monitor_, context,
       [](void* ledger, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
         if (who != nullptr) ledger_of(ledger).on_disconnected(who->participantName);
       });
  must(
      api_->SystemMonitor_AddParticipantStatusHandler, monitor_, context,
      [](void* ledger, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus* said) {
        if (said != nullptr)
          ledger_of(ledger).on_status(name, said->participantState, said->enterReason,
                                      static_cast<std::uint64_t>(said->enterTime));
      },
      &id);
  must(
      api_->SystemMonitor_AddSystemStateHandler, monitor_, context,
      [](void* ledger, SilKit_SystemMonitor*, SilKit_SystemState state) {
        ledger_of(ledger).on_system_state(state);
      },
      &id);
}

void Courier::create_signals() {
  for (const Publication& publication : ledger_.signals.publications) {
    Spec spec(publication);
    SilKit_DataPublisher* publisher = nullptr;
    must(api_->DataPublisher_Create, &publisher, participant_, publication.name.c_str(), &spec.value,
         static_cast<std::uint8_t>(publication.history ? 1 : 0));
    publishers_.push_back(publisher);
  }
  for (SubscriptionContext& ear : ears_) {
    const Subscription& subscription = ledger_.signals.subscriptions[ear.subscription];
    Spec spec(subscription);
    SilKit_DataSubscriber* subscriber = nullptr;
    must(api_->DataSubscriber_Create, &subscriber, participant_, subscription.name.c_str(), &spec.value,
         static_cast<void*>(&ear),
         [](void* context, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
           const SubscriptionContext& heard = *static_cast<SubscriptionContext*>(context);
           heard.ledger->on_message(heard.subscription, event);
         });
  }
}

// ------------------------------------------------------------------------------------------------ while it
// runs

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
  if (ready_told_ || !ledger_.is_ready() || !ledger_.communication_ready()) return;
  ready_told_ = true;
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
    if (head.step > step) return;
    if (head.step == step) publish(record + sizeof head);
    exchange_.outbox.release();
  }
}

void Courier::publish_all() {
  while (const std::byte* const record = exchange_.outbox.front()) {
    publish(record + sizeof(Outgoing));
    exchange_.outbox.release();
    const std::scoped_lock held(ledger_.mutex);
    ++ledger_.facts.steps_completed;
  }
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

// ----------------------------------------------------------------------------------------------------- leave

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
  if (participant_ != nullptr) {
    SilKit_Participant* const participant = std::exchange(participant_, nullptr);
    (void)call(api_->Participant_Destroy, participant);
  }
  if (configuration_ != nullptr) {
    SilKit_ParticipantConfiguration* const configuration = std::exchange(configuration_, nullptr);
    (void)call(api_->ParticipantConfiguration_Destroy, configuration);
  }
}

}  // namespace tactus::drivers::link
