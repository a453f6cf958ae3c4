// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "drivers/silkit/core/bus.hpp"
#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/wire/can_messages.hpp"

namespace tactus::silkit {

enum class CanState : std::int32_t { uninit = 0, stopped = 1, started = 2, sleep = 3 };
enum class CanErrorState : std::int32_t { not_available = 0, active = 1, passive = 2, bus_off = 3 };
enum class CanTransmitStatus : std::int32_t { transmitted = 1, canceled = 2, queue_full = 4 };

struct CanFrameEvent {
  std::int64_t time_ns = kNoTime;
  CanFrame frame;
  Direction direction = Direction::undefined;
  void* user = nullptr;  ///< frames that were sent
};
struct CanTransmitEvent {
  std::int64_t time_ns = kNoTime;
  std::uint32_t id = 0;
  CanTransmitStatus status = CanTransmitStatus::transmitted;
  void* user = nullptr;
};
struct CanStateEvent {
  std::int64_t time_ns = kNoTime;
  CanState state = CanState::uninit;
};
struct CanErrorStateEvent {
  std::int64_t time_ns = kNoTime;
  CanErrorState state = CanErrorState::not_available;
};

/// Belongs to Can.
class CanController : public BusController {
 public:
  CanState state = CanState::uninit;
  HandlerList<CanFrameEvent> frames;        ///< handlers by direction
  HandlerList<CanTransmitEvent> transmits;  ///< handlers by status
  HandlerList<CanStateEvent> states;
  HandlerList<CanErrorStateEvent> error_states;  ///< never called: without a simulator there are no errors
  LogThrottle not_started;
};

/// CAN controllers on buses that are not simulated: a frame arrives at once at all others of the network,
/// whatever their state is, and is acknowledged at once. Baud rates have no effect.
///
/// Threads  one at a time.
class Can final : public BusOf<CanController> {
 public:
  explicit Can(ServiceHost& host);

  /// Calls the state handlers when it is another one.
  void set_state(CanController& controller, CanState state);
  /// The frame handlers of `controller` hear of it too, as sent, and its transmit handlers. Not started: a
  /// warning, and nothing is sent.
  void send(CanController& controller, const CanFrame& frame, void* user);

 private:
  void take(const Sender& from, const std::string& network, std::size_t type, ByteView body) override;
};

}  // namespace tactus::silkit
