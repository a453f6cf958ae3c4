// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/can.hpp"

namespace tactus::silkit {

Can::Can(ServiceHost& host)
    : BusOf(host, {"CAN", NetworkType::can, LogTopic::can, {message_type::kCanFrameEvent}}) {}

void Can::set_state(CanController& controller, CanState state) {
  if (controller.state == state) return;
  controller.state = state;
  raise("CAN state change", controller.states, {host_.now_ns(), state}, ~0U, true);
}

void Can::send(CanController& controller, const CanFrame& frame, void* user) {
  if (controller.state != CanState::started) {
    if (const auto suffix = controller.not_started.suffix(host_.steady_ns()))
      warn("CAN controller " + controller.name + " is not started: a frame was not sent" + *suffix);
    return;
  }
  const std::int64_t now_ns = host_.now_ns();
  broadcast(controller, 0,
            CanFrameMessage{
                now_ns, frame, static_cast<std::uint8_t>(Direction::receive),
                reinterpret_cast<std::uintptr_t>(user)});  // NOLINT(*-reinterpret-cast): as others send it
  each_on(controller.network, &controller, [&](CanController& other) {
    raise("CAN frame", other.frames, {now_ns, frame, Direction::receive, nullptr},
          static_cast<std::uint32_t>(Direction::receive), true);
  });
  raise("CAN frame", controller.frames, {now_ns, frame, Direction::send, user},
        static_cast<std::uint32_t>(Direction::send), true);
  raise("CAN transmit", controller.transmits, {now_ns, frame.id, CanTransmitStatus::transmitted, user},
        static_cast<std::uint32_t>(CanTransmitStatus::transmitted), true);
}

void Can::take(const Sender&, const std::string& network, std::size_t, ByteView body) {
  const CanFrameMessage message = decode<CanFrameMessage>(body);
  each_on(network, nullptr, [&](CanController& controller) {
    raise("CAN frame", controller.frames,
          {message.time_ns, message.frame, static_cast<Direction>(message.direction), nullptr},
          message.direction, false);
  });
}

}  // namespace tactus::silkit
