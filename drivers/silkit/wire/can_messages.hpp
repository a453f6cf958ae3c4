// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The message of CAN buses without a network simulator.
/// It goes on the network that has the name of the bus.
///
/// Threads  functions without state.
#include <cstdint>
#include <string_view>
#include <tuple>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

namespace message_type {
inline constexpr std::string_view kCanFrameEvent = "CANFRAMEEVENT";
}  // namespace message_type

struct CanFrame {
  std::uint32_t id = 0;
  std::uint32_t flags = 0;
  std::uint16_t dlc = 0;
  std::uint8_t sdt = 0;
  std::uint8_t vcid = 0;
  std::uint32_t af = 0;
  Bytes data;
  static auto members(auto& self) {
    return std::tie(self.id, self.flags, self.dlc, self.sdt, self.vcid, self.af, self.data);
  }
};
struct CanFrameMessage {
  std::int64_t time_ns = INT64_MIN;
  CanFrame frame;
  std::uint8_t direction = 0;
  std::uint64_t user = 0;
  static auto members(auto& self) { return std::tie(self.time_ns, self.frame, self.direction, self.user); }
};

}  // namespace tactus::silkit
