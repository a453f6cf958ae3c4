#include "drivers/silkit/wire/rpc_messages.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const FunctionCall& message) {
  Writer writer(out);
  writer.value(message.time_ns);
  writer.value(message.uuid.ab);
  writer.value(message.uuid.cd);
  writer.counted(message.data);
}

void encode_body(Bytes& out, const FunctionCallResponse& message) {
  Writer writer(out);
  writer.value(message.time_ns);
  writer.value(message.uuid.ab);
  writer.value(message.uuid.cd);
  writer.counted(message.data);
  writer.value(static_cast<std::uint32_t>(message.status));
}

FunctionCall decode_function_call(ByteView body) {
  Reader reader(body);
  FunctionCall message;
  message.time_ns = reader.value<std::int64_t>();
  message.uuid.ab = reader.value<std::uint64_t>();
  message.uuid.cd = reader.value<std::uint64_t>();
  message.data = reader.counted();
  return message;
}

FunctionCallResponse decode_function_call_response(ByteView body) {
  Reader reader(body);
  FunctionCallResponse message;
  message.time_ns = reader.value<std::int64_t>();
  message.uuid.ab = reader.value<std::uint64_t>();
  message.uuid.cd = reader.value<std::uint64_t>();
  message.data = reader.counted();
  message.status = static_cast<FunctionCallResponse::Status>(reader.value<std::uint32_t>());
  return message;
}

}  // namespace tactus::silkit
