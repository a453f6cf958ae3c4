// SPDX-License-Identifier: Apache-2.0
#include "rtsync/exchange/latest_cell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync::latest_cell_test {
namespace {

using Wide16 = std::array<std::uint64_t, 16>;

TEST(LatestCell, IsEmptyBeforeTheFirstWrite) {
  LatestCell<int> cell;
  EXPECT_EQ(cell.read(), 0);
  EXPECT_EQ(cell.read(), 0);
}

TEST(LatestCell, AlwaysGivesTheLast) {
  LatestCell<int> cell;
  int written = 0;
  for (int round = 0; round < 100; ++round) {
    for (int writes = 0; writes <= round % 5; ++writes) cell.write(++written);
    for (int reads = 0; reads <= round % 3; ++reads) EXPECT_EQ(cell.read(), written);
  }
}

TEST(LatestCell, WhatWasReadStaysUntilTheNextRead) {
  LatestCell<int> cell;
  cell.write(1);
  const int& held = cell.read();
  for (int i = 2; i < 10; ++i) {
    cell.write(i);
    ASSERT_EQ(held, 1) << "the writer never touches what the reader holds";
  }
  EXPECT_EQ(cell.read(), 9);
}

TEST(LatestCellThreads, ValuesAreNeverTornNorGoBack) {
  constexpr std::uint64_t kWrites = 300'000;
  LatestCell<Wide16> cell;
  std::thread writer([&cell] {
    Wide16 value{};
    for (std::uint64_t i = 1; i <= kWrites; ++i) {
      value.fill(i);
      cell.write(value);
    }
  });
  std::uint64_t last = 0;
  std::uint64_t torn = 0;
  std::uint64_t back = 0;
  while (last < kWrites) {
    const Wide16& value = cell.read();
    for (const std::uint64_t word : value)
      if (word != value[0]) ++torn;
    if (value[0] < last) ++back;
    last = value[0];
  }
  writer.join();
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(back, 0U);
  EXPECT_EQ(cell.read()[0], kWrites) << "the very last value is not lost";
}

TEST(LatestCellRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  LatestCell<Wide16> cell;
  const HeapWatch heap;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    cell.write(Wide16{i});
    (void)cell.read();
  }
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::rtsync::latest_cell_test
