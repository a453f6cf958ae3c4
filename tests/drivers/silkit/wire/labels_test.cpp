// SPDX-License-Identifier: Apache-2.0
// Labels: every spelling that is in use, and who matches whom.
#include "drivers/silkit/wire/labels.hpp"

#include <gtest/gtest.h>

#include <random>

#include "drivers/silkit/wire/bytes.hpp"
#include "drivers/silkit/wire/items.hpp"

namespace tactus::silkit {

void PrintTo(const Label& label, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's
  *out << label.key << '=' << label.value << '/' << static_cast<std::uint32_t>(label.kind);
}

namespace {

using enum LabelKind;

const Labels kOne{{"K", "V", mandatory}};

TEST(LabelsText, IsSortedQuotedAndOnOneLine) {
  EXPECT_EQ(labels_text({}), "[]");
  EXPECT_EQ(labels_text(kOne), R"([{"key":"K","value":"V","kind":2}])");
  EXPECT_EQ(labels_text({{"b", "1.50", optional}, {"a", "true", mandatory}, {"c", "", undefined}}),
            R"([{"key":"a","value":"true","kind":2},{"key":"b","value":"1.50","kind":1},)"
            R"({"key":"c","value":"","kind":0}])");
}

TEST(LabelsText, EscapesWhatJsonEscapes) {
  EXPECT_EQ(labels_text({{"a\"b\\c", "\b\t\n\f\r\x01\x1f/é", optional}}),
            R"([{"key":"a\"b\\c","value":"\b\t\n\f\r\u0001\u001f/é","kind":1}])");
}

TEST(LabelsText, IsReadBackAsItWas) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const Labels labels{{"", "", undefined}, {"a", all, optional}, {all, "b", mandatory}};
  Labels sorted = labels;
  std::swap(sorted[1], sorted[2]);  // all begins with a zero
  EXPECT_EQ(read_labels(labels_text(labels)), sorted);
}

struct Spelling {
  std::string_view text;
  Labels labels;
};

TEST(ReadLabels, UnderstandsFlowStyle) {
  const Spelling rows[] = {
      {"", {}},
      {" \n", {}},
      {"[]", {}},
      {"[ ]\n", {}},
      {R"([{"key":"K","value":"V","kind":2}])", kOne},
      {R"([{"key": "K","value": "V","kind": 2}])", kOne},
      {"[{\"key\": \"K\",\"value\": \"V\",\"kind\": 2}]\n", kOne},
      {"[ { \"key\" : \"K\" , \"value\" : \"V\" , \"kind\" : 2 } ] ", kOne},
      {"[\n  {\n    \"key\": \"K\",\n    \"value\": \"V\",\n    \"kind\": 2\n  }\n]\n", kOne},
      {R"([{"kind": 2,"value": "V","key": "K"}])", kOne},
      {R"([{"kind": "2","value": 'V',"key": 'K'}])", kOne},
      {"[{key: K, value: V, kind: 2}]", kOne},
      {R"([{"key": "a","value": "1","kind": 1},{"key": "b","value": "2","kind": 2}])",
       {{"a", "1", optional}, {"b", "2", mandatory}}},
      {R"([{"key": "K"}])", {{"K", "", undefined}}},
      {R"([{"value": "V"}])", {{"", "V", undefined}}},
      {R"([{"kind": 1}])", {{"", "", optional}}},
      {"[{}]", {{"", "", undefined}}},
      {R"([{"key": "K","value": ,"kind": 2}])", {{"K", "", mandatory}}},
      {R"([{"key": "K","later": "x","kind": 2}])", {{"K", "", mandatory}}},
      {R"([{"key": "K","value": "a, b] }: [{#","kind": 2}])", {{"K", "a, b] }: [{#", mandatory}}},
  };
  for (const Spelling& row : rows) EXPECT_EQ(read_labels(row.text), row.labels) << row.text;
}

TEST(ReadLabels, TakesPlainScalarsForTheirOwnCharacters) {
  for (const std::string plain : {"1.50", "-.5", ".5", "+1", "-1", "0", "007", "1e5", "0x1F", "true", "false",
                                  "null", "nan", "inf", "-inf", ".nan", "~", "12:30", "a b"}) {
    const Labels labels{{plain, plain, optional}};
    EXPECT_EQ(read_labels("[{\"key\": " + plain + ",\"value\": " + plain + ",\"kind\": 1}]"), labels)
        << plain;
    EXPECT_EQ(read_labels("- key: " + plain + "\n  value: " + plain + "\n  kind: 1"), labels) << plain;
    EXPECT_EQ(read_labels("[{\"kind\":1,\"key\":" + plain + ",\"value\":" + plain + "}]"), labels) << plain;
  }
}

TEST(ReadLabels, UnderstandsBlockStyle) {
  const Spelling rows[] = {
      {"- key: K\n  value: V\n  kind: 2", kOne},
      {"- key: K\n  value: V\n  kind: 2\n", kOne},
      {"- key: K\r\n  value: V\r\n  kind: 2\r\n", kOne},
      {"- kind: 2\n  value: V\n  key: K\n", kOne},
      {"-   key: K\n    value: V\n    kind: 2\n", kOne},
      {"-\n  key: K\n  value: V\n  kind: 2\n", kOne},
      {"  - key: K\n    value: V\n    kind: 2\n", kOne},
      {"\n- key: K\n\n  value: V  \n  kind: 2\n\n", kOne},
      {"- \"key\": 'K'\n  'value': \"V\"\n  kind: 2\n", kOne},
      {"- key: a\n  value: 1\n  kind: 1\n- key: b\n  value: 2\n  kind: 2\n",
       {{"a", "1", optional}, {"b", "2", mandatory}}},
      {"- key: K\n", {{"K", "", undefined}}},
      {"- key: K\n- kind: 2", {{"K", "", undefined}, {"", "", mandatory}}},
      {"- key: K\n  value:\n  kind: 2\n", {{"K", "", mandatory}}},
      {"- key: K\n  value: ''\n  kind: 2\n", {{"K", "", mandatory}}},
      {"- key: it's\n  value: a,b]c}\n  kind: 1", {{"it's", "a,b]c}", optional}}},
      {"- key: http://x\n  value: a:b\n  kind: 1", {{"http://x", "a:b", optional}}},
      {"- key: 'it''s'\n  value: ''''\n  kind: 1", {{"it's", "'", optional}}},
      {"- key: 'a: b'\n  value: '#- \"\\n'\n  kind: 1", {{"a: b", "#- \"\\n", optional}}},
      {"- key: \"a: b\"\n  value: \"#- '\\n\\\"\\\\\"\n  kind: 1", {{"a: b", "#- '\n\"\\", optional}}},
      {"- key: 'two\n\n  lines'\n  value: \"and\n  a space\"\n  kind: 1",
       {{"two\nlines", "and a space", optional}}},
      {"- key: \"a\\t \n  b\"", {{"a\t b", "", undefined}}},
  };
  for (const Spelling& row : rows) EXPECT_EQ(read_labels(row.text), row.labels) << row.text;
}

TEST(ReadLabels, UnderstandsEscapes) {
  const struct {
    std::string_view escaped;
    std::string text;
  } rows[] = {
      {R"(\"\\\/)", "\"\\/"},
      {R"(\b\f\n\r\t)", "\b\f\n\r\t"},
      {R"(\0\a\v\e\ )", std::string("\0\a\v\x1b ", 5)},
      {R"(\x41\xe9)", "Aé"},
      {R"(\u0041\u00e9\u00E9\u20ac)", "Aéé€"},
      {R"(\u0000)", std::string(1, '\0')},
      {R"(\ud83d\ude00)", "😀"},
      {R"(\U0001F600)", "😀"},
      {R"(\N\_\L\P)", "\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9"},
      {"Ü", "Ü"},
      {R"(C:\\dir)", "C:\\dir"},
  };
  for (const auto& row : rows) {
    const Labels labels{{"K", row.text, optional}};
    const std::string value = "\"" + std::string(row.escaped) + "\"";
    EXPECT_EQ(read_labels("[{\"key\":\"K\",\"value\":" + value + ",\"kind\":1}]"), labels) << row.escaped;
    EXPECT_EQ(read_labels("- key: K\n  value: " + value + "\n  kind: 1\n"), labels) << row.escaped;
  }
}

TEST(ReadLabels, RefusesWhatIsNeither) {
  for (const std::string_view text : {
           "K",
           "null",
           "{}",
           "key: K",
           "[",
           "[{",
           "[{}",
           "[}",
           "[{]}",
           "[{}]]",
           "[{},]",
           "[,]",
           "[[]]",
           "[1]",
           "[] x",
           R"([{"key"}])",
           R"([{"key":"K",}])",
           R"([{"key":"K" "value":"V"}])",
           R"([{"key":"K"x}])",
           R"([{"key":{}}])",
           R"([{"key":[]}])",
           R"([{"key":"K","key":"L"}])",
           R"([{: V}])",
           "[{key:K}]",
           R"([{"key":"K)",
           R"([{"key":'K)",
           R"([{"key":"K\)",
           R"([{"key":"\q"}])",
           R"([{"key":"\u12"}])",
           R"([{"key":"\u12g4"}])",
           R"([{"key":"\ud83d"}])",
           R"([{"key":"\ud83dx"}])",
           R"([{"key":"\ud83d\u0041"}])",
           R"([{"key":"\ude00"}])",
           R"([{"key":"\U00110000"}])",
           R"([{"kind":"x"}])",
           R"([{"kind":-1}])",
           R"([{"kind":1.0}])",
           R"([{"kind":4294967296}])",
           "[{value: *alias}]",
           "[{value: &anchor x}]",
           "[{value: !tag x}]",
           "-",
           "- ",
           "-key: K",
           "- key",
           "- key:K",
           "- key: K\n value: V",
           "- key: K\n   value: V",
           "- key: K\nvalue: V",
           "- key: K\n - key: L",
           "- key: K\n- - key: L",
           "- key: K\n  key: L",
           "- key: 'K' x",
           "- key: \"K",
           "- key: |\n    K",
           "- key: >\n    K",
           "- key: {}",
           "- key: [K]",
           "- key: @K",
           "- - key: K",
           "# comment",
           "---\n- key: K",
       })
    EXPECT_THROW(read_labels(text), WireError) << text;
}

TEST(ReadLabels, SaysWhereItStopped) {
  try {
    read_labels(R"([{"key":"K";}])");
    FAIL();
  } catch (const WireError& error) {
    EXPECT_STREQ(error.what(), "a list of items that cannot be read: no '}' at byte 11");
  }
}

TEST(ReadLabels, RefusesAnItemWithoutEndOfMembers) {
  std::string text = "[{\"m\":1";
  for (int k = 0; k < 100; ++k) text += ",\"m" + std::to_string(k) + "\":1";
  EXPECT_THROW(read_labels(text + "}]"), WireError);
}

TEST(LabelsMatch, FollowsTheTable) {
  const struct {
    Labels a, b;
    bool match;
    std::string_view why;
  } rows[] = {
      {{}, {}, true, "nothing is wanted"},
      {{{"k", "v", optional}}, {}, true, "an optional one may be absent"},
      {{{"k", "v", mandatory}}, {}, false, "a mandatory one may not"},
      {{{"k", "v", undefined}}, {}, true, "nobody said that it is mandatory"},
      {{{"k", "v", optional}}, {{"k", "v", optional}}, true, "equal values"},
      {{{"k", "v", mandatory}}, {{"k", "v", optional}}, true, "equal values, whatever the kinds"},
      {{{"k", "v", mandatory}}, {{"k", "v", mandatory}}, true, "equal values"},
      {{{"k", "v", optional}}, {{"k", "w", optional}}, false, "present with another value"},
      {{{"k", "v", mandatory}}, {{"k", "w", optional}}, false, "present with another value"},
      {{{"k", "1.50", optional}}, {{"k", "1.5", optional}}, false, "values are texts, not numbers"},
      {{{"k", "v", mandatory}}, {{"l", "v", optional}}, false, "another key is no help"},
      {{{"k", "v", optional}}, {{"l", "v", optional}}, true, "two that do not meet"},
      {{{"k", "v", optional}, {"l", "w", mandatory}},
       {{"l", "w", optional}},
       true,
       "the mandatory one is there"},
      {{{"k", "v", optional}, {"l", "w", mandatory}}, {{"k", "v", mandatory}}, false, "the other one is"},
      {{{"k", "v", optional}, {"l", "w", optional}},
       {{"l", "w", optional}, {"k", "v", optional}},
       true,
       "any order"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(labels_match(row.a, row.b), row.match) << row.why;
    EXPECT_EQ(labels_match(row.b, row.a), row.match) << row.why << ", the other way round";
  }
}

TEST(TopicsMatch, FollowsTheTable) {
  const struct {
    TopicSpec publisher, subscriber;
    bool match;
    std::string_view why;
  } rows[] = {
      {{"t", "m", {}}, {"t", "m", {}}, true, "equal"},
      {{"t", "m", {}}, {"u", "m", {}}, false, "another topic"},
      {{"t", "m", {}}, {"T", "m", {}}, false, "byte for byte"},
      {{"t*", "m", {}}, {"t1", "m", {}}, false, "no wildcards"},
      {{"t", "m", {}}, {"t", "n", {}}, false, "another media type"},
      {{"t", "m", {}}, {"t", "", {}}, true, "a subscriber that takes any media type"},
      {{"t", "", {}}, {"t", "m", {}}, false, "a publisher without one is for those"},
      {{"t", "", {}}, {"t", "", {}}, true, "and only those"},
      {{"t", "m", {{"k", "v", mandatory}}}, {"t", "m", {}}, false, "labels count"},
      {{"t", "m", {{"k", "v", mandatory}}}, {"t", "m", {{"k", "v", optional}}}, true, "labels count"},
  };
  for (const auto& row : rows) EXPECT_EQ(topics_match(row.publisher, row.subscriber), row.match) << row.why;
}

TEST(ReadLabelsRandom, ThrowsOnlyWireError) {
  constexpr std::string_view kAlphabet = "[]{}:,'\"\\-# \n\tkeyvalued012.u";
  const std::string seeds[] = {labels_text({{"a\"", "b", mandatory}, {"c", "d\n", optional}}),
                               "- key: 'K'\n  value: \"V\\n\"\n  kind: 2\n- key: L\n"};
  std::mt19937 random(20);  // NOLINT(cert-msc51-cpp): the same every time
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int understood = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text = k % 3 == 0 ? std::string(below(30), ' ') : seeds[below(2)];
    for (std::size_t change = k % 3 == 0 ? text.size() : below(3); change > 0 && !text.empty(); --change) {
      const std::size_t at = k % 3 == 0 ? change - 1 : below(text.size());
      text[at] = kAlphabet[below(kAlphabet.size())];
    }
    try {
      const Labels labels = read_labels(text);
      ++understood;
      EXPECT_EQ(labels_text(read_labels(labels_text(labels))), labels_text(labels)) << text;
    } catch (const WireError&) {
    }
  }
  EXPECT_GT(understood, 1000);
}

}  // namespace
}  // namespace tactus::silkit
