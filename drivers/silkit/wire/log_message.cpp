// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/log_message.hpp"

namespace tactus::silkit {

void encode_body(Bytes& out, const LogMessage& message) {
  Writer writer(out);
  writer.text(message.owner);
  writer.value(message.level);
  writer.value(message.wall_us);
  writer.text("");  // file, line and function in the source
  writer.value(std::uint32_t{0});
  writer.text("");
  writer.text(message.text);
  writer.count(message.values.size());
  for (const auto& [key, value] : message.values) {
    writer.text(key);
    writer.text(value);
  }
  writer.text(message.topic);
}

LogMessage decode_log_message(ByteView body) {
  Reader reader(body);
  LogMessage message;
  message.owner = reader.text();
  message.level = reader.value<std::uint32_t>();
  message.wall_us = reader.value<std::int64_t>();
  (void)reader.counted();
  (void)reader.value<std::uint32_t>();
  (void)reader.counted();
  message.text = reader.text();
  if (!reader.empty()) {
    const std::size_t count = reader.count(8);
    for (std::size_t i = 0; i < count; ++i) {
      std::string key = reader.text();
      message.values.emplace_back(std::move(key), reader.text());
    }
  }
  if (!reader.empty()) message.topic = reader.text();
  return message;
}

}  // namespace tactus::silkit
