// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

namespace tactus::drivers::link::can_convert_test {
namespace {

using ::testing::HasSubstr;

struct Made {
  std::vector<std::uint8_t> data;
  SilKit_CanFrame frame = tactus_silkit_CanFrame();

  Made(std::uint32_t id, SilKit_CanFrameFlag flags, std::vector<std::uint8_t> bytes)
      : data(std::move(bytes)) {
    frame.id = id;
    frame.flags = flags;
    frame.dlc = static_cast<std::uint16_t>(data.size());
    frame.data = {data.data(), data.size()};
  }
};

TEST(CanConvert, BringsEachKindOfFrameThereAndBack) {
  for (const bool extended : {false, true})
    for (const bool fd : {false, true})
      for (const unsigned length : {0U, 1U, 8U, 12U, 64U}) {
        if (!fd && length > 8) continue;
        can::CanFrame sent;
        sent.id = extended ? 0x18FEF1FE : 0x7FF;
        sent.extended = extended;
        sent.fd = fd;
        sent.bit_rate_switch = fd;
        sent.length = static_cast<std::uint8_t>(length);
        for (unsigned i = 0; i < length; ++i) sent.data.at[i] = static_cast<std::uint8_t>(3 * i + 1);
        can::CanFrame back;
        ASSERT_EQ(from_silkit(to_silkit(sent), true, back), "");
        EXPECT_EQ(back.id, sent.id);
        EXPECT_EQ(std::tie(back.extended, back.fd, back.bit_rate_switch, back.remote, back.length),
                  std::tie(sent.extended, sent.fd, sent.bit_rate_switch, sent.remote, sent.length));
        EXPECT_EQ(std::memcmp(&sent.data, &back.data, sizeof sent.data), 0) << length;
      }
}

TEST(CanConvert, WritesTheCodeOfTheLength) {
  can::CanFrame frame;
  frame.fd = true;
  const std::vector<std::pair<unsigned, unsigned>> codes{{0, 0},   {8, 8},   {12, 9},
                                                         {24, 12}, {48, 14}, {64, 15}};
  for (const auto& [length, code] : codes) {
    frame.length = static_cast<std::uint8_t>(length);
    EXPECT_EQ(to_silkit(frame).dlc, code);
    EXPECT_EQ(to_silkit(frame).data.size, length);
  }
}

TEST(CanConvert, PadsDataOfCanFd) {
  Made made(3, SilKit_CanFrameFlag_fdf | SilKit_CanFrameFlag_brs, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  can::CanFrame to;
  ASSERT_EQ(from_silkit(made.frame, true, to), "");
  EXPECT_EQ(to.length, 12);
  EXPECT_EQ(to.data.at[8], 9);
  EXPECT_EQ(to.data.at[11], 0);
  EXPECT_TRUE(to.bit_rate_switch);
}

TEST(CanConvert, TakesTheLengthOfARemoteFrameFromItsCode) {
  Made made(0x123, SilKit_CanFrameFlag_rtr, {});
  made.frame.dlc = 5;
  can::CanFrame to;
  ASSERT_EQ(from_silkit(made.frame, false, to), "");
  EXPECT_TRUE(to.remote);
  EXPECT_EQ(to.length, 5);
  EXPECT_EQ(to_silkit(to).dlc, 5);
  EXPECT_EQ(to_silkit(to).data.size, 0U);
}

TEST(CanConvert, NamesWhatABusCannotCarry) {
  can::CanFrame to;
  const auto wrong = [&](const Made& made, bool fd = true) { return from_silkit(made.frame, fd, to); };
  EXPECT_THAT(wrong({3, SilKit_CanFrameFlag_xlf, {}}), HasSubstr("frame 0x3 is of CAN XL"));
  EXPECT_THAT(wrong({0x800, 0, {}}), HasSubstr("more than 11 bits"));
  EXPECT_THAT(wrong({0x2000'0000, SilKit_CanFrameFlag_ide, {}}), HasSubstr("more than 29 bits"));
  EXPECT_THAT(wrong({3, SilKit_CanFrameFlag_fdf, {}}, false), HasSubstr("does not carry CAN FD"));
  EXPECT_THAT(wrong({3, SilKit_CanFrameFlag_fdf | SilKit_CanFrameFlag_rtr, {}}), HasSubstr("remote frame"));
  EXPECT_THAT(wrong({3, 0, std::vector<std::uint8_t>(9)}), HasSubstr("has 9 bytes; 8 at most"));
  EXPECT_THAT(wrong({3, SilKit_CanFrameFlag_fdf, std::vector<std::uint8_t>(65)}), HasSubstr("64 at most"));
  Made none(3, 0, {1});
  none.frame.data = {nullptr, 4};
  EXPECT_THAT(wrong(none), HasSubstr("has no data"));
}

}  // namespace
}  // namespace tactus::drivers::link::can_convert_test
