// SPDX-License-Identifier: Apache-2.0
/// docs/variable-server.md says what the server does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "tests/drivers/live/trick/support/dialogue.hpp"

namespace tactus::drivers::trick::docs_test {
namespace {

using test::Dialogue;

/// What stands between the first `from` and the next `to`.
std::string part(const std::string& from, const std::string& to) {
  std::ifstream file(TACTUS_DOCS "/variable-server.md");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "";
  const std::size_t inside = begin + from.size();
  return text.substr(inside, text.find(to, inside) - inside);
}

/// What stands in backquotes in the first column of a table.
std::vector<std::string> calls_in(const std::string& table) {
  std::vector<std::string> calls;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string column = line.substr(1, line.find('|', 1) - 1);
    for (std::size_t at = column.find('`'); at != std::string::npos;) {
      const std::size_t end = column.find('`', at + 1);
      calls.push_back(column.substr(at + 1, end - at - 1));
      at = column.find('`', end + 1);
    }
  }
  return calls;
}

void add_motor(Dialogue& dialogue) {
  dialogue.rig.add<double>("motor.speed", TACTUS_DOUBLE, {50 * std::numbers::pi}, false, TACTUS_STATE,
                           "rad/s");
  dialogue.rig.add<double>("motor.current", TACTUS_DOUBLE, {1, 2.5, -3}, true, TACTUS_STATE, "A");
}

TEST(TrickDocs, TheDialogueByHandIsWordForWord) {
  Dialogue dialogue;
  add_motor(dialogue);
  const std::string block = part("```text\n", "```");
  std::istringstream lines(block);
  int calls = 0;
  std::string answer;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('-') || (line[0] >= '0' && line[0] <= '9')) {
      EXPECT_EQ(answer, line + "\n");
      answer.clear();
      continue;
    }
    EXPECT_EQ(answer, "") << "before " << line;
    answer = dialogue.say(line + "\n");
    ++calls;
  }
  EXPECT_EQ(answer, "");
  EXPECT_EQ(calls, 13);
  EXPECT_TRUE(dialogue.session->over());
}

TEST(TrickDocs, WhatIsServedIsNotRefused) {
  const std::vector<std::string> calls = calls_in(part("### Served", "###"));
  EXPECT_EQ(calls.size(), 46U);
  for (const std::string& call : calls) {
    Dialogue dialogue;
    add_motor(dialogue);
    dialogue.say("trick.var_add('motor.speed')\n" + call + "\n");
    EXPECT_THAT(dialogue.log, testing::IsEmpty()) << call;
  }
}

TEST(TrickDocs, WhatIsWithoutEffectIsAccepted) {
  const std::vector<std::string> calls = calls_in(part("### Accepted", "###"));
  EXPECT_EQ(calls.size(), 9U);
  for (const std::string& call : calls) {
    Dialogue dialogue;
    EXPECT_EQ(dialogue.say(call + "\n"), "") << call;
    EXPECT_THAT(dialogue.log, testing::IsEmpty()) << call;
  }
}

TEST(TrickDocs, WhatIsRefusedIsRefused) {
  const std::vector<std::string> calls = calls_in(part("### Refused", "A refusal is"));
  EXPECT_EQ(calls.size(), 12U);
  for (const std::string& call : calls) {
    Dialogue dialogue;
    EXPECT_EQ(dialogue.say(call + "\n"), "") << call;
    EXPECT_EQ(dialogue.log.size(), 1U) << call;
    EXPECT_THAT(dialogue.rig.take_commands(), testing::IsEmpty()) << call;
  }
}

}  // namespace
}  // namespace tactus::drivers::trick::docs_test
