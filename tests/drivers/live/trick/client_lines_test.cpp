// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/client_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::drivers::trick::client_lines_test {
namespace {

using rtsync::Nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

TEST(TrickClientLines, AreLimitedOverTime) {
  ClientLines lines;
  for (int k = 0; k < 1000; ++k) lines.add("refused", 1s);
  EXPECT_THAT(lines.take(1s), SizeIs(201)) << "200, and how many were left out";
  for (int k = 0; k < 1000; ++k) lines.add("refused", 2s);
  EXPECT_THAT(lines.take(2s), IsEmpty()) << "a second fills nothing up";
  lines.add("the next", 7s);
  EXPECT_THAT(lines.take(7s), ElementsAre("the next"));
  for (int k = 0; k < 1000; ++k) lines.add("refused", 3600s);
  EXPECT_THAT(lines.take(3600s), SizeIs(201)) << "no more than at first, however long it was quiet";
}

TEST(TrickClientLines, WhatIsLeftOutIsCountedOnceAMinuteAndAtTheEnd) {
  ClientLines lines;
  for (int k = 0; k < 250; ++k) lines.add("refused", 0s);
  EXPECT_EQ(lines.take(0s).back(), "Trick's variable server: 50 more lines about clients were left out");
  for (int k = 0; k < 7; ++k) lines.add("refused", 1s);
  EXPECT_THAT(lines.take(59s), IsEmpty());
  EXPECT_THAT(lines.take(60s), ElementsAre(HasSubstr(": 7 more lines")));
  lines.add("refused", 61s);
  for (int k = 0; k < 300; ++k) lines.add("refused", 61s);
  const auto last = lines.take(61s, true);
  ASSERT_FALSE(last.empty());
  EXPECT_THAT(last.back(), HasSubstr("more lines about clients were left out"));
}

TEST(TrickClientLines, TheServersOwnAreAlwaysThere) {
  ClientLines lines;
  for (int k = 0; k < 1000; ++k) lines.add("refused", 0s);
  (void)lines.take(0s);
  lines.announce("has ended");
  EXPECT_THAT(lines.take(1s), ElementsAre("has ended"));
}

TEST(TrickClientLines, AreShort) {
  ClientLines lines;
  lines.add(std::string(100'000, 'x'), 0s);
  EXPECT_THAT(lines.take(0s).at(0), SizeIs(ClientLines::kLongest));
}

}  // namespace
}  // namespace tactus::drivers::trick::client_lines_test
