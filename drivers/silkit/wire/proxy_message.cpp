// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/proxy_message.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tactus::silkit {
namespace {

constexpr std::size_t kProxyHead = kLeastMessage + 1 + 3 * sizeof(std::uint32_t);  // with empty names

}  // namespace

void encode(Bytes& out, const ProxyMessage& message) {
  const std::size_t size =
      kProxyHead + message.source.size() + message.destination.size() + message.payload.size();
  if (size > kMostMessage)
    throw std::length_error("a relayed message of " + std::to_string(size) + " bytes; " +
                            std::to_string(kMostMessage) + " is the most a peer takes");
  if (out.capacity() - out.size() < size) out.reserve(std::max(out.size() + size, 2 * out.capacity()));
  Writer writer(out);
  writer.value(static_cast<std::uint32_t>(size));
  writer.value(static_cast<std::uint8_t>(Kind::proxy));
  writer.value(message.version);
  writer.text(message.source);
  writer.text(message.destination);
  writer.counted(message.payload);
}

ProxyMessage decode_proxy_message(ByteView body) {
  Reader reader(body);
  ProxyMessage message;
  message.version = reader.value<std::uint8_t>();
  if (message.version != 0) return message;
  message.source = reader.text_view();
  message.destination = reader.text_view();
  message.payload = reader.counted();
  return message;
}

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
