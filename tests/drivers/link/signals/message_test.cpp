// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>

#include "config/json.hpp"
#include "drivers/link/signals.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::link::message_test {
namespace {

using config::Json;
using ::testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;
using Block = std::vector<std::byte>;

struct Part {
  const char* name;
  tactus_type type;
  std::uint32_t count = 0;
};

Layout layout_of(Encoding encoding, bool group, const std::vector<Part>& parts) {
  Layout layout;
  layout.encoding = encoding;
  layout.group = group;
  for (const Part& part : parts) {
    Element element;
    element.name = part.name;
    element.type = part.type;
    element.elements = part.count == 0 ? 1 : part.count;
    element.array = part.count > 0;
    element.offset = layout.bytes;
    layout.bytes += executive::size_of(part.type) * element.elements;
    layout.elements.push_back(element);
  }
  return layout;
}

Layout single(Encoding encoding, tactus_type type, std::uint32_t count = 0) {
  return layout_of(encoding, false, {{"m.x", type, count}});
}

template <class... T>
Block block_of(T... values) {
  Block block;
  const auto append = [&block](auto value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    block.insert(block.end(), bytes, bytes + sizeof value);
  };
  (append(values), ...);
  return block;
}

Bytes encoded(const Layout& layout, const Block& block) {
  Bytes payload{1, 2, 3};  // whatever was there is gone afterwards
  encode(layout, block.data(), payload);
  return payload;
}
std::string encoded_text(const Layout& layout, const Block& block) {
  const Bytes payload = encoded(layout, block);
  return {payload.begin(), payload.end()};
}

/// What decode says; a block that fits is put into `block`.
std::string decoded(const Layout& layout, const Bytes& payload, Block* block = nullptr) {
  Block mine(layout.bytes, std::byte{0xEE});
  const Bytes exact(payload.begin(), payload.end());  // no spare room: reading past the end is seen
  std::string wrong = decode(layout, exact, mine.data());
  if (block != nullptr) *block = mine;
  return wrong;
}
std::string decoded(const Layout& layout, const std::string& text, Block* block = nullptr) {
  return decoded(layout, Bytes(text.begin(), text.end()), block);
}

// ---- raw

TEST(LinkMessageRaw, IsTheBlockAsItStands) {
  const Layout layout = layout_of(Encoding::raw, true, {{"m.a", TACTUS_UINT16}, {"m.b", TACTUS_INT8, 2}});
  const Block block = block_of(std::uint16_t{0x1234}, std::int8_t{-1}, std::int8_t{2});
  EXPECT_EQ(encoded(layout, block), (Bytes{0x34, 0x12, 0xFF, 0x02}));
  Block back;
  EXPECT_EQ(decoded(layout, Bytes{0x34, 0x12, 0xFF, 0x02}, &back), "");
  EXPECT_EQ(back, block);
}

TEST(LinkMessageRaw, RefusesEveryOtherSize) {
  tactus::test::Snapshot texts;
  const Layout layout = single(Encoding::raw, TACTUS_DOUBLE);
  texts.add(decoded(layout, Bytes(7)));
  texts.add(decoded(layout, Bytes(9)));
  texts.add(decoded(layout, Bytes{}));
}

TEST(LinkMessageRaw, RefusesABoolThatIsNone) {
  tactus::test::Snapshot texts;
  texts.add(decoded(single(Encoding::raw, TACTUS_BOOL), Bytes{2}));
  texts.add(decoded(single(Encoding::serdes, TACTUS_BOOL), Bytes{255}));
}

// ---- serdes

struct Golden {
  const char* what;
  Layout layout;
  Block block;
  Bytes bytes;
};

// Golden: written by SIL Kit's own header-only Serializer (SilKit::Util::SerDes, v1).
std::vector<Golden> golden() {
  const auto one = [](tactus_type type) { return single(Encoding::serdes, type); };
  return {
      {"double", one(TACTUS_DOUBLE), block_of(1.5), {0, 0, 0, 0, 0, 0, 0xF8, 0x3F}},
      {"float", one(TACTUS_FLOAT), block_of(-0.1F), {0xCD, 0xCC, 0xCC, 0xBD}},
      {"bool", one(TACTUS_BOOL), block_of(true), {0x01}},
      {"int8", one(TACTUS_INT8), block_of(std::int8_t{-2}), {0xFE}},
      {"uint8", one(TACTUS_UINT8), block_of(std::uint8_t{200}), {0xC8}},
      {"int16", one(TACTUS_INT16), block_of(std::int16_t{-300}), {0xD4, 0xFE}},
      {"uint16", one(TACTUS_UINT16), block_of(std::uint16_t{40'000}), {0x40, 0x9C}},
      {"int32", one(TACTUS_INT32), block_of(std::int32_t{-70'000}), {0x90, 0xEE, 0xFE, 0xFF}},
      {"uint32", one(TACTUS_UINT32), block_of(std::uint32_t{3'000'000'000}), {0x00, 0x5E, 0xD0, 0xB2}},
      {"int64",
       one(TACTUS_INT64),
       block_of(std::int64_t{-5'000'000'000'000'000'001}),
       {0xFF, 0xFF, 0x0B, 0xBB, 0x7D, 0x6E, 0x9C, 0xBA}},
      {"uint64",
       one(TACTUS_UINT64),
       block_of(std::uint64_t{18'446'744'073'709'551'614U}),
       {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
      {"array of 3 doubles",
       single(Encoding::serdes, TACTUS_DOUBLE, 3),
       block_of(1.0, -2.0, 0.25),
       {3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0xD0, 0x3F}},
      {"array of 1 bool", single(Encoding::serdes, TACTUS_BOOL, 1), block_of(false), {1, 0, 0, 0, 0}},
      {"struct { bool, int16, array of 2 floats, double, uint8 }",
       layout_of(Encoding::serdes, true,
                 {{"m.a", TACTUS_BOOL},
                  {"m.b", TACTUS_INT16},
                  {"m.c", TACTUS_FLOAT, 2},
                  {"m.d", TACTUS_DOUBLE},
                  {"m.e", TACTUS_UINT8}}),
       block_of(true, std::int16_t{-300}, 1.0F, 2.0F, 1.5, std::uint8_t{7}),
       {0x01, 0xD4, 0xFE, 2, 0, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0x07}},
  };
}

TEST(LinkMessageSerdes, IsWhatSilKitItselfWrites) {
  for (const Golden& row : golden()) EXPECT_EQ(encoded(row.layout, row.block), row.bytes) << row.what;
}

TEST(LinkMessageSerdes, ReadsWhatSilKitItselfWrites) {
  for (const Golden& row : golden()) {
    Block back;
    EXPECT_EQ(decoded(row.layout, row.bytes, &back), "") << row.what;
    EXPECT_EQ(back, row.block) << row.what;
  }
}

TEST(LinkMessageSerdes, RefusesEveryOtherSize) {
  for (const Golden& row : golden()) {
    const std::string expected = "; " + std::to_string(row.bytes.size()) + " are expected";
    for (std::size_t size = 0; size < row.bytes.size(); ++size)
      EXPECT_THAT(decoded(row.layout, Bytes(row.bytes.begin(), row.bytes.begin() + std::ptrdiff_t(size))),
                  HasSubstr(expected))
          << row.what;
    Bytes longer = row.bytes;
    longer.push_back(0);
    EXPECT_THAT(decoded(row.layout, longer), HasSubstr(expected)) << row.what;
  }
}

TEST(LinkMessageSerdes, RefusesAnArrayOfAnotherLength) {
  tactus::test::Snapshot texts;
  const Layout layout =
      layout_of(Encoding::serdes, true, {{"m.a", TACTUS_UINT8, 5}, {"m.b", TACTUS_UINT8, 4}});
  texts.add(decoded(layout, Bytes{9, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 1, 2, 3, 4}));
  texts.add(decoded(layout, Bytes{5, 0, 0, 0, 1, 2, 3, 4, 5, 255, 255, 255, 255, 1, 2, 3, 4}));
}

// ---- JSON

TEST(LinkMessageJson, AValueByItselfIsBare) {
  const auto one = [](tactus_type type, std::uint32_t count = 0) {
    return single(Encoding::json, type, count);
  };
  EXPECT_EQ(encoded_text(one(TACTUS_DOUBLE), block_of(0.1)), "0.1");
  EXPECT_EQ(encoded_text(one(TACTUS_DOUBLE), block_of(-0.0)), "-0.0");
  EXPECT_EQ(encoded_text(one(TACTUS_BOOL), block_of(true)), "true");
  EXPECT_EQ(encoded_text(one(TACTUS_UINT8), block_of(std::uint8_t{65})), "65");
  EXPECT_EQ(encoded_text(one(TACTUS_INT64), block_of(std::numeric_limits<std::int64_t>::min())),
            "-9223372036854775808");
  EXPECT_EQ(encoded_text(one(TACTUS_UINT64), block_of(std::numeric_limits<std::uint64_t>::max())),
            "18446744073709551615");
  EXPECT_EQ(encoded_text(one(TACTUS_FLOAT), block_of(0.5F)), "0.5");
  EXPECT_EQ(encoded_text(one(TACTUS_INT16, 3), block_of(std::int16_t{1}, std::int16_t{-2}, std::int16_t{3})),
            "[1,-2,3]");
  EXPECT_EQ(encoded_text(one(TACTUS_INT16, 1), block_of(std::int16_t{1})), "[1]");
}

TEST(LinkMessageJson, AGroupIsAnObjectByVariable) {
  const Layout layout = layout_of(Encoding::json, true,
                                  {{"m.on", TACTUS_BOOL}, {"m.f", TACTUS_DOUBLE, 2}, {"n.k", TACTUS_INT32}});
  const Block block = block_of(false, 1.5, -2.0, std::int32_t{-7});
  EXPECT_EQ(encoded_text(layout, block), R"({"m.on":false,"m.f":[1.5,-2],"n.k":-7})");
  Block back;
  EXPECT_EQ(decoded(layout, "\n{ \"n.k\": -7,\n \"m.f\": [1.5e0, -2],\t\"m.on\": false }\n", &back), "")
      << "in any order, with any blanks";
  EXPECT_EQ(back, block);
}

TEST(LinkMessageJson, WhatIsNotFiniteIsNullAndNullIsRefused) {
  const Layout layout = single(Encoding::json, TACTUS_DOUBLE);
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(encoded_text(layout, block_of(value)), "null");
  EXPECT_EQ(encoded_text(single(Encoding::json, TACTUS_FLOAT), block_of(INFINITY)), "null");
  EXPECT_EQ(decoded(layout, std::string("null")), "'m.x' is null; a number is expected");
}

TEST(LinkMessageJson, SaysWhatDoesNotFit) {
  struct Row {
    Layout layout;
    std::string text;
  };
  const auto one = [](tactus_type type, std::uint32_t count = 0) {
    return single(Encoding::json, type, count);
  };
  const Layout group = layout_of(Encoding::json, true, {{"m.a", TACTUS_INT8}, {"m.f", TACTUS_DOUBLE, 2}});
  const Row rows[] = {
      {one(TACTUS_INT8), "128"},
      {one(TACTUS_INT8), "-129"},
      {one(TACTUS_UINT8), "-1"},
      {one(TACTUS_INT64), "9223372036854775808"},
      {one(TACTUS_UINT64), "18446744073709551616"},
      {one(TACTUS_INT32), "1.5"},
      {one(TACTUS_INT32), "1e2"},
      {one(TACTUS_INT32), "true"},
      {one(TACTUS_DOUBLE), "false"},
      {one(TACTUS_BOOL), "1"},
      {one(TACTUS_BOOL), "0.0"},
      {one(TACTUS_BOOL), "\"true\""},
      {one(TACTUS_FLOAT), "3.5e38"},
      {one(TACTUS_DOUBLE), "1e999"},
      {one(TACTUS_DOUBLE), "NaN"},
      {one(TACTUS_DOUBLE), ""},
      {one(TACTUS_DOUBLE), "1 2"},
      {one(TACTUS_DOUBLE), "[1]"},
      {one(TACTUS_DOUBLE), "{}"},
      {one(TACTUS_DOUBLE, 2), "1"},
      {one(TACTUS_DOUBLE, 2), "[1]"},
      {one(TACTUS_DOUBLE, 2), "[1,2,3]"},
      {one(TACTUS_DOUBLE, 2), "[1,[2]]"},
      {one(TACTUS_DOUBLE, 2), "[1,null]"},
      {one(TACTUS_INT8, 2), "[1,500]"},
      {group, "5"},
      {group, "[]"},
      {group, "{}"},
      {group, R"({"m.a":1})"},
      {group, R"({"m.a":1,"m.b":1})"},
      {group, R"({"m.a":1,"m.a":1})"},
      {group, R"({"m.a":{},"m.f":[1,2]})"},
      {group, R"({"m.f":[1,{}]})"},
      {group, R"({"m.f":7})"},
      {group, R"({"m.a":1,"m.f":[1,2]} x)"},
  };
  tactus::test::Snapshot texts;
  for (const Row& row : rows) texts.add(decoded(row.layout, row.text), row.text);
}

TEST(LinkMessageJson, TheLargestFloatIsReadInEveryPrecision) {
  const Layout layout = single(Encoding::json, TACTUS_FLOAT);
  for (const char* text : {"3.4028235e38", "3.4028234663852886e+38", "3.402823466385288e38"}) {
    Block back;
    EXPECT_EQ(decoded(layout, std::string(text), &back), "") << text;
    EXPECT_EQ(back, block_of(std::numeric_limits<float>::max())) << text;
  }
}

TEST(LinkMessageJson, NeitherDepthNorSizeHarms) {
  const Layout layout = layout_of(Encoding::json, true, {{"m.a", TACTUS_DOUBLE}});
  EXPECT_EQ(decoded(layout, std::string(4000, '[')), "the message is an array; an object is expected");
  std::string nested;
  for (int i = 0; i < 600; ++i) nested += R"({"m.a":)";
  EXPECT_EQ(decoded(layout, nested), "'m.a' is an object; a number is expected");
  EXPECT_THAT(decoded(layout, std::string(1 << 20, ' ')), HasSubstr("has 1048576 bytes; at most "));
  EXPECT_LT(decoded(layout, "{\"" + std::string(3000, 'k') + "\":1}").size(), 200U) << "a log line stays one";
  EXPECT_LT(decoded(layout, "{\"m.a\":" + std::string(3000, '1') + "}").size(), 200U);
  EXPECT_LT(decoded(single(Encoding::json, TACTUS_INT8), "1" + std::string(200, '0')).size(), 200U);
}

// ---- what no encoding lets through

TEST(LinkMessage, NothingThatIsNotFiniteIsRead) {
  for (const Encoding encoding : {Encoding::raw, Encoding::serdes}) {
    const Layout array = single(encoding, TACTUS_FLOAT, 2);
    EXPECT_EQ(decoded(array, encoded(array, block_of(1.0F, -INFINITY))),
              "'m.x[1]' is -inf; a finite number is expected");
    const Layout one = single(encoding, TACTUS_DOUBLE);
    EXPECT_EQ(decoded(one, encoded(one, block_of(std::numeric_limits<double>::infinity()))),
              "'m.x' is inf; a finite number is expected");
    EXPECT_THAT(decoded(one, encoded(one, block_of(std::numeric_limits<double>::quiet_NaN()))),
                HasSubstr("a finite number is expected"));
  }
}

TEST(LinkMessage, NothingOutsideOfTheDeclaredRangeIsRead) {
  for (const Encoding encoding : {Encoding::raw, Encoding::serdes, Encoding::json}) {
    Layout layout = single(encoding, TACTUS_DOUBLE);
    layout.elements[0].low = 0;
    layout.elements[0].high = 10;
    EXPECT_EQ(decoded(layout, encoded(layout, block_of(0.0))), "");
    EXPECT_EQ(decoded(layout, encoded(layout, block_of(10.0))), "");
    EXPECT_EQ(decoded(layout, encoded(layout, block_of(10.5))), "'m.x' is 10.5; 0 .. 10 is allowed");
    layout.elements[0].high.reset();
    EXPECT_EQ(decoded(layout, encoded(layout, block_of(-1.0))), "'m.x' is -1; at least 0 is allowed");
    // 2^53 + 1 is not of type double.
    Layout whole = single(encoding, TACTUS_INT64);
    whole.elements[0].high = 9007199254740992.0;
    EXPECT_EQ(decoded(whole, encoded(whole, block_of(std::int64_t{9007199254740992}))), "");
    EXPECT_THAT(decoded(whole, encoded(whole, block_of(std::int64_t{9007199254740993}))),
                HasSubstr("9007199254740993; at most "));
  }
}

// ---- properties

constexpr tactus_type kTypes[] = {TACTUS_BOOL,   TACTUS_INT8,  TACTUS_UINT8,  TACTUS_INT16,
                                  TACTUS_UINT16, TACTUS_INT32, TACTUS_UINT32, TACTUS_INT64,
                                  TACTUS_UINT64, TACTUS_FLOAT, TACTUS_DOUBLE};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

  Layout layout(Encoding encoding) {
    std::vector<Part> parts;
    const bool group = below(3) != 0;
    for (std::size_t i = 1 + (group ? below(6) : 0); i > 0; --i)
      parts.push_back({"", kTypes[below(std::size(kTypes))],
                       below(2) == 0 ? 0 : static_cast<std::uint32_t>(1 + below(4))});
    Layout made = layout_of(encoding, group, parts);
    for (std::size_t i = 0; i < made.elements.size(); ++i) made.elements[i].name = "m.v" + std::to_string(i);
    return made;
  }
  /// Values that a variable of that type may have; floats of any exponent, and finite.
  Block block(const Layout& layout) {
    Block made(layout.bytes);
    for (const Element& element : layout.elements)
      for (std::size_t i = 0; i < element.elements; ++i) {
        std::byte* const at = made.data() + element.offset + i * executive::size_of(element.type);
        std::uint64_t bits = engine_();
        if (below(6) == 0) bits = below(2) == 0 ? 0 : ~std::uint64_t{0};
        if (element.type == TACTUS_BOOL) bits &= 1U;
        if (element.type == TACTUS_DOUBLE && !std::isfinite(std::bit_cast<double>(bits))) bits >>= 2U;
        if (element.type == TACTUS_FLOAT && !std::isfinite(std::bit_cast<float>(std::uint32_t(bits))))
          bits = std::uint32_t(bits) >> 2U;
        std::memcpy(at, &bits, executive::size_of(element.type));
      }
    return made;
  }
  Bytes bytes(std::size_t most) {
    Bytes made(below(most + 1));
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(engine_());
    return made;
  }
  Encoding encoding() { return static_cast<Encoding>(below(3)); }

 private:
  std::mt19937_64 engine_;
};

TEST(LinkMessageProperty, WhatIsWrittenIsReadBackBitForBit) {
  Random random{1};
  for (int i = 0; i < 6'000; ++i) {
    const Layout layout = random.layout(random.encoding());
    const Block block = random.block(layout);
    const Bytes payload = encoded(layout, block);
    Block back;
    ASSERT_EQ(decoded(layout, payload, &back), "") << std::string(payload.begin(), payload.end());
    ASSERT_EQ(back, block) << std::string(payload.begin(), payload.end());
  }
}

TEST(LinkMessageProperty, JsonIsJsonForEveryParser) {
  Random random{2};
  for (int i = 0; i < 1'000; ++i) {
    const Layout layout = random.layout(Encoding::json);
    const Json parsed = Json::parse(encoded_text(layout, random.block(layout)));
    ASSERT_EQ(parsed.is_object(), layout.group);
    if (layout.group) {
      ASSERT_EQ(parsed.size(), layout.elements.size());
    }
  }
}

TEST(LinkMessageProperty, RandomBytesAreRefusedOrGiveABlockThatCouldHaveBeenSent) {
  Random random{3};
  int refused = 0;
  for (int i = 0; i < 30'000; ++i) {
    const Layout layout = random.layout(random.encoding());
    const Bytes payload = random.bytes(layout.bytes + 8);
    Block block;
    const std::string wrong = decoded(layout, payload, &block);
    refused += wrong.empty() ? 0 : 1;
    if (wrong.empty()) {
      ASSERT_EQ(decoded(layout, encoded(layout, block)), "");
    }
    ASSERT_LT(wrong.size(), 300U);
  }
  EXPECT_GT(refused, 20'000);
}

TEST(LinkMessageProperty, DamagedMessagesAreRefusedOrGiveABlockThatCouldHaveBeenSent) {
  static constexpr std::string_view kSpice = "{}[]:,\"'\\-+.eE0189tfnul \n\x80\xC3";
  Random random{4};
  int refused = 0;
  for (int i = 0; i < 30'000; ++i) {
    const Layout layout = random.layout(random.encoding());
    Bytes payload = encoded(layout, random.block(layout));
    for (std::size_t damage = 1 + random.below(3); damage > 0; --damage) {
      const auto at = payload.begin() + std::ptrdiff_t(random.below(payload.size() + 1));
      const auto byte = random.below(2) == 0 ? static_cast<std::uint8_t>(kSpice[random.below(kSpice.size())])
                                             : static_cast<std::uint8_t>(random.below(256));
      if (at == payload.end() || random.below(3) == 0) {
        payload.insert(at, byte);
      } else if (random.below(2) == 0) {
        payload.erase(at);
      } else {
        *at = byte;
      }
    }
    Block block;
    const std::string wrong = decoded(layout, payload, &block);
    refused += wrong.empty() ? 0 : 1;
    if (wrong.empty()) {
      ASSERT_EQ(decoded(layout, encoded(layout, block)), "");
    }
    ASSERT_LT(wrong.size(), 300U);
  }
  EXPECT_GT(refused, 10'000);
}

}  // namespace
}  // namespace tactus::drivers::link::message_test
