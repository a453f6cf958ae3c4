// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "drivers/silkit/core/bus.hpp"
#include "drivers/silkit/core/lin_nodes.hpp"
#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/wire/lin_messages.hpp"

namespace tactus::silkit {

/// Node that is to answer a frame that the master sends.
enum class LinResponseType : std::uint8_t { master = 0, slave = 1, slave_to_slave = 2 };

struct LinFrameEvent {
  std::int64_t time_ns = kNoTime;
  LinFrame frame;
  LinFrameStatus status = LinFrameStatus::not_ok;
};
struct LinSleepEvent {
  std::int64_t time_ns = kNoTime;
};
struct LinWakeupEvent {
  std::int64_t time_ns = kNoTime;
  Direction direction = Direction::undefined;
};
struct LinSlavesEvent {
  std::int64_t time_ns = kNoTime;
};
struct LinHeaderEvent {
  std::int64_t time_ns = kNoTime;
  std::uint8_t id = 0;
};

/// Belongs to Lin.
class LinController : public BusController {
 public:
  LinMode mode = LinMode::inactive;
  LinStatus status = LinStatus::unknown;  ///< unknown: not initialised
  bool dynamic = false;                   ///< its user answers the headers
  LinNodes nodes;
  std::bitset<kLinIds> answered;  ///< identifiers that a slave has a response for, of other controllers
  HandlerList<LinFrameEvent> frames;
  HandlerList<LinSleepEvent> sleeps;
  HandlerList<LinWakeupEvent> wakeups;
  HandlerList<LinSlavesEvent> slaves;  ///< another slave has been configured
  HandlerList<LinHeaderEvent> headers;
  std::optional<LinSlavesEvent> untold;  ///< event of slaves, when it has no handler
  LogThrottle unanswered, unsent, ignored, mismatched;
};

/// LIN controllers on buses that are not simulated: a header is answered at once by the node that has the
/// response, and what comes of it is with all others at once. Baud rates have no effect. Every controller keeps
/// what it has heard of the others, so a slave that was configured before the master was there is known by its
/// last configuration only.
///
/// Errors   Refusal: Code::wrong_state for a controller that is not initialised; Code::unspecified for what only
///          a master may do, and for what a dynamic controller may not; Code::bad_parameter for an identifier
///          above 63 where nothing can be done with it.
/// Threads  one at a time.
class Lin final : public BusOf<LinController> {
 public:
  explicit Lin(ServiceHost& host);

  /// Creates a controller, as every bus does.
  LinController& create(const std::string& name, const std::string& network);
  /// Once. Refused with Code::wrong_state a second time, and for LinMode::inactive.
  void init(LinController& controller, const LinControllerConfig& config);
  /// Master only. A frame that is to be answered by the master gives it this response. A header without a
  /// response is reported at once, as no response.
  void send_frame(LinController& controller, const LinFrame& frame, LinResponseType type);
  /// Master only. Two that would answer make an error of it, none no response, for all that listen.
  void send_header(LinController& controller, std::uint8_t id);
  /// One for each identifier, else the log says that it is ignored.
  void set_response(LinController& controller, const LinResponse& response);
  /// Refused with Code::configuration for an identifier that the controller does not answer.
  void update_response(LinController& controller, const LinFrame& frame);
  /// Answers now, in whatever state the controller is, and from now on. False: not now, as the frame has no length.
  [[nodiscard]] bool send_response(LinController& controller, const LinFrame& frame);
  /// Master only: sends the frame for it, too.
  void go_to_sleep(LinController& controller);
  void wake_up(LinController& controller);
  void set_status(LinController& controller, LinStatus status);
  /// Master only: LinController::answered.
  std::bitset<kLinIds> answered(const LinController& controller) const;

 private:
  /// Kind::types, in their order.
  enum class Type : std::uint8_t { transmission, wakeup, config, status, header, response };

  void take(const Sender& from, const std::string& network, std::size_t type, ByteView body) override;

  /// Sends to the peers, and to the controllers of this participant on the network. `own`: as
  /// ServiceHost::call().
  template <class Message>
  void send(LinController& from, Type type, const Message& message, bool own);
  /// A message has come to a controller.
  void hear(LinController& to, const LinNodes::Address& from, const LinTransmission& message, bool own);
  void hear(LinController& to, const LinNodes::Address& from, const LinWakeupPulse& message, bool own);
  void hear(LinController& to, const LinNodes::Address& from, const LinControllerConfig& message, bool own);
  void hear(LinController& to, const LinNodes::Address& from, const LinStatusUpdate& message, bool own);
  void hear(LinController& to, const LinNodes::Address& from, const LinFrameHeader& message, bool own);
  void hear(LinController& to, const LinNodes::Address& from, const LinResponseUpdate& message, bool own);

  LinNode& own_node(LinController& controller) const;
  LinNodes::Address address_of(const LinController& controller) const;
  void respond(LinController& controller, const LinResponse& response);
  /// False: the response has no length.
  bool answer(LinController& controller, std::uint8_t id, bool own);
  void update_node(LinController& controller, LinNode& node, std::span<const LinResponse> responses,
                   bool own);
  /// Judges the frame for this controller; not_ok: it is not for it.
  LinFrameStatus judge(LinController& controller, const LinTransmission& message);
  void tell(LinController& controller, const LinFrame& frame, LinFrameStatus status, bool own);
  void warn(const LinController& controller, const std::string& text);
  void warn(const LinController& controller, LogThrottle& throttle, const std::string& text);

  const std::uint64_t participant_;
};

}  // namespace tactus::silkit
