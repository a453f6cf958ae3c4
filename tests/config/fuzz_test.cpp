// SPDX-License-Identifier: Apache-2.0
// Random bytes: the answer is a document or a ConfigError, never a crash, a hang or anything else.
#include <gtest/gtest.h>

#include <random>
#include <string_view>

#include "config/quantity.hpp"
#include "sample.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::config::sample::fuzz_test {
namespace {

constexpr std::string_view kSeedText = R"(# a rig
period: 60 Hz
realtime: yes
on_overrun: catch_up
margin: measured
max_catch_up: 5 frames
notes: &n {who: "me\t", why: 'it''s'}
sleeper: {margin: 1 us, share: 7 %}
threads:
  main: {priority: 80, cpus: "0-1,3"}
  io:
    priority: 70
    cpus: [2, 4-5]
models:
  motor: &m {type: dc, parameters: {<<: *n, inertia: 0.02 kg m^2}}
  pump:
    <<: [*m]
    text: |+
      block
    fold: >-
      folded
variables:
- a.b
- !!str 5
connect: [{from: a.b, to: c.d}]
)";

/// A few bytes changed, cut, doubled or taken from YAML's own punctuation.
std::string mutated(std::mt19937& random, std::string text) {
  static constexpr std::string_view kSpice = "\n\n  --::??&*!|>'\"%@`{}[],,#<<~\\\t\r.=0e";
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  const std::size_t begin = below(text.size());
  text = text.substr(begin, 20 + below(200));
  for (std::size_t count = 1 + below(8); count > 0; --count) {
    const std::size_t at = below(text.size());
    switch (random() % 5) {
      case 0:
        text.insert(at, 1, kSpice[below(kSpice.size())]);
        break;
      case 1:
        text.erase(at, 1 + below(4));
        break;
      case 2:
        if (at < text.size())
          text[at] = random() % 8 == 0 ? static_cast<char>(random() % 256) : kSpice[below(kSpice.size())];
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(20)));
        break;
      default:
        text.insert(at, 1 + below(3), kSpice[below(kSpice.size())]);
        break;
    }
  }
  return text;
}

TEST(Fuzz, DocumentsAndTheirLoadingOnlyEverReportProblems) {
  std::mt19937 random{20240607};
  int accepted = 0;
  for (int i = 0; i < ::tactus::test::trials(20'000); ++i) {
    const std::string text = mutated(random, std::string{kSeedText});
    try {
      Document document = Document::from_text("fuzz", text);
      ++accepted;
      Problems problems;
      const Rig rig = rig_fields().load(document, problems);
      (void)problems.text();
      const Document again = Document::from_text("again", to_yaml(document.root()));
      EXPECT_EQ(again.root(), document.root()) << "written and read back\n"
                                               << text << "\n---\n"
                                               << to_yaml(document.root());
      if (problems.empty()) (void)rig_fields().write(rig);
    } catch (const ConfigError& error) {
      EXPECT_FALSE(error.problems().empty());
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(accepted, ::tactus::test::trials(500) / 2) << "the mutations should leave something to load";
}

TEST(Fuzz, ValuesOnlyEverReportProblems) {
  std::mt19937 random{7};
  static constexpr std::string_view kLetters = "0123456789.-+eE/ %xmusnhHzkMGiBVNradpi^*()()²,";
  const Unit volt = Unit::parse("V");
  for (int i = 0; i < ::tactus::test::trials(50'000); ++i) {
    std::string text;
    for (std::size_t length = random() % 14; length > 0; --length)
      text += kLetters[random() % kLetters.size()];
    const auto duration = parse_duration(text);
    if (duration) {
      EXPECT_EQ(*parse_duration(print_duration(*duration.value)).value, *duration.value) << text;
    }
    const auto period = parse_period(text);
    if (period) {
      EXPECT_EQ(*parse_period(print_period(*period.value)).value, *period.value) << text;
    }
    const auto percent = parse_percent(text);
    if (percent) {
      EXPECT_EQ(*parse_percent(print_percent(*percent.value)).value, *percent.value) << text;
    }
    const auto bytes = parse_bytes(text);
    if (bytes) {
      EXPECT_EQ(*parse_bytes(print_bytes(*bytes.value)).value, *bytes.value) << text;
    }
    (void)parse_integer(text);
    (void)parse_count(text, "frames");
    (void)parse_cpus(text);
    (void)to_unit(text, volt);
    try {
      (void)Unit::parse(text).canonical();
    } catch (const std::invalid_argument&) {
    }
  }
}

TEST(Fuzz, AssignmentsOnlyEverReportProblems) {
  std::mt19937 random{11};
  for (int i = 0; i < ::tactus::test::trials(5'000); ++i) {
    Document document = Document::from_text("t", "a: {b: [1, {c: 2}]}\nconnect: [{from: a}]\n");
    static constexpr std::string_view kLetters = "abc..[]0123=={}, :&*'\"-\n";
    std::string text = random() % 2 == 0 ? "a.b[1].c=" : "connect[0].";
    for (std::size_t length = random() % 12; length > 0; --length)
      text += kLetters[random() % kLetters.size()];
    Problems problems;
    const bool good = document.set(text, problems);
    EXPECT_EQ(good, problems.empty()) << text;
    (void)to_yaml(document.root());
  }
}

}  // namespace
}  // namespace tactus::config::sample::fuzz_test
