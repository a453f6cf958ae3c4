// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/ethernet_messages.hpp"

#include "drivers/silkit/wire/members.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const EthernetFrameMessage& message) { write_members(out, message); }
EthernetFrameMessage decode_ethernet_frame(ByteView body) { return read_members<EthernetFrameMessage>(body); }

}  // namespace tactus::silkit
