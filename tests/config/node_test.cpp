// SPDX-License-Identifier: Apache-2.0
#include "config/node.hpp"

#include <gtest/gtest.h>

#include "config/document.hpp"

namespace tactus::config::node_test {
namespace {

Node parsed(const std::string& yaml) { return Document::from_text("t", yaml).root(); }

TEST(Node, FindsKeysAndIsNullByDefault) {
  EXPECT_TRUE(Node{}.is_null());
  const Node map = Node::map({{"a", {}, Node::scalar("1")}});
  ASSERT_NE(map.find("a"), nullptr);
  EXPECT_EQ(map.find("a")->text(), "1");
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(Node{}.find("a"), nullptr) << "whatever the kind";
}

TEST(ToYaml, IsBlockStyleInDocumentOrder) {
  const std::string yaml =
      "b: 1 ms\n"
      "a:\n"
      "  - x\n"
      "  - k: 1\n"
      "    l:\n"
      "      - []\n"
      "      - {}\n"
      "  - - 1\n"
      "    - 2\n"
      "n: ~\n";
  EXPECT_EQ(to_yaml(parsed(yaml)), yaml);
}

TEST(ToFlow, IsOneLine) {
  EXPECT_EQ(to_flow(parsed("a: [1, {b: c}]\nd: 'x, y'")), "{a: [1, {b: c}], d: \"x, y\"}");
}

TEST(ToYaml, QuotesWhateverWouldReadBackAsSomethingElse) {
  const char* const texts[] = {
      "",     "~",    "null",   "Null",       "<<",     " a",     "a ",     "a: b",    "a:",     "a #b",
      "#a",   "- a",  "-",      "--",         "---",    "...",    "? a",    ": a",     "[a",     "a]",
      "{a",   "a, b", "&a",     "*a",         "!a",     "|",      ">",      "'a'",     "\"a\"",  "%a",
      "@a",   "`a",   "a\nb",   "a\n",        "\ta",    "a\tb",   "a\\b",   "a\\",     "\x01",   "\x7f",
      "µs",   "Ω",    "2 N·m²", "ü",          "\u2028", "\ufeff", "\u0085", "\u00a0x", "日本",   "a'b",
      "a\"b", "a::b", "1:2",    "=",          "-1",     "-a",     "yes",    "0x10",    "a b  c", "\r\n",
      "a?",   "?a",   "a-b",    "\U0001F600",
  };
  for (const std::string text : texts) {
    const Node node =
        Node::map({{"k", {}, Node::scalar(text)},
                   {"l", {}, Node::list({Node::scalar(text), Node::map({{"m", {}, Node::scalar(text)}})})}});
    EXPECT_EQ(parsed(to_yaml(node)), node) << to_yaml(node);
    EXPECT_EQ(parsed("x: " + to_flow(node)), Node::map({{"x", {}, node}})) << to_flow(node);
    if (text.empty()) continue;
    const Node as_key = Node::map({{text, {}, Node::scalar("v")}});
    EXPECT_EQ(parsed(to_yaml(as_key)), as_key) << to_yaml(as_key);
    EXPECT_EQ(parsed("x: " + to_flow(as_key)), Node::map({{"x", {}, as_key}})) << to_flow(as_key);
  }
}

TEST(ToYaml, KeepsQuotesSoThatTextStaysText) {
  const Node node = parsed("a: '5'\nb: 5\n");
  EXPECT_EQ(to_yaml(node), "a: \"5\"\nb: 5\n");
}

TEST(Node, ComparesWithoutPlacesAndQuotes) {
  EXPECT_EQ(parsed("a: 'x'"), parsed("\n\na:   x"));
  EXPECT_FALSE(parsed("a: x") == parsed("a: y"));
  EXPECT_FALSE(parsed("a: x\nb: x") == parsed("b: x\na: x")) << "the order counts";
  EXPECT_FALSE(parsed("a: ''") == parsed("a: ~")) << "an empty text is not nothing";
}

}  // namespace
}  // namespace tactus::config::node_test
