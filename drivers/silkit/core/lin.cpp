// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/lin.hpp"

#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {
namespace {

/// The command to go to sleep.
constexpr LinFrame kGoToSleep{
    0x3C, LinChecksum::classic, 8, {0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};
constexpr std::uint8_t kMostBytes = 8;

bool is_go_to_sleep(const LinFrame& frame) {
  return frame.id == kGoToSleep.id && frame.data == kGoToSleep.data;
}

std::string lin_id_text(std::uint8_t id) { return "LIN identifier " + std::to_string(id); }

void require_lin_id(std::uint8_t id) {
  if (id >= kLinIds)
    throw Refusal(Code::bad_parameter, lin_id_text(id) + " is outside 0 .. " + std::to_string(kLinIds - 1));
}

void require(bool good, Code code, const LinController& controller, const std::string& otherwise) {
  if (!good) throw Refusal(code, "LIN controller " + controller.name + otherwise);
}

void require_initialised(const LinController& controller) {
  require(controller.status != LinStatus::unknown, Code::wrong_state, controller,
          " is not initialised: call Init first");
}

void require_master(const LinController& controller) {
  require(controller.mode == LinMode::master, Code::unspecified, controller,
          " is not a master: only a master may do this");
}

void require_static(const LinController& controller) {
  require(!controller.dynamic, Code::unspecified, controller,
          " was initialised by InitDynamic: use SendFrameHeader and SendDynamicResponse");
}

/// Status for the sender of a frame, from the status of the receivers.
LinFrameStatus for_sender(LinFrameStatus status) {
  switch (status) {
    case LinFrameStatus::receive_busy:
      return LinFrameStatus::send_busy;
    case LinFrameStatus::receive_error:
      return LinFrameStatus::send_error;
    case LinFrameStatus::received:
      return LinFrameStatus::sent;
    default:
      return status;
  }
}

}  // namespace

Lin::Lin(ServiceHost& host)
    : BusOf(host, {"LIN",
                   NetworkType::lin,
                   LogTopic::lin,
                   {message_type::kLinTransmission, message_type::kLinWakeupPulse,
                    message_type::kLinControllerConfig, message_type::kLinStatusUpdate,
                    message_type::kLinFrameHeader, message_type::kLinResponseUpdate}}),
      participant_(hash64(host.participant())) {}

// -------------------------------------------------------------------------------------------- the user's calls

LinController& Lin::create(const std::string& name, const std::string& network) {
  LinController& controller = BusOf::create(name, network);
  controller.links[static_cast<std::size_t>(Type::config)]->history = true;
  (void)own_node(controller);
  return controller;
}

void Lin::init(LinController& controller, const LinControllerConfig& config) {
  require(config.mode != LinMode::inactive, Code::wrong_state, controller,
          ": controllerMode must be Master (1) or Slave (2), not Inactive (0)");
  require(controller.status == LinStatus::unknown, Code::wrong_state, controller, " is initialised already");
  LinNode& node = own_node(controller);
  if (!node.update(config.responses)) warn(controller, "a response is ignored: LIN identifiers are 0 .. 63");
  node.mode = config.mode;
  node.status = LinStatus::operational;
  node.dynamic = config.dynamic == 1;
  controller.mode = config.mode;
  controller.status = LinStatus::operational;
  controller.dynamic = node.dynamic;
  if (config.mode == LinMode::slave) send(controller, Type::config, config, true);
}

void Lin::send_frame(LinController& controller, const LinFrame& frame, LinResponseType type) {
  require_initialised(controller);
  require_master(controller);
  require_static(controller);
  if (type == LinResponseType::master) {
    require_lin_id(frame.id);
    respond(controller, {frame, LinResponseMode::send});
  } else {
    const bool known = frame.id < kLinIds && controller.answered.test(frame.id);
    if (!known && !controller.nodes.has_dynamic()) {
      warn(controller, controller.unanswered, "no slave has a response for " + lin_id_text(frame.id));
      return tell(controller, frame, LinFrameStatus::no_response, true);
    }
    require_lin_id(frame.id);
    const LinResponseMode mode = own_node(controller).responses.at(frame.id).mode;
    if (type == LinResponseType::slave && mode == LinResponseMode::send)
      return warn(controller, controller.unsent,
                  "a frame was not sent: the master itself has the response for " + lin_id_text(frame.id));
    if (type == LinResponseType::slave && mode == LinResponseMode::unused)
      respond(controller, {frame, LinResponseMode::receive});
    if (type == LinResponseType::slave_to_slave) tell(controller, frame, LinFrameStatus::sent, true);
  }
  if (controller.status != LinStatus::operational)
    return warn(controller, controller.unsent, "a frame was not sent: the controller is asleep");
  send_header(controller, frame.id);
}

void Lin::send_header(LinController& controller, std::uint8_t id) {
  require_initialised(controller);
  require_master(controller);
  require_lin_id(id);
  const LinNodes::Answer answer = controller.nodes.answer(id);
  if (answer.nodes == 1 || (answer.nodes == 0 && controller.nodes.has_dynamic()))
    return send(controller, Type::header, LinFrameHeader{host_.now_ns(), id}, true);
  const LinFrameStatus status =
      answer.nodes == 0 ? LinFrameStatus::no_response : LinFrameStatus::receive_error;
  const bool takes_part = own_node(controller).responses.at(id).mode == LinResponseMode::send;
  tell(controller, answer.frame, takes_part ? LinFrameStatus::send_error : status, true);
  send(controller, Type::transmission, LinTransmission{host_.now_ns(), answer.frame, status}, true);
}

void Lin::set_response(LinController& controller, const LinResponse& response) {
  require_initialised(controller);
  require_static(controller);
  const std::uint8_t id = response.frame.id;
  if (id >= kLinIds) return warn(controller, "a response is ignored: LIN identifiers are 0 .. 63");
  if (response.mode == LinResponseMode::unused)
    return warn(controller, "a response is ignored: its mode is Unused");
  if (own_node(controller).responses.at(id).mode != LinResponseMode::unused)
    return warn(controller, "a response is ignored: there is one for " + lin_id_text(id) + " already");
  respond(controller, response);
}

void Lin::update_response(LinController& controller, const LinFrame& frame) {
  require_initialised(controller);
  require_static(controller);
  require_lin_id(frame.id);
  LinResponse& response = own_node(controller).responses.at(frame.id);
  require(response.mode == LinResponseMode::send, Code::configuration, controller,
          " does not answer " + lin_id_text(frame.id) + ": give it a response of mode TxUnconditional first");
  response.frame.data = frame.data;
}

bool Lin::send_response(LinController& controller, const LinFrame& frame) {
  require_lin_id(frame.id);
  respond(controller, {frame, LinResponseMode::send});
  return answer(controller, frame.id, true);
}

void Lin::go_to_sleep(LinController& controller) {
  require_initialised(controller);
  require_master(controller);
  tell(controller, kGoToSleep, LinFrameStatus::sent, true);
  send(controller, Type::transmission, LinTransmission{host_.now_ns(), kGoToSleep, LinFrameStatus::received},
       true);
  set_status(controller, LinStatus::sleep);
}

void Lin::wake_up(LinController& controller) {
  require_initialised(controller);
  const std::int64_t now_ns = host_.now_ns();
  raise("LIN wakeup", controller.wakeups, {now_ns, Direction::send}, ~0U, true);
  send(controller, Type::wakeup, LinWakeupPulse{now_ns, static_cast<std::uint8_t>(Direction::receive)}, true);
  set_status(controller, LinStatus::operational);
}

void Lin::set_status(LinController& controller, LinStatus status) {
  require_initialised(controller);
  if (controller.status == status)
    warn(controller,
         status == LinStatus::sleep ? "the controller is asleep already" : "the controller is awake already");
  controller.status = status;
  send(controller, Type::status, LinStatusUpdate{host_.now_ns(), status}, true);
}

std::bitset<kLinIds> Lin::answered(const LinController& controller) const {
  require_master(controller);
  return controller.answered;
}

// ---------------------------------------------------------------------------------------------------- messages

void Lin::take(const Sender& from, const std::string& network, std::size_t type, ByteView body) {
  const LinNodes::Address address{from.participant, from.service};
  const auto all = [&](const auto& message) {
    each_on(network, nullptr, [&](LinController& to) { hear(to, address, message, false); });
  };
  switch (static_cast<Type>(type)) {
    case Type::transmission:
      return all(decode<LinTransmission>(body));
    case Type::wakeup:
      return all(decode<LinWakeupPulse>(body));
    case Type::config:
      return all(decode<LinControllerConfig>(body));
    case Type::status:
      return all(decode<LinStatusUpdate>(body));
    case Type::header:
      return all(decode<LinFrameHeader>(body));
    case Type::response:
      return all(decode<LinResponseUpdate>(body));
  }
}

template <class Message>
void Lin::send(LinController& from, Type type, const Message& message, bool own) {
  broadcast(from, static_cast<std::size_t>(type), message);
  const LinNodes::Address address = address_of(from);
  const bool to_itself = type == Type::header;  // the master may have the response
  each_on(from.network, to_itself ? nullptr : &from,
          [&](LinController& to) { hear(to, address, message, own); });
}

void Lin::hear(LinController& to, const LinNodes::Address&, const LinTransmission& message, bool own) {
  const auto ignore = [&](const std::string& why) {
    warn(to, to.ignored, "a transmission is ignored: " + why);
  };
  if (to.mode == LinMode::inactive) return ignore("the controller is not initialised");
  if (to.status != LinStatus::operational) return ignore("the controller is asleep");
  const LinFrame& frame = message.frame;
  if (frame.length > kMostBytes && frame.length != LinFrame::kAnyLength)
    return ignore("it has " + std::to_string(frame.length) + " bytes, and 0 .. 8 are possible");
  if (frame.id >= kLinIds) return ignore("LIN identifiers are 0 .. 63, and not " + std::to_string(frame.id));
  const LinFrameStatus status = judge(to, message);
  if (status != LinFrameStatus::not_ok)
    raise("LIN frame status", to.frames, {message.time_ns, frame, status}, ~0U, own);
  if (is_go_to_sleep(frame) && to.mode == LinMode::slave)
    raise("LIN go-to-sleep", to.sleeps, {message.time_ns}, ~0U, own);
}

void Lin::hear(LinController& to, const LinNodes::Address&, const LinWakeupPulse& message, bool own) {
  raise("LIN wakeup", to.wakeups, {message.time_ns, static_cast<Direction>(message.direction)}, ~0U, own);
}

void Lin::hear(LinController& to, const LinNodes::Address& from, const LinControllerConfig& message,
               bool own) {
  if (from == address_of(to)) return;
  LinNode& node = to.nodes.at(from);
  node.mode = message.mode;
  node.status = LinStatus::operational;
  node.dynamic = message.dynamic == 1;
  update_node(to, node, message.responses, own);
}

void Lin::hear(LinController& to, const LinNodes::Address& from, const LinStatusUpdate& message, bool) {
  to.nodes.at(from).status = message.status;
}

void Lin::hear(LinController& to, const LinNodes::Address&, const LinFrameHeader& message, bool own) {
  if (to.dynamic) return raise("LIN frame header", to.headers, {message.time_ns, message.id}, ~0U, own);
  if (message.id >= kLinIds) return warn(to, to.ignored, "a header is ignored: LIN identifiers are 0 .. 63");
  if (!answer(to, message.id, own))
    warn(to, to.unsent,
         "a header is not answered: the response for " + lin_id_text(message.id) + " has no length");
}

void Lin::hear(LinController& to, const LinNodes::Address& from, const LinResponseUpdate& message, bool own) {
  if (from != address_of(to)) update_node(to, to.nodes.at(from), message.responses, own);
}

// ----------------------------------------------------------------------------------------------------- helpers

LinNodes::Address Lin::address_of(const LinController& controller) const {
  return {participant_, controller.service};
}

LinNode& Lin::own_node(LinController& controller) const {
  return controller.nodes.at(address_of(controller));
}

/// Announces a slave's response to the master: only that has to know which node answers.
void Lin::respond(LinController& controller, const LinResponse& response) {
  (void)own_node(controller).update({&response, 1});
  if (controller.mode == LinMode::slave)
    send(controller, Type::response, LinResponseUpdate{{response}}, true);
}

bool Lin::answer(LinController& controller, std::uint8_t id, bool own) {
  const LinResponse response = own_node(controller).responses.at(id);
  if (response.mode != LinResponseMode::send) return true;
  if (response.frame.length == LinFrame::kAnyLength) return false;
  tell(controller, response.frame, LinFrameStatus::sent, own);
  send(controller, Type::transmission,
       LinTransmission{host_.now_ns(), response.frame, LinFrameStatus::received}, own);
  return true;
}

void Lin::update_node(LinController& controller, LinNode& node, std::span<const LinResponse> responses,
                      bool own) {
  if (!node.update(responses))
    warn(controller, controller.ignored,
         "a response of another controller is ignored: LIN identifiers are 0 .. 63");
  if (node.mode == LinMode::slave)
    for (const LinResponse& response : responses)
      if (response.mode == LinResponseMode::send && response.frame.id < kLinIds)
        controller.answered.set(response.frame.id);
  const LinSlavesEvent event{host_.now_ns()};
  if (controller.slaves.empty()) {
    controller.untold = event;
  } else {
    raise("LIN slave configuration", controller.slaves, event, ~0U, own);
  }
}

LinFrameStatus Lin::judge(LinController& controller, const LinTransmission& message) {
  if (controller.dynamic) return message.status;
  const LinResponse& response = own_node(controller).responses.at(message.frame.id);
  const LinFrame& wanted = response.frame;
  const LinFrame& frame = message.frame;
  const auto mismatch = [&](const char* what, int expected, int got) {
    warn(controller, controller.mismatched,
         std::string(what) + " of " + lin_id_text(frame.id) + " is " + std::to_string(got) + ", and " +
             std::to_string(expected) + " was expected");
    return LinFrameStatus::receive_error;
  };
  switch (response.mode) {
    case LinResponseMode::unused:
      return LinFrameStatus::not_ok;
    case LinResponseMode::send:
      return for_sender(message.status);
    case LinResponseMode::receive:
      if (wanted.length != LinFrame::kAnyLength && wanted.length != frame.length)
        return mismatch("the length", wanted.length, frame.length);
      if (wanted.checksum != LinChecksum::unknown && frame.checksum != LinChecksum::unknown &&
          wanted.checksum != frame.checksum)
        return mismatch("the checksum model", static_cast<int>(wanted.checksum),
                        static_cast<int>(frame.checksum));
      break;
  }
  return message.status;
}

void Lin::tell(LinController& controller, const LinFrame& frame, LinFrameStatus status, bool own) {
  raise("LIN frame status", controller.frames, {host_.now_ns(), frame, status}, ~0U, own);
}

void Lin::warn(const LinController& controller, const std::string& text) {
  Bus::warn("LIN controller " + controller.name + ": " + text);
}

void Lin::warn(const LinController& controller, LogThrottle& throttle, const std::string& text) {
  if (const auto suffix = throttle.suffix(host_.steady_ns())) warn(controller, text + *suffix);
}

}  // namespace tactus::silkit
