// SPDX-License-Identifier: Apache-2.0
#include "executive/report/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executive/report/fail_if.hpp"
#include "executive/report/report.hpp"
#include "executive/report/setting_differences.hpp"
#include "tests/executive/report/made_run.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::report::comparison_test {
namespace {

using Change = ComparedFigure::Change;
using test::frames_csv;
using test::MadeFrame;
using test::TempDir;
using ::testing::HasSubstr;

RunData run_of(const std::vector<MadeFrame>& frames, std::uint64_t seed, std::string letter) {
  RunData run;
  run.letter = std::move(letter);
  run.name = run.letter;
  const std::string text = frames_csv(frames);
  const test::TempDir dir;
  FrameLog log(dir.write("frames.csv", text));
  run.times = std::make_unique<FrameTimes>(1'000'000, kBlockNs, seed);
  for (FrameRow row; log.next(row);) run.times->add(row);
  run.times->end();
  return run;
}

std::map<std::string, ComparedFigure> by_name(const RunData& a, const RunData& b) {
  std::map<std::string, ComparedFigure> figures;
  for (ComparedFigure& figure : compare(a, b)) figures.emplace(figure.name, figure);
  return figures;
}

TEST(Comparison, FindsWhatChangedAndByHowMuch) {
  const RunData a = run_of(test::random_frames(1, 30'000), 1, "A");
  const RunData b = run_of(test::random_frames(2, 30'000, 2), 2, "B");
  const auto figures = by_name(a, b);
  for (const char* const name : {"late p50", "late p99"}) {
    const ComparedFigure& figure = figures.at(name);
    EXPECT_EQ(figure.change, Change::more) << name;
    ASSERT_TRUE(figure.interval);
    EXPECT_LE(figure.interval->from, 2.1) << name;
    EXPECT_GE(figure.interval->to, 1.9) << name;
    EXPECT_GT(figure.interval->from, 1.05) << name;
  }
  EXPECT_EQ(figures.at("work p50").change, Change::not_certain);
  EXPECT_EQ(by_name(b, a).at("late p50").change, Change::less);
  EXPECT_THAT(verdict_of(a, b).sentence, HasSubstr("late p50 is"));
  EXPECT_THAT(verdict_of(a, b).sentence, HasSubstr("no other change is certain"));
}

TEST(Comparison, SeldomFindsAChangeWhereThereIsNone) {
  const int kPairs = std::max(::tactus::test::trials(20), 4);
  int verdicts = 0, asked = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(kPairs); ++seed) {
    const RunData a = run_of(test::random_frames(2 * seed, 6000), 1, "A");
    const RunData b = run_of(test::random_frames(2 * seed + 1, 6000), 2, "B");
    for (const ComparedFigure& figure : compare(a, b)) {
      if (!figure.interval) continue;
      ++asked;
      verdicts += figure.change == Change::not_certain ? 0 : 1;
    }
  }
  ASSERT_GT(asked, 3 * kPairs);
  EXPECT_LT(verdicts, asked / 10 + 2) << "of " << asked;  // 5 % is what 95 % means
}

TEST(Comparison, IsTheSameEveryTime) {
  const auto frames = test::random_frames(5, 5000), others = test::random_frames(6, 5000);
  const auto first = compare(run_of(frames, 1, "A"), run_of(others, 2, "B"));
  const auto again = compare(run_of(frames, 1, "A"), run_of(others, 2, "B"));
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].interval_text, again[i].interval_text);
    ASSERT_EQ(first[i].interval.has_value(), again[i].interval.has_value());
    if (first[i].interval) {
      EXPECT_EQ(first[i].interval->from, again[i].interval->from);
    }
  }
}

TEST(Comparison, NeverJudgesAMaximumNorTooFewFrames) {
  auto slow = test::random_frames(1, 4000);
  for (MadeFrame& frame : slow) frame.late += 900'000;
  const RunData a = run_of(test::random_frames(2, 4000), 1, "A");
  const auto figures = by_name(a, run_of(slow, 2, "B"));
  EXPECT_EQ(figures.at("late p50").change, Change::more);
  for (const char* const name : {"late max", "work max", "late p99.9"}) {
    EXPECT_EQ(figures.at(name).change, Change::not_certain) << name;
    EXPECT_FALSE(figures.at(name).interval) << name;
  }
  const RunData brief = run_of(std::vector<MadeFrame>(slow.begin(), slow.begin() + 1500), 2, "B");
  for (const ComparedFigure& figure : compare(a, brief))
    EXPECT_EQ(figure.change, Change::not_certain) << figure.name;
}

TEST(Comparison, DoesNotCallTheWidthOfABucketAChange) {
  const std::vector<MadeFrame> a(5000, {100'000, 20'000, "none"}), b(5000, {101'000, 20'000, "none"});
  EXPECT_EQ(by_name(run_of(a, 1, "A"), run_of(b, 2, "B")).at("late p50").change, Change::not_certain);
  const std::vector<MadeFrame> c(5000, {104'000, 20'000, "none"});
  EXPECT_EQ(by_name(run_of(a, 1, "A"), run_of(c, 2, "B")).at("late p50").change, Change::more);
}

TEST(Comparison, SeesOverrunsThatOneRunDoesNotHave) {
  std::vector<MadeFrame> some = test::random_frames(3, 20'000);
  for (std::size_t i = 50; i < some.size(); i += 400) some[i] = {0, 1'500'000, "computed"};
  const RunData a = run_of(test::random_frames(4, 20'000), 1, "A");
  EXPECT_EQ(by_name(a, run_of(some, 2, "B")).at("frames that overran").change, Change::more);
  std::vector<MadeFrame> one = test::random_frames(3, 20'000);
  one[777] = {0, 1'500'000, "computed"};
  EXPECT_EQ(by_name(a, run_of(one, 2, "B")).at("frames that overran").change, Change::not_certain);
}

TEST(BlockResampling, HasTheSpreadOfTheSampleMedian) {
  // Blocks of one frame each, half of them in bucket 10, half in 20, exactly: resamples go to either.
  BlockResampling resampling(1, 7);
  for (int i = 0; i < 1000; ++i) {
    resampling.add(0, i % 2 == 0 ? 10 : 20);
    resampling.end_block();
  }
  const auto found = resampling.quantile_buckets(0, 0.5);
  const auto low = std::count(found.begin(), found.end(), 10U);
  EXPECT_EQ(found.size(), BlockResampling::kResamples);
  EXPECT_GT(low, 120);
  EXPECT_LT(low, 280);
  const Interval shares = middle(resampling.shares_from(0, 20));
  EXPECT_NEAR(shares.from, 0.5 - 1.96 * 0.0158, 0.006);  // of a binomial distribution
  EXPECT_NEAR(shares.to, 0.5 + 1.96 * 0.0158, 0.006);
}

struct ConditionRow {
  const char* text;
  bool holds;
};

TEST(Condition, JudgesARun) {
  std::vector<MadeFrame> frames(1000, {1000, 20'000, "none"});
  for (int i = 0; i < 20; ++i) frames[static_cast<std::size_t>(i * 40)] = {50'000, 20'000, "timer_late"};
  frames[500] = {100, 1'200'000, "computed"};
  RunData run = run_of(frames, 1, "B");
  run.files.summary = config::Json::parse(
      R"({"jobs":[{"name":"motor.step","calls":1000,"time_ns":{"p50":500,"p99":900,"p99_99":1000,"max":1500}}],
          "rt":{"page_faults":2},"frames":{"run":1000},"exit_status":1,"recordings":[{"lost":3},{"lost":4}]})");
  const RunData base = run_of(std::vector<MadeFrame>(1000, {1000, 20'000, "none"}), 2, "A");
  const ConditionRow rows[] = {
      {"late.p50 > 900 ns", true},
      {"late.p50 > 1.1 us", false},
      {"late.max >= 50 us", true},
      {"late.max == 50us", true},
      {"late.p99 > 40 us", true},
      {"late.p97 > 40 us", false},
      {"slack.min < 0 ns", true},
      {"slack.p50 < 900 us", false},
      {"slack.min<-200us", true},
      {"overruns > 0", true},
      {"overruns > 1", false},
      {"overruns != 1", false},
      {"causes.computed >= 1", true},
      {"causes.timer_late == 20", true},
      {"causes.blocked > 0", false},
      {"jobs.motor.step.max > 1.4 us", true},
      {"jobs.motor.step.p99.99 <= 1 us", true},
      {"jobs.motor.step.calls == 1000", true},
      {"page_faults > 0", true},
      {"exit_status != 0", true},
      {"records_lost == 7", true},
      {"frames < 1000", false},
      {"late.p99 > 1.2 * baseline", true},
      {"late.p99 > baseline * 1.2", true},
      {"late.p50 > 1.2 * baseline", false},
      {"late.p50 > baseline", false},
      {"overruns > 0 * baseline", true},
      {"  late.mean   >   1.5us ", true},
      {"late.p99 > 40 us and overruns > 0", true},
      {"late.p99 > 40 us and not overruns > 0", false},
      {"overruns / frames > 5 %", false},
      {"max(late.p50, work.p50) > 1 s", false},
      {"late.p99 > baseline.late.p99 * 1.2 or overruns > 1", true},
  };
  for (const ConditionRow& row : rows)
    EXPECT_EQ(Condition::parse(row.text).judge(run, &base).holds, row.holds) << row.text;
}

TEST(Condition, SaysWhereItIsWrongAndWhatIsAllowed) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "character 1: an expression is expected"},
      {"late.p98x > 3 us", "character 1: there is no quantity 'late.p98x'; did you mean 'late.p9"},
      {"late > 3 us", "there is no quantity 'late'"},
      {"jobs.NAM.p97 > 3 us", "there is no quantity 'jobs.NAM.p97'; there are"},
      {"late.p100 > 3 us", "there is no quantity"},
      {"causes.none > 3", "there is no quantity"},
      {"jobs.p99 > 3 us", "there is no quantity"},
      {"late.p99", "character 1: here a condition is expected"},
      {"late.p99 3 us", "character 10: not understood from '3 us' on"},
      {"late.p99 => 3 us", "character 10: write >= for =>"},
      {"late.p99 >", "character 11: the expression ends here"},
      {"late.p99 > 5", "character 12: '5' has no unit; write for example '5 ns'"},
      {"late.p99 > 5 m", "'5 m' has the wrong dimension"},
      {"overruns > 5 ms", "'5 ms' has the wrong dimension"},
      {"late.p99 > 1.2 baseline", "the unit 'baseline' is not known"},
      {"late.p99 > x * baseline", "there is no quantity 'x'"},
      {"late.p99 > 1.2 * basline", "there is no quantity 'basline'"},
      {"1.2 * baseline > 5 us", "here is none; write baseline.late.p99"},
      {"late.p99 > 5 us for 3 s", "looks at several frames"},
  };
  for (const auto& [text, part] : rows) {
    try {
      (void)Condition::parse(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const ConditionError& error) {
      EXPECT_THAT(error.what(), HasSubstr(part)) << text;
      EXPECT_THAT(error.what(), HasSubstr("--fail-if")) << text;
    }
  }
}

TEST(Condition, IsNoWhereARunDoesNotHaveTheQuantity) {
  RunData none;
  none.name = "none";
  for (const char* const text :
       {"late.p99 > 3 us", "heap_calls > 0", "jobs.a.b.max > 1 us", "records_lost > 0", "overruns > 0"})
    EXPECT_THROW((void)Condition::parse(text).judge(none, nullptr), ConditionError) << text;
  const RunData run = run_of(test::random_frames(1, 500), 1, "A");
  EXPECT_THROW((void)Condition::parse("late.p99 > 1.2 * baseline").judge(run, nullptr), ConditionError);
}

std::string text_of(const std::vector<SettingDifference>& different) {
  std::string all;
  for (const SettingDifference& each : different) {
    all += each.key;
    for (const std::string& value : each.values) all += "|" + value;
    all += "\n";
  }
  return all;
}

TEST(Differences, NameSettingsAndHostOfAllRuns) {
  RunData a, b, c;
  a.files.summary =
      config::Json::parse(R"({"host":{"kernel":"Linux 6.1","cpus":4},"rt":{"policy":"SCHED_FIFO"}})");
  b.files.summary = c.files.summary =
      config::Json::parse(R"({"host":{"kernel":"Linux 6.6-rt","cpus":4},"rt":{"policy":"SCHED_FIFO"}})");
  a.files.settings = {{"frame.period", "1 ms"}, {"realtime.margin", "60 us"}, {"only.a", "1"}};
  b.files.settings = {{"frame.period", "1 ms"}, {"realtime.margin", "131 us"}, {"only.b", "2"}};
  c.files.settings = {{"frame.period", "1000 us"}, {"realtime.margin", "0.06 ms"}, {"only.a", "1"}};
  EXPECT_EQ(text_of(setting_differences({&a, &b, &c})),
            "only.a|1|\u2013|1\nonly.b|\u2013|2|\u2013\nrealtime.margin|60 us|131 us|0.06 ms\n");
  EXPECT_EQ(text_of(setting_differences({&a, &c})), "") << "the same quantities in other units";
  const auto facts = fact_differences({&a, &b, &c});
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].what, "kernel");
  EXPECT_EQ(facts[0].values, (std::vector<std::string>{"Linux 6.1", "Linux 6.6-rt", "Linux 6.6-rt"}));
}

/// What a section brings along that --set added, or that an earlier version did not write, is no difference.
TEST(Differences, DefaultsAreNone) {
  RunData without, with;
  without.files.settings = {{"rig", "r"}, {"models.m.model", "x"}};
  with.files.settings = {{"rig", "r"},
                         {"models.m.model", "x"},
                         {"flush_every", "0.2 s"},
                         {"realtime.sleep_timer", "yes"},
                         {"realtime.on_overrun", "skip"},
                         {"threads.main.priority", "80"},
                         {"threads.workers.w1.priority", "81"},
                         {"checkpoint.every", "off"},
                         {"record.extra.driver", "csv"},
                         {"record.extra.every", "2 ms"},
                         {"record.extra.on_change", "no"},
                         {"record.extra.separator", "comma"},
                         {"record.other.separator", "tab"},
                         {"models.m.parameters.gain", "2"}};
  EXPECT_EQ(text_of(setting_differences({&without, &with})),
            "models.m.parameters.gain|the model's own|2\nrealtime.on_overrun|\u2013|skip\n"
            "record.extra.every|\u2013|2 ms\nrecord.other.separator|\u2013|tab\n"
            "threads.workers.w1.priority|\u2013|81\n");
  EXPECT_EQ(text_of(setting_differences({&with, &with})), "");
  const RunData unknown;  // its rig.yaml could not be read
  EXPECT_EQ(text_of(setting_differences({&unknown, &with})), "");
}

TEST(Differences, NamesOfRunsSayThem) {
  RunData a;
  a.letter = "A";
  a.name = "folder";
  EXPECT_EQ(label_of(a, 0, {}), "A folder");
  EXPECT_EQ(label_of(a, 1, {{"models.m.parameters.gain", {"1", "2"}}, {"until", {"1 s", "2 s"}}}),
            "A, gain 2, until 2 s");
}

}  // namespace
}  // namespace tactus::report::comparison_test
