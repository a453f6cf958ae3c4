// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "drivers/can/log/decoder.hpp"
#include "drivers/can/log/log_format.hpp"

namespace tactus::drivers::can::log_test {
namespace {

using testing::HasSubstr;

std::optional<LoggedFrame> read(const std::string& line) {
  LogReader reader;
  bool is_wrong = false;
  auto made = reader.read(line, is_wrong);
  if (is_wrong) throw std::runtime_error("wrong");
  return made;
}

TEST(CanLog, ReadsAndWritesLinesOfCandump) {
  for (const char* const line :
       {"(1436509052.249713) vcan0 044#2A366C2BBA", "(0.000001) can0 18FEF1FE#", "(1.500000) can1 123#R8",
        "(1.500000) can1 123##1112233", "(1.500000) can1 7FF##0", "(1.500000) can1 00000044#01"}) {
    const auto made = read(line);
    ASSERT_TRUE(made) << line;
    EXPECT_EQ(candump_line(*made), line);
  }
  const auto sent = read("(1.123456789) can1 123#11.22 T");
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->time, 1'123'456'789);
  EXPECT_TRUE(sent->is_sent);
  EXPECT_EQ(sent->frame.length, 2);
  EXPECT_FALSE(read("(1.0) can0 20000004#0000000000000000")) << "an error frame";
}

TEST(CanLog, RefusesWhatIsNoFrame) {
  for (const char* const line :
       {"(1.0) can0", "(1.0 can0 123#", "(x) can0 123#", "(1.0) can0 12#", "(1.0) can0 800#00",
        "(1.0) can0 123#0", "(1.0) can0 123#001122334455667788", "(1.0) can0 123#R9", "(1.0) can0 123##",
        "(1.0) can0 FFFFFFFF#", "(1.0) can0 123#0G", "# text", "1.0 1 123 Rx d 3 11 22",
        "1.0 1 123 Rx d 9 11", "1.0 1 800 Rx d 0", "1.0 CANFD 1 Rx 123 0 0 8 65 00",
        "1.0 1 EngineData Rx d 1 00"}) {
    EXPECT_THROW((void)read(line), std::runtime_error) << line;
  }
  LogReader reader;
  bool is_wrong = false;
  (void)reader.read("1.0 1 EngineData Rx d 1 00", is_wrong);
  EXPECT_THAT(reader.complaint(), HasSubstr("write the log with numbers"));
  (void)reader.read("# text", is_wrong);
  EXPECT_EQ(reader.complaint(), "is not a line of candump -L or of ASC");
}

TEST(CanLog, ReadsFramesOfAscAsOtherToolsWriteThem) {
  const auto long_code = read("1.0 1 124 Rx d 9 01 02 03 04 05 06 07 08");
  ASSERT_TRUE(long_code) << "a code above 8 means eight bytes";
  EXPECT_EQ(frame_text(long_code->frame), "124#0102030405060708");
  for (const char* const line : {"1.0 1 125 Rx r", "1.0 1 125 Rx r Length = 0 BitCount = 0 ID = 293"}) {
    const auto remote = read(line);
    ASSERT_TRUE(remote) << line;
    EXPECT_EQ(frame_text(remote->frame), "125#R0") << line;
  }
  EXPECT_FALSE(read("1.0 CANFD 1 Rx ErrorFrame Not Acknowledge error 0 0 0 8 8 0"));
  EXPECT_FALSE(read("1.0 1 ErrorFrame Flags = 0xe CodeExt = 0x20a2"));
}

TEST(CanLog, ReadsAndWritesAsc) {
  LoggedFrame logged;
  logged.time = 1'748'000;
  logged.channel = "1";
  logged.frame.id = 0x562;
  logged.frame.extended = true;
  logged.frame.length = 2;
  logged.frame.data.at[0] = 0x62;
  const std::string line = asc_line(logged);
  EXPECT_THAT(line, HasSubstr("0.001748 1  562x"));
  EXPECT_THAT(line, HasSubstr("Rx   d 2 62 00"));
  for (const bool fd : {false, true}) {
    logged.frame.fd = logged.frame.bit_rate_switch = fd;
    logged.frame.length = fd ? 48 : 8;
    logged.frame.data.at[7] = 0xFE;
    const auto made = read(asc_line(logged));
    ASSERT_TRUE(made) << asc_line(logged);
    EXPECT_EQ(made->time, logged.time);
    EXPECT_EQ(frame_text(made->frame), frame_text(logged.frame));
  }
  EXPECT_FALSE(read("date Sat Nov 28 11:00:00 2026"));
  EXPECT_FALSE(read("   0.010000 1  ErrorFrame"));
  EXPECT_FALSE(read("   0.0 Start der Messung"));
  const auto named =
      read("1.5 CANFD 2 Tx 1AB EngineData 1 0 9 12 01 02 03 04 05 06 07 08 09 0a 0b 0c 0 0 0 0 0 0");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->frame.id, 0x1ABU);
  EXPECT_EQ(named->frame.data.at[11], 12);
  EXPECT_TRUE(named->is_sent);
  LogReader relative;
  bool is_wrong = false;
  (void)relative.read("base dec  timestamps relative", is_wrong);
  (void)relative.read("1.0 1 100 Rx d 1 255", is_wrong);
  const auto second = relative.read("0.5 1 100 Rx d 1 255", is_wrong);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->time, 1'500'000'000);
  EXPECT_EQ(second->frame.id, 100U);
  EXPECT_EQ(second->frame.data.at[0], 255);
}

}  // namespace
}  // namespace tactus::drivers::can::log_test
