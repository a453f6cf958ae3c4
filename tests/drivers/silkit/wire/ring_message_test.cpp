// SPDX-License-Identifier: Apache-2.0
// What two participants of this library say about memory that they share.
#include "drivers/silkit/wire/ring_message.hpp"

#include <gtest/gtest.h>

#include "tests/drivers/silkit/wire/support/hex.hpp"

namespace tactus::silkit::ring_message_test {
namespace {

using sample::from_hex;
using sample::hex;

const RingMessage kOffer{RingMessage::Step::offer, 0x1234, 7, {0x1122334455667788, 2}, {8, 0x99}};

constexpr std::size_t kWithoutPipe = 25;

TEST(RingMessage, IsReadAsItIsWritten) {
  Bytes bytes;
  encode(bytes, kOffer);
  EXPECT_EQ(hex(bytes), hex(from_hex("2a000000 74 01 34120000 07000000 8877665544332211 0200000000000000"
                                     "08000000 9900000000000000")));
  std::size_t used = 0;
  const std::optional<Frame> frame = next_frame(bytes, used);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, Kind::ring);
  EXPECT_EQ(decode<RingMessage>(frame->body), kOffer);
}

TEST(RingMessage, CutShortIsRefused) {
  Bytes bytes;
  encode(bytes, kOffer);
  const ByteView body = ByteView(bytes).subspan(kLeastMessage);
  for (std::size_t size = 0; size < body.size(); ++size)
    if (size != kWithoutPipe) {
      EXPECT_THROW((void)decode<RingMessage>(body.first(size)), WireError) << size;
    }
}

TEST(RingMessage, OfSomebodyWhoKnowsNothingOfPipesNamesNone) {
  Bytes bytes;
  encode(bytes, kOffer);
  RingMessage expected = kOffer;
  expected.pipe.descriptor = 0;
  expected.pipe.inode = 0;
  EXPECT_EQ(decode<RingMessage>(ByteView(bytes).subspan(kLeastMessage, kWithoutPipe)), expected);
}

}  // namespace
}  // namespace tactus::silkit::ring_message_test
