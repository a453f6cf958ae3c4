// SPDX-License-Identifier: Apache-2.0
// Relayed messages and connect requests: byte for byte as others write them.
#include "drivers/silkit/wire/proxy_message.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/drivers/silkit/wire/support/hex.hpp"

namespace tactus::silkit::proxy_message_test {
namespace {

using sample::from_hex;
using sample::hex;

Bytes subscription() {
  Bytes bytes;
  encode(bytes, Subscriber{7, "n", "T", 1});
  return bytes;
}

TEST(ProxyMessage, IsWrittenAsOthersWriteIt) {
  Bytes bytes;
  const Bytes payload = subscription();
  encode(bytes, ProxyMessage{0, "A", "BC", payload});
  EXPECT_EQ(hex(bytes), hex(from_hex("30000000 06 00 01000000 41 02000000 4243 1b000000"
                                     "1b000000 01 0700000000000000 01000000 6e 01000000 54 01000000")));
}

TEST(ProxyMessage, HoldsOneMessage) {
  const Bytes payload = subscription();
  const Frame frame = frame_of_payload(payload);
  EXPECT_EQ(frame.kind, Kind::subscription);
  EXPECT_EQ(decode<Subscriber>(frame.body).index, 7U);
  Bytes two = payload;
  two.insert(two.end(), payload.begin(), payload.end());
  EXPECT_THROW(frame_of_payload(two), WireError);
  EXPECT_THROW(frame_of_payload(ByteView(payload).first(payload.size() - 1)), WireError);
  EXPECT_THROW(frame_of_payload({}), WireError);
}

TEST(ProxyMessage, OfAnotherVersionIsNotReadFurther) {
  const ProxyMessage message = decode<ProxyMessage>(from_hex("01ff"));
  EXPECT_EQ(message.version, 1);
  EXPECT_TRUE(message.source.empty());
}

TEST(ProxyMessage, ThatSaysMoreThanItHoldsIsRefused) {
  EXPECT_THROW(decode<ProxyMessage>(from_hex("00 01000000 41 01000000 42 ffffff7f 00")), WireError);
  EXPECT_THROW(decode<ProxyMessage>(from_hex("00 ff000000 41 01000000 42 00000000")), WireError);
  EXPECT_THROW(decode<ProxyMessage>({}), WireError);
}

TEST(ProxyMessage, AboveWhatAPeerTakesIsRefused) {
  const Bytes giant(kMostMessage);
  Bytes out = from_hex("aa");
  EXPECT_THROW(encode(out, ProxyMessage{0, "A", "B", giant}), std::length_error);
  EXPECT_EQ(hex(out), "aa");
}

TEST(ProxyMessage, BeginsAConversationWithAnAnnouncementAlone) {
  Bytes announcement;
  encode(announcement, Announcement{});
  Bytes reply;
  encode(reply, AnnouncementReply{});
  EXPECT_TRUE(is_announcement(announcement));
  EXPECT_FALSE(is_announcement(reply));
  EXPECT_FALSE(is_announcement(subscription()));
  EXPECT_FALSE(is_announcement({}));
  EXPECT_FALSE(is_announcement(ByteView(announcement).first(5)));
}

TEST(RemoteConnect, IsWrittenAsOthersWriteIt) {
  Bytes bytes;
  encode(bytes, RemoteConnect{{}, {"A", 1, {"u"}, ""}, {"B", 2, {}, "c"}, RemoteConnect::Status::failed});
  EXPECT_EQ(
      hex(bytes),
      hex(from_hex("3f000000 05 04 5649422d 0300 0100 01000000 41 0100000000000000 01000000 01000000 75 "
                   "00000000 01000000 42 0200000000000000 00000000 01000000 63 03")));
}

TEST(RemoteConnect, OfAnotherVersionIsNotReadFurther) {
  const RemoteConnect message = decode<RemoteConnect>(from_hex("5649422d 0400 0000 ff"));
  EXPECT_EQ(message.version.high, 4);
  EXPECT_EQ(message.status, RemoteConnect::Status::invalid);
}

}  // namespace
}  // namespace tactus::silkit::proxy_message_test
