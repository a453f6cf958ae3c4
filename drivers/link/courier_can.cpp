// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "drivers/link/can_convert.hpp"
#include "drivers/link/courier_calls.hpp"

// The rig's controllers on virtual CAN buses.
namespace tactus::drivers::link {

void Courier::create_controllers() {
  for (Context<Ledger>& each : networks_) {
    const CanNetwork& network = ledger_.signals.networks[each.index];
    SilKit_CanController* controller = nullptr;
    SilKit_HandlerId id = 0;
    void* const context = &each;
    must(api_->CanController_Create, &controller, participant_, network.controller.c_str(),
         network.network.c_str());
    must(api_->CanController_AddFrameHandler, controller, context, kTellsOf<&Ledger::on_can_frame>,
         SilKit_Direction_Receive, &id);
    must(api_->CanController_AddFrameTransmitHandler, controller, context, kTellsOf<&Ledger::on_can_transmit>,
         SilKit_CanTransmitStatus_DefaultMask, &id);
    must(api_->CanController_AddStateChangeHandler, controller, context, kTellsOf<&Ledger::on_can_state>,
         &id);
    must(api_->CanController_AddErrorStateChangeHandler, controller, context,
         kTellsOf<&Ledger::on_can_error_state>, &id);
    controllers_.push_back(controller);
  }
}

/// Network simulators need it in this state, not before.
void Courier::start_controllers() {
  for (SilKit_CanController* const controller : controllers_)
    if (call(api_->CanController_Start, controller) != SilKit_ReturnCode_SUCCESS)
      ledger_.abort_rig("the library does not start a CAN controller of the rig");
}

/// Sends what the real buses have carried up to the end of the step.
void Courier::send_frames(std::int64_t step) {
  while (const std::byte* const record = exchange_.can_outbox.front()) {
    OutgoingCan out;
    std::memcpy(static_cast<void*>(&out), record, sizeof out);
    if (out.step > step) return;
    exchange_.can_outbox.release();
    SilKit_CanFrame frame = to_silkit(out.frame);
    if (call(api_->CanController_SendFrame, controllers_[out.network], &frame, static_cast<void*>(nullptr)) ==
        SilKit_ReturnCode_SUCCESS)
      exchange_.messages_out.fetch_add(1, std::memory_order_relaxed);
    else
      exchange_.can[out.network].lost.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace tactus::drivers::link
