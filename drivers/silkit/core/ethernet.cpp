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
    : Bus(host, {"Ethernet", NetworkType::ethernet, {message_type::kEthernetFrameEvent}}) {}

EthernetController& Ethernet::create(const std::string& name, const std::string& network) {
  check(name, std::any_of(controllers_.begin(), controllers_.end(),
                          [&](const EthernetController& other) { return other.name == name; }));
  EthernetController& controller = controllers_.emplace_back();
  add(controller, name, network);
  controller.link = &link(controller, message_type::kEthernetFrameEvent);
  return controller;
}

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
  body_.clear();
  encode_body(body_, EthernetFrameMessage{
                         now_ns, frame, direction,
                         reinterpret_cast<std::uintptr_t>(user)});  // NOLINT(*-reinterpret-cast): as others
  host_.senders().broadcast(*controller.link, controller.service, body_);
  for (EthernetController& other : controllers_)
    if (&other != &controller && other.network == controller.network)
      raise("Ethernet frame", other.frames, {now_ns, frame, Direction::receive, nullptr}, direction, true);
  raise("Ethernet frame", controller.frames, {now_ns, frame, Direction::send, user},
        static_cast<std::uint32_t>(Direction::send), true);
  acknowledge(EthernetTransmitStatus::transmitted);
}

void Ethernet::take(PeerId, const std::string& network, std::size_t, ByteView body) {
  const EthernetFrameMessage message = decode_ethernet_frame(body);
  for (EthernetController& controller : controllers_)
    if (controller.network == network)
      raise("Ethernet frame", controller.frames,
            {message.time_ns, padded(message.raw), static_cast<Direction>(message.direction), nullptr},
            message.direction, false);
}

}  // namespace tactus::silkit
