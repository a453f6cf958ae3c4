// SPDX-License-Identifier: Apache-2.0
/// Lifecycle and virtual time of the C API.
#include <cstdint>

#include "drivers/silkit/api/objects.hpp"

using namespace tactus::silkit;

// --------------------------------------------------------------------------------------------- lifecycle

SilKit_ReturnCode SilKit_LifecycleService_Create(SilKit_LifecycleService** outService,
                                                 SilKit_Participant* participant,
                                                 const SilKit_LifecycleConfiguration* configuration) {
  return guarded(
      {{outService, "outService"}, {participant, "participant"}, {configuration, "configuration"}}, [&] {
        require_header(configuration->structHeader, "configuration");
        // Numbers that are no mode are taken, as programs are used to: whoever is not coordinated is autonomous.
        OperationMode mode = static_cast<OperationMode>(configuration->operationMode);
        if (mode != OperationMode::invalid && mode != OperationMode::coordinated)
          mode = OperationMode::autonomous;
        keep_end(&participant->lifecycle, participant->participant.end());
        participant->participant.with_engine([&](Engine& engine) { engine.lifecycle().create(mode); });
        *outService = &participant->lifecycle;
      });
}

namespace {

using PlainFunction = void (*)(void*, SilKit_LifecycleService*);

SilKit_ReturnCode set(void (Lifecycle::*function)(PlainHandler), SilKit_LifecycleService* service,
                      void* context, PlainFunction handler) {
  return in_engine(service, {{service, "service"}, {handler, "handler"}}, [&](Engine& engine) {
    (engine.lifecycle().*function)(handler_of<PlainHandler>([=] { handler(context, service); }));
  });
}

}  // namespace

/// Defines the function of the C API that sets a handler of the engine's lifecycle with `function`.
#define TACTUS_SILKIT_SETS(name, Which, function)                              \
  SilKit_ReturnCode name(SilKit_LifecycleService* service, void* context,      \
                         SilKit_LifecycleService_##Which##Handler_t handler) { \
    return set(&Lifecycle::function, service, context, handler);               \
  }
TACTUS_SILKIT_SETS(SilKit_LifecycleService_SetCommunicationReadyHandler, CommunicationReady,
                   on_communication_ready)
TACTUS_SILKIT_SETS(SilKit_LifecycleService_SetCommunicationReadyHandlerAsync, CommunicationReady,
                   on_communication_ready_async)
TACTUS_SILKIT_SETS(SilKit_LifecycleService_SetStartingHandler, Starting, on_starting)
TACTUS_SILKIT_SETS(SilKit_LifecycleService_SetStopHandler, Stop, on_stop)
TACTUS_SILKIT_SETS(SilKit_LifecycleService_SetShutdownHandler, Shutdown, on_shutdown)

SilKit_ReturnCode SilKit_LifecycleService_SetAbortHandler(SilKit_LifecycleService* service, void* context,
                                                          SilKit_LifecycleService_AbortHandler_t handler) {
  return in_engine(service, {{service, "service"}, {handler, "handler"}}, [&](Engine& engine) {
    engine.lifecycle().on_abort(handler_of<AbortHandler>([=](ParticipantState before) {
      handler(context, service, static_cast<SilKit_ParticipantState>(before));
    }));
  });
}

SilKit_ReturnCode SilKit_LifecycleService_CompleteCommunicationReadyHandlerAsync(
    SilKit_LifecycleService* service) {
  return guarded({{service, "service"}}, [&] { service->owner.participant.complete_communication_ready(); });
}

SilKit_ReturnCode SilKit_LifecycleService_StartLifecycle(SilKit_LifecycleService* service) {
  return guarded({{service, "service"}}, [&] { service->owner.participant.start_lifecycle(); });
}

SilKit_ReturnCode SilKit_LifecycleService_WaitForLifecycleToComplete(SilKit_LifecycleService* service,
                                                                     SilKit_ParticipantState* outFinalState) {
  return guarded({{service, "service"}, {outFinalState, "outFinalState"}},
                 [&] { *outFinalState = static_cast<SilKit_ParticipantState>(end_of(service)->wait()); });
}

SilKit_ReturnCode SilKit_LifecycleService_ReportError(SilKit_LifecycleService* service, const char* reason) {
  return in_engine(service, {{service, "service"}, {reason, "reason"}},
                   [&](Engine& engine) { engine.report_error(reason); });
}

SilKit_ReturnCode SilKit_LifecycleService_Pause(SilKit_LifecycleService* service, const char* reason) {
  return in_engine(service, {{service, "service"}, {reason, "reason"}},
                   [&](Engine& engine) { engine.pause(reason); });
}

SilKit_ReturnCode SilKit_LifecycleService_Continue(SilKit_LifecycleService* service) {
  return in_engine(service, {{service, "service"}}, [](Engine& engine) { engine.resume(); });
}

SilKit_ReturnCode SilKit_LifecycleService_Stop(SilKit_LifecycleService* service, const char* reason) {
  return in_engine(service, {{service, "service"}, {reason, "reason"}},
                   [&](Engine& engine) { engine.stop(reason); });
}

SilKit_ReturnCode SilKit_LifecycleService_State(SilKit_ParticipantState* outState,
                                                SilKit_LifecycleService* service) {
  return ask_engine(service, {{outState, "outState"}, {service, "service"}}, outState,
                    [](Engine& engine) { return engine.state(); });
}

SilKit_ReturnCode SilKit_LifecycleService_Status(SilKit_ParticipantStatus* outStatus,
                                                 SilKit_LifecycleService* service) {
  return guarded({{outStatus, "outStatus"}, {service, "service"}}, [&] {
    require_header(outStatus->structHeader, "outStatus");
    service->owner.participant.with_engine([&](Engine& engine) {
      service->shown = engine.status();
      show(service->shown, *outStatus);
    });
  });
}

// ------------------------------------------------------------------------------------------ virtual time

SilKit_ReturnCode SilKit_TimeSyncService_Create(SilKit_TimeSyncService** outService,
                                                SilKit_LifecycleService* lifecycle) {
  return guarded({{outService, "outService"}, {lifecycle, "lifecycle"}}, [&] {
    lifecycle->owner.participant.with_engine([](Engine& engine) { engine.create_time_sync(); });
    *outService = &lifecycle->owner.time_sync;
  });
}

namespace {

SilKit_ReturnCode set_step_handler(SilKit_TimeSyncService* service, void* context,
                                   SilKit_TimeSyncService_SimulationStepHandler_t handler,
                                   SilKit_NanosecondsTime step, bool asynchronous) {
  return in_engine(service, {{service, "service"}, {handler, "handler"}}, [&](Engine& engine) {
    engine.virtual_time().on_step(handler_of<StepHandler>([=](std::int64_t now, std::int64_t duration) {
                                    handler(context, service, static_cast<SilKit_NanosecondsTime>(now),
                                            static_cast<SilKit_NanosecondsTime>(duration));
                                  }),
                                  static_cast<std::int64_t>(step), asynchronous);
  });
}

}  // namespace

SilKit_ReturnCode SilKit_TimeSyncService_SetSimulationStepHandler(
    SilKit_TimeSyncService* service, void* context, SilKit_TimeSyncService_SimulationStepHandler_t handler,
    SilKit_NanosecondsTime stepSize) {
  return set_step_handler(service, context, handler, stepSize, false);
}

SilKit_ReturnCode SilKit_TimeSyncService_SetSimulationStepHandlerAsync(
    SilKit_TimeSyncService* service, void* context, SilKit_TimeSyncService_SimulationStepHandler_t handler,
    SilKit_NanosecondsTime stepSize) {
  return set_step_handler(service, context, handler, stepSize, true);
}

SilKit_ReturnCode SilKit_TimeSyncService_CompleteSimulationStep(SilKit_TimeSyncService* service) {
  return in_engine(service, {{service, "service"}},
                   [](Engine& engine) { engine.virtual_time().complete_step(); });
}

SilKit_ReturnCode SilKit_TimeSyncService_Now(SilKit_TimeSyncService* service,
                                             SilKit_NanosecondsTime* outNow) {
  return ask_engine(service, {{service, "service"}, {outNow, "outNow"}}, outNow,
                    [](Engine& engine) { return engine.now_ns(); });
}

SilKit_ReturnCode SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler(
    SilKit_TimeSyncService* service, void* context,
    SilKit_Experimental_TimeSyncService_OtherSimulationStepsCompletedHandler_t handler,
    SilKit_HandlerId* outHandlerId) {
  return ask_engine(service, {{service, "service"}, {handler, "handler"}, {outHandlerId, "outHandlerId"}},
                    outHandlerId, [&](Engine& engine) {
                      return engine.virtual_time().add_others_handler(
                          handler_of<PlainHandler>([=] { handler(context, service); }));
                    });
}

SilKit_ReturnCode SilKit_Experimental_TimeSyncService_RemoveOtherSimulationStepsCompletedHandler(
    SilKit_TimeSyncService* service, SilKit_HandlerId handlerId) {
  return guarded({{service, "service"}}, [&] {
    (void)service->owner.participant.remove_handler(
        [&](Engine& engine) { return engine.virtual_time().remove_others_handler(handlerId); });
  });
}
