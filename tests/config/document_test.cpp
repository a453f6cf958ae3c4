// SPDX-License-Identifier: Apache-2.0
#include "config/document.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/snapshot.hpp"

namespace tactus::config::document_test {
namespace {

std::string repeat(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// The problems of a text, without the last line; "" when there are none.
std::string problems_of(const std::string& text) {
  try {
    (void)Document::from_text("t", text);
    return {};
  } catch (const ConfigError& error) {
    std::string all = error.problems().text();
    return all.substr(0, all.rfind('\n'));
  }
}

Node parsed(const std::string& yaml) { return Document::from_text("t", yaml).root(); }

std::string at(const Node& node) {
  return std::to_string(node.place().line) + ":" + std::to_string(node.place().column);
}

TEST(Document, KnowsThePlaceOfEveryValue) {
  const Node root = parsed(
      "a: 1\n"
      "üb:   x # c\n"
      "m:\n"
      "  k: 'q'\n"
      "  l: [1, é,  {x: y}]\n"
      "list:\n"
      "  - a\n"
      "  -\n"
      "  - b: 1\n"
      "empty:\n"
      "last: ~\n");
  EXPECT_EQ(at(root), "1:1");
  EXPECT_EQ(at(*root.find("a")), "1:4");
  EXPECT_EQ(at(*root.find("üb")), "2:7") << "an umlaut is one column";
  const Node& map = *root.find("m");
  EXPECT_EQ(at(*map.find("k")), "4:6");
  EXPECT_TRUE(map.find("k")->quoted());
  EXPECT_EQ(map.entries()[1].place.column, 3);
  EXPECT_EQ(at(map.find("l")->items()[2]), "5:14");
  EXPECT_EQ(at(*map.find("l")->items()[2].find("x")), "5:18");
  EXPECT_EQ(at(root.find("list")->items()[1]), "8:3") << "an empty item is at its dash";
  EXPECT_EQ(at(root.find("list")->items()[2]), "9:5");
  EXPECT_EQ(at(*root.find("empty")), "10:1") << "an empty value is at its key, not at what comes next";
  EXPECT_EQ(at(*root.find("last")), "11:7");
}

TEST(Document, TakesByteOrderMarksAndWindowsLineEnds) {
  const Node root = parsed(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: x\r\n");
  EXPECT_EQ(root.find("b")->text(), "x");
  EXPECT_EQ(at(*root.find("b")), "2:4");
  EXPECT_EQ(at(*root.find("a")), "1:4") << "the mark is no column";
}

TEST(Document, RefusesWithAPlaceAndAReason) {
  struct Row {
    std::string text;
    const char* expected;
    const char* why;
  };
  const Row rows[] = {
      {"", "t:1:1: ", "an empty file"},
      {"# only a comment\n", "t:1:1: ", "nothing but a comment"},
      {"~", "t:1:1: ", "a null"},
      {"text", "t:1:1: ", "a scalar"},
      {"- a", "t:1:1: ", "a list"},
      {"a: 1\n---\nb: 2\n", "t:2:1: ", "two documents"},
      {"a: 1\n...\nb: 2\n", "t:3:1: ", "after an end mark"},
      {"a: !mine 3", "t:1:4: a: ", "a tag"},
      {"a: !!binary eA==", "t:1:4: a: ", "not ours"},
      {"[a]: 1", "t:1:1: ", "a list as key"},
      {"{a: 1}: 1", "t:1:1: ", "a map as key"},
      {": 1", "t:1:1: ", "no key"},
      {"'': 1", "t:1:1: ", "no key, in quotes"},
      {"a: *b", "t:1:4: ", "an alias without anchor"},
      {"a: &x [*x]", "t:1:8: a[0]: ", "a cycle"},
      {"a: &x {b: {c: *x}}", "t:1:15: a.b.c: ", "a longer cycle"},
      {"a: b: 1", "t:1:5: ", "a colon in a value"},
      {"a:\n\tb: 1", "t:2:3: ", "a tab"},
      {"a: {b: 1\nc: 2\n", "t:2:2: ", "an open brace"},
      {"a: [1, 2\n", "t:2:1: ", "an open bracket"},
      {"a: 'b\nc: 2\n", "t:3:1: ", "an open quote would swallow the rest of the file"},
      {"a: 1\n  b: 2\n", "t:2:4: ", "a wrong indent"},
      {std::string{"a: 1\nb: \xff"}, "t:2:4: ", "not UTF-8"},
      {std::string{"ü: \xc3"}, "t:1:4: ", "cut in a character"},
      {std::string{"a: \xed\xa0\x80"}, "t:1:4: ", "a surrogate"},
      {std::string{"a: \xc0\xaf"}, "t:1:4: ", "overlong"},
      {std::string{"a: b\0c", 6}, "t:1:5: ", "a NUL"},
      {"a: b\x1b[1m", "t:1:5: ", "an escape"},
      {"a: b\x04", "t:1:5: ", "the parser's own EOF"},
      {"a: \"b\\0\"", "t:1:4: a: ", "a NUL in disguise"},
      {"a: 1\rb: 2", "t:1:5: ", "old Mac"},
      {"<<: 3", "t:1:1: ", "merging a number"},
      {"? [a\n: b", "t:2:1: ", "an open bracket in a key"},
  };
  for (const Row& row : rows) {
    const std::string found = problems_of(row.text);
    EXPECT_TRUE(found.starts_with(row.expected) && found.size() > std::string(row.expected).size())
        << row.why << ": " << found;
  }
}

TEST(Document, SaysEveryProblemInOneGo) {
  tactus::test::Snapshot texts;
  texts.add(problems_of("a: 1\na: 2\nb: !foo 3\n[x]: 1\n: 3\n"));
}

TEST(Document, ADecimalCommaWithinBracesBelongsToItsNumber) {
  const Document document =
      Document::from_text("r.yaml", "a: { b: 1,5 ms, c: -2,5 ms, d: { e: 3,5 } , f: 4,5, g: [1,5] }\n");
  const Node& a = *document.root().find("a");
  EXPECT_EQ(a.entries().size(), 5U);
  EXPECT_EQ(a.find("b")->text(), "1,5 ms");
  EXPECT_EQ(a.find("b")->place().column, 9);
  EXPECT_EQ(a.find("c")->text(), "-2,5 ms");
  EXPECT_EQ(a.find("d")->find("e")->text(), "3,5");
  EXPECT_EQ(a.find("f")->text(), "4,5");
  EXPECT_EQ(a.find("g")->items().size(), 2U) << "in a list a comma separates";
  EXPECT_TRUE(document.repeated().empty()) << "5 ms is no key, and not there twice";
  for (const char* text :
       {"a: { b: 1, 5: }\n", "a: { b: '1',5: }\n", "a: { b: 1,x5: }\n", "a: { b: 1,5: x }\n"})
    EXPECT_EQ(Document::from_text("r.yaml", text).root().find("a")->entries().size(), 2U) << text;
}

TEST(Document, KeepsRepeatedKeysForTheLoaderAndTheFirstCounts) {
  const Document document = Document::from_text("t", "m:\n  a: 1\n  b: 2\n  a: 3\n");
  ASSERT_EQ(document.repeated().size(), 1U);
  EXPECT_EQ(document.repeated()[0].path, "m");
  EXPECT_EQ(document.repeated()[0].key, "a");
  EXPECT_EQ(document.repeated()[0].place.line, 4);
  EXPECT_EQ(document.repeated()[0].where_first(), "first at 2:3");
  EXPECT_EQ(document.root().find("m")->find("a")->text(), "1");
}

TEST(Document, AliasesShareAndMergeKeysGiveWay) {
  const Node root = parsed(
      "a: &a {x: 1, y: 1}\n"
      "b: &b {y: 2, z: 2}\n"
      "same: *a\n"
      "one: {<<: *a, y: 9}\n"
      "own_first: {y: 9, <<: *a}\n"
      "both: {<<: [*a, *b], w: 3}\n"
      "inline: {<<: {q: 1}}\n"
      "text: {'<<': 1}\n");
  EXPECT_EQ(to_flow(*root.find("same")), "{x: 1, y: 1}");
  EXPECT_EQ(to_flow(*root.find("one")), "{x: 1, y: 9}");
  EXPECT_EQ(to_flow(*root.find("own_first")), "{y: 9, x: 1}");
  EXPECT_EQ(to_flow(*root.find("both")), "{x: 1, y: 1, z: 2, w: 3}") << "the earlier of the merged wins";
  EXPECT_EQ(to_flow(*root.find("inline")), "{q: 1}");
  EXPECT_EQ(to_flow(*root.find("text")), "{\"<<\": 1}") << "in quotes it is a key like any other";
}

TEST(Document, KnownTagsAreHarmless) {
  const Node root = parsed("a: !!str 5\nb: !!int 5\nc: !!map {x: 1}\nd: !!seq [1]\n");
  EXPECT_TRUE(root.find("a")->quoted()) << "it is text now";
  EXPECT_EQ(root.find("b")->text(), "5");
}

TEST(Document, AnswersWithinASecondWhateverItIsFed) {
  std::ostringstream bomb;
  std::ostringstream merges;
  bomb << "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
  merges << "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 2000; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    if (i < 25) bomb << "a" << i << ": &a" << i << " [" << repeat(last + ",", 9) << "]\n";
    merges << "a" << i << ": &a" << i << " {<<: " << last << ", k" << i << ": 1}\n";
  }
  std::string texts = "a: &a " + std::string(500'000, 'x') + "\nb: [" + repeat("*a,", 50'000) + "]\n";
  std::string deep_blocks;
  for (std::size_t i = 0; i < 1900; ++i) deep_blocks += std::string(i, ' ') + "a:\n";
  std::ostringstream deep_aliases;
  deep_aliases << "a0: &a0 x\n";
  for (int i = 1; i < 100; ++i) deep_aliases << "a" << i << ": &a" << i << " [*a" << i - 1 << "]\n";
  struct Row {
    std::string text;
    const char* expected;
    const char* why;
  };
  const Row rows[] = {
      {"a: " + repeat("[", 500) + repeat("]", 500), "deeper than 32 levels", "500 flow lists"},
      {"a: " + repeat("[", 100'000) + repeat("]", 100'000), "deeper than 32 levels", "100,000 flow lists"},
      {repeat("[", 1'000'000), "deeper than 32 levels", "a million open brackets"},
      {"a: " + repeat("{a: ", 100'000), "deeper than 32 levels", "100,000 flow maps"},
      {"a:\n  " + repeat("- ", 100'000) + "x", "deeper than 32 levels", "100,000 block lists"},
      {repeat("? ", 100'000), "deeper than 32 levels", "100,000 keys of keys"},
      {deep_blocks, "deeper than 32 levels", "1,900 block maps"},
      {deep_aliases.str(), "deeper than 32 levels, counting the alias", "every level is an alias"},
      {bomb.str(), "more than 1000000 values", "a billion laughs"},
      {merges.str(), "more than 1000000 values", "laughs by merging"},
      {texts, "more than 32 MiB of text", "few laughs, long ones"},
      {repeat("x", 17'000'000), "at most 16777216 (16 MiB) are read", "17 MB"},
  };
  for (const Row& row : rows) {
    [[maybe_unused]] const auto begin = std::chrono::steady_clock::now();
    EXPECT_NE(problems_of(row.text).find(row.expected), std::string::npos)
        << row.why << problems_of(row.text);
#ifndef TACTUS_SANITIZED
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{30})
        << row.why << ": a loaded machine aside";
#endif
  }
}

TEST(Document, ARigOfTenThousandModelsIsNoBomb) {
  EXPECT_EQ(problems_of("a: [" + repeat("1,", 150'000) + "]"), "");
}

TEST(Document, ThirtyTwoLevelsAreAllowed) {
  EXPECT_EQ(problems_of("a: " + repeat("[", 31) + repeat("]", 31)), "");
  EXPECT_NE(problems_of("a: " + repeat("[", 32) + repeat("]", 32)), "");
}

class FileTest : public testing::Test {
 protected:
  FileTest()
      : folder_(std::filesystem::temp_directory_path() / ("tactus-document-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string refusal(const std::string& path) {
    try {
      (void)Document::from_file(path);
      return "accepted";
    } catch (const ConfigError& error) {
      return error.what();
    }
  }

  std::filesystem::path folder_;
};

TEST_F(FileTest, IsReadWithItsNameInThePlaces) {
  std::ofstream{path("rig.yaml")} << "a: 1\n";
  EXPECT_EQ(Document::from_file(path("rig.yaml")).root().place().file, path("rig.yaml"));
}

TEST_F(FileTest, ThatCannotBeReadSaysWhy) {
  EXPECT_NE(refusal(path("none")).find("cannot be opened: No such file or directory"), std::string::npos);
  EXPECT_NE(refusal(folder_.string()).find("is a directory"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("only regular files are read"), std::string::npos);
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_NE(refusal(path("fifo")).find("only regular files are read"), std::string::npos)
      << "and does not hang";
  EXPECT_NE(refusal(std::string{"a\0b", 3}).find("NUL"), std::string::npos);
  if (::geteuid() != 0) {
    std::ofstream{path("secret")} << "a: 1\n";
    std::filesystem::permissions(path("secret"), std::filesystem::perms::none);
    EXPECT_NE(refusal(path("secret")).find("Permission denied"), std::string::npos);
  }
}

TEST_F(FileTest, OfFiftyMegabytesIsRefusedUnread) {
  std::ofstream{path("huge")} << "";
  std::filesystem::resize_file(path("huge"), 50'000'000);  // sparse: reading it would find control characters
  EXPECT_NE(refusal(path("huge")).find("has 50000000 bytes; at most 16777216 (16 MiB) are read"),
            std::string::npos);
}

void set(Document& document, std::string_view assignment) {
  Problems problems;
  EXPECT_TRUE(document.set(assignment, problems)) << problems.text();
}

TEST(DocumentSet, ChangesOneValueAndSharesTheRest) {
  tactus::test::Snapshot texts;
  Document document = Document::from_text("t", "a: 1\nl: [1, {x: 2}]\nempty:\n");
  set(document, "realtime.max_overrun=1 ms");
  set(document, "l[1].y=yes");
  set(document, "l[0]=[a.b, c.d]");
  set(document, "a = 2");
  set(document, "empty.now.has=x=y");
  texts.add(to_yaml(document.root()));
}

TEST(DocumentSet, AKeyWithDotsIsReachedByItsNameOrBetweenQuotationMarks) {
  tactus::test::Snapshot texts;
  Document document =
      Document::from_text("t", "stimuli:\n  motor.load: {sine: {hz: 2}}\n  motor: {load: 1}\n  a: 1\n");
  set(document, "stimuli.motor.load.sine.hz=5");
  set(document, "stimuli.motor.speed=2");
  set(document, "stimuli.\"axis.force\".hold=1 N");
  texts.add(to_yaml(document.root()));
}

TEST(DocumentSet, PlacesPointAtTheCommandLine) {
  Document document = Document::from_text("t", "a: 1\n");
  set(document, "realtime.margin=5");
  const Node& value = *document.root().find("realtime")->find("margin");
  EXPECT_EQ(value.place().text(), "--set realtime.margin=5:1:17");
}

TEST(DocumentSet, RefusesWithAReasonAndChangesNothing) {
  struct Row {
    const char* assignment;
    const char* expected;
    const char* why;
  };
  const Row rows[] = {
      {"a", "--set a:1:1: ", "no '='"},
      {"=3", "--set =3:1:1: ", "no path"},
      {"a..b=3", "--set a..b=3:1:1: ", "two dots"},
      {"a.=3", "--set a.=3:1:1: ", "a dot at the end"},
      {"\"a.b=3", "--set \"a.b=3:1:1: ", "a quotation mark that is not closed"},
      {"a.b=3", "--set a.b=3:1:1: a.b: ", "through a scalar"},
      {"l.b=3", "--set l.b=3:1:1: l.b: ", "a key of a list"},
      {"a[0]=3", "--set a[0]=3:1:1: a[0]: ", "an index of a scalar"},
      {"l[2]=3", "--set l[2]=3:1:1: l[2]: ", "beyond"},
      {"l[-1]=3", "--set l[-1]=3:1:1: ", "negative"},
      {"l[x]=3", "--set l[x]=3:1:1: ", "not a number"},
      {"l[1=3", "--set l[1=3:1:1: ", "open"},
      {"l[99999999999999999999]=3", "--set l[99999999999999999999]=3:1:1: ", "overflow"},
      {"a]=3", "--set a]=3:1:1: ", "closed"},
      {"q=[1", "--set q=[1:1:5: q: ", "bad YAML"},
      {"z=&a [*a]", "--set z=&a [*a]:1:7: z[0]: ", "a cycle"},
      {"z=\x01", "--set z=\\x01:1:3: ", "control"},
  };
  for (const Row& row : rows) {
    Document document = Document::from_text("t", "a: 1\nl: [1, 2]\n");
    Problems problems;
    EXPECT_FALSE(document.set(row.assignment, problems)) << row.why;
    EXPECT_TRUE(problems.text().starts_with(row.expected)) << row.why << problems.text();
    EXPECT_TRUE(problems.text().ends_with("\n1 problem; nothing was started.")) << row.why;
    EXPECT_EQ(to_yaml(document.root()), "a: 1\nl:\n  - 1\n  - 2\n") << row.why;
  }
}

TEST(DocumentSet, KeepsTheLimits) {
  Document document = Document::from_text("t", "a: 1\n");
  Problems problems;
  EXPECT_FALSE(document.set(repeat("a.", 40) + "a=1", problems));
  EXPECT_FALSE(document.set("b.c.d=" + repeat("[", 31) + repeat("]", 31), problems));
  EXPECT_TRUE(document.set("b=" + repeat("[", 31) + repeat("]", 31), problems));
  EXPECT_EQ(problems.count(), 2U) << problems.text();
}

TEST(DocumentSet, RepeatedKeysInTheValueAreKept) {
  Document document = Document::from_text("t", "a: 1\n");
  set(document, "m={x: 1, x: 2}");
  ASSERT_EQ(document.repeated().size(), 1U);
  EXPECT_EQ(document.repeated()[0].path, "m");
  EXPECT_EQ(document.repeated()[0].where_first(), "first at 1:4");
}

}  // namespace
}  // namespace tactus::config::document_test
