// SPDX-License-Identifier: Apache-2.0
/// Keys `x-...` at the top hold parts for aliases, and no typing error hides in them.
#include "config/shared_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/fields.hpp"
#include "config/rules.hpp"

namespace tactus::config::shared_parts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Part {
  double supply = 0;
  std::int64_t poles = 2;
};
struct Whole {
  Part left;
  Part right;
};

const Fields<Part>& part_fields() {
  static const Fields<Part> fields{
      "A part", {optional("supply", &Part::supply, "volts"), optional("poles", &Part::poles, "how many")}};
  return fields;
}
const Fields<Whole>& whole_fields() {
  static const Fields<Whole> fields{"All",
                                    {optional("left", &Whole::left, part_fields(), "one"),
                                     optional("right", &Whole::right, part_fields(), "the other")}};
  return fields;
}

struct Loaded {
  Whole whole;
  std::vector<std::string> problems;

  explicit Loaded(const std::string& text, const std::vector<std::string>& set = {}) {
    Document document = Document::from_text("it.yaml", text);
    Problems none;
    for (const std::string& each : set) EXPECT_TRUE(document.set(each, none)) << none.text();
    load(document);
  }
  explicit Loaded(const Document& document) { load(document); }

 private:
  void load(const Document& document) {
    Problems found;
    whole = whole_fields().load(document, found);
    for (const Problem& problem : found.sorted()) problems.push_back(problem.text());
  }
};

TEST(SharedParts, AreUsedByAliasAndByMerge) {
  const Loaded loaded(
      "x-motor: &motor { supply: 24, poles: 4 }\n"
      "left: *motor\n"
      "right: { <<: *motor, poles: 6 }\n");
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.whole.left.supply, 24);
  EXPECT_EQ(loaded.whole.left.poles, 4);
  EXPECT_EQ(loaded.whole.right.supply, 24);
  EXPECT_EQ(loaded.whole.right.poles, 6);
}

TEST(SharedParts, ATypingErrorInOneIsFoundWhereItStands) {
  EXPECT_THAT(Loaded("x-motor: &motor { suply: 24 }\nleft: *motor\n").problems,
              ElementsAre("it.yaml:1:19: left.suply: unknown key; did you mean 'supply'?"));
  EXPECT_THAT(Loaded("x-motor: &motor { supply: 2,4 V }\nleft: { <<: *motor }\n").problems.size(), 1U);
}

TEST(SharedParts, OneThatNothingUsesIsAProblem) {
  const std::string unused =
      ": nothing in the file uses it, so it would not be checked; give it an anchor (&name) and use that "
      "elsewhere "
      "(*name), or remove it";
  EXPECT_THAT(Loaded("x-motr: { supply: 24 }\nleft: { supply: 1 }\n").problems,
              ElementsAre("it.yaml:1:9: x-motr" + unused));
  EXPECT_THAT(Loaded("x-all:\n  a: &a { supply: 24 }\n  b: &b { suply: 24 }\nleft: *a\n").problems,
              ElementsAre("it.yaml:3:6: x-all.b" + unused));
  EXPECT_THAT(Loaded("x-all:\n  a: &a { supply: 24 }\n  suply: 12\n  left: 1\nleft: *a\n").problems,
              ElementsAre("it.yaml:3:10: x-all.suply" + unused))
      << "left may be a value that a merge replaced";
  // One that another part uses, which is used itself.
  EXPECT_THAT(Loaded("x-a: &a { supply: 24 }\nx-b: &b { <<: *a, poles: 8 }\nleft: *b\n").problems, IsEmpty());
  EXPECT_THAT(Loaded("x-a: &a { supply: 24 }\nx-b: &b { <<: *a }\n").problems.size(), 2U);
}

TEST(SharedParts, AreUsedWhereASetValueStandsForThem) {
  const std::string text =
      "x-values: { supply: &supply 24, poles: &poles 4 }\nleft: { supply: *supply, poles: *poles }\n";
  const Loaded set(text, {"left.supply=12"});
  EXPECT_THAT(set.problems, IsEmpty());
  EXPECT_EQ(set.whole.left.supply, 12);
  EXPECT_EQ(set.whole.left.poles, 4);
  EXPECT_THAT(Loaded(text, {"left={}"}).problems, IsEmpty());
  // As a campaign sets what varies.
  Document varied = Document::from_text("it.yaml", text);
  const Document other = Document::from_text("campaign.yaml", "left.supply: 6\nleft.poles: 8\n");
  Problems problems;
  for (const Node::Entry& entry : other.root().entries()) EXPECT_TRUE(varied.set(entry, problems));
  const Loaded loaded(varied);
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.whole.left.supply, 6);
  EXPECT_EQ(loaded.whole.left.poles, 8);
  EXPECT_THAT(Loaded("x-a: &a { supply: 24 }\nleft: { supply: 1 }\n", {"left.supply=2"}).problems.size(), 1U)
      << "the file does not use it";
  EXPECT_THAT(Loaded("left: { supply: 1 }\n", {"x-a={ supply: 24 }"}).problems.size(), 1U)
      << "a part that is set is used by nothing";
}

TEST(SharedParts, AreAtTheTopAlone) { EXPECT_THAT(Loaded("left: { x-supply: 24 }\n").problems.size(), 1U); }

TEST(SharedParts, APartWithoutThePrefixIsToldIt) {
  for (const char* const key : {"motor", "x_motor", "X-motor"})
    EXPECT_THAT(
        Loaded(std::string(key) + ": &m { supply: 1 }\nleft: *m\n").problems,
        ElementsAre(::testing::EndsWith("; parts of your own, for aliases, begin with x-: 'x-motor'")))
        << key;
  EXPECT_THAT(Loaded("left: { motor: { supply: 1 } }\n").problems,
              ElementsAre(::testing::Not(::testing::HasSubstr("aliases"))));
  EXPECT_THAT(Loaded("lefft: { supply: 1 }\n").problems,
              ElementsAre(::testing::EndsWith("did you mean 'left'?")));
  EXPECT_THAT(Loaded("motor: 3\n").problems, ElementsAre(::testing::Not(::testing::HasSubstr("aliases"))));
}

}  // namespace
}  // namespace tactus::config::shared_parts_test
