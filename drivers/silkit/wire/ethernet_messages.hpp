// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The message of Ethernet networks without a network simulator. It goes on the network that has the name of the bus.
///
/// Threads  functions without state.
#include <cstdint>
#include <string_view>
#include <tuple>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

namespace message_type {
inline constexpr std::string_view kEthernetFrameEvent = "ETHERNETFRAMEEVENT";
}  // namespace message_type

struct EthernetFrameMessage {
  std::int64_t time_ns = INT64_MIN;
  ByteView raw;  ///< frame of the message it was read from; without the check sequence
  std::uint8_t direction = 0;
  std::uint64_t user = 0;
  static auto members(auto& self) { return std::tie(self.time_ns, self.raw, self.direction, self.user); }
};

}  // namespace tactus::silkit
