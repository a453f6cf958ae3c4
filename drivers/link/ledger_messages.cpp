// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "drivers/link/can_convert.hpp"
#include "drivers/link/ledger.hpp"

// What comes in: frames of virtual buses, and what the controllers on them say.
namespace tactus::drivers::link {
namespace {

const char* name_of(SilKit_CanErrorState state) {
  return state == SilKit_CanErrorState_BusOff         ? "bus-off"
         : state == SilKit_CanErrorState_ErrorPassive ? "error passive"
                                                      : "error active";
}

}  // namespace

/// Hands a message to the frames. The mutex is held.
void Ledger::hand_over(std::uint32_t subscription, std::int64_t stamp_ns, std::span<const std::byte> block) {
  std::byte* const slot = exchange_.inbox.claim();
  const Incoming head{stamp_ns, sequence_++, subscription};
  if (slot == nullptr) {
    exchange_.incoming_lost.fetch_add(1, std::memory_order_relaxed);
    if (!loss_told_)
      remember(
          "messages came faster than frames take them, or no frame ran: the queue was full and they are "
          "lost; "
          "raise link.queue");
    loss_told_ = true;
    return;
  }
  std::memcpy(slot, &head, sizeof head);
  if (!block.empty()) std::memcpy(slot + sizeof head, block.data(), block.size());
  exchange_.inbox.publish();
  exchange_.messages_in.fetch_add(1, std::memory_order_relaxed);
}

void Ledger::on_can_frame(std::size_t network, const SilKit_CanFrameEvent* event) noexcept {
  if (network >= signals.networks.size() || event == nullptr || event->frame == nullptr) return;
  const CanNetwork& wanted = signals.networks[network];
  // Rules are asked first: a frame that goes nowhere anyhow is no fault. They know no identifiers that cannot be.
  const bool extended = (event->frame->flags & SilKit_CanFrameFlag_ide) != 0;
  const bool is_id = event->frame->id <= (extended ? kMostExtendedId : kMostStandardId);
  if (is_id && !wanted.to_real.let(event->frame->id, extended)) return;
  can::CanFrame frame;
  std::string wrong = from_silkit(*event->frame, wanted.bus == nullptr || wanted.bus->carries_fd(), frame);
  if (event->timestamp > INT64_MAX && event->timestamp != TACTUS_SILKIT_NO_TIME)
    wrong = "a frame is stamped " + std::to_string(event->timestamp) + " ns, which is not a virtual time";
  const Held held(mutex);
  if (closed_ || frames_ended_) return;
  const std::size_t number = signals.subscriptions.size() + network;
  if (wrong.empty())
    return hand_over(static_cast<std::uint32_t>(number), static_cast<std::int64_t>(event->timestamp),
                     std::as_bytes(std::span(&frame, 1)));
  exchange_.can[network].mismatched.fetch_add(1, std::memory_order_relaxed);
  if (mismatch_told_[number]) return;
  mismatch_told_[number] = true;
  remember("CAN network " + wanted.network + ": " + wrong +
           "; it does not go to the bus, and more of them are only counted");
}

void Ledger::on_can_transmit(std::size_t network, const SilKit_CanFrameTransmitEvent* event) noexcept {
  if (network >= signals.networks.size() || event == nullptr) return;
  CanTraffic& traffic = exchange_.can[network];
  const bool sent = event->status == SilKit_CanTransmitStatus_Transmitted;
  (sent ? traffic.acknowledged : traffic.lost).fetch_add(1, std::memory_order_relaxed);
}

void Ledger::on_can_state(std::size_t network, const SilKit_CanStateChangeEvent* event) noexcept {
  if (network >= signals.networks.size() || event == nullptr) return;
  exchange_.can[network].state.store(event->state, std::memory_order_relaxed);
}

void Ledger::on_can_error_state(std::size_t network, const SilKit_CanErrorStateChangeEvent* event) noexcept {
  if (network >= signals.networks.size() || event == nullptr) return;
  exchange_.can[network].error_state.store(event->errorState, std::memory_order_relaxed);
  const Held held(mutex);
  if (!closed_)
    remember("CAN network " + signals.networks[network].network + ": the controller is " +
             name_of(event->errorState));
}

}  // namespace tactus::drivers::link
