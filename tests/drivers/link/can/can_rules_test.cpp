// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tactus::drivers::link::can_rules_test {
namespace {

using ::testing::HasSubstr;

CanIds ids(const std::string& text) {
  CanIds made;
  EXPECT_EQ(read_can_ids(text, made), "") << text;
  return made;
}
std::string problem(const std::string& text) {
  CanIds made;
  return read_can_ids(text, made);
}

TEST(CanRules, ReadIdentifiersAndRanges) {
  EXPECT_EQ(ids("0x100").first, 0x100U);
  EXPECT_EQ(ids("256").last, 0x100U);
  EXPECT_FALSE(ids("0x7FF").extended);
  EXPECT_TRUE(ids("0x800").extended);
  EXPECT_TRUE(ids("0x123x").extended);
  EXPECT_EQ(ids("0x123x").first, 0x123U);
  EXPECT_EQ(ids("0x100-0x1ff").last, 0x1FFU);
  EXPECT_EQ(ids("0x100..0x1ff").last, 0x1FFU);
  EXPECT_TRUE(ids("0x0x-0x1FFFFFFF").extended);
  EXPECT_TRUE(ids("0x10x-0x20").extended) << "as the first one says";
  EXPECT_EQ(ids("0x10x-0x20").last, 0x20U);
}

TEST(CanRules, NameWhatIsWrong) {
  EXPECT_THAT(problem("0x20000000"), HasSubstr("up to 0x1FFFFFFF"));
  EXPECT_THAT(problem("12z"), HasSubstr("'12z' is not an identifier"));
  EXPECT_THAT(problem("0x"), HasSubstr("not an identifier"));
  EXPECT_THAT(problem("0x10..5"), HasSubstr("exchange them"));
  EXPECT_THAT(problem("0x10.."), HasSubstr("'' is not an identifier"));
  EXPECT_THAT(problem("0x700-0x900"), HasSubstr("a range for each"));
  EXPECT_THAT(problem("0x10-0x20x"), HasSubstr("a range for each"));
  EXPECT_THAT(problem("0x100.0x1FF"), HasSubstr("'0x100.0x1FF' is not an identifier"));
  EXPECT_THAT(problem("1.5"), HasSubstr("'1.5' is not an identifier"));
  EXPECT_THAT(problem("99999999999"), HasSubstr("not an identifier"));
}

TEST(CanRules, TellTheSameIdentifierOfElevenAndTwentyNineBitsApart) {
  CanRules rules;
  rules.let(ids("0x123"));
  EXPECT_TRUE(rules.let(0x123, false));
  EXPECT_FALSE(rules.let(0x123, true));
  EXPECT_FALSE(rules.let(0x123 + 0x800, false)) << "no identifier of 11 bits";
  rules.let_all();
  rules.refuse(ids("0x123x"));
  EXPECT_FALSE(rules.let(0x123, true));
  EXPECT_TRUE(rules.let(0x124, true));
}

TEST(CanRules, RefuseAll) {
  CanRules rules;
  rules.let(ids("0x123"));
  rules.let_all();
  rules.refuse_all();
  for (const std::uint32_t id : {0U, 0x123U, 0x7FFU}) EXPECT_FALSE(rules.let(id, false)) << id;
  for (const std::uint32_t id : {0U, 0x123U, 0x1FFF'FFFFU}) EXPECT_FALSE(rules.let(id, true)) << id;
}

/// Against a list that is walked.
TEST(CanRules, SelectAsAWalkOfAllRulesDoes) {
  std::mt19937 random(43);
  const auto number = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    CanRules rules;
    std::vector<CanIds> let, refused;
    for (std::uint32_t i = number(12); i > 0; --i) {
      CanIds made{number(60), 0, number(2) == 0};
      made.last = made.first + number(10);
      const bool is_refusal = number(3) == 0;
      (is_refusal ? refused : let).push_back(made);
      is_refusal ? rules.refuse(made) : rules.let(made);
    }
    const auto in = [](const std::vector<CanIds>& all, std::uint32_t id, bool extended) {
      for (const CanIds& each : all)
        if (each.extended == extended && each.first <= id && id <= each.last) return true;
      return false;
    };
    for (std::uint32_t id = 0; id < 75; ++id)
      for (const bool extended : {false, true})
        ASSERT_EQ(rules.let(id, extended), in(let, id, extended) && !in(refused, id, extended))
            << id << (extended ? "x" : "") << " in round " << round;
  }
}

}  // namespace
}  // namespace tactus::drivers::link::can_rules_test
