#include "drivers/silkit/wire/can_messages.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const CanFrameMessage& message) {
  Writer writer(out);
  writer.value(message.time_ns);
  writer.value(message.id);
  writer.value(message.flags);
  writer.value(message.dlc);
  writer.value(message.sdt);
  writer.value(message.vcid);
  writer.value(message.af);
  writer.counted(message.data);
  writer.value(message.direction);
  writer.value(message.user);
}

CanFrameMessage decode_can_frame(ByteView body) {
  Reader reader(body);
  CanFrameMessage message;
  message.time_ns = reader.value<std::int64_t>();
  message.id = reader.value<std::uint32_t>();
  message.flags = reader.value<std::uint32_t>();
  message.dlc = reader.value<std::uint16_t>();
  message.sdt = reader.value<std::uint8_t>();
  message.vcid = reader.value<std::uint8_t>();
  message.af = reader.value<std::uint32_t>();
  message.data = reader.counted();
  message.direction = reader.value<std::uint8_t>();
  message.user = reader.value<std::uint64_t>();
  return message;
}

}  // namespace tactus::silkit
