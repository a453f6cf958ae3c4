// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/pending.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <tuple>

namespace tactus::drivers::link::pending_test {
namespace {

Signals signals_of(std::size_t subscriptions) {
  Signals signals;
  for (std::size_t i = 0; i < subscriptions; ++i)
    signals.subscriptions.emplace_back().layout.bytes = sizeof(std::int64_t);
  return signals;
}

/// False: the inbox is full. The block is the sequence.
bool send(rtsync::BlockRing& inbox, const Incoming& head) {
  std::byte* const slot = inbox.claim();
  if (slot == nullptr) return false;
  std::memcpy(slot, &head, sizeof head);
  std::memcpy(slot + sizeof head, &head.sequence, sizeof head.sequence);
  inbox.publish();
  return true;
}

TEST(Pending, KeepsTheOrderWhateverComesAndGoes) {
  std::mt19937 engine(3);
  const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(engine() % limit); };
  for (const std::size_t queue : {std::size_t{1}, std::size_t{20}, std::size_t{700}}) {
    Pending pending(signals_of(3), queue, 64);
    rtsync::BlockRing inbox(sizeof(Incoming) + sizeof(std::int64_t), 64);
    std::map<std::tuple<std::int64_t, std::uint32_t, std::int64_t>, bool> expected;
    std::int64_t sequence = 0;
    for (int turn = 0; turn < 3000; ++turn) {
      for (std::int64_t more = below(2) * below(64); more > 0; --more) {
        const Incoming head{turn / 2 + below(40), sequence++, static_cast<std::uint32_t>(below(3))};
        ASSERT_TRUE(send(inbox, head));
        expected[{head.stamp_ns, head.subscription, head.sequence}] = true;
      }
      pending.take(inbox, true, turn % 2 == 0);
      for (std::int64_t more = below(60); more > 0 && pending.front() != nullptr; --more) {
        const Incoming& head = *pending.front();
        ASSERT_EQ(expected.begin()->first, std::make_tuple(head.stamp_ns, head.subscription, head.sequence));
        std::int64_t block = 0;
        std::memcpy(&block, pending.block(), sizeof block);
        ASSERT_EQ(block, head.sequence);
        expected.erase(expected.begin());
        pending.pop();
      }
      ASSERT_EQ(pending.front() == nullptr, expected.empty());
      std::int64_t dropped = 0;
      for (; expected.size() > queue; ++dropped) expected.erase(std::prev(expected.end()));
      ASSERT_EQ(pending.trim(), dropped);
    }
  }
}

TEST(Pending, WithoutStampsTheOrderIsThatOfArrival) {
  Pending pending(signals_of(3), 4, 64);
  rtsync::BlockRing inbox(sizeof(Incoming) + sizeof(std::int64_t), 64);
  for (std::int64_t i = 0; i < 64; ++i)
    ASSERT_TRUE(send(inbox, {100 - i, i, static_cast<std::uint32_t>(2 - i % 3)}));
  pending.take(inbox, false, true);
  for (std::int64_t i = 0; i < 64; ++i, pending.pop()) {
    ASSERT_NE(pending.front(), nullptr);
    EXPECT_EQ(pending.front()->sequence, i);
    EXPECT_EQ(pending.front()->stamp_ns, kNoStamp);
  }
  EXPECT_EQ(pending.front(), nullptr);
  EXPECT_EQ(pending.trim(), 0);
}

TEST(Pending, InRealTimeTheRestWaitsInTheInbox) {
  constexpr std::size_t kSlots = 1024;
  for (const bool paced : {true, false}) {
    Pending pending(signals_of(1), kSlots, kSlots);
    rtsync::BlockRing inbox(sizeof(Incoming) + sizeof(std::int64_t), kSlots);
    for (std::int64_t i = 0; i < std::int64_t{kSlots}; ++i) ASSERT_TRUE(send(inbox, {-i, i, 0}));
    pending.take(inbox, true, paced);
    const std::size_t taken = paced ? Pending::kTakenPerFrame : kSlots;
    std::size_t left = 0;
    for (; inbox.front() != nullptr; ++left) inbox.release();
    EXPECT_EQ(left, kSlots - taken);
    EXPECT_EQ(pending.front()->stamp_ns, 1 - static_cast<std::int64_t>(taken));
  }
}

}  // namespace
}  // namespace tactus::drivers::link::pending_test
