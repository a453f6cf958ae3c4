// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "drivers/silkit/core/bus.hpp"

namespace tactus::silkit {

enum class EthernetState : std::uint32_t { inactive = 0, link_down = 1, link_up = 2 };
enum class EthernetTransmitStatus : std::uint32_t { transmitted = 1, inactive = 2, link_down = 4 };

struct EthernetFrameEvent {
  std::int64_t time_ns = kNoTime;
  Bytes raw;
  Direction direction = Direction::undefined;
  void* user = nullptr;  ///< frames that were sent
};
struct EthernetTransmitEvent {
  std::int64_t time_ns = kNoTime;
  EthernetTransmitStatus status = EthernetTransmitStatus::transmitted;
  void* user = nullptr;
};
struct EthernetStateEvent {
  std::int64_t time_ns = kNoTime;
  EthernetState state = EthernetState::inactive;
};
struct EthernetBitrateEvent {
  std::int64_t time_ns = kNoTime;
  std::uint32_t kbit_per_s = 0;
};

/// Belongs to Ethernet.
class EthernetController : public BusController {
 public:
  EthernetState state = EthernetState::inactive;
  HandlerList<EthernetFrameEvent> frames;        ///< handlers by direction
  HandlerList<EthernetTransmitEvent> transmits;  ///< handlers by status
  HandlerList<EthernetStateEvent> states;
  HandlerList<EthernetBitrateEvent> bitrates;  ///< never called: without a simulator there is no rate
};

/// Ethernet controllers on networks that are not simulated: an active one has its link up at once; a frame
/// arrives at once at all others of the network, whatever their state is, and is acknowledged at once.
///
/// Threads  one at a time.
class Ethernet final : public BusOf<EthernetController> {
 public:
  static constexpr std::size_t kLeastFrame =
      60;  ///< bytes without the check sequence; shorter ones get zeros

  explicit Ethernet(ServiceHost& host);

  /// Calls the state handlers when it is another one.
  void set_active(EthernetController& controller, bool active);
  /// The frame handlers of `controller` hear of it too, as sent, and its transmit handlers. Not active: only
  /// these, with that status.
  void send(EthernetController& controller, ByteView raw, void* user);

 private:
  void take(const Sender& from, const std::string& network, std::size_t type, ByteView body) override;
};

}  // namespace tactus::silkit
