// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/campaign_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "executive/campaign/file/cases.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::campaign::campaign_file_test {
namespace {

using tactus::test::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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
      return error.what();
    }
    return "";
  }

  TempDir folder_;
};

TEST_F(Campaigns, SayOfARigFileThatItIsOne) {
  EXPECT_EQ(
      problems_of(kRig),
      "c.yaml:1:1: campaign: is missing, and this is a rig file; run it by `tactus run`, or write a campaign "
      "whose `rig:` is this file\n1 problem; nothing was started.");
}

TEST_F(Campaigns, NameAKeyThatIsThereTwice) {
  const std::string said = problems_of(kHead + "vary:\n  x: [1 V]\n  x: [2 V]\n");
  EXPECT_THAT(said, HasSubstr("the same key of the rig file twice: 'x'; first at 4:3"));
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
  const CampaignFile file = read(kHead + "cases: { list: [ { x: 1 V, k: a }, { x: 200 mV, k: b } ] }\n");
  const Cases cases(file);
  ASSERT_EQ(cases.count(), 2);
  EXPECT_EQ(cases.at(1).drawn[0].text, "200 mV");
  EXPECT_DOUBLE_EQ(cases.at(1).drawn[0].value, 0.2);
  EXPECT_THAT(problems_of(kHead + "cases: { list: [ { x: 1 V }, { x: 2 A } ] }\n"), HasSubstr("2 A"));
  EXPECT_THAT(problems_of(kHead + "cases: { list: [ { x: 1 V }, { z: 1 } ] }\n"),
              AllOf(HasSubstr("'z' does not vary"), HasSubstr("no value of 'x'")));
}

TEST_F(Campaigns, SayAllMistakesAtOnce) {
  const struct {
    const char* text;
    const char* problem;
  } rows[] = {
      {"vary: { x: { unifrom: [1, 2] } }",
       "c.yaml:3:14: vary.x.unifrom: unknown key; did you mean 'uniform'?"},
      {"vary: { x: { uniform: [1 V, 2 A] } }", "vary.x.uniform[1]: '2 A' has the wrong dimension"},
      {"vary: { x: { uniform: [2 V, 1 V] } }", "not below the second"},
      {"vary: { x: { uniform: [1 V] } }", "expected [low, high]"},
      {"vary: { x: { uniform: [1 V, 2] } }", "has no unit"},
      {"vary: { x: }", "vary.x"},
      {"vary: { x: {} }", "says nothing of what it varies in"},
      {"vary: { x: [] }", "expected a list of values"},
      {"vary: { x: [1 V, 1000 mV] }", "is there twice"},
      {"vary: { x: { normal: { mean: 5 V } } }", "sigma: is missing"},
      {"vary: { x: { normal: { mean: 20 degC, sigma: 5 % } } }", "means nothing"},
      {"vary: { x: { normal: { mean: 5 V, sigma: -1 V } } }", "not above zero"},
      {"vary: { x: { normal: { mean: 5 V, sigma: 1 V }, within: [50 V, 60 V] } }", "less than a millionth"},
      {"vary: { x: { list: [1], uniform: [1, 2] } }", "varies in one way only"},
      {"vary: { x: { log_uniform: [-1 V, 2 V] } }", "above zero"},
      {"vary: { x: { triangular: [1, 5, 3] } }", "do not rise"},
      {"vary: { x: { discrete: { 1 V: 0 } } }", "a weight is a number above zero"},
      {"vary: { x: { uniform: [1, 2] } }", "the cases must be drawn"},
      {"vary: { x: { uniform: [1, 2] } }\ncases: matrix", "this is not one"},
      {"cases: { sobol: 8, monte_carlo: 8 }", "exclude each other"},
      {"cases: { sobool: 8 }", "did you mean 'sobol'?"},
      {"cases: { sobol: 8, until_sure: 0.95 }", "independent draws alone"},
      {"cases: { monte_carlo: 8, until_sure: soon }", "is not understood"},
      {"vary: { x: [1 V, 2 V] }\nexclude: [ y > 2 V ]", "'y' does not vary"},
      {"vary: { x: [1 V, 2 V] }\nexclude: [ x > 2 A ]", "exclude[0]"},
      {"vary: { x: [1 V, 2 V] }\nexclude: [ x ]", "a condition is expected"},
      {"each: { retry: often }", "write for example 2 if spoiled"},
      {"each: { timeout: 1 }", "each.timeout"},
      {"measure: [a]", "measure"},
      {"repeat: 0", "repeat"},
      {"rigs: [r.yaml]", "is there twice"},
      {"wary: {}", "did you mean 'vary'?"},
  };
  for (const auto& row : rows)
    EXPECT_THAT(problems_of(kHead + row.text + "\n"), HasSubstr(row.problem)) << row.text;
  EXPECT_THAT(problems_of("campaign: c\n"), HasSubstr("rig: is missing"));
  for (const char* const cases : {"{ monte_carlo: 0 }", "{ monte_karlo: 8 }"})
    EXPECT_THAT(problems_of(kHead + "vary: { x: { uniform: [1 V, 2 V] } }\ncases: " + cases + "\n"),
                AllOf(HasSubstr("1 problem"), Not(HasSubstr("must be drawn"))));
  EXPECT_THAT(problems_of(kHead + "vary: { x: [], y: {} }\nrepeat: 0\n"), HasSubstr("3 problems"));
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
  EXPECT_EQ(refusal(kHead + "vary: { models.a.parameters.k: [1, 2] }\n"), "");
  EXPECT_THAT(refusal(kHead + "vary: { models.a.parameters.gian: [1, 2] }\n"),
              AllOf(HasSubstr("c.campaign.yaml:3:9: vary.models.a.parameters.gian"), HasSubstr("gian")));
  EXPECT_THAT(
      refusal(kHead + "vary: { models.a.parameters.k: { uniform: [1 V, 2 V] } }\ncases: { sobol: 4 }\n"),
      HasSubstr("'1 V'"));
  EXPECT_THAT(refusal(kHead + "vary: { models.b.parameters.k: [1] }\n"),
              HasSubstr("neither rig nor test has 'b' in models"));
  EXPECT_THAT(refusal(kHead + "vary: { frame.period: [1 ms, 0 ms] }\n"), HasSubstr("0 ms"));
  EXPECT_THAT(refusal(kHead + "vary: { frame.perod: [1 ms] }\n"), HasSubstr("did you mean 'period'?"));
  EXPECT_THAT(refusal("campaign: c\nrig: nowhere.yaml\n"), HasSubstr("nor in the working directory"));
  EXPECT_THAT(refusal(kHead + "set: { untill: 1 s }\n"), HasSubstr("did you mean 'until'?"));
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
  EXPECT_THAT(
      refusal(kHead + "set: { frame.perio: 1 ms }\n"),
      AllOf(HasSubstr("c.campaign.yaml:3:21: set.frame.perio: "), HasSubstr("did you mean 'period'")));
  EXPECT_THAT(refusal(kHead + "set: { until: 1 V }\n"), HasSubstr("c.campaign.yaml:3:15: set.until: "));
  EXPECT_THAT(problems_of(kHead + "cases: { monte_carlo: 0 }\n"), HasSubstr("0 is outside 1 .. "));
}

TEST_F(Campaigns, HaveASearchInsteadOfARun) {
  const std::string vary =
      "vary: { models.a.parameters.gain: { uniform: [1, 2] }, x: [a, b] }\ncases: { monte_carlo: 4 }\n";
  const CampaignFile file = read(kHead + vary + "bisect: { key: gain, within: 0.01, case: 3 }\n");
  EXPECT_EQ(file.search.kind, SearchSettings::Kind::bisect);
  EXPECT_EQ(file.search.key, "gain");
  EXPECT_EQ(file.search.within, "0.01");
  EXPECT_EQ(file.search.number, 3);
  EXPECT_EQ(read(kHead + vary + "minimise: { case: 2 }\n").search.kind, SearchSettings::Kind::minimise);
  EXPECT_EQ(read(kHead + vary).search.kind, SearchSettings::Kind::none);
  EXPECT_THAT(problems_of(kHead + vary + "bisect: { within: 1 }\n"), HasSubstr("bisect: missing key 'key'"));
  EXPECT_THAT(problems_of(kHead + vary + "bisect: { key: gain }\nminimise: {}\n"),
              HasSubstr("c.yaml:6:11: minimise: bisect and minimise exclude each other"));
  EXPECT_THAT(problems_of(kHead + "cases: { monte_carlo: 4, until_sure: 0.9 }\nminimise: {}\n"),
              HasSubstr("cases.until_sure: minimise runs other cases"));
}

TEST_F(Campaigns, SayWhatIsWrongWithASearchAtItsPlace) {
  const std::string vary =
      "vary: { models.a.parameters.gain: { uniform: [1, 2] }, models.a.parameters.mode: [a, b] }\n"
      "cases: { monte_carlo: 4 }\n";
  const auto of = [&](const std::string& bisect) { return refusal(kHead + vary + bisect); };
  EXPECT_THAT(of("bisect: { key: gian }\n"), HasSubstr("c.campaign.yaml:5:16: bisect.key: "));
  EXPECT_THAT(of("bisect: { key: mode }\n"), HasSubstr("bisect.key: 'models.a.parameters.mode' has words"));
  EXPECT_THAT(of("bisect: { key: gain, within: 1 V }\n"), HasSubstr("c.campaign.yaml:5:30: bisect.within: "));
  EXPECT_THAT(of("bisect: { key: gain, within: -1 }\n"), HasSubstr("bisect.within: '-1' is not above zero"));
  EXPECT_THAT(of("bisect: { key: gain, case: 4 }\n"), HasSubstr("bisect.case: 4: there are 0 .. 3"));
  EXPECT_THAT(of("minimise: { case: -1 }\n"), HasSubstr("minimise.case: -1: there are 0 .. 3"));
}

TEST_F(Campaigns, KnowTheExpectationThatIsToBeSure) {
  folder_.write("t.yaml", "test: t\nuntil: 5 ms\nexpect: { holds: { always: a.out < 9 } }\n");
  const std::string cases =
      "test: t.yaml\ncases: { monte_carlo: 4, until_sure: \"0.9 of 'hold' +- 10 %\" }\n";
  EXPECT_THAT(refusal(kHead + cases),
              AllOf(HasSubstr("c.campaign.yaml:4:38: cases.until_sure: no rig and no test has the "
                              "expectation 'hold'"),
                    HasSubstr("holds")));
  EXPECT_THAT(problems_of(kHead + "cases: { monte_carlo: 4, until_sure: 0.9 +- 0.1 % }\n"),
              HasSubstr("half the width of the interval is 0.001; it must be 0.005 .. 0.49"));
  EXPECT_THAT(problems_of(kHead + "cases: { monte_carlo: 4, until_sure: 0.9999 }\n"),
              HasSubstr("the confidence is 0.9999; it must be 0.5 .. 0.999"));
}

TEST_F(Campaigns, HaveASchema) {
  EXPECT_THAT(campaign_schema(), AllOf(HasSubstr("latin_hypercube"), HasSubstr("log_uniform")));
  EXPECT_THAT(campaign_reference(), HasSubstr("| `vary`"));
}

}  // namespace
}  // namespace tactus::campaign::campaign_file_test
