// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/campaign_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "executive/campaign/file/cases.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::campaign::campaign_file_test {
namespace {

using tactus::test::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRig =
    "rig: r\nframe: { period: 1 ms }\nuntil: 20 ms\nframe_log: no\nmodels:\n  a: { model: gain, "
    "library: " TEST_LIBRARIES "/libmodels.so }\n";
const std::string kHead = "campaign: c\nrig: r.yaml\n";

class Campaigns : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("r.yaml", kRig); }
  CampaignFile load(const std::string& text) {
    return CampaignFile::load(folder_.write("c.campaign.yaml", text).string());
  }
  /// All that is wrong with a file, without the rig's side.
  static std::string problems_of(const std::string& text) {
    config::Problems problems;
    (void)CampaignFile::read(config::Document::from_text("c.yaml", text), "c.yaml", problems);
    return problems.text();
  }
  static CampaignFile read(const std::string& text) {
    config::Problems problems;
    CampaignFile file = CampaignFile::read(config::Document::from_text("c.yaml", text), "c.yaml", problems);
    EXPECT_TRUE(problems.empty()) << problems.text();
    return file;
  }
  /// What is wrong with a file and with the rig under it.
  std::string refusal(const std::string& text) {
    try {
      (void)load(text);
    } catch (const config::ConfigError& error) {
      std::string said = error.what();
      const std::string folder = folder_.path().string();
      for (std::size_t at = 0; (at = said.find(folder)) != std::string::npos;)
        said.replace(at, folder.size(), "FOLDER");
      return said;
    }
    return "";
  }

  TempDir folder_;
};

TEST_F(Campaigns, SayOfARigFileThatItIsOne) { tactus::test::Snapshot().add(problems_of(kRig)); }

TEST_F(Campaigns, NameAKeyThatIsThereTwice) {
  const std::string said = problems_of(kHead + "vary:\n  x: [1 V]\n  x: [2 V]\n");
  tactus::test::Snapshot().add(said);
}

TEST_F(Campaigns, HaveEveryCombinationOfAMatrix) {
  const CampaignFile file = read(kHead + "vary: { x: [1 V, 2 V], y: { list: [a, b, c] } }\n");
  const Cases cases(file);
  ASSERT_EQ(cases.count(), 6);
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < 6; ++i) all.push_back(cases.at(i).drawn[0].text + cases.at(i).drawn[1].text);
  EXPECT_THAT(all, ElementsAre("1 Va", "1 Vb", "1 Vc", "2 Va", "2 Vb", "2 Vc"));
  EXPECT_THROW((void)cases.at(6), std::out_of_range);
  EXPECT_THROW((void)cases.at(-1), std::out_of_range);
}

TEST_F(Campaigns, MakeACaseOneLineForAShell) {
  const CampaignFile file =
      read(kHead + "tests: [t.yaml]\nset: { until: 1 s }\nvary: { m.p: [1.5 kg m^2, 2 kg m^2] }\n");
  EXPECT_EQ(command_line(Cases(file).at(1)),
            "tactus run r.yaml --test t.yaml --set 'until=1 s' --set 'm.p=2 kg m^2' --no-realtime");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(command_line(Cases(read(kHead + "realtime: yes\n")).at(0)), "tactus run r.yaml");
}

TEST_F(Campaigns, NumberCasesSoThatMoreDrawsAddToTheEnd) {
  const std::string vary =
      "vary: { x: { normal: { mean: 5 V, sigma: 10 % } }, y: { uniform: [1 ms, 2 ms] } }\n";
  const std::string more = "tests: [a.yaml, b.yaml]\nrepeat: 3\n";
  for (const char* const method : {"monte_carlo", "sobol"}) {
    const CampaignFile few = read(kHead + more + vary + "cases: { " + method + ": 10, seed: 4 }\n");
    const CampaignFile many = read(kHead + more + vary + "cases: { " + method + ": 1000000, seed: 4 }\n");
    ASSERT_EQ(Cases(few).count(), 60);
    EXPECT_EQ(Cases(many).count(), 6'000'000);
    for (std::int64_t i = 0; i < 60; ++i)
      EXPECT_EQ(command_line(Cases(few).at(i)), command_line(Cases(many).at(i)));
    EXPECT_EQ(Cases(many).at(5'999'999).draw, 999'999);
  }
  const CampaignFile few = read(kHead + more + vary + "cases: { monte_carlo: 10, seed: 4 }\n");
  EXPECT_EQ(Cases(few).at(0).drawn[0].text,
            Cases(few).at(5).drawn[0].text);  // tests and repetitions share a draw
  EXPECT_NE(Cases(few).at(0).drawn[0].text, Cases(few).at(6).drawn[0].text);
  EXPECT_EQ(Cases(few).at(3).repetition, 1);
  EXPECT_EQ(Cases(few).at(3).test, "b.yaml");
}

TEST_F(Campaigns, DrawOtherValuesWithAnotherSeed) {
  const std::string text = "vary: { x: { uniform: [0 V, 1 V] } }\ncases: { monte_carlo: 5, seed: ";
  EXPECT_NE(Cases(read(kHead + text + "1 }\n")).at(0).drawn[0].value,
            Cases(read(kHead + text + "2 }\n")).at(0).drawn[0].value);
}

TEST_F(Campaigns, KeepWhatIsDrawnWithinItsBounds) {
  const CampaignFile file =
      read(kHead +
           "vary:\n  x: { normal: { mean: 0.5 Ohm, sigma: 5 % }, within: [450 mOhm, 0.55 Ohm] }\n"
           "  y: { uniform: [10, 20], round: 3 }\n"
           "  z: { discrete: { 22 V: 1, 24 V: 3 } }\ncases: { monte_carlo: 2000 }\n");
  const Cases cases(file);
  std::set<double> rounded;
  std::map<std::string, int> weighted;
  double sum = 0;
  for (std::int64_t i = 0; i < cases.count(); ++i) {
    const Case one = cases.at(i);
    EXPECT_GE(one.drawn[0].value, 0.45);
    EXPECT_LE(one.drawn[0].value, 0.55);
    EXPECT_EQ(one.drawn[0].unit, "Ohm");
    sum += one.drawn[0].value;
    rounded.insert(one.drawn[1].value);
    ++weighted[one.drawn[2].text];
  }
  EXPECT_NEAR(sum / 2000, 0.5, 0.002);
  EXPECT_THAT(rounded, ElementsAre(12, 15, 18));
  EXPECT_NEAR(weighted["24 V"], 1500, 100);
}

TEST_F(Campaigns, SayNumbersOfAListInOneUnit) {
  const Cases cases(read(kHead + "vary: { frame.period: [1 ms, 500 us], k: [fifo, other] }\n"));
  const Case last = cases.at(3);
  EXPECT_EQ(last.drawn[0].text, "500 us");
  EXPECT_DOUBLE_EQ(last.drawn[0].value, 0.5);
  EXPECT_EQ(last.drawn[0].unit, "ms");
  EXPECT_TRUE(last.drawn[1].is_word);
  EXPECT_EQ(last.drawn[1].value, 1);
}

TEST_F(Campaigns, LeaveOutWhatExcludesEachOther) {
  const std::string vary =
      "vary: { m.supply: [22 V, 24 V, 26 V], frame.period: [1 ms, 500 us], k: [fifo, other] }\n";
  const auto left = [&](const std::string& exclude) {
    const CampaignFile file = read(kHead + vary + "exclude: " + exclude + "\n");
    const Cases cases(file);
    int count = 0;
    for (std::int64_t i = 0; i < cases.count(); ++i) count += cases.at(i).excluded ? 0 : 1;
    return count;
  };
  EXPECT_EQ(left("[]"), 12);
  EXPECT_EQ(left("supply == 22 V"), 8);
  EXPECT_EQ(left("[ supply == 22000 mV and period > 0.6 ms, k == other ]"), 5);
  EXPECT_EQ(left("{ m.supply: 26 V, k: fifo }"), 10);
  EXPECT_EQ(left("[ { m.supply: 26 V }, supply / 2 < 11.5 V ]"), 4);
  EXPECT_EQ(left("not (k == fifo or supply within 1.5 V of 25 V)"), 10);
}

TEST_F(Campaigns, TakeSetsThatAreWrittenOut) {
  tactus::test::Snapshot texts;
  const CampaignFile file = read(kHead + "cases: { list: [ { x: 1 V, k: a }, { x: 200 mV, k: b } ] }\n");
  const Cases cases(file);
  ASSERT_EQ(cases.count(), 2);
  EXPECT_EQ(cases.at(1).drawn[0].text, "200 mV");
  EXPECT_DOUBLE_EQ(cases.at(1).drawn[0].value, 0.2);
  texts.add(problems_of(kHead + "cases: { list: [ { x: 1 V }, { x: 2 A } ] }\n"));
  texts.add(problems_of(kHead + "cases: { list: [ { x: 1 V }, { z: 1 } ] }\n"));
}

TEST_F(Campaigns, SayAllMistakesAtOnce) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {"vary: { x: { unifrom: [1, 2] } }",
                              "vary: { x: { uniform: [1 V, 2 A] } }",
                              "vary: { x: { uniform: [2 V, 1 V] } }",
                              "vary: { x: { uniform: [1 V] } }",
                              "vary: { x: { uniform: [1 V, 2] } }",
                              "vary: { x: }",
                              "vary: { x: {} }",
                              "vary: { x: [] }",
                              "vary: { x: [1 V, 1000 mV] }",
                              "vary: { x: { normal: { mean: 5 V } } }",
                              "vary: { x: { normal: { mean: 20 degC, sigma: 5 % } } }",
                              "vary: { x: { normal: { mean: 5 V, sigma: -1 V } } }",
                              "vary: { x: { normal: { mean: 5 V, sigma: 1 V }, within: [50 V, 60 V] } }",
                              "vary: { x: { list: [1], uniform: [1, 2] } }",
                              "vary: { x: { log_uniform: [-1 V, 2 V] } }",
                              "vary: { x: { triangular: [1, 5, 3] } }",
                              "vary: { x: { discrete: { 1 V: 0 } } }",
                              "vary: { x: { uniform: [1, 2] } }",
                              "vary: { x: { uniform: [1, 2] } }\ncases: matrix",
                              "cases: { sobol: 8, monte_carlo: 8 }",
                              "cases: { sobool: 8 }",
                              "cases: { sobol: 8, until_sure: 0.95 }",
                              "cases: { monte_carlo: 8, until_sure: soon }",
                              "vary: { x: [1 V, 2 V] }\nexclude: [ y > 2 V ]",
                              "vary: { x: [1 V, 2 V] }\nexclude: [ x > 2 A ]",
                              "vary: { x: [1 V, 2 V] }\nexclude: [ x ]",
                              "each: { retry: often }",
                              "each: { timeout: 1 }",
                              "measure: [a]",
                              "repeat: 0",
                              "rigs: [r.yaml]",
                              "wary: {}"};
  for (const char* const text : rows) texts.add(problems_of(kHead + text + "\n"), text);
  texts.add(problems_of("campaign: c\n"));
  for (const char* const cases : {"{ monte_carlo: 0 }", "{ monte_karlo: 8 }"})
    texts.add(problems_of(kHead + "vary: { x: { uniform: [1 V, 2 V] } }\ncases: " + cases + "\n"));
  texts.add(problems_of(kHead + "vary: { x: [], y: {} }\nrepeat: 0\n"));
}

TEST_F(Campaigns, ReadWhatHoldsForEachCase) {
  const CampaignFile file =
      read(kHead +
           "each: { timeout: 1 min, retry: 2 if spoiled }\nmeasure: { peak: max(abs(a.b)) }\n"
           "vary: { x: { uniform: [1, 2] } }\n"
           "cases: { monte_carlo: 500, until_sure: 0.95 of 'follows' +- 2 % }\n");
  EXPECT_EQ(file.each.timeout, std::chrono::minutes(1));
  EXPECT_EQ(file.each.retries, 2);
  EXPECT_FALSE(file.each.retry_failed);
  EXPECT_EQ(file.measure.front().text, "max(abs(a.b))");
  EXPECT_EQ(file.cases.until_sure, 0.95);
  EXPECT_EQ(file.cases.sure_of, "follows");
  EXPECT_EQ(file.cases.half_width, 0.02);
}

TEST_F(Campaigns, AskTheRigWhetherValuesFit) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(refusal(kHead + "vary: { models.a.parameters.k: [1, 2] }\n"), "");
  texts.add(refusal(kHead + "vary: { models.a.parameters.gian: [1, 2] }\n"));
  texts.add(
      refusal(kHead + "vary: { models.a.parameters.k: { uniform: [1 V, 2 V] } }\ncases: { sobol: 4 }\n"));
  texts.add(refusal(kHead + "vary: { models.b.parameters.k: [1] }\n"));
  texts.add(refusal(kHead + "vary: { frame.period: [1 ms, 0 ms] }\n"));
  texts.add(refusal(kHead + "vary: { frame.perod: [1 ms] }\n"));
  texts.add(refusal("campaign: c\nrig: nowhere.yaml\n"));
  texts.add(refusal(kHead + "set: { untill: 1 s }\n"));
}

TEST_F(Campaigns, VaryWhatOneTestHasInThatTestAlone) {
  folder_.write("fault.test.yaml",
                "test: f\nfaults: { slips: { on: a.y, offset: 1 V, at: 0 s } }\n"
                "expect: { small: { always: a.y < 1 kV } }\n");
  folder_.write("plain.test.yaml", "test: p\nexpect: { small: { always: a.y < 1 kV } }\n");
  const CampaignFile file = load(kHead +
                                 "tests: [plain.test.yaml, fault.test.yaml]\n"
                                 "vary: { faults.slips.offset: [2 V, 3 V] }\n");
  const Cases cases(file);
  ASSERT_EQ(cases.count(), 4);
  EXPECT_TRUE(cases.at(0).drawn.empty());
  EXPECT_EQ(cases.at(3).drawn.front().text, "3 V");
  EXPECT_EQ(file.sources().size(), 5U);  // the campaign, its rig, two tests, a library
  for (const CampaignFile::Source& source : file.sources())
    EXPECT_EQ(source.sha256.size(), 64U) << source.path;
}

TEST_F(Campaigns, SayMistakesOfSetAtTheirPlace) {
  tactus::test::Snapshot texts;
  texts.add(refusal(kHead + "set: { frame.perio: 1 ms }\n"));
  texts.add(refusal(kHead + "set: { until: 1 V }\n"));
  texts.add(problems_of(kHead + "cases: { monte_carlo: 0 }\n"));
}

TEST_F(Campaigns, HaveASearchInsteadOfARun) {
  tactus::test::Snapshot texts;
  const std::string vary =
      "vary: { models.a.parameters.gain: { uniform: [1, 2] }, x: [a, b] }\ncases: { monte_carlo: 4 }\n";
  const CampaignFile file = read(kHead + vary + "bisect: { key: gain, within: 0.01, case: 3 }\n");
  EXPECT_EQ(file.search.kind, SearchSettings::Kind::bisect);
  EXPECT_EQ(file.search.key, "gain");
  EXPECT_EQ(file.search.within, "0.01");
  EXPECT_EQ(file.search.number, 3);
  EXPECT_EQ(read(kHead + vary + "minimise: { case: 2 }\n").search.kind, SearchSettings::Kind::minimise);
  EXPECT_EQ(read(kHead + vary).search.kind, SearchSettings::Kind::none);
  texts.add(problems_of(kHead + vary + "bisect: { within: 1 }\n"));
  texts.add(problems_of(kHead + vary + "bisect: { key: gain }\nminimise: {}\n"));
  texts.add(problems_of(kHead + "cases: { monte_carlo: 4, until_sure: 0.9 }\nminimise: {}\n"));
}

TEST_F(Campaigns, SayWhatIsWrongWithASearchAtItsPlace) {
  tactus::test::Snapshot texts;
  const std::string vary =
      "vary: { models.a.parameters.gain: { uniform: [1, 2] }, models.a.parameters.mode: [a, b] }\n"
      "cases: { monte_carlo: 4 }\n";
  const auto of = [&](const std::string& bisect) { return refusal(kHead + vary + bisect); };
  texts.add(of("bisect: { key: gian }\n"));
  texts.add(of("bisect: { key: mode }\n"));
  texts.add(of("bisect: { key: gain, within: 1 V }\n"));
  texts.add(of("bisect: { key: gain, within: -1 }\n"));
  texts.add(of("bisect: { key: gain, case: 4 }\n"));
  texts.add(of("minimise: { case: -1 }\n"));
  const std::string left_out = "exclude: [ { mode: a }, { mode: b } ]\n";
  texts.add(of(left_out + "minimise: { case: 2 }\n"));
  texts.add(of(left_out + "minimise: {}\n"));
}

TEST_F(Campaigns, KnowTheExpectationThatIsToBeSure) {
  tactus::test::Snapshot texts;
  folder_.write("t.yaml", "test: t\nuntil: 5 ms\nexpect: { holds: { always: a.out < 9 } }\n");
  const std::string cases =
      "test: t.yaml\ncases: { monte_carlo: 4, until_sure: \"0.9 of 'hold' +- 10 %\" }\n";
  texts.add(refusal(kHead + cases));
  texts.add(problems_of(kHead + "cases: { monte_carlo: 4, until_sure: 0.9 +- 0.1 % }\n"));
  texts.add(problems_of(kHead + "cases: { monte_carlo: 4, until_sure: 0.9999 }\n"));
}

TEST_F(Campaigns, HaveASchema) {
  EXPECT_THAT(campaign_schema(), AllOf(HasSubstr("latin_hypercube"), HasSubstr("log_uniform")));
  EXPECT_THAT(campaign_reference(), HasSubstr("| `vary`"));
}

}  // namespace
}  // namespace tactus::campaign::campaign_file_test
