// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/driver_section.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "config/document.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::driver_section_test {
namespace {

using config::Node;
using config::SourceLocation;

/// A section with everything that a value can be.
DriverSection section() {
  const tactus::test::TempDir dir;
  const std::string file = dir.write(
      "rig.yaml",
      "chip: '/dev/gpiochip0'\nlines: [1, \"2\", ~]\nedges: { rising: yes, falling: }\nnested: [[1], { a: b "
      "}]\nempty: {}\nnone: []\nname: \"\\u00e4 \\n \\\"x\\\"\"\n");
  return {config::Document::from_file(file).root(), "models.motor", "/rigs"};
}

void expect_same(const Node& a, const Node& b) {
  EXPECT_EQ(a.kind(), b.kind());
  EXPECT_EQ(a.text(), b.text());
  EXPECT_EQ(a.quoted(), b.quoted());
  EXPECT_EQ(a.place().file, b.place().file);
  EXPECT_EQ(a.place().line, b.place().line);
  EXPECT_EQ(a.place().column, b.place().column);
  ASSERT_EQ(a.items().size(), b.items().size());
  for (std::size_t i = 0; i < a.items().size(); ++i) expect_same(a.items()[i], b.items()[i]);
  ASSERT_EQ(a.entries().size(), b.entries().size());
  for (std::size_t i = 0; i < a.entries().size(); ++i) {
    EXPECT_EQ(a.entries()[i].key, b.entries()[i].key);
    EXPECT_EQ(a.entries()[i].place.line, b.entries()[i].place.line);
    expect_same(a.entries()[i].value, b.entries()[i].value);
  }
}

TEST(DriverSection, ArrivesWithEachValueAndItsPlace) {
  const DriverSection sent = section();
  const DriverSection read = decode_section(encode(sent));
  EXPECT_EQ(read.path, "models.motor");
  EXPECT_EQ(read.folder, "/rigs");
  ASSERT_EQ(read.settings.entries().size(), 7U);
  expect_same(sent.settings, read.settings);
}

TEST(DriverSection, WhatIsNoTextIsReplaced) {
  const DriverSection sent{Node::scalar("a\xff", SourceLocation("rig.yaml", 1, 2)), "models.m"};
  EXPECT_EQ(decode_section(encode(sent)).settings.text(), "a\ufffd");
}

TEST(DriverSection, DamagedTextIsRefused) {
  const std::string good = encode(section());
  for (const std::string& bad : {std::string(), std::string("{}"), std::string("[]"), std::string("null"),
                                 std::string(R"({"path": 1, "settings": {}})"), good + "x"})
    EXPECT_THROW((void)decode_section(bad), std::runtime_error) << bad.substr(0, 60);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW((void)decode_section(good.substr(0, length)), std::runtime_error) << length;
}

TEST(DriverSection, WhateverTheBytesNothingElseIsThrown) {
  const std::string good = encode(section());
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
      bad[random() % bad.size()] = static_cast<char>(random());
    try {
      (void)decode_section(bad);
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(),
                   "cannot be isolated: the messages between its process and the rig are damaged");
    }
  }
}

TEST(DriverProblems, ArriveWithTheirPlacesInTheirOrder) {
  config::Problems sent;
  sent.add(SourceLocation("rig.yaml", 9, 3), "models.motor.lines", "there is no line 64");
  sent.add(SourceLocation("rig.yaml", 7, 5), "models.motor.chip", "no such device");
  const config::Problems read = decode_problems(encode(sent));
  EXPECT_EQ(read.text(), sent.text());
  EXPECT_EQ(read.sorted()[0].place.line, 7);
  EXPECT_TRUE(decode_problems(encode(config::Problems{})).empty());
}

TEST(DriverProblems, DamagedTextIsRefused) {
  for (const char* const bad : {"", "{", "[1]", R"([["rig.yaml"]])", R"([[["f", 1], "p", "m"]])"})
    EXPECT_THROW((void)decode_problems(bad), std::runtime_error) << bad;
}

}  // namespace
}  // namespace tactus::executive::driver_section_test
