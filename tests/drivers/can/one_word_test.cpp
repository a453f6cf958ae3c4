// SPDX-License-Identifier: Apache-2.0
/// Messages of at most eight bytes, which are decoded and encoded at once, beside their fields one by one.
#include "drivers/can/codec/one_word.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "drivers/can/codec/message_codec.hpp"

namespace tactus::drivers::can::one_word_test {
namespace {

class OneWordTest : public ::testing::Test {
 protected:
  std::uint64_t number(std::uint64_t below) { return random_() % below; }

  /// Signals beside each other from bit 0 on; `mixed`: of both byte orders, so that they may overlap.
  Message message(bool mixed) {
    Message made;
    made.length = 8;
    bool big = number(2) == 0;
    for (unsigned begin = 0; begin < 64;) {
      Signal& signal = made.signals.emplace_back();
      signal.length = 1 + static_cast<unsigned>(number(number(8) == 0 ? 64 : 14));
      signal.length = std::min(signal.length, 64 - begin);
      if (mixed) big = number(2) == 0;
      signal.order = big ? ByteOrder::big : ByteOrder::little;
      signal.start = big ? begin / 8 * 8 + 7 - begin % 8 : begin;
      signal.is_signed = signal.length == 64 || number(2) == 0;
      signal.factor = number(3) == 0 ? 1 : 0.25 * static_cast<double>(1 + number(9));
      signal.offset = static_cast<double>(number(100)) - 50;
      begin += signal.length + static_cast<unsigned>(number(3) == 0 ? number(5) : 0);
    }
    return made;
  }
  std::mt19937_64 random_{43};
};

TEST_F(OneWordTest, DecodesAsItsFieldsDo) {
  for (int round = 0; round < 5000; ++round) {
    const Message made = message(round % 2 == 1);
    const MessageCodec codec(made);
    FrameBytes bytes;
    const std::uint64_t word = random_();
    std::memcpy(bytes.at, &word, sizeof word);
    std::vector<double> values(codec.size(), -1);
    std::vector<std::uint8_t> present(codec.size(), 0);
    EXPECT_EQ(codec.decode(bytes.at, 8, values, present).present, codec.size());
    for (std::size_t s = 0; s < codec.size(); ++s) {
      ASSERT_EQ(values[s], codec.field(s).value(bytes.at)) << "signal " << s << " of round " << round;
      ASSERT_EQ(present[s], 1);
    }
  }
}

TEST_F(OneWordTest, LeavesOutWhatAShortFrameHasNot) {
  Message made;
  made.length = 8;
  for (const unsigned start : {0U, 8U, 40U}) {
    Signal& signal = made.signals.emplace_back();
    signal.start = start;
    signal.length = 8;
  }
  const MessageCodec codec(made);
  FrameBytes bytes;
  std::memset(bytes.at, 7, 8);
  std::vector<double> values(3, -1);
  std::vector<std::uint8_t> present(3, 9);
  EXPECT_EQ(codec.decode(bytes.at, 5, values, present).present, 2U);
  EXPECT_EQ(values, (std::vector<double>{7, 7, -1}));
  EXPECT_EQ(present, (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(codec.decode(bytes.at, 6, values, present).present, 3U);
}

TEST_F(OneWordTest, EncodesAsItsFieldsDo) {
  for (int round = 0; round < 5000; ++round) {
    const Message made = message(round % 4 == 3);
    const MessageCodec codec(made);
    std::vector<double> values(codec.size());
    for (std::size_t s = 0; s < values.size(); ++s) {
      const double raw =
          static_cast<double>(number(1U << std::min(made.signals[s].length + 1, 40U) % 32)) - 20.3;
      values[s] = made.signals[s].physical(raw);
      if (number(50) == 0) values[s] = std::numeric_limits<double>::quiet_NaN();
      if (number(50) == 0) values[s] = -std::numeric_limits<double>::infinity();
    }
    FrameBytes found, expected;
    const std::uint64_t before = random_();
    std::memcpy(found.at, &before, sizeof before);
    std::memcpy(expected.at, &before, sizeof before);
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < codec.size(); ++s)
      if (codec.field(s).put(expected.at, values[s]) != Field::Put::ok) ++wrong;
    ASSERT_EQ(codec.encode(found.at, values), wrong) << "round " << round;
    ASSERT_EQ(std::memcmp(found.at, expected.at, FrameBytes::kRoom), 0) << "round " << round;
  }
}

TEST_F(OneWordTest, IsNotForFloatsSwitchesAndLongMessages) {
  const auto needs = [](const Signal& signal) {
    Message made;
    made.signals = {signal};
    return OneWord(made.signals, {Field(signal)}).needs();
  };
  Signal signal;
  signal.length = 16;
  EXPECT_EQ(needs(signal), 2U);
  signal.start = 56;
  EXPECT_GT(needs(signal), 64U) << "it ends in the ninth byte";
  signal.start = 0;
  signal.of_switch = 0;
  EXPECT_GT(needs(signal), 64U);
  signal.of_switch = -1;
  signal.length = 32;
  signal.kind = ValueKind::float32;
  EXPECT_GT(needs(signal), 64U);
  signal.kind = ValueKind::whole;
  signal.length = 64;
  EXPECT_GT(needs(signal), 64U) << "not all of its raw values have a sign";
}

}  // namespace
}  // namespace tactus::drivers::can::one_word_test
