#include "drivers/silkit/wire/ethernet_messages.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const EthernetFrameMessage& message) {
  Writer writer(out);
  writer.value(message.time_ns);
  writer.counted(message.raw);
  writer.value(message.direction);
  writer.value(message.user);
}

EthernetFrameMessage decode_ethernet_frame(ByteView body) {
  Reader reader(body);
  EthernetFrameMessage message;
  message.time_ns = reader.value<std::int64_t>();
  message.raw = reader.counted();
  message.direction = reader.value<std::uint8_t>();
  message.user = reader.value<std::uint64_t>();
  return message;
}

}  // namespace tactus::silkit
