// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "executive/flight/flight_ring_reader.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::executive::flight_ring_test {
namespace {

/// A ring in ordinary memory.
struct Memory {
  explicit Memory(std::uint64_t capacity) : cells(std::make_unique<FlightCell[]>(capacity)) {
    head.capacity = capacity;
  }
  std::vector<FlightRecord> read() const {
    FlightRingReader reader(head, cells.get());
    std::vector<FlightRecord> all;
    while (const auto record = reader.next()) all.push_back(*record);
    return all;
  }
  std::vector<FlightRecord> read_backwards() const {
    FlightRingBackReader reader(head, cells.get());
    std::vector<FlightRecord> all;
    while (const auto record = reader.next()) all.push_back(*record);
    return all;
  }
  FlightRingHead head;
  std::unique_ptr<FlightCell[]> cells;
};

/// Number n of those that the tests write; each field follows from it.
FlightRecord record(std::uint64_t n) {
  return {n, static_cast<std::uint32_t>(n * 3), static_cast<std::uint16_t>(n * 7),
          static_cast<FlightKind>(1 + n % 14)};
}

void write(FlightRing& ring, std::uint64_t from, std::uint64_t to) {
  ring.begin(to - from);
  for (; from < to; ++from) ring.put(record(from));
  ring.end();
}

TEST(FlightRing, GivesWhatWasWrittenInItsOrder) {
  Memory memory(8);
  FlightRing ring(memory.head, memory.cells.get());
  EXPECT_TRUE(memory.read().empty());
  write(ring, 0, 3);
  EXPECT_EQ(memory.read(), (std::vector{record(0), record(1), record(2)}));
}

TEST(FlightRing, KeepsTheLatestWhenItIsFull) {
  Memory memory(4);
  FlightRing ring(memory.head, memory.cells.get());
  write(ring, 0, 3);
  write(ring, 3, 6);
  EXPECT_EQ(memory.read(), (std::vector{record(2), record(3), record(4), record(5)}));
  write(ring, 6, 19);  // more than it holds
  EXPECT_EQ(memory.read(), (std::vector{record(15), record(16), record(17), record(18)}));
}

TEST(FlightRing, ABatchThatWasNotEndedIsNotSeenNorWhatItMayHaveReplaced) {
  Memory memory(6);
  FlightRing ring(memory.head, memory.cells.get());
  write(ring, 0, 6);
  ring.begin(2);  // killed in the middle
  ring.put(record(6));
  EXPECT_EQ(memory.read(), (std::vector{record(2), record(3), record(4), record(5)}));
}

TEST(FlightRing, IsReadFromARecordOnIfThatIsStillThere) {
  Memory memory(4);
  FlightRing ring(memory.head, memory.cells.get());
  write(ring, 0, 6);
  FlightRingReader late(memory.head, memory.cells.get(), 4);
  EXPECT_EQ(late.next(), record(4));
  EXPECT_EQ(late.index(), 4U);
  FlightRingReader early(memory.head, memory.cells.get(), 1);
  EXPECT_EQ(early.next(), record(2));
  EXPECT_EQ(FlightRingReader(memory.head, memory.cells.get(), 9).next(), std::nullopt);
}

TEST(FlightRing, GoesOnWhereThoseBeforeHaveStopped) {
  Memory memory(4);
  {
    FlightRing ring(memory.head, memory.cells.get());
    write(ring, 0, 6);
  }
  FlightRing ring(memory.head, memory.cells.get());
  EXPECT_EQ(ring.count(), 6U);
  write(ring, 6, 7);
  EXPECT_EQ(memory.read(), (std::vector{record(3), record(4), record(5), record(6)}));
}

TEST(FlightRing, IsAlwaysAsASimpleListOfTheLatest) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int trial = 0; trial < 50; ++trial) {
    const std::uint64_t capacity = 1 + random() % 3000;
    Memory memory(capacity);
    FlightRing ring(memory.head, memory.cells.get());
    std::deque<FlightRecord> latest;
    for (std::uint64_t n = 0; n < 3 * capacity + 10;) {
      const std::uint64_t batch = random() % (capacity + capacity / 4 + 2);
      write(ring, n, n + batch);
      for (const std::uint64_t end = n + batch; n < end; ++n) latest.push_back(record(n));
      while (latest.size() > capacity) latest.pop_front();
      ASSERT_EQ(memory.read(), std::vector<FlightRecord>(latest.begin(), latest.end()))
          << "capacity " << capacity;
      ASSERT_EQ(memory.read_backwards(), std::vector<FlightRecord>(latest.rbegin(), latest.rend()))
          << "capacity " << capacity;
    }
  }
}

TEST(FlightRing, WhoReadsWhileItIsWrittenFindsWholeRecordsInOrder) {
  Memory memory(2500);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    FlightRing ring(memory.head, memory.cells.get());
    std::mt19937 random(1);
    for (std::uint64_t n = 0; !stop.load();) {
      const std::uint64_t batch = 1 + random() % 100;
      write(ring, n, n + batch);
      n += batch;
    }
  });
  std::uint64_t read = 0;
  for (int round = 0; round < (test::kSanitized ? 200 : 2000) || read < 1000; ++round) {
    FlightRingReader reader(memory.head, memory.cells.get());
    std::uint64_t before = 0;
    while (const auto found = reader.next()) {
      ++read;
      ASSERT_EQ(*found, record(found->value));
      ASSERT_EQ(reader.index(), found->value);
      ASSERT_TRUE(before == 0 || found->value > before);
      before = found->value;
    }
    FlightRingBackReader back(memory.head, memory.cells.get());
    std::uint64_t behind = UINT64_MAX;
    while (const auto found = back.next()) {
      ASSERT_EQ(*found, record(found->value));
      ASSERT_EQ(back.index(), found->value);
      ASSERT_TRUE(behind == UINT64_MAX || found->value == behind - 1);
      behind = found->value;
    }
  }
  stop.store(true);
  writer.join();
}

TEST(FlightRingRt, WritingTouchesNoHeap) {
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  Memory memory(100);
  FlightRing ring(memory.head, memory.cells.get());
  const rtsync::HeapWatch heap;
  write(ring, 0, 1000);
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::executive::flight_ring_test
