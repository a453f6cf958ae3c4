// SPDX-License-Identifier: Apache-2.0
/// System monitor and system controller of the C API.
#include <functional>
#include <utility>

#include "drivers/silkit/api/objects.hpp"
#include "drivers/silkit/wire/uri.hpp"

using namespace tactus::silkit;

namespace tactus::silkit {

void show(const Status& status, SilKit_ParticipantStatus& out) {
  out.participantName = status.participant.c_str();
  out.participantState = static_cast<SilKit_ParticipantState>(status.state);
  out.enterReason = status.reason.c_str();
  out.enterTime = static_cast<SilKit_NanosecondsWallclockTime>(status.enter_us) * 1000;
  out.refreshTime = static_cast<SilKit_NanosecondsWallclockTime>(status.refresh_us) * 1000;
}

namespace {

/// Adds `tell` as a handler with `add`, which returns its number; tells it what the engine has `known` already,
/// on this thread, with no lock held. Newer calls of it, the I/O thread's, come when that is done; no thread
/// waits for them. When `tell` throws, the handler is gone again.
template <class EngineHandler, class Known, class Tell>
void add_and_replay(SilKit_SystemMonitor* monitor, Call::What what, std::uint64_t& id,
                    std::uint64_t (Monitor::*add)(EngineHandler), Known known, Tell tell) {
  Participant& participant = monitor->owner.participant;
  std::uint64_t added = 0;
  const auto to_replay = participant.with_engine([&](Engine& engine) {
    added = (engine.monitor().*add)(handler_of<EngineHandler>(tell));
    engine.hold(what, added);
    return std::invoke(known, engine);
  });
  id = added;  // the handler may remove itself
  const auto still_there = [&] {
    return participant.with_engine([&](Engine& engine) { return engine.monitor().has_handler(what, added); });
  };
  try {
    const Participant::InHandler inside(participant);
    for (const auto& each : to_replay)
      if (still_there()) tell(each);
  } catch (...) {
    participant.with_engine([&](Engine& engine) {
      (void)engine.monitor().remove_handler(what, added);
      engine.release(what, added);
    });
    throw;
  }
  participant.with_engine([&](Engine& engine) { engine.release(what, added); });
}

SilKit_ReturnCode remove_handler(SilKit_SystemMonitor* monitor, Call::What what, SilKit_HandlerId id) {
  return guarded({{monitor, "monitor"}}, [&] {
    (void)monitor->owner.participant.remove_handler(
        [&](Engine& engine) { return engine.monitor().remove_handler(what, id); });
  });
}

using StatusFunction = SilKit_ParticipantStatusHandler_t;
using ConnectionFunction = SilKit_SystemMonitor_ParticipantConnectedHandler_t;

void tell(StatusFunction handler, void* context, SilKit_SystemMonitor* monitor, const Status& status) {
  SilKit_ParticipantStatus shown = tactus_silkit_ParticipantStatus();
  show(status, shown);
  handler(context, monitor, shown.participantName, &shown);
}

void tell(ConnectionFunction handler, void* context, SilKit_SystemMonitor* monitor, const std::string& name) {
  SilKit_ParticipantConnectionInformation shown = tactus_silkit_ParticipantConnectionInformation();
  shown.participantName = name.c_str();
  handler(context, monitor, &shown);
}

}  // namespace
}  // namespace tactus::silkit

// ----------------------------------------------------------------------------------------------- monitor

SilKit_ReturnCode SilKit_SystemMonitor_Create(SilKit_SystemMonitor** outMonitor,
                                              SilKit_Participant* participant) {
  return guarded({{outMonitor, "outMonitor"}, {participant, "participant"}}, [&] {
    participant->participant.with_engine([](Engine& engine) { engine.monitor().create(); });
    *outMonitor = &participant->monitor;
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_GetParticipantStatus(SilKit_ParticipantStatus* outStatus,
                                                            SilKit_SystemMonitor* monitor,
                                                            const char* participantName) {
  return guarded({{outStatus, "outStatus"}, {monitor, "monitor"}, {participantName, "participantName"}}, [&] {
    require_header(outStatus->structHeader, "outStatus");
    monitor->owner.participant.with_engine([&](Engine& engine) {
      const Status* const status = engine.status_of(participantName);
      if (status == nullptr)
        throw Refusal(Code::unspecified, std::string("no status is known of participant ") + participantName);
      Status& shown = monitor->shown[participantName];
      const bool same = shown.state == status->state && shown.enter_us == status->enter_us &&
                        shown.reason == status->reason && shown.participant == status->participant;
      if (!same) shown = *status;  // texts that were handed out stay as long as they are true
      show(shown, *outStatus);
    });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_GetSystemState(SilKit_SystemState* outState,
                                                      SilKit_SystemMonitor* monitor) {
  return ask_engine(monitor, {{outState, "outState"}, {monitor, "monitor"}}, outState,
                    [](Engine& engine) { return engine.system_state(); });
}

SilKit_ReturnCode SilKit_SystemMonitor_AddSystemStateHandler(SilKit_SystemMonitor* monitor, void* context,
                                                             SilKit_SystemStateHandler_t handler,
                                                             SilKit_HandlerId* outHandlerId) {
  return guarded({{monitor, "monitor"}, {handler, "handler"}, {outHandlerId, "outHandlerId"}}, [&] {
    add_and_replay(
        monitor, Call::What::system_state, *outHandlerId, &Monitor::on_system_state,
        [](Engine& engine) { return std::vector{engine.system_state()}; },
        [=](ParticipantState state) { handler(context, monitor, static_cast<SilKit_SystemState>(state)); });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_RemoveSystemStateHandler(SilKit_SystemMonitor* monitor,
                                                                SilKit_HandlerId handlerId) {
  return remove_handler(monitor, Call::What::system_state, handlerId);
}

SilKit_ReturnCode SilKit_SystemMonitor_AddParticipantStatusHandler(SilKit_SystemMonitor* monitor,
                                                                   void* context,
                                                                   SilKit_ParticipantStatusHandler_t handler,
                                                                   SilKit_HandlerId* outHandlerId) {
  return guarded({{monitor, "monitor"}, {handler, "handler"}, {outHandlerId, "outHandlerId"}}, [&] {
    add_and_replay(monitor, Call::What::status, *outHandlerId, &Monitor::on_status, &Engine::known_statuses,
                   [=](const Status& status) { tell(handler, context, monitor, status); });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_RemoveParticipantStatusHandler(SilKit_SystemMonitor* monitor,
                                                                      SilKit_HandlerId handlerId) {
  return remove_handler(monitor, Call::What::status, handlerId);
}

SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantConnectedHandler(
    SilKit_SystemMonitor* monitor, void* context,
    SilKit_SystemMonitor_ParticipantConnectedHandler_t handler) {
  return guarded({{monitor, "monitor"}, {handler, "handler"}}, [&] {
    std::uint64_t unused = 0;
    add_and_replay(monitor, Call::What::connected, unused, &Monitor::on_connected, &Engine::peers,
                   [=](const std::string& name) { tell(handler, context, monitor, name); });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantDisconnectedHandler(
    SilKit_SystemMonitor* monitor, void* context,
    SilKit_SystemMonitor_ParticipantDisconnectedHandler_t handler) {
  return in_engine(monitor, {{monitor, "monitor"}, {handler, "handler"}}, [&](Engine& engine) {
    engine.monitor().on_disconnected(handler_of<ConnectionHandler>(
        [=](const std::string& name) { tell(handler, context, monitor, name); }));
  });
}

SilKit_ReturnCode SilKit_Tactus_SystemMonitor_AllStatesKnown(SilKit_SystemMonitor* monitor,
                                                             SilKit_Bool* outKnown) {
  return ask_engine(monitor, {{monitor, "monitor"}, {outKnown, "outKnown"}}, outKnown,
                    [](Engine& engine) { return engine.all_states_known(); });
}

SilKit_ReturnCode SilKit_SystemMonitor_IsParticipantConnected(SilKit_SystemMonitor* monitor,
                                                              const char* participantName,
                                                              SilKit_Bool* outConnected) {
  return guarded({{monitor, "monitor"}, {participantName, "participantName"}, {outConnected, "outConnected"}},
                 [&] {
                   Participant& participant = monitor->owner.participant;
                   const bool connected = participantName == kRegistryName
                                              ? participant.reaches_registry()
                                              : participant.with_engine([&](Engine& engine) {
                                                  return engine.is_connected(participantName);
                                                });
                   *outConnected = connected ? SilKit_True : SilKit_False;
                 });
}

// -------------------------------------------------------------------------------------------- controller

SilKit_ReturnCode SilKit_Experimental_SystemController_Create(
    SilKit_Experimental_SystemController** outController, SilKit_Participant* participant) {
  return guarded({{outController, "outController"}, {participant, "participant"}}, [&] {
    participant->participant.with_engine([](Engine& engine) { engine.monitor().create_controller(); });
    *outController = &participant->controller;
  });
}

SilKit_ReturnCode SilKit_Experimental_SystemController_AbortSimulation(
    SilKit_Experimental_SystemController* controller) {
  return in_engine(controller, {{controller, "controller"}},
                   [](Engine& engine) { engine.abort_simulation(); });
}

SilKit_ReturnCode SilKit_Experimental_SystemController_SetWorkflowConfiguration(
    SilKit_Experimental_SystemController* controller, const SilKit_WorkflowConfiguration* configuration) {
  return guarded({{controller, "controller"}, {configuration, "configuration"}}, [&] {
    const SilKit_StringList* const list = configuration->requiredParticipantNames;
    require(list, "configuration->requiredParticipantNames");
    if (list->numStrings > 0) require(list->strings, "configuration->requiredParticipantNames->strings");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list->numStrings; ++i) {
      require(list->strings[i], "a name in configuration->requiredParticipantNames");
      names.emplace_back(list->strings[i]);
    }
    controller->owner.participant.with_engine([&](Engine& engine) { engine.set_required(std::move(names)); });
  });
}
