// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_taps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::executive::live_taps_test {
namespace {

using ::testing::ElementsAre;

struct Values {
  double speed = 0;
  std::int32_t mode = 0;
  double table[3] = {};
};

std::vector<LiveTap::Piece> pieces_of(const Values& values) {
  return {{&values.mode, 4}, {&values.speed, 8}, {&values.table, 24}};
}

struct Row {
  std::int64_t frame = -1;
  std::uint64_t number = 0;
  Values values{};
};

std::vector<Row> rows_of(LiveTap& tap) {
  std::vector<Row> rows;
  for (const std::byte* record = tap.front(); record != nullptr; record = tap.front()) {
    LiveTap::Mark mark;
    std::memcpy(&mark, record, sizeof mark);
    Row& row = rows.emplace_back();
    row.frame = mark.frame;
    row.number = mark.number;
    std::memcpy(&row.values.mode, record + sizeof mark, 4);
    std::memcpy(&row.values.speed, record + sizeof mark + 4, 8);
    std::memcpy(&row.values.table, record + sizeof mark + 12, 24);
    tap.release();
  }
  return rows;
}

TEST(LiveTap, KeepsTheValuesOfEveryFrameInTheOrderOfItsPieces) {
  Values values;
  LiveTap tap(pieces_of(values), 8);
  for (int k = 0; k < 5; ++k) {
    values = {k + 0.5, -k, {1.0 * k, 2.0 * k, 3.0 * k}};
    tap.take(100 + k);
  }
  const std::vector<Row> rows = rows_of(tap);
  ASSERT_EQ(rows.size(), 5U);
  for (int k = 0; k < 5; ++k) {
    const Row& row = rows[static_cast<std::size_t>(k)];
    EXPECT_EQ(row.frame, 100 + k);
    EXPECT_EQ(row.number, static_cast<std::uint64_t>(k));
    EXPECT_EQ(row.values.speed, k + 0.5);
    EXPECT_EQ(row.values.mode, -k);
    EXPECT_THAT(row.values.table, ElementsAre(1.0 * k, 2.0 * k, 3.0 * k));
  }
}

TEST(LiveTap, AFullRingLosesTheNewFramesAndTheNumbersSaySo) {
  Values values;
  LiveTap tap(pieces_of(values), 4);
  for (int k = 0; k < 10; ++k) tap.take(k);
  EXPECT_EQ(rows_of(tap).size(), 4U);
  tap.take(10);
  const std::vector<Row> later = rows_of(tap);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].frame, 10);
  EXPECT_EQ(later[0].number, 10U);
}

TEST(LiveTap, CostsMoreTheMoreItTakes) {
  Values values;
  const std::vector<LiveTap::Piece> one = {{&values.speed, 8}};
  const std::vector<LiveTap::Piece> many(64, LiveTap::Piece{&values.speed, 8});
  EXPECT_GT(LiveTap(one, 4).cost().count(), 0);
  EXPECT_GT(LiveTap(many, 4).cost(), 10 * LiveTap(one, 4).cost());
}

TEST(LiveTaps, FramesGoOverToTheNewestList) {
  Values values;
  LiveTaps taps;
  taps.take(0);
  const auto first = std::make_shared<LiveTap>(pieces_of(values), 8);
  const auto second = std::make_shared<LiveTap>(pieces_of(values), 8);
  taps.add(first);
  taps.take(1);
  taps.add(second);
  taps.take(2);
  taps.remove(first);
  taps.take(3);
  taps.remove(second);
  taps.take(4);
  EXPECT_EQ(rows_of(*first).size(), 2U);
  EXPECT_EQ(rows_of(*second).size(), 2U);
}

TEST(LiveTaps, MemoryThatFramesMayUseStaysUntilTheyDoNot) {
  Values values;
  LiveTaps taps;
  std::weak_ptr<LiveTap> gone;
  {
    const auto tap = std::make_shared<LiveTap>(pieces_of(values), 8);
    gone = tap;
    taps.add(tap);
    taps.take(1);
    taps.remove(tap);
  }
  EXPECT_FALSE(gone.expired()) << "the frames have not seen the new list";
  taps.take(2);
  taps.add(std::make_shared<LiveTap>(pieces_of(values), 8));
  EXPECT_TRUE(gone.expired());
  for (int i = 0; i < 100; ++i) {
    taps.add(std::make_shared<LiveTap>(pieces_of(values), 2));
    taps.remove(taps.all().back());
  }
  EXPECT_LE(taps.lists(), 2U) << "lists that were never used go, too";
}

TEST(LiveTapsRt, TakingUsesNoHeap) {
  Values values;
  LiveTaps taps;
  taps.add(std::make_shared<LiveTap>(pieces_of(values), 64));
  const rtsync::HeapWatch heap;
  for (int k = 0; k < 1000; ++k) taps.take(k);
  EXPECT_EQ(heap.calls(), 0U);
}

TEST(LiveTaps, ListsChangeWhileFramesRun) {
  Values values;
  LiveTaps taps;
  std::atomic<bool> stop{false};
  std::thread frames([&] {
    for (std::int64_t k = 0; !stop; ++k) {
      values.speed = static_cast<double>(k);
      taps.take(k);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    auto tap = std::make_shared<LiveTap>(pieces_of(values), 16);
    taps.add(tap);
    if (i % 10 == 0)
      while (tap->front() == nullptr) std::this_thread::yield();
    for (const Row& row : rows_of(*tap)) EXPECT_EQ(row.values.speed, static_cast<double>(row.frame));
    taps.remove(tap);
  }
  stop = true;
  frames.join();
}

}  // namespace
}  // namespace tactus::executive::live_taps_test
