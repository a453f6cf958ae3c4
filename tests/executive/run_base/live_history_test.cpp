// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/live_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::executive::live_history_test {
namespace {

using config::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::int64_t> numbers(const LiveEntries& found) {
  std::vector<std::int64_t> all;
  for (const auto& entry : found.entries) all.push_back(entry->at("n").get<std::int64_t>());
  return all;
}

TEST(LiveHistory, NumbersItsEntriesFromOne) {
  LiveHistory history;
  EXPECT_EQ(history.last(), 0);
  EXPECT_THAT(history.after(0, 10).entries, IsEmpty());
  EXPECT_EQ(history.after(0, 10).first, 1);
  for (int i = 0; i < 5; ++i) history.add({{"value", i}});
  EXPECT_EQ(history.last(), 5);
  EXPECT_THAT(numbers(history.after(0, 10)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(numbers(history.after(2, 2)), ElementsAre(3, 4)) << "the oldest behind it";
  EXPECT_THAT(numbers(history.after(5, 10)), IsEmpty());
  EXPECT_THAT(numbers(history.after(99, 10)), IsEmpty());
  EXPECT_EQ(history.after(4, 1).entries[0]->at("value"), 4);
}

TEST(LiveHistory, KeepsTheNewestAndSaysWhereTheyBegin) {
  LiveHistory history(3, 1 << 20);
  for (int i = 0; i < 10; ++i) history.add({{"value", i}});
  const LiveEntries all = history.after(0, 100);
  EXPECT_THAT(numbers(all), ElementsAre(8, 9, 10));
  EXPECT_EQ(all.first, 8);
  EXPECT_EQ(all.last, 10);
}

TEST(LiveHistory, IsBoundedInBytesToo) {
  LiveHistory history(1000, 1000);
  for (int i = 0; i < 50; ++i) history.add({{"text", std::string(300, 'x')}});
  EXPECT_THAT(numbers(history.after(0, 100)), ElementsAre(48, 49, 50));
  history.add({{"text", std::string(5000, 'x')}});
  EXPECT_THAT(numbers(history.after(0, 100)), ElementsAre(51)) << "one that is too long alone is kept";
}

TEST(LiveHistory, AnEntryThatChangesMovesToTheEnd) {
  LiveHistory history;
  history.add({{"value", "a"}}, 1);
  history.add({{"value", "b"}}, 2);
  history.add({{"value", "a again"}}, 1);
  const LiveEntries all = history.after(0, 10);
  EXPECT_THAT(numbers(all), ElementsAre(2, 3));
  EXPECT_EQ(all.entries[1]->at("value"), "a again");
  EXPECT_EQ(all.first, 2);
  history.leave_out(7);
  EXPECT_EQ(history.after(0, 10).left_out, 7);
}

}  // namespace
}  // namespace tactus::executive::live_history_test
