// SPDX-License-Identifier: Apache-2.0
/// Ethernet controllers of the C API.
#include "drivers/silkit/core/ethernet.hpp"

#include "drivers/silkit/api/bus.hpp"
#include "drivers/silkit/api/bytes.hpp"
#include "drivers/silkit/api/objects.hpp"
#include "tactus/silkit_ethernet.h"

using namespace tactus::silkit;

namespace {

SilKit_ReturnCode set_ethernet_active(SilKit_EthernetController* controller, bool active) {
  return with_controller(controller, [&](Engine& engine, EthernetController& own) {
    engine.ethernet().set_active(own, active);
  });
}

}  // namespace

SilKit_ReturnCode SilKit_EthernetController_Create(SilKit_EthernetController** outController,
                                                   SilKit_Participant* participant, const char* name,
                                                   const char* network) {
  return create_controller("Ethernet", outController, participant, name, network, &ServicesSettings::ethernet,
                           &Engine::ethernet);
}

SilKit_ReturnCode SilKit_EthernetController_Activate(SilKit_EthernetController* controller) {
  return set_ethernet_active(controller, true);
}
SilKit_ReturnCode SilKit_EthernetController_Deactivate(SilKit_EthernetController* controller) {
  return set_ethernet_active(controller, false);
}

SilKit_ReturnCode SilKit_EthernetController_SendFrame(SilKit_EthernetController* controller,
                                                      SilKit_EthernetFrame* frame, void* userContext) {
  return guarded({{controller, "controller"}, {frame, "frame"}}, [&] {
    const ByteView raw = byte_view(&frame->raw, "frame->raw");
    controller->owner.participant.with_engine(
        [&](Engine& engine) { engine.ethernet().send(*controller->service, raw, userContext); });
  });
}

SilKit_ReturnCode SilKit_EthernetController_AddFrameHandler(SilKit_EthernetController* controller,
                                                            void* context,
                                                            SilKit_EthernetFrameHandler_t handler,
                                                            SilKit_Direction directionMask,
                                                            SilKit_HandlerId* outHandlerId) {
  return add_handler(
      controller, handler, outHandlerId, &EthernetController::frames,
      [=](const EthernetFrameEvent& from) {
        SilKit_EthernetFrame frame = tactus_silkit_EthernetFrame();
        frame.raw = byte_vector(from.raw);
        SilKit_EthernetFrameEvent event = tactus_silkit_EthernetFrameEvent();
        event.timestamp = static_cast<SilKit_NanosecondsTime>(from.time_ns);
        event.ethernetFrame = &frame;
        event.direction = static_cast<SilKit_Direction>(from.direction);
        event.userContext = from.user;
        handler(context, controller, &event);
      },
      directionMask);
}

SilKit_ReturnCode SilKit_EthernetController_AddFrameTransmitHandler(
    SilKit_EthernetController* controller, void* context, SilKit_EthernetFrameTransmitHandler_t handler,
    SilKit_EthernetTransmitStatus transmitStatusMask, SilKit_HandlerId* outHandlerId) {
  return add_event_handler(
      controller, context, handler, outHandlerId, &EthernetController::transmits,
      tactus_silkit_EthernetFrameTransmitEvent,
      [](SilKit_EthernetFrameTransmitEvent& event, const EthernetTransmitEvent& from) {
        event.userContext = from.user;
        event.status = static_cast<SilKit_EthernetTransmitStatus>(from.status);
      },
      transmitStatusMask);
}

TACTUS_SILKIT_ADDS(SilKit_EthernetController_AddStateChangeHandler, Ethernet, states, EthernetStateChange,
                   event.state = static_cast<SilKit_EthernetState>(from.state))

TACTUS_SILKIT_ADDS(SilKit_EthernetController_AddBitrateChangeHandler, Ethernet, bitrates,
                   EthernetBitrateChange, event.bitrate = from.kbit_per_s)

TACTUS_SILKIT_REMOVES(SilKit_EthernetController_RemoveFrameHandler, Ethernet, frames)
TACTUS_SILKIT_REMOVES(SilKit_EthernetController_RemoveFrameTransmitHandler, Ethernet, transmits)
TACTUS_SILKIT_REMOVES(SilKit_EthernetController_RemoveStateChangeHandler, Ethernet, states)
TACTUS_SILKIT_REMOVES(SilKit_EthernetController_RemoveBitrateChangeHandler, Ethernet, bitrates)
