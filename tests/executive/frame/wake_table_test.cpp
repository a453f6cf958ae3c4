// SPDX-License-Identifier: Apache-2.0
// Rows in blocks against rows one by one.
#include "executive/frame/wake_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace tactus::executive::wake_table_test {
namespace {

TEST(WakeTable, LooksAtTheRowsThatAreDueInTheirOrder) {
  std::mt19937 random(5);
  for (const std::size_t rows :
       {std::size_t{0}, std::size_t{1}, std::size_t{32}, std::size_t{33}, std::size_t{200}}) {
    WakeTable table;
    std::vector<std::int64_t> wakes(rows, 0);
    for (std::size_t row = 0; row < rows; ++row) table.add();
    for (std::int64_t k = 0; k < 300; ++k) {
      if (rows > 0 && random() % 4 == 0) {
        const std::size_t row = random() % rows;
        table.wake(row);
        wakes[row] = 0;
      }
      std::vector<std::size_t> seen, wanted;
      for (std::size_t row = 0; row < rows; ++row)
        if (k >= wakes[row]) wanted.push_back(row);
      EXPECT_GE(table.is_due(k), !wanted.empty()) << "frame " << k << " of " << rows;
      if (!table.is_due(k)) continue;
      table.look(k, [&](std::size_t row) {
        seen.push_back(row);
        const auto next =
            random() % 5 == 0 ? WakeTable::kNever : k + static_cast<std::int64_t>(random() % 40);
        return wakes[row] = next;
      });
      ASSERT_EQ(seen, wanted) << "frame " << k << " of " << rows;
    }
  }
}

TEST(WakeTable, LooksInTheNextFrameAtARowThatALaterOneHasWoken) {
  WakeTable table;
  for (int i = 0; i < 40; ++i) table.add();
  table.look(0, [&](std::size_t row) {
    if (row == 5) table.wake(4);
    if (row == 35) table.wake(6);
    return WakeTable::kNever;
  });
  EXPECT_TRUE(table.is_due(1));
  std::vector<std::size_t> seen;
  table.look(1, [&](std::size_t row) {
    seen.push_back(row);
    return WakeTable::kNever;
  });
  EXPECT_EQ(seen, (std::vector<std::size_t>{4, 6}));
}

TEST(WakeTable, IsNotDueWhileNoRowIs) {
  WakeTable table;
  for (int i = 0; i < 40; ++i) table.add();
  EXPECT_TRUE(table.is_due(0));
  table.look(0, [](std::size_t row) { return row == 35 ? std::int64_t{7} : WakeTable::kNever; });
  EXPECT_FALSE(table.is_due(6));
  EXPECT_TRUE(table.is_due(7));
  table.wake(3);
  EXPECT_TRUE(table.is_due(0));
}

}  // namespace
}  // namespace tactus::executive::wake_table_test
