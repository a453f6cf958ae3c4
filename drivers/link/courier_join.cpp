// SPDX-License-Identifier: Apache-2.0
#include "config/json.hpp"
#include "config/json_of.hpp"
#include "drivers/link/courier_calls.hpp"
#include "executive/driver/device_error.hpp"

// How the courier joins: the library, the participant and all that it needs.
namespace tactus::drivers::link {
namespace {

/// The link says itself what matters, and stdout is the rig's.
constexpr const char* kQuiet = R"({"Logging": {"Sinks": [{"Type": "Stdout", "Level": "Off"}]}})";
/// The same for the library in the box, which is told besides that no peer may shorten the rig's steps. An older one of
/// SIL Kit does not know that key.
constexpr const char* kQuietBuiltin =
    R"({"Logging": {"Sinks": [{"Type": "Stdout", "Level": "Off"}]},
        "Experimental": {"TimeSynchronization": {"DynamicSimulationStep": false}}})";

Ledger& ledger_of(void* context) { return *static_cast<Ledger*>(context); }

/// Handler of the stop, the shutdown or the abort.
template <SilKit_ParticipantState state>
constexpr auto kEnds =
    [](void* ledger, SilKit_LifecycleService*, auto...) { ledger_of(ledger).on_end(state); };

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

void Courier::join() {
  const LinkSettings& settings = ledger_.settings;
  try {
    begin_call("dlopen");
    auto api = std::make_unique<Api>(settings.library, !networks_.empty());
    end_call("dlopen", SilKit_ReturnCode_SUCCESS, "");
    api_ = std::move(api);
  } catch (const executive::DeviceError& error) {
    end_call("dlopen", SilKit_ReturnCode_SUCCESS, "");
    throw Refused{error.what()};
  }
  std::string name;
  std::string registry = settings.registry;
  {
    const std::scoped_lock held(ledger_.mutex);
    ledger_.facts.library = api_->title();
    name = ledger_.facts.participant;
  }
  try {
    if (settings.configuration) {
      must(api_->ParticipantConfiguration_FromFile, &configuration_, settings.configuration->c_str());
      if (const std::string named = configured_registry(); !named.empty() && named != registry) {
        ledger_.note("the registry " + named + " of " + *settings.configuration + " is used, not " +
                     registry);
        registry = named;
        const std::scoped_lock held(ledger_.mutex);
        ledger_.facts.registry = registry;
      }
    } else {
      must(api_->ParticipantConfiguration_FromString, &configuration_,
           settings.library == "builtin" ? kQuietBuiltin : kQuiet);
    }
    must(api_->Participant_Create, &participant_, configuration_, name.c_str(), registry.c_str());
    create_services();
    create_signals();
    create_controllers();
    create_functions();
    must(api_->LifecycleService_StartLifecycle, lifecycle_);
    started_ = true;
  } catch (const Refused& refused) {
    // Our own library says itself what to do; of another one's refusal to connect nothing is known but that.
    const auto says = [&](const char* words) { return refused.what.find(words) != std::string::npos; };
    const bool answered = says("PROTOCOLERROR");  // somebody is there, who may not want this name
    const bool unclear =
        says("Participant_Create") && !says("CONFIGURATIONERROR") && !says("tactus registry");
    const std::string hint = !unclear ? ""
                             : answered
                                 ? "; if the name is taken, 'participant' in link gives this rig another"
                                 : "; is the registry running (tactus registry --listen-uri " + registry +
                                       "), and is the name free?";
    throw Refused{"participant '" + name + "' cannot join the federation at " + registry + " with " +
                  api_->title() + ": " + refused.what + hint};
  }
  const std::scoped_lock held(ledger_.mutex);
  joined_ = true;
  ledger_.changed.notify_all();
}

/// Returns the registry that the configuration names, which wins; empty: it names none, or the library does not show it.
std::string Courier::configured_registry() {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  const auto& to_json = api_->ParticipantConfiguration_ToJson;
  if (to_json.address == nullptr) return "";
  std::size_t size = 0;
  char* buffer = nullptr;  // asks for the size
  if (call(to_json, configuration_, &buffer, &size) != SilKit_ReturnCode_SUCCESS || size > kMost) return "";
  std::string text(size, '\0');
  buffer = text.data();
  if (call(to_json, configuration_, &buffer, &size) != SilKit_ReturnCode_SUCCESS) return "";
  const Json json = config::json_of(text);
  const Json::json_pointer place("/Middleware/RegistryUri");
  return json.contains(place) && json[place].is_string() ? json[place].get<std::string>() : "";
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
       kTells<&Ledger::on_communication_ready>);
  must(api_->LifecycleService_SetStartingHandler, lifecycle_, context, kTells<&Ledger::on_starting>);
  must(api_->LifecycleService_SetStopHandler, lifecycle_, context, kEnds<SilKit_ParticipantState_Stopping>);
  must(api_->LifecycleService_SetShutdownHandler, lifecycle_, context,
       kEnds<SilKit_ParticipantState_ShuttingDown>);
  must(api_->LifecycleService_SetAbortHandler, lifecycle_, context, kEnds<SilKit_ParticipantState_Aborting>);
  if (timed_) {
    must(api_->TimeSyncService_Create, &time_, lifecycle_);
    must(api_->TimeSyncService_SetSimulationStepHandlerAsync, time_, static_cast<void*>(this),
         kTells<&Courier::on_step, Courier>, static_cast<SilKit_NanosecondsTime>(step_.count()));
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
  must(api_->SystemMonitor_AddSystemStateHandler, monitor_, context, kTells<&Ledger::on_system_state>, &id);
}

void Courier::create_signals() {
  for (const Publication& publication : ledger_.signals.publications) {
    Spec spec(publication);
    SilKit_DataPublisher* publisher = nullptr;
    must(api_->DataPublisher_Create, &publisher, participant_, publication.name.c_str(), &spec.value,
         static_cast<std::uint8_t>(publication.history ? 1 : 0));
    publishers_.push_back(publisher);
  }
  for (Context<Ledger>& ear : ears_) {
    const Subscription& subscription = ledger_.signals.subscriptions[ear.index];
    Spec spec(subscription);
    SilKit_DataSubscriber* subscriber = nullptr;
    must(api_->DataSubscriber_Create, &subscriber, participant_, subscription.name.c_str(), &spec.value,
         static_cast<void*>(&ear), kTellsOf<&Ledger::on_message>);
  }
}

}  // namespace tactus::drivers::link
