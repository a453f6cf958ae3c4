// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/can_messages.hpp"

#include "drivers/silkit/wire/members.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const CanFrameMessage& message) { write_members(out, message); }
CanFrameMessage decode_can_frame(ByteView body) { return read_members<CanFrameMessage>(body); }

}  // namespace tactus::silkit
