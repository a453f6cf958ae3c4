/// System monitor and system controller of the C API.
#include <mutex>
#include <optional>
#include <utility>

#include "drivers/silkit/api/objects.hpp"

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

/// Calls a handler with all that it should know already, on this thread; the I/O thread's calls of it, which
/// are newer, wait until that is done.
class Replay {
 public:
  using Gate = std::shared_ptr<std::mutex>;
  const Gate& gate() const { return gate_; }

 private:
  Gate gate_ = std::make_shared<std::mutex>();
  std::scoped_lock<std::mutex> closed_{*gate_};
};

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
  return guarded([&] {
    require(outMonitor, "outMonitor");
    require(participant, "participant");
    participant->participant.with_engine([](Engine& engine) { engine.create_monitor(); });
    *outMonitor = &participant->monitor;
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_GetParticipantStatus(SilKit_ParticipantStatus* outStatus,
                                                            SilKit_SystemMonitor* monitor,
                                                            const char* participantName) {
  return guarded([&] {
    require(outStatus, "outStatus");
    require(monitor, "monitor");
    require(participantName, "participantName");
    require_header(outStatus->header, "outStatus");
    monitor->owner.participant.with_engine([&](Engine& engine) {
      std::optional<Status> status = engine.status_of(participantName);
      if (!status)
        throw Refusal(Code::unspecified, std::string("no status is known of participant ") + participantName);
      Status& shown = monitor->shown[participantName];
      const bool same = shown.state == status->state && shown.enter_us == status->enter_us &&
                        shown.reason == status->reason && shown.participant == status->participant;
      if (!same) shown = std::move(*status);  // texts that were handed out stay as long as they are true
      show(shown, *outStatus);
    });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_GetSystemState(SilKit_SystemState* outState,
                                                      SilKit_SystemMonitor* monitor) {
  return guarded([&] {
    require(outState, "outState");
    require(monitor, "monitor");
    *outState = static_cast<SilKit_SystemState>(
        monitor->owner.participant.with_engine([](Engine& engine) { return engine.system_state(); }));
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_AddSystemStateHandler(SilKit_SystemMonitor* monitor, void* context,
                                                             SilKit_SystemStateHandler_t handler,
                                                             SilKit_HandlerId* outHandlerId) {
  return guarded([&] {
    require(monitor, "monitor");
    require(handler, "handler");
    require(outHandlerId, "outHandlerId");
    const Replay replay;
    const auto tell_state = [=](ParticipantState state) {
      handler(context, monitor, static_cast<SilKit_SystemState>(state));
    };
    ParticipantState now = ParticipantState::invalid;
    const std::uint64_t id = monitor->owner.participant.with_engine([&](Engine& engine) {
      now = engine.system_state();
      return engine.add_system_state_handler(
          handler_of<SystemStateHandler>([=, gate = replay.gate()](ParticipantState state) {
            const std::scoped_lock open(*gate);
            tell_state(state);
          }));
    });
    try {
      tell_state(now);
    } catch (...) {
      monitor->owner.participant.with_engine([&](Engine& engine) { engine.remove_system_state_handler(id); });
      throw;
    }
    *outHandlerId = id;
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_RemoveSystemStateHandler(SilKit_SystemMonitor* monitor,
                                                                SilKit_HandlerId handlerId) {
  return guarded([&] {
    require(monitor, "monitor");
    monitor->owner.participant.with_engine(
        [&](Engine& engine) { engine.remove_system_state_handler(handlerId); });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_AddParticipantStatusHandler(SilKit_SystemMonitor* monitor,
                                                                   void* context,
                                                                   SilKit_ParticipantStatusHandler_t handler,
                                                                   SilKit_HandlerId* outHandlerId) {
  return guarded([&] {
    require(monitor, "monitor");
    require(handler, "handler");
    require(outHandlerId, "outHandlerId");
    const Replay replay;
    std::vector<Status> known;
    const std::uint64_t id = monitor->owner.participant.with_engine([&](Engine& engine) {
      known = engine.known_statuses();
      return engine.add_status_handler(
          handler_of<StatusHandler>([=, gate = replay.gate()](const Status& status) {
            const std::scoped_lock open(*gate);
            tell(handler, context, monitor, status);
          }));
    });
    try {
      for (const Status& status : known) tell(handler, context, monitor, status);
    } catch (...) {
      monitor->owner.participant.with_engine([&](Engine& engine) { engine.remove_status_handler(id); });
      throw;
    }
    *outHandlerId = id;
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_RemoveParticipantStatusHandler(SilKit_SystemMonitor* monitor,
                                                                      SilKit_HandlerId handlerId) {
  return guarded([&] {
    require(monitor, "monitor");
    monitor->owner.participant.with_engine([&](Engine& engine) { engine.remove_status_handler(handlerId); });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantConnectedHandler(
    SilKit_SystemMonitor* monitor, void* context,
    SilKit_SystemMonitor_ParticipantConnectedHandler_t handler) {
  return guarded([&] {
    require(monitor, "monitor");
    require(handler, "handler");
    const Replay replay;
    const std::vector<std::string> connected = monitor->owner.participant.with_engine([&](Engine& engine) {
      engine.on_connected(handler_of<ConnectionHandler>([=, gate = replay.gate()](const std::string& name) {
        const std::scoped_lock open(*gate);
        tell(handler, context, monitor, name);
      }));
      return engine.peers();
    });
    for (const std::string& name : connected) tell(handler, context, monitor, name);
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantDisconnectedHandler(
    SilKit_SystemMonitor* monitor, void* context,
    SilKit_SystemMonitor_ParticipantDisconnectedHandler_t handler) {
  return guarded([&] {
    require(monitor, "monitor");
    require(handler, "handler");
    monitor->owner.participant.with_engine([&](Engine& engine) {
      engine.on_disconnected(handler_of<ConnectionHandler>(
          [=](const std::string& name) { tell(handler, context, monitor, name); }));
    });
  });
}

SilKit_ReturnCode SilKit_SystemMonitor_IsParticipantConnected(SilKit_SystemMonitor* monitor,
                                                              const char* participantName,
                                                              SilKit_Bool* outConnected) {
  return guarded([&] {
    require(monitor, "monitor");
    require(participantName, "participantName");
    require(outConnected, "outConnected");
    *outConnected = monitor->owner.participant.with_engine(
        [&](Engine& engine) { return engine.is_connected(participantName) ? SilKit_True : SilKit_False; });
  });
}

// -------------------------------------------------------------------------------------------- controller

SilKit_ReturnCode SilKit_Experimental_SystemController_Create(
    SilKit_Experimental_SystemController** outController, SilKit_Participant* participant) {
  return guarded([&] {
    require(outController, "outController");
    require(participant, "participant");
    participant->participant.with_engine([](Engine& engine) { engine.create_controller(); });
    *outController = &participant->controller;
  });
}

SilKit_ReturnCode SilKit_Experimental_SystemController_AbortSimulation(
    SilKit_Experimental_SystemController* controller) {
  return guarded([&] {
    require(controller, "controller");
    controller->owner.participant.with_engine([](Engine& engine) { engine.abort_simulation(); });
  });
}

SilKit_ReturnCode SilKit_Experimental_SystemController_SetWorkflowConfiguration(
    SilKit_Experimental_SystemController* controller, const SilKit_WorkflowConfiguration* configuration) {
  return guarded([&] {
    require(controller, "controller");
    require(configuration, "configuration");
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
