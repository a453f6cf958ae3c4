// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/rpc_messages.hpp"

#include "drivers/silkit/wire/members.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const FunctionCall& message) { write_members(out, message); }
void encode_body(Bytes& out, const FunctionCallResponse& message) { write_members(out, message); }
FunctionCall decode_function_call(ByteView body) { return read_members<FunctionCall>(body); }
FunctionCallResponse decode_function_call_response(ByteView body) {
  return read_members<FunctionCallResponse>(body);
}

}  // namespace tactus::silkit
