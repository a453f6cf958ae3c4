// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "drivers/can/codec/message_codec.hpp"
#include "drivers/can/dbc/database.hpp"

namespace tactus::drivers::can::codec_test {
namespace {

using Put = Field::Put;

Database read(const std::string& text) {
  Database database = read_dbc("VERSION \"\"\nBU_: A\n" + text, "x.dbc");
  EXPECT_TRUE(database.good());
  return database;
}

/// Bits one by one, by the definition of the format alone.
std::uint64_t slow_bits(const Signal& signal, const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  unsigned at = signal.start;
  for (unsigned i = 0; i < signal.length; ++i) {
    const std::uint64_t bit = bytes[at / 8] >> at % 8 & 1;
    if (signal.order == ByteOrder::little) {
      value |= bit << i;
      ++at;
    } else {
      value = value * 2 + bit;
      at = at % 8 == 0 ? at + 15 : at - 1;
    }
  }
  return value;
}

double slow_value(const Signal& signal, const std::uint8_t* bytes) {
  const std::uint64_t bits = slow_bits(signal, bytes);
  double raw = static_cast<double>(bits);
  if (signal.kind == ValueKind::float32) {
    const auto half = static_cast<std::uint32_t>(bits);
    float number = 0;
    std::memcpy(&number, &half, sizeof number);
    raw = static_cast<double>(number);
  } else if (signal.kind == ValueKind::float64) {
    std::memcpy(&raw, &bits, sizeof raw);
  } else if (signal.is_signed) {
    auto number = static_cast<std::int64_t>(bits);
    for (unsigned i = signal.length; i < 64; ++i)
      if ((bits >> (signal.length - 1) & 1) != 0) number |= static_cast<std::int64_t>(std::uint64_t{1} << i);
    raw = static_cast<double>(number);
  }
  return raw * signal.factor + signal.offset;
}

bool slow_presence(const Message& message, const Signal& signal, const std::uint8_t* bytes, unsigned length) {
  unsigned at = signal.start;
  for (unsigned i = 0; i < signal.length; ++i) {
    if (at / 8 >= length) return false;
    at = signal.order == ByteOrder::little ? at + 1 : at % 8 == 0 ? at + 15 : at - 1;
  }
  if (signal.of_switch < 0) return true;
  const Signal& by = message.signals[static_cast<std::size_t>(signal.of_switch)];
  if (!slow_presence(message, by, bytes, length)) return false;
  bool found = false;
  for (const SwitchRange& range : signal.present)
    found = found || (slow_bits(by, bytes) >= range.first && slow_bits(by, bytes) <= range.last);
  return found;
}

/// A message of random signals, a third of them multiplexed, as the text of a DBC file.
std::string random_message(std::mt19937& random, unsigned id) {
  const auto upto = [&](unsigned most) { return std::uniform_int_distribution<unsigned>(0, most)(random); };
  static constexpr unsigned kLengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64};
  const unsigned length = kLengths[upto(std::size(kLengths) - 1)];
  std::string text =
      "BO_ " + std::to_string(id) + " M" + std::to_string(id) + ": " + std::to_string(length) + " A\n";
  std::string more;
  const auto line = [&](const std::string& name, const std::string& mark, unsigned most, bool may_float) {
    const bool big = upto(1) == 0;
    unsigned bits = 1 + upto(std::min(most, 8 * length) - 1);
    const unsigned kind = may_float && 8 * length >= 64 ? upto(9) : 9;
    if (kind == 0) bits = 64;
    if (kind == 1) bits = 32;
    const unsigned first = upto(8 * length - bits);
    const unsigned start = big ? first / 8 * 8 + 7 - first % 8 : first;
    static constexpr const char* kFactors[] = {"1,0", "0.25,-40", "-3,1e3", "0.001,7", "1e6,0"};
    text += " SG_ " + name + " " + mark + ": " + std::to_string(start) + "|" + std::to_string(bits) +
            (big ? "@0" : "@1") + (upto(1) == 0 ? "+ (" : "- (") + kFactors[upto(4)] + ") [0|0] \"\" A\n";
    if (kind < 2)
      more += "SIG_VALTYPE_ " + std::to_string(id) + " " + name + " : " + (kind == 0 ? "2" : "1") + ";\n";
  };
  line("Switch", "M ", 3, false);
  line("Second", "m1M ", 2, false);
  const unsigned count = 1 + upto(9);
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = "S" + std::to_string(i);
    const unsigned place = upto(5);
    line(name, place == 0 ? "m" + std::to_string(upto(7)) + " " : place == 1 ? "m0 " : "", 64, true);
    if (place == 1) more += "SG_MUL_VAL_ " + std::to_string(id) + " " + name + " Second 0-1, 3-3;\n";
    if (place == 0) more += "SG_MUL_VAL_ " + std::to_string(id) + " " + name + " Switch 0-2;\n";
  }
  return text + more;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST(Codec, DecodesTenThousandRandomMessagesAsASlowDecoderDoes) {
  std::mt19937 random(20071);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same ones each time
  std::size_t present = 0;
  std::size_t absent = 0;
  for (unsigned file = 0; file < 20; ++file) {
    std::string text;
    for (unsigned id = 0; id < 50; ++id) text += random_message(random, id);
    const Database database = read(text);
    ASSERT_EQ(database.messages.size(), 50U);
    for (const Message& message : database.messages) {
      const MessageCodec codec(message);
      std::vector<double> values(codec.size());
      std::vector<std::uint8_t> there(codec.size());
      for (int frame = 0; frame < 10; ++frame) {
        FrameBytes bytes;
        for (std::uint8_t& byte : bytes.at) byte = static_cast<std::uint8_t>(random());
        const unsigned length = frame == 9 ? message.length / 2 : message.length;
        const MessageCodec::Decoded decoded = codec.decode(bytes.at, length, values, there);
        std::size_t counted = 0;
        for (std::size_t s = 0; s < message.signals.size(); ++s) {
          const Signal& signal = message.signals[s];
          const bool expected = slow_presence(message, signal, bytes.at, length);
          ASSERT_EQ(there[s] != 0, expected) << text << message.name << "." << signal.name;
          ++(expected ? present : absent);
          counted += expected ? 1 : 0;
          if (expected) {
            ASSERT_EQ(codec.field(s).bits(bytes.at), slow_bits(signal, bytes.at));
            ASSERT_TRUE(same(values[s], slow_value(signal, bytes.at))) << message.name << "." << signal.name;
          }
        }
        ASSERT_EQ(decoded.present, counted);
      }
    }
  }
  EXPECT_GT(present, 20'000U);
  EXPECT_GT(absent, 5'000U);
}

TEST(Codec, WritesItsBitsAndNoOthers) {
  std::mt19937_64 random(4711);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::mt19937 texts(11);        // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::string text;
  for (unsigned id = 0; id < 400; ++id) text += random_message(texts, id);
  const Database database = read(text);
  for (const Message& message : database.messages)
    for (const Signal& signal : message.signals) {
      const Field field(signal);
      FrameBytes before;
      for (std::uint8_t& byte : before.at) byte = static_cast<std::uint8_t>(random());
      FrameBytes after = before;
      const std::uint64_t bits = random() & (~0ULL >> (64 - signal.length));
      field.put_bits(after.at, bits);
      ASSERT_EQ(slow_bits(signal, after.at), bits) << message.name << "." << signal.name;
      field.put_bits(after.at, slow_bits(signal, before.at));
      ASSERT_EQ(std::memcmp(before.at, after.at, sizeof before.at), 0) << message.name << "." << signal.name;
      if (signal.kind != ValueKind::whole || signal.length > 48) continue;
      FrameBytes again;
      ASSERT_EQ(field.put(again.at, field.value(before.at)), Put::ok);
      ASSERT_EQ(slow_bits(signal, again.at), slow_bits(signal, before.at))
          << message.name << "." << signal.name;
    }
}

TEST(Codec, GivesTheBytesOfKnownFrames) {
  const Database database = read(
      "BO_ 1 M: 8 A\n SG_ Intel : 12|12@1+ (1,0) [0|0] \"\" A\n SG_ Motorola : 11|12@0+ (1,0) [0|0] \"\" A\n"
      " SG_ Signed : 7|16@0- (0.5,-10) [0|0] \"\" A\n");
  const auto& signals = database.messages.at(0).signals;
  FrameBytes intel;
  EXPECT_EQ(Field(signals[0]).put(intel.at, 0xABC), Put::ok);
  EXPECT_THAT(std::vector<int>(intel.at, intel.at + 4), testing::ElementsAre(0x00, 0xC0, 0xAB, 0x00));
  FrameBytes motorola;
  EXPECT_EQ(Field(signals[1]).put(motorola.at, 0xABC), Put::ok);
  EXPECT_THAT(std::vector<int>(motorola.at, motorola.at + 4), testing::ElementsAre(0x00, 0x0A, 0xBC, 0x00));
  FrameBytes negative;
  EXPECT_EQ(Field(signals[2]).put(negative.at, -11.5), Put::ok);
  EXPECT_THAT(std::vector<int>(negative.at, negative.at + 2), testing::ElementsAre(0xFF, 0xFD));
}

TEST(Codec, ClipsWhatItsBitsDoNotHoldAndSaysSo) {
  const Database database = read(
      "BO_ 1 M: 64 A\n SG_ U : 0|8@1+ (0.5,0) [0|0] \"\" A\n SG_ S : 8|8@1- (1,0) [0|0] \"\" A\n"
      " SG_ L : 64|64@1- (1,0) [0|0] \"\" A\n SG_ V : 128|64@1+ (1,0) [0|0] \"\" A\n"
      " SG_ F : 192|32@1- (1,0) [0|0] \"\" A\n SG_ D : 256|64@1- (1,0) [0|0] \"\" A\nSIG_VALTYPE_ 1 F : "
      "1;\nSIG_VALTYPE_ 1 D : 2;\n");
  const auto& signals = database.messages.at(0).signals;
  const auto put = [&](std::size_t signal, double value, double expected) {
    FrameBytes bytes;
    const Field field(signals[signal]);
    const Put result = field.put(bytes.at, value);
    EXPECT_EQ(field.value(bytes.at), expected) << value;
    return result;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(put(0, 127.5, 127.5), Put::ok);
  EXPECT_EQ(put(0, 127.6, 127.5), Put::ok) << "the nearest one is the last one";
  EXPECT_EQ(put(0, 128, 127.5), Put::clipped);
  EXPECT_EQ(put(0, -0.1, 0), Put::ok);
  EXPECT_EQ(put(0, -1, 0), Put::clipped);
  EXPECT_EQ(put(0, kInfinity, 127.5), Put::clipped);
  EXPECT_EQ(put(0, kNan, 0), Put::nan);
  EXPECT_EQ(put(1, -128, -128), Put::ok);
  EXPECT_EQ(put(1, -129, -128), Put::clipped);
  EXPECT_EQ(put(1, 2.5, 2), Put::ok) << "halves go to the even one";
  EXPECT_EQ(put(1, 3.5, 4), Put::ok);
  EXPECT_EQ(put(2, 1e300, 9223372036854775807.0), Put::clipped);
  EXPECT_EQ(put(2, -9223372036854775808.0, -9223372036854775808.0), Put::ok);
  EXPECT_EQ(put(3, 1e19, 1e19), Put::ok);
  EXPECT_EQ(put(3, 1e20, 18446744073709551615.0), Put::clipped);
  EXPECT_EQ(put(4, 0.5, 0.5), Put::ok);
  EXPECT_EQ(put(4, 1e300, static_cast<double>(std::numeric_limits<float>::max())), Put::clipped);
  EXPECT_EQ(put(5, 0.1, 0.1), Put::ok);
}

TEST(Codec, EncodesTheSignalsThatTheSwitchesAmongThemSelect) {
  const Database database = read(
      "BO_ 1 M: 2 A\n SG_ B m1 : 8|8@1+ (1,0) [0|0] \"\" A\n SG_ C m2 : 8|8@1+ (1,0) [0|0] \"\" A\n"
      " SG_ Switch M : 0|8@1+ (1,0) [0|0] \"\" A\n");
  const MessageCodec codec(database.messages.at(0));
  FrameBytes bytes;
  const std::vector<double> values{11, 22, 2};
  EXPECT_EQ(codec.encode(bytes.at, values), 0U);
  EXPECT_EQ(bytes.at[0], 2);
  EXPECT_EQ(bytes.at[1], 22);
  std::vector<double> found(3);
  std::vector<std::uint8_t> there(3);
  EXPECT_FALSE(codec.decode(bytes.at, 2, found, there).is_unknown_switch);
  EXPECT_THAT(there, testing::ElementsAre(0, 1, 1));
  bytes.at[0] = 7;
  EXPECT_TRUE(codec.decode(bytes.at, 2, found, there).is_unknown_switch);
  EXPECT_THAT(there, testing::ElementsAre(0, 0, 1));
}

}  // namespace
}  // namespace tactus::drivers::can::codec_test
