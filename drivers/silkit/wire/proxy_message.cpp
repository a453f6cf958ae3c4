// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/proxy_message.hpp"

namespace tactus::silkit {

Frame frame_of_payload(ByteView payload) {
  std::size_t used = 0;
  const std::optional<Frame> frame = next_frame(payload, used);
  if (!frame || used != payload.size()) throw WireError("a relayed message of another size than it says");
  return *frame;
}

bool is_announcement(ByteView payload) {
  constexpr std::size_t kKindAt = kSizeBytes;
  return payload.size() > kLeastMessage &&
         payload[kKindAt] == std::byte{static_cast<std::uint8_t>(Kind::registry)} &&
         payload[kLeastMessage] == std::byte{static_cast<std::uint8_t>(RegistryKind::announcement)};
}

}  // namespace tactus::silkit
