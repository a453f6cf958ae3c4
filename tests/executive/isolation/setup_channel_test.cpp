// SPDX-License-Identifier: Apache-2.0
/// The letters that a rig and the process of a model send each other, both ends in the test.
#include "executive/isolation/setup_channel.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace tactus::executive::setup_channel_test {
namespace {

class SetupChannel : public ::testing::Test {
 protected:
  SetupChannel() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  ~SetupChannel() override {
    close_one(0);
    close_one(1);
  }
  void close_one(std::size_t end) {
    if (ends_[end] >= 0) ::close(std::exchange(ends_[end], -1));
  }
  void send_raw(const void* data, std::size_t bytes) {
    ASSERT_EQ(::send(ends_[0], data, bytes, MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
  }
  std::array<int, 2> ends_{-1, -1};
};

TEST_F(SetupChannel, LettersArriveInTheirOrderAndWhole) {
  const std::string long_text(100'000, 'x');
  EXPECT_TRUE(send_letter(ends_[0], Letter::Kind::stage, "its library was loaded"));
  EXPECT_TRUE(send_letter(ends_[0], Letter::Kind::outputs));
  EXPECT_TRUE(send_letter(ends_[0], Letter::Kind::declared, long_text));
  const auto first = receive_letter(ends_[1]);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->kind, Letter::Kind::stage);
  EXPECT_EQ(first->text, "its library was loaded");
  const auto second = receive_letter(ends_[1]);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->kind, Letter::Kind::outputs);
  EXPECT_EQ(second->text, "");
  const auto third = receive_letter(ends_[1]);
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(third->text, long_text);
}

TEST_F(SetupChannel, WhatIsNoTextArrivesToo) {
  const std::string bytes("a\0b\xff\n", 5);
  EXPECT_TRUE(send_letter(ends_[0], Letter::Kind::declared, bytes));
  EXPECT_EQ(receive_letter(ends_[1])->text, bytes);
}

TEST_F(SetupChannel, OfWhoHasEndedThereIsNoLetter) {
  EXPECT_TRUE(send_letter(ends_[0], Letter::Kind::stage, "it was made"));
  close_one(0);
  EXPECT_TRUE(receive_letter(ends_[1]).has_value()) << "it was sent before";
  EXPECT_FALSE(receive_letter(ends_[1]).has_value());
  EXPECT_FALSE(send_letter(ends_[1], Letter::Kind::go)) << "and no signal ends this process";
}

TEST_F(SetupChannel, AHalfLetterIsNone) {
  const std::uint32_t head[2] = {1, 10};
  send_raw(head, sizeof head);
  send_raw("four", 4);
  close_one(0);
  EXPECT_FALSE(receive_letter(ends_[1]).has_value());
}

TEST_F(SetupChannel, HalfAHeadIsNone) {
  send_raw("abc", 3);
  close_one(0);
  EXPECT_FALSE(receive_letter(ends_[1]).has_value());
}

TEST_F(SetupChannel, ALetterThatIsTooLongIsRefusedBeforeAnyMemoryIsTaken) {
  for (const std::uint32_t bytes : {(64U << 20) + 1, UINT32_MAX}) {
    const std::uint32_t head[2] = {1, bytes};
    send_raw(head, sizeof head);
    EXPECT_FALSE(receive_letter(ends_[1]).has_value()) << bytes;
  }
}

}  // namespace
}  // namespace tactus::executive::setup_channel_test
