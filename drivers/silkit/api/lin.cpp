// SPDX-License-Identifier: Apache-2.0
/// LIN controllers of the C API.
#include "drivers/silkit/core/lin.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "drivers/silkit/api/bus.hpp"
#include "drivers/silkit/api/objects.hpp"
#include "tactus/silkit_lin.h"

using namespace tactus::silkit;

namespace {

LinFrame lin_frame(const SilKit_LinFrame& from) {
  LinFrame frame{from.id, static_cast<LinChecksum>(from.checksumModel), from.dataLength};
  std::copy(std::begin(from.data), std::end(from.data), frame.data.begin());
  return frame;
}

LinResponse lin_response(const SilKit_LinFrameResponse& from, const char* name) {
  require(from.frame, name);
  return {lin_frame(*from.frame), static_cast<LinResponseMode>(from.responseMode)};
}

}  // namespace

SilKit_ReturnCode SilKit_LinController_Create(SilKit_LinController** outController,
                                              SilKit_Participant* participant, const char* name,
                                              const char* network) {
  return create_controller("LIN", outController, participant, name, network, &ServicesSettings::lin,
                           &Engine::lin);
}

SilKit_ReturnCode SilKit_LinController_Init(SilKit_LinController* controller,
                                            const SilKit_LinControllerConfig* config) {
  return with_controller(controller, config, "config", [&](Engine& engine, LinController& own) {
    if (config->numFrameResponses > 0) require(config->frameResponses, "config->frameResponses");
    LinControllerConfig made{static_cast<LinMode>(config->controllerMode), config->baudRate, {}, 0};
    for (std::size_t i = 0; i < config->numFrameResponses; ++i)
      made.responses.push_back(lin_response(
          config->frameResponses[i], ("config->frameResponses[" + std::to_string(i) + "].frame").c_str()));
    engine.lin().init(own, made);
  });
}

SilKit_ReturnCode SilKit_Experimental_LinController_InitDynamic(
    SilKit_LinController* controller, const SilKit_Experimental_LinControllerDynamicConfig* config) {
  return with_controller(controller, config, "config", [&](Engine& engine, LinController& own) {
    engine.lin().init(own, {static_cast<LinMode>(config->controllerMode), config->baudRate, {}, 1});
  });
}

SilKit_ReturnCode SilKit_LinController_SetFrameResponse(SilKit_LinController* controller,
                                                        const SilKit_LinFrameResponse* response) {
  return with_controller(controller, response, "response", [&](Engine& engine, LinController& own) {
    engine.lin().set_response(own, lin_response(*response, "response->frame"));
  });
}

SilKit_ReturnCode SilKit_Experimental_LinController_SendDynamicResponse(SilKit_LinController* controller,
                                                                        const SilKit_LinFrame* frame) {
  return guarded({{controller, "controller"}}, [&] {
    require(frame, "frame");  // with SIL Kit it needs no header here
    const bool sent = controller->owner.participant.with_engine(
        [&](Engine& engine) { return engine.lin().send_response(*controller->service, lin_frame(*frame)); });
    if (!sent)
      throw Refusal(Code::wrong_state, "frame->dataLength is unknown (255): a response has 0 .. 8 bytes");
  });
}

SilKit_ReturnCode SilKit_LinController_Status(SilKit_LinController* controller,
                                              SilKit_LinControllerStatus* outStatus) {
  return ask_engine(controller, {{controller, "controller"}, {outStatus, "outStatus"}}, outStatus,
                    [&](Engine&) { return controller->service->status; });
}

SilKit_ReturnCode SilKit_LinController_SendFrame(SilKit_LinController* controller,
                                                 const SilKit_LinFrame* frame,
                                                 SilKit_LinFrameResponseType responseType) {
  return with_controller(controller, frame, "frame", [&](Engine& engine, LinController& own) {
    engine.lin().send_frame(own, lin_frame(*frame), static_cast<LinResponseType>(responseType));
  });
}

SilKit_ReturnCode SilKit_LinController_SendFrameHeader(SilKit_LinController* controller, SilKit_LinId linId) {
  return with_controller(controller,
                         [&](Engine& engine, LinController& own) { engine.lin().send_header(own, linId); });
}

SilKit_ReturnCode SilKit_LinController_UpdateTxBuffer(SilKit_LinController* controller,
                                                      const SilKit_LinFrame* frame) {
  return with_controller(controller, frame, "frame", [&](Engine& engine, LinController& own) {
    engine.lin().update_response(own, lin_frame(*frame));
  });
}

SilKit_ReturnCode SilKit_LinController_GoToSleep(SilKit_LinController* controller) {
  return with_controller(controller,
                         [](Engine& engine, LinController& own) { engine.lin().go_to_sleep(own); });
}
SilKit_ReturnCode SilKit_LinController_GoToSleepInternal(SilKit_LinController* controller) {
  return with_controller(
      controller, [](Engine& engine, LinController& own) { engine.lin().set_status(own, LinStatus::sleep); });
}
SilKit_ReturnCode SilKit_LinController_Wakeup(SilKit_LinController* controller) {
  return with_controller(controller, [](Engine& engine, LinController& own) { engine.lin().wake_up(own); });
}
SilKit_ReturnCode SilKit_LinController_WakeupInternal(SilKit_LinController* controller) {
  return with_controller(controller, [](Engine& engine, LinController& own) {
    engine.lin().set_status(own, LinStatus::operational);
  });
}

SilKit_ReturnCode SilKit_Experimental_LinController_GetSlaveConfiguration(
    SilKit_LinController* controller, SilKit_Experimental_LinSlaveConfiguration* outLinSlaveConfiguration) {
  return guarded({{controller, "controller"}, {outLinSlaveConfiguration, "outLinSlaveConfiguration"}}, [&] {
    const auto answered = controller->owner.participant.with_engine(
        [&](Engine& engine) { return engine.lin().answered(*controller->service); });
    *outLinSlaveConfiguration = tactus_silkit_Experimental_LinSlaveConfiguration();
    for (std::size_t id = 0; id < answered.size(); ++id)
      outLinSlaveConfiguration->isLinIdResponding[id] = answered.test(id) ? SilKit_True : SilKit_False;
  });
}

SilKit_ReturnCode SilKit_LinController_AddFrameStatusHandler(SilKit_LinController* controller, void* context,
                                                             SilKit_LinFrameStatusHandler_t handler,
                                                             SilKit_HandlerId* outHandlerId) {
  return add_handler(controller, handler, outHandlerId, &LinController::frames,
                     [=](const LinFrameEvent& from) {
                       SilKit_LinFrame frame = tactus_silkit_LinFrame();
                       frame.id = from.frame.id;
                       frame.checksumModel = static_cast<SilKit_LinChecksumModel>(from.frame.checksum);
                       frame.dataLength = from.frame.length;
                       std::copy(from.frame.data.begin(), from.frame.data.end(), std::begin(frame.data));
                       SilKit_LinFrameStatusEvent event = tactus_silkit_LinFrameStatusEvent();
                       event.timestamp = static_cast<SilKit_NanosecondsTime>(from.time_ns);
                       event.frame = &frame;
                       event.status = static_cast<SilKit_LinFrameStatus>(from.status);
                       handler(context, controller, &event);
                     });
}

TACTUS_SILKIT_ADDS(SilKit_LinController_AddGoToSleepHandler, Lin, sleeps, LinGoToSleep, /* nothing */)
TACTUS_SILKIT_ADDS(SilKit_LinController_AddWakeupHandler, Lin, wakeups, LinWakeup,
                   event.direction = static_cast<SilKit_Direction>(from.direction))

SilKit_ReturnCode SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler(
    SilKit_LinController* controller, void* context,
    SilKit_Experimental_LinSlaveConfigurationHandler_t handler, SilKit_HandlerId* outHandlerId) {
  return guarded({{controller, "controller"}, {handler, "handler"}, {outHandlerId, "outHandlerId"}}, [&] {
    const auto tell = [=](const LinSlavesEvent& from) {
      SilKit_Experimental_LinSlaveConfigurationEvent event =
          tactus_silkit_Experimental_LinSlaveConfigurationEvent();
      event.timestamp = static_cast<SilKit_NanosecondsTime>(from.time_ns);
      handler(context, controller, &event);
    };
    const auto made = handler_of<Handler<const LinSlavesEvent&>>(tell);
    Participant& participant = controller->owner.participant;
    const auto missed_or_add = [&](Engine&) {
      LinController& own = *controller->service;
      std::optional<LinSlavesEvent> missed = std::exchange(own.untold, std::nullopt);
      if (!missed) *outHandlerId = own.slaves.add(made);
      return missed;
    };
    // What came when there was no handler is told here; what comes meanwhile is told next.
    while (const std::optional<LinSlavesEvent> missed = participant.with_engine(missed_or_add)) {
      const Participant::InHandler inside(participant);
      tell(*missed);
    }
  });
}

TACTUS_SILKIT_ADDS(SilKit_Experimental_LinController_AddFrameHeaderHandler, Lin, headers,
                   Experimental_LinFrameHeader, event.id = from.id)

TACTUS_SILKIT_REMOVES(SilKit_LinController_RemoveFrameStatusHandler, Lin, frames)
TACTUS_SILKIT_REMOVES(SilKit_LinController_RemoveGoToSleepHandler, Lin, sleeps)
TACTUS_SILKIT_REMOVES(SilKit_LinController_RemoveWakeupHandler, Lin, wakeups)
TACTUS_SILKIT_REMOVES(SilKit_Experimental_LinController_RemoveLinSlaveConfigurationHandler, Lin, slaves)
TACTUS_SILKIT_REMOVES(SilKit_Experimental_LinController_RemoveFrameHeaderHandler, Lin, headers)
