// SPDX-License-Identifier: Apache-2.0
// Values as bytes: what stands where, and what is refused.
#include "drivers/silkit/wire/bytes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/drivers/silkit/wire/support/hex.hpp"

namespace tactus::silkit::bytes_test {
namespace {

using sample::as_bytes;
using sample::from_hex;
using sample::hex;

TEST(Writer, WritesLittleEndianWithoutPadding) {
  Bytes bytes;
  Writer writer(bytes);
  writer.value(std::uint8_t{0x12});
  writer.value(std::uint16_t{0x1234});
  writer.value(std::uint32_t{0x12345678});
  writer.value(std::uint64_t{0x123456789abcdef0});
  writer.value(std::int16_t{-2});
  writer.value(std::int64_t{-9223372036854775807 - 1});
  writer.value(true);
  writer.value(1.0);
  EXPECT_EQ(hex(bytes), hex(from_hex("12 3412 78563412 f0debc9a78563412 feff 0000000000000080 01"
                                     "000000000000f03f")));
}

TEST(Writer, PutsACountBeforeTextsAndBytes) {
  Bytes bytes;
  Writer writer(bytes);
  writer.text("ab");
  writer.text("");
  writer.counted(from_hex("ff"));
  writer.bytes(from_hex("0102"));
  writer.count(3);
  EXPECT_EQ(hex(bytes), hex(from_hex("02000000 6162 00000000 01000000 ff 0102 03000000")));
}

TEST(Writer, PutsPiecesOneBehindTheOther) {
  const Bytes one = from_hex("01"), two = from_hex("0203");
  Pieces pieces{one, {}, two};
  pieces.add(one);
  EXPECT_EQ(pieces.size(), 4U);
  EXPECT_THROW(pieces.add(one), std::length_error);
  Bytes bytes;
  Writer(bytes).pieces(pieces);
  EXPECT_EQ(hex(bytes), "01020301");
}

TEST(Writer, RefusesACountThatNeedsMoreThan32Bits) {
  Bytes bytes;
  Writer writer(bytes);
  EXPECT_NO_THROW(writer.count(std::numeric_limits<std::uint32_t>::max()));
  EXPECT_THROW(writer.count(std::size_t{1} << 32U), std::length_error);
  EXPECT_EQ(hex(bytes), "ffffffff");
}

TEST(Reader, ReadsWhatAWriterWrote) {
  Bytes bytes;
  Writer writer(bytes);
  writer.value(std::int32_t{-5});
  writer.text(std::string_view("a\0b", 3));
  writer.counted(from_hex("0102"));
  writer.value(-0.5F);
  writer.value(false);
  Reader reader(bytes);
  EXPECT_EQ(reader.value<std::int32_t>(), -5);
  EXPECT_EQ(reader.text(), std::string("a\0b", 3));
  EXPECT_EQ(hex(reader.counted()), "0102");
  EXPECT_EQ(reader.value<float>(), -0.5F);
  EXPECT_EQ(reader.rest().size(), 1U);
  EXPECT_FALSE(reader.value<bool>());
  EXPECT_TRUE(reader.empty());
}

TEST(Reader, TakesOnlyAOneForTrue) {
  const Bytes bytes = from_hex("00 01 02 ff");
  Reader reader(bytes);
  EXPECT_FALSE(reader.value<bool>());
  EXPECT_TRUE(reader.value<bool>());
  EXPECT_FALSE(reader.value<bool>());
  EXPECT_FALSE(reader.value<bool>());
}

TEST(Reader, RefusesValuesThatEndTooEarlyAndStaysWhereItWas) {
  const Bytes bytes = from_hex("010203");
  Reader reader(bytes);
  EXPECT_THROW(reader.value<std::uint32_t>(), WireError);
  EXPECT_THROW(reader.value<double>(), WireError);
  EXPECT_THROW(reader.take(4), WireError);
  EXPECT_THROW(reader.text(), WireError);
  EXPECT_EQ(reader.value<std::uint16_t>(), 0x0201);
  EXPECT_THROW(reader.value<std::uint16_t>(), WireError);
  EXPECT_EQ(reader.value<std::uint8_t>(), 3);
  EXPECT_THROW(reader.value<std::uint8_t>(), WireError);
}

TEST(Reader, RefusesTextsAndBytesLongerThanTheMessage) {
  for (const std::string_view text : {"03000000 6162", "ffffffff 6162", "01000000"}) {
    const Bytes bytes = from_hex(text);
    EXPECT_THROW(Reader(bytes).text(), WireError) << text;
    EXPECT_THROW(Reader(bytes).text_view(), WireError) << text;
    EXPECT_THROW(Reader(bytes).counted(), WireError) << text;
  }
}

TEST(Reader, LooksAtTextsAndBytesWithoutCopyingThem) {
  const Bytes bytes = from_hex("02000000 6162 01000000 ff");
  Reader reader(bytes);
  const std::string_view text = reader.text_view();
  EXPECT_EQ(text, "ab");
  EXPECT_EQ(static_cast<const void*>(text.data()), bytes.data() + 4);
  EXPECT_EQ(reader.counted().data(), bytes.data() + 10);
}

TEST(Reader, RefusesACountOfMoreElementsThanThereCanBe) {
  const struct {
    std::string_view bytes;
    std::size_t least;
    bool fits;
  } rows[] = {
      {"00000000", 20, true},
      {"02000000 0000000000000000", 4, true},
      {"02000000 00000000000000", 4, false},
      {"01000000", 1, false},
      {"ffffffff 0000000000000000", 8, false},  // times 8 is more than 32 bits hold
      {"00000020 0000000000000000", 8, false},
  };
  for (const auto& row : rows) {
    const Bytes bytes = from_hex(row.bytes);
    Reader reader(bytes);
    if (row.fits)
      EXPECT_NO_THROW(reader.count(row.least)) << row.bytes;
    else
      EXPECT_THROW(reader.count(row.least), WireError) << row.bytes;
  }
}

TEST(WireErrorText, SaysWhatIsMissing) {
  try {
    Reader(as_bytes("abc")).value<std::uint32_t>();
    FAIL();
  } catch (const WireError& error) {
    EXPECT_STREQ(error.what(), "a message ends too early: 4 bytes are needed, 3 are left");
  }
}

}  // namespace
}  // namespace tactus::silkit::bytes_test
