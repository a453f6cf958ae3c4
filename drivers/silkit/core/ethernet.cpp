// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/ethernet.hpp"

#include <algorithm>

#include "drivers/silkit/wire/ethernet_messages.hpp"

namespace tactus::silkit {
namespace {

Bytes padded(ByteView raw) {
  Bytes frame(raw.begin(), raw.end());
  frame.resize(std::max(frame.size(), Ethernet::kLeastFrame));
  return frame;
}

}  // namespace

Ethernet::Ethernet(ServiceHost& host)
    : BusOf(host,
            {"Ethernet", NetworkType::ethernet, LogTopic::ethernet, {message_type::kEthernetFrameEvent}}) {}

void Ethernet::set_active(EthernetController& controller, bool active) {
  const EthernetState state = active ? EthernetState::link_up : EthernetState::inactive;
  if (controller.state == state) return;
  controller.state = state;
  raise("Ethernet state change", controller.states, {host_.now_ns(), state}, ~0U, true);
}

void Ethernet::send(EthernetController& controller, ByteView raw, void* user) {
  const std::int64_t now_ns = host_.now_ns();
  const auto acknowledge = [&](EthernetTransmitStatus status) {
    raise("Ethernet transmit", controller.transmits, {now_ns, status, user},
          static_cast<std::uint32_t>(status), true);
  };
  if (controller.state != EthernetState::link_up) return acknowledge(EthernetTransmitStatus::inactive);
  const Bytes frame = padded(raw);
  const auto direction = static_cast<std::uint8_t>(Direction::receive);
  broadcast(controller, 0,
            EthernetFrameMessage{
                now_ns, frame, direction,
                reinterpret_cast<std::uintptr_t>(user)});  // NOLINT(*-reinterpret-cast): as others send it
  each_on(controller.network, &controller, [&](EthernetController& other) {
    raise("Ethernet frame", other.frames, {now_ns, frame, Direction::receive, nullptr}, direction, true);
  });
  raise("Ethernet frame", controller.frames, {now_ns, frame, Direction::send, user},
        static_cast<std::uint32_t>(Direction::send), true);
  acknowledge(EthernetTransmitStatus::transmitted);
}

void Ethernet::take(const Sender&, const std::string& network, std::size_t, ByteView body) {
  const EthernetFrameMessage message = decode<EthernetFrameMessage>(body);
  each_on(network, nullptr, [&](EthernetController& controller) {
    raise("Ethernet frame", controller.frames,
          {message.time_ns, padded(message.raw), static_cast<Direction>(message.direction), nullptr},
          message.direction, false);
  });
}

}  // namespace tactus::silkit
