// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/log_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::silkit::log_message_test {
namespace {

TEST(LogMessage, ReadsBackTheSame) {
  const LogMessage line{"Plant", 4, 1'700'000'000'123'456, "text", {{"a", "b"}, {"c", ""}}, "LifeCycle"};
  Bytes body;
  encode_body(body, line);
  const LogMessage read = decode<LogMessage>(body);
  EXPECT_EQ(read.owner, "Plant");
  EXPECT_EQ(read.level, 4U);
  EXPECT_EQ(read.wall_us, 1'700'000'000'123'456);
  EXPECT_EQ(read.text, "text");
  EXPECT_EQ(read.values, line.values);
  EXPECT_EQ(read.topic, "LifeCycle");
}

TEST(LogMessage, OfOldHasNeitherValuesNorTopic) {
  Bytes body;
  Writer writer(body);
  writer.text("Old");
  writer.value(std::uint32_t{2});
  writer.value(std::int64_t{7});
  writer.text("file.cpp");
  writer.value(std::uint32_t{12});
  writer.text("function");
  writer.text("text");
  const LogMessage read = decode<LogMessage>(body);
  EXPECT_EQ(read.text, "text");
  EXPECT_EQ(read.topic, "");
  for (std::size_t size = 0; size < body.size(); ++size)
    EXPECT_THROW((void)decode<LogMessage>(ByteView(body).first(size)), WireError) << size;
}

}  // namespace
}  // namespace tactus::silkit::log_message_test
