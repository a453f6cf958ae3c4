#include "drivers/silkit/core/can.hpp"

#include <algorithm>

#include "drivers/silkit/wire/can_messages.hpp"

namespace tactus::silkit {

Can::Can(ServiceHost& host) : Bus(host, {"CAN", NetworkType::can, {message_type::kCanFrameEvent}}) {}

CanController& Can::create(const std::string& name, const std::string& network) {
  check(name, std::any_of(controllers_.begin(), controllers_.end(),
                          [&](const CanController& other) { return other.name == name; }));
  CanController& controller = controllers_.emplace_back();
  add(controller, name, network);
  controller.link = &link(controller, message_type::kCanFrameEvent);
  return controller;
}

void Can::set_state(CanController& controller, CanState state) {
  if (controller.state == state) return;
  controller.state = state;
  raise("CAN state change", controller.states, {host_.now_ns(), state}, ~0U, true);
}

void Can::send(CanController& controller, const CanFrame& frame, void* user) {
  if (controller.state != CanState::started) {
    if (const auto suffix = controller.not_started.suffix(host_.steady_ns()))
      host_.log(LogSink::Level::warn,
                "CAN controller " + controller.name + " is not started: a frame was not sent" + *suffix);
    return;
  }
  const std::int64_t now_ns = host_.now_ns();
  CanFrameMessage message{now_ns,    frame.id,   frame.flags, frame.dlc,
                          frame.sdt, frame.vcid, frame.af,    frame.data};
  message.direction = static_cast<std::uint8_t>(Direction::receive);
  message.user = reinterpret_cast<std::uintptr_t>(user);  // NOLINT(*-reinterpret-cast): as others send it
  body_.clear();
  encode_body(body_, message);
  host_.senders().broadcast(*controller.link, controller.service, body_);
  for (CanController& other : controllers_)
    if (&other != &controller && other.network == controller.network)
      raise("CAN frame", other.frames, {now_ns, frame, Direction::receive, nullptr},
            static_cast<std::uint32_t>(Direction::receive), true);
  raise("CAN frame", controller.frames, {now_ns, frame, Direction::send, user},
        static_cast<std::uint32_t>(Direction::send), true);
  raise("CAN transmit", controller.transmits, {now_ns, frame.id, CanTransmitStatus::transmitted, user},
        static_cast<std::uint32_t>(CanTransmitStatus::transmitted), true);
}

void Can::take(PeerId, const std::string& network, std::size_t, ByteView body) {
  const CanFrameMessage message = decode_can_frame(body);
  const CanFrame frame{message.id,
                       message.flags,
                       message.dlc,
                       message.sdt,
                       message.vcid,
                       message.af,
                       Bytes(message.data.begin(), message.data.end())};
  for (CanController& controller : controllers_)
    if (controller.network == network)
      raise("CAN frame", controller.frames,
            {message.time_ns, frame, static_cast<Direction>(message.direction), nullptr}, message.direction,
            false);
}

}  // namespace tactus::silkit
