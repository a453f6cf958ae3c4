// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/ring_message.hpp"

namespace tactus::silkit {
namespace {

constexpr std::uint32_t kRingMessage = kLeastMessage + 1 + 2 * 4 + 2 * 8 + 4 + 8;

}  // namespace

void encode(Bytes& out, const RingMessage& message) {
  Writer writer(out);
  writer.value(kRingMessage);
  writer.value(static_cast<std::uint8_t>(Kind::ring));
  writer.value(static_cast<std::uint8_t>(message.step));
  writer.value(message.process);
  writer.value(message.descriptor);
  for (const std::uint64_t half : message.nonce) writer.value(half);
  writer.value(message.pipe);
  writer.value(message.pipe_inode);
}

RingMessage decode_ring_message(ByteView body) {
  Reader reader(body);
  RingMessage message;
  message.step = static_cast<RingMessage::Step>(reader.value<std::uint8_t>());
  message.process = reader.value<std::uint32_t>();
  message.descriptor = reader.value<std::uint32_t>();
  for (std::uint64_t& half : message.nonce) half = reader.value<std::uint64_t>();
  if (!reader.empty()) {
    message.pipe = reader.value<std::uint32_t>();
    message.pipe_inode = reader.value<std::uint64_t>();
  }
  return message;
}

}  // namespace tactus::silkit
