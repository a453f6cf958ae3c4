// SPDX-License-Identifier: Apache-2.0
/// CAN controllers of the C API.
#include "drivers/silkit/core/can.hpp"

#include <tuple>

#include "drivers/silkit/api/bus.hpp"
#include "drivers/silkit/api/bytes.hpp"
#include "drivers/silkit/api/objects.hpp"
#include "tactus/silkit_can.h"

using namespace tactus::silkit;

namespace {

SilKit_ReturnCode set_can_state(SilKit_CanController* controller, CanState state) {
  return with_controller(controller,
                         [&](Engine& engine, CanController& own) { engine.can().set_state(own, state); });
}

/// Values that a frame of the API and one of the engine have in common: all but the data.
auto values_of(auto& frame) {
  return std::tie(frame.id, frame.flags, frame.dlc, frame.sdt, frame.vcid, frame.af);
}

}  // namespace

SilKit_ReturnCode SilKit_CanController_Create(SilKit_CanController** outController,
                                              SilKit_Participant* participant, const char* name,
                                              const char* network) {
  return create_controller("CAN", outController, participant, name, network, &ServicesSettings::can,
                           &Engine::can);
}

SilKit_ReturnCode SilKit_CanController_Start(SilKit_CanController* controller) {
  return set_can_state(controller, CanState::started);
}
SilKit_ReturnCode SilKit_CanController_Stop(SilKit_CanController* controller) {
  return set_can_state(controller, CanState::stopped);
}
SilKit_ReturnCode SilKit_CanController_Sleep(SilKit_CanController* controller) {
  return set_can_state(controller, CanState::sleep);
}
SilKit_ReturnCode SilKit_CanController_Reset(SilKit_CanController* controller) {
  return set_can_state(controller, CanState::uninit);
}

SilKit_ReturnCode SilKit_CanController_SetBaudRate(SilKit_CanController* controller, uint32_t, uint32_t,
                                                   uint32_t) {
  return guarded([&] { require(controller, "controller"); });
}

SilKit_ReturnCode SilKit_CanController_SendFrame(SilKit_CanController* controller, SilKit_CanFrame* frame,
                                                 void* userContext) {
  return with_controller(controller, frame, "frame", [&](Engine& engine, CanController& own) {
    const ByteView data = byte_view(&frame->data, "frame->data");
    CanFrame sent{.data = Bytes(data.begin(), data.end())};
    values_of(sent) = values_of(*frame);
    engine.can().send(own, sent, userContext);
  });
}

SilKit_ReturnCode SilKit_CanController_AddFrameHandler(SilKit_CanController* controller, void* context,
                                                       SilKit_CanFrameHandler_t handler,
                                                       SilKit_Direction directionMask,
                                                       SilKit_HandlerId* outHandlerId) {
  return add_handler(
      controller, handler, outHandlerId, &CanController::frames,
      [=](const CanFrameEvent& from) {
        SilKit_CanFrame frame = tactus_silkit_CanFrame();
        values_of(frame) = values_of(from.frame);
        frame.data = byte_vector(from.frame.data);
        SilKit_CanFrameEvent event = tactus_silkit_CanFrameEvent();
        event.timestamp = static_cast<SilKit_NanosecondsTime>(from.time_ns);
        event.frame = &frame;
        event.direction = static_cast<SilKit_Direction>(from.direction);
        event.userContext = from.user;
        handler(context, controller, &event);
      },
      directionMask);
}

SilKit_ReturnCode SilKit_CanController_AddFrameTransmitHandler(SilKit_CanController* controller,
                                                               void* context,
                                                               SilKit_CanFrameTransmitHandler_t handler,
                                                               SilKit_CanTransmitStatus statusMask,
                                                               SilKit_HandlerId* outHandlerId) {
  return add_event_handler(
      controller, context, handler, outHandlerId, &CanController::transmits,
      tactus_silkit_CanFrameTransmitEvent,
      [](SilKit_CanFrameTransmitEvent& event, const CanTransmitEvent& from) {
        event.userContext = from.user;
        event.status = static_cast<SilKit_CanTransmitStatus>(from.status);
        event.canId = from.id;
      },
      static_cast<std::uint32_t>(statusMask));
}

TACTUS_SILKIT_ADDS(SilKit_CanController_AddStateChangeHandler, Can, states, CanStateChange,
                   event.state = static_cast<SilKit_CanControllerState>(from.state))

TACTUS_SILKIT_ADDS(SilKit_CanController_AddErrorStateChangeHandler, Can, error_states, CanErrorStateChange,
                   event.errorState = static_cast<SilKit_CanErrorState>(from.state))

TACTUS_SILKIT_REMOVES(SilKit_CanController_RemoveFrameHandler, Can, frames)
TACTUS_SILKIT_REMOVES(SilKit_CanController_RemoveFrameTransmitHandler, Can, transmits)
TACTUS_SILKIT_REMOVES(SilKit_CanController_RemoveStateChangeHandler, Can, states)
TACTUS_SILKIT_REMOVES(SilKit_CanController_RemoveErrorStateChangeHandler, Can, error_states)
