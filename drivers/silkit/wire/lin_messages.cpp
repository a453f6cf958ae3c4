// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/lin_messages.hpp"

#include "drivers/silkit/wire/members.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const LinTransmission& message) { write_members(out, message); }
void encode_body(Bytes& out, const LinWakeupPulse& message) { write_members(out, message); }
void encode_body(Bytes& out, const LinControllerConfig& message) {
  write_members(out, message);
  Writer(out).value(message.dynamic);
}
void encode_body(Bytes& out, const LinStatusUpdate& message) { write_members(out, message); }
void encode_body(Bytes& out, const LinFrameHeader& message) { write_members(out, message); }
void encode_body(Bytes& out, const LinResponseUpdate& message) { write_members(out, message); }

LinTransmission decode_lin_transmission(ByteView body) { return read_members<LinTransmission>(body); }
LinWakeupPulse decode_lin_wakeup_pulse(ByteView body) { return read_members<LinWakeupPulse>(body); }
LinControllerConfig decode_lin_controller_config(ByteView body) {
  Reader reader(body);
  LinControllerConfig message;
  read_member(reader, message);
  if (!reader.empty()) message.dynamic = reader.value<std::uint8_t>();
  return message;
}
LinStatusUpdate decode_lin_status_update(ByteView body) { return read_members<LinStatusUpdate>(body); }
LinFrameHeader decode_lin_frame_header(ByteView body) { return read_members<LinFrameHeader>(body); }
LinResponseUpdate decode_lin_response_update(ByteView body) { return read_members<LinResponseUpdate>(body); }

}  // namespace tactus::silkit
