// SPDX-License-Identifier: Apache-2.0
#include "executive/model/finite.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "executive/frame/call_cells.hpp"

namespace tactus::executive::finite_test {
namespace {

using Limits = std::numeric_limits<double>;

bool all(const std::array<double, 12>& values, std::uint64_t count) {
  return all_finite(reinterpret_cast<const std::byte*>(values.data()), count);
}

TEST(AllFinite, FindsABadValueAtAnyPlaceOfAnyNumber) {
  for (std::uint64_t count = 0; count <= 12; ++count) {
    for (std::size_t place = 0; place < 12; ++place) {
      for (const double bad : {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN(),
                               Limits::infinity(), -Limits::infinity()}) {
        std::array<double, 12> values{};
        values[place] = bad;
        EXPECT_EQ(all(values, count), place >= count) << count << ' ' << place << ' ' << bad;
      }
      for (const double good : {Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), -0.0}) {
        std::array<double, 12> values{};
        values[place] = good;
        EXPECT_TRUE(all(values, count)) << good;
      }
    }
  }
}

TEST(CallCells, CopyWordsAndLookAtEachRun) {
  std::array<double, 4> from{1, 2, 3, 4};
  std::array<double, 4> to{};
  std::array<double, 5> values{};
  const std::array<WordCopy, 2> copies{{{&from[0], &to[2]}, {&from[3], &to[0]}}};
  const auto run = [&](std::size_t first, std::uint64_t count) {
    return FiniteRun{reinterpret_cast<const std::byte*>(&values[first]), count};
  };
  const std::array<FiniteRun, 2> runs{run(0, 2), run(3, 2)};
  CallCellStore store;
  EXPECT_EQ(store.add(nullptr, {}, {}), nullptr);
  const CallCells* const cells = store.again(store.add(nullptr, copies, runs));
  cells->copy_words();
  EXPECT_EQ(to, (std::array<double, 4>{4, 0, 1, 0}));
  EXPECT_TRUE(cells->all_finite());
  for (std::size_t place = 0; place < values.size(); ++place) {
    values = {};
    values[place] = Limits::infinity();
    EXPECT_EQ(cells->all_finite(), place == 2) << place << ": between the runs";
  }
}

TEST(CallCells, StayWhereTheyAreHoweverManyThereAre) {
  std::array<double, 2> value{};
  const std::array<WordCopy, 1> copy{{{&value[0], &value[1]}}};
  CallCellStore store;
  std::vector<const CallCells*> made;
  for (int i = 0; i < 50'000; ++i) made.push_back(store.add(nullptr, copy, {}));
  for (std::size_t i = 0; i < made.size(); ++i) {
    value = {static_cast<double>(i), -1};
    made[i]->copy_words();
    ASSERT_EQ(value[1], static_cast<double>(i));
  }
}

}  // namespace
}  // namespace tactus::executive::finite_test
