// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "executive/campaign/statistics/compare.hpp"
#include "executive/campaign/statistics/order.hpp"
#include "executive/campaign/statistics/pass_rate.hpp"
#include "executive/campaign/statistics/search.hpp"
#include "executive/campaign/statistics/until_sure.hpp"
#include "executive/model/counter_random.hpp"

namespace tactus::campaign::statistics_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One set at a time.
Minimum minimise(std::size_t count, const std::function<bool(const std::vector<std::size_t>&)>& fails) {
  return minimise_many(count, 1, [&](const std::vector<std::vector<std::size_t>>& sets) {
    std::vector<bool> all;
    for (const std::vector<std::size_t>& set : sets) all.push_back(fails(set));
    return all;
  });
}

TEST(Wilson, IsItsFormulaAndTheRuleOfThree) {
  EXPECT_NEAR(two_sided_z(0.95), 1.959963984540054, 1e-12);
  const Interval eight = wilson(8, 10);  // Newcombe's example: 0.4902, 0.9433
  EXPECT_NEAR(eight.low, 0.490162, 1e-5);
  EXPECT_NEAR(eight.high, 0.943317, 1e-5);
  const Interval none = wilson(0, 59);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.0611, 1e-4);  // z^2 / (n + z^2)
  EXPECT_EQ(wilson(59, 59).high, 1);
  EXPECT_EQ(wilson(0, 0).low, 0);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

TEST(PassRates, HaveAnIntervalOfIndependentDrawsAlone) {
  EXPECT_TRUE(pass_rate(9, 10, Method::monte_carlo).has_interval);
  for (const Method method : {Method::matrix, Method::sobol, Method::latin_hypercube, Method::list}) {
    const PassRate rate = pass_rate(9, 10, method);
    EXPECT_FALSE(rate.has_interval);
    EXPECT_EQ(rate.rate, 0.9);
    EXPECT_FALSE(rate.why_none.empty());
  }
  EXPECT_THAT(pass_rate(0, 0, Method::monte_carlo).why_none, HasSubstr("no case"));
}

TEST(Quantiles, HaveOrderStatisticsAsBounds) {
  std::vector<double> values;
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  const Quantile median = quantile(values, 0.5);
  EXPECT_EQ(median.value, 50);
  EXPECT_EQ(median.low, 40);  // the table for n = 100: 40 and 61, 96.48 %
  EXPECT_EQ(median.high, 61);
  EXPECT_NEAR(median.confidence, 0.9648, 1e-4);
  values.resize(5);
  const Quantile few = quantile(values, 0.95);
  EXPECT_EQ(few.value, 5);
  EXPECT_FALSE(few.high);  // five values say nothing of what is above 95 %
  EXPECT_EQ(quantile({7}, 0.5).value, 7);
}

/// Coverage of the bounds by counting: uniform draws, whose quantile is known.
TEST(Quantiles, CoverWhatTheySay) {
  const executive::CounterRandom random(11);
  int covered = 0;
  constexpr int kTrials = 2000;
  double promised = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values;
    for (std::uint32_t i = 0; i < 60; ++i) values.push_back(random.uniform(trial, i));
    std::sort(values.begin(), values.end());
    const Quantile tenth = quantile(values, 0.1);
    covered += (!tenth.low || *tenth.low <= 0.1) && (!tenth.high || 0.1 <= *tenth.high) ? 1 : 0;
    promised = tenth.confidence;
  }
  EXPECT_GE(promised, 0.95);
  EXPECT_NEAR(covered / double{kTrials}, promised, 4 * std::sqrt(promised * (1 - promised) / kTrials));
}

TEST(RankCorrelation, IsSpearmansWithTies) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> cubes, fall;
  for (const double each : x) {
    cubes.push_back(each * each * each);
    fall.push_back(-each);
  }
  EXPECT_DOUBLE_EQ(rank_correlation(x, cubes)->rank, 1);
  EXPECT_DOUBLE_EQ(rank_correlation(x, fall)->rank, -1);
  EXPECT_GT(rank_correlation(x, cubes)->interval.low, 0);
  // 1 - 6 sum d^2 / (n (n^2 - 1)) without ties: d = 1 1 1 1 1 1 1 1.
  EXPECT_NEAR(rank_correlation(x, {2, 1, 4, 3, 6, 5, 8, 7})->rank, 1 - 48.0 / 504, 1e-12);
  EXPECT_NEAR(rank_correlation({1, 2, 2, 3, 5}, {1, 3, 3, 2, 5})->rank, 6.5 / 9.5, 1e-12);
  EXPECT_FALSE(rank_correlation(x, {1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(rank_correlation({1, 2, 3}, {1, 2, 3}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(rank_correlation({1, 2, nan, 4, 5, 6}, {1, 2, 3, 4, nan, 6})->pairs, 4);
}

TEST(RankCorrelation, IsSeldomCertainOfNothing) {
  const executive::CounterRandom random(5);
  int certain = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> x, y;
    for (std::uint32_t i = 0; i < 40; ++i) {
      x.push_back(random.uniform(trial, 2 * i));
      y.push_back(random.uniform(trial, 2 * i + 1));
    }
    const Interval interval = rank_correlation(x, y)->interval;
    certain += interval.low > 0 || interval.high < 0 ? 1 : 0;
  }
  EXPECT_NEAR(certain / double{kTrials}, 0.05, 0.03);
}

/// The whole procedure, as it would be run: draw, ask, end, and see whether the interval holds the truth.
TEST(UntilSure, CoversThePassRateAlthoughItChoosesItsEnd) {
  const UntilSure sure(0.95, 0.05);
  EXPECT_GT(sure.inner_confidence(), 0.95);
  EXPECT_GE(sure.coverage(), 0.95);
  EXPECT_LT(sure.most_cases(), 500);  // 384 without any correction
  const executive::CounterRandom random(2026);
  std::int64_t stream = 0;
  for (const double rate : {0.02, 0.1, 0.5, 0.8, 0.97}) {
    int covered = 0;
    constexpr int kTrials = 2000;
    for (int trial = 0; trial < kTrials; ++trial, ++stream) {
      std::int64_t passed = 0, of = 0;
      while (!sure.enough(passed, of)) {
        passed += random.uniform(stream, static_cast<std::uint32_t>(of)) < rate ? 1 : 0;
        ++of;
      }
      ASSERT_LE(of, sure.most_cases());
      const Interval interval = sure.interval(passed, of);
      EXPECT_LE(interval.high - interval.low, 2 * 0.05 + 1e-12);
      covered += interval.low <= rate && rate <= interval.high ? 1 : 0;
    }
    EXPECT_GE(covered / double{kTrials}, 0.95 - 4 * std::sqrt(0.95 * 0.05 / kTrials)) << rate;
  }
}

TEST(UntilSure, NeedsFewCasesWhereNearlyAllPass) {
  const UntilSure sure(0.95, 0.05);
  std::int64_t all_pass = 0;
  while (!sure.enough(all_pass, all_pass)) ++all_pass;
  EXPECT_LT(all_pass, 80);
  EXPECT_FALSE(sure.enough(0, 0));
}

TEST(Comparison, PutsWhatGotWorseFirst) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<CaseVerdict> before{{"a", "follows", "pass", 0.4}, {"b", "follows", "pass", 0.3},
                                        {"c", "follows", "fail", -1},  {"d", "follows", "pass", 0.2},
                                        {"e", "ends", "pass", nan},    {"gone", "follows", "pass", 1}};
  const std::vector<CaseVerdict> after{{"d", "follows", "pass", 0.2},  {"c", "follows", "pass", 0.1},
                                       {"b", "follows", "fail", -0.2}, {"a", "follows", "pass", 0.1},
                                       {"e", "ends", "pass", nan},     {"new", "follows", "pass", 1}};
  const CampaignComparison result = compare(before, after);
  ASSERT_EQ(result.changes.size(), 3U);
  EXPECT_EQ(result.changes[0].key, "b");
  EXPECT_EQ(result.changes[0].kind, Change::Kind::worse_verdict);
  EXPECT_EQ(result.changes[1].key, "a");
  EXPECT_EQ(result.changes[1].kind, Change::Kind::less_margin);
  EXPECT_EQ(result.changes[2].kind, Change::Kind::better_verdict);
  EXPECT_EQ(result.same, 2U);
  EXPECT_EQ(result.only_before, 1U);
  EXPECT_EQ(result.only_after, 1U);
  EXPECT_EQ(result.chance, 1);  // one to one
}

TEST(Comparison, SaysHowLikelyChanceAloneDidIt) {
  std::vector<CaseVerdict> before, after;
  for (int i = 0; i < 10; ++i) {
    before.push_back({std::to_string(i), "x", "pass", 1});
    after.push_back({std::to_string(i), "x", i < 6 ? "fail" : "pass", 1});
  }
  EXPECT_NEAR(compare(before, after).chance, 2 / 64.0, 1e-12);  // six of six changed in one direction
}

TEST(Bisection, NarrowsTheBorderInEitherDirection) {
  for (const bool rising : {false, true}) {
    const Bisection found = bisect({.low = 0, .high = 10, .tolerance = 0.01},
                                   [&](double value, std::int64_t) { return (value > 3.7) == rising; });
    EXPECT_EQ(found.end, Bisection::End::narrow);
    EXPECT_LE(found.low, 3.7);
    EXPECT_GE(found.high, 3.7);
    EXPECT_LE(found.high - found.low, 0.01);
    EXPECT_EQ(found.low_passes, !rising);
    EXPECT_EQ(found.probes.size(), 12U);  // both ends, and ten halvings
  }
}

TEST(Bisection, SaysWhereBothEndsAreAlike) {
  const Bisection found = bisect({.low = 0, .high = 1}, [](double, std::int64_t) { return true; });
  EXPECT_EQ(found.end, Bisection::End::one_sided);
  EXPECT_EQ(found.probes.size(), 2U);
}

/// One run in five tells the opposite: plain halving would go astray in most searches.
TEST(Bisection, RepeatsWhatIsNoisy) {
  const executive::CounterRandom random(3);
  int good = 0;
  constexpr int kSearches = 100;
  for (int search = 0; search < kSearches; ++search) {
    std::uint32_t runs = 0;
    const Bisection found = bisect({.low = 0, .high = 1, .tolerance = 0.01, .noisy = true, .most_runs = 200},
                                   [&](double value, std::int64_t) {
                                     return (value < 0.613) == (random.uniform(search, runs++) < 0.8);
                                   });
    good += found.low <= 0.613 && 0.613 <= found.high && found.high - found.low <= 0.01 ? 1 : 0;
  }
  EXPECT_GE(good, 93);
}

TEST(Bisection, EndsWhereNothingCanBeTold) {
  const executive::CounterRandom random(4);
  std::uint32_t runs = 0;
  const Bisection found =
      bisect({.low = 0, .high = 1, .noisy = true, .most_runs = 40}, [&](double value, std::int64_t) {
        return value == 0 || (value < 1 && random.uniform(0, runs++) < 0.5);
      });
  EXPECT_EQ(found.end, Bisection::End::undecided);
  EXPECT_EQ(found.low, 0.5);
}

TEST(Minimise, FindsThePairThatFailsTogether) {
  const auto fails = [](const std::vector<std::size_t>& set) {
    const std::set<std::size_t> all(set.begin(), set.end());
    return all.count(3) > 0 && all.count(12) > 0;
  };
  const Minimum found = minimise(16, fails);
  EXPECT_TRUE(found.fails_at_all);
  EXPECT_THAT(found.set, ElementsAre(3, 12));
  EXPECT_LT(found.runs, 60U);
}

TEST(Minimise, KnowsWhatFailsAlwaysAndNever) {
  EXPECT_FALSE(minimise(5, [](const auto&) { return false; }).fails_at_all);
  const Minimum always = minimise(5, [](const auto&) { return true; });
  EXPECT_TRUE(always.fails_at_all);
  EXPECT_TRUE(always.set.empty());
  EXPECT_THAT(minimise(1, [](const auto& set) { return !set.empty(); }).set, ElementsAre(0));
}

/// What it finds is 1-minimal, whatever makes a set fail: no one of it can be left out.
TEST(Minimise, LeavesNothingOutThatCouldBe) {
  const executive::CounterRandom random(9);
  for (int trial = 0; trial < 50; ++trial) {
    std::set<std::size_t> needed;
    for (std::uint32_t i = 0; i < 3; ++i) needed.insert(random.bits(trial, i)[0] % 11);
    const auto fails = [&](const std::vector<std::size_t>& set) {
      return std::all_of(needed.begin(), needed.end(), [&](std::size_t each) {
        return std::find(set.begin(), set.end(), each) != set.end();
      });
    };
    const Minimum found = minimise(11, fails);
    EXPECT_EQ(std::set<std::size_t>(found.set.begin(), found.set.end()), needed);
  }
}

TEST(Bisection, CutsARangeIntoAsManyPartsAsRunSideBySide) {
  for (const std::size_t width : {1U, 2U, 7U, 64U})
    for (const double border : {0.001, 3.7, 9.995}) {
      std::size_t rounds = 0, most = 0;
      const Bisection found = bisect_many({.low = 0, .high = 10, .tolerance = 0.01, .at_a_time = width},
                                          [&](const std::vector<double>& values) {
                                            ++rounds;
                                            most = std::max(most, values.size());
                                            std::vector<bool> passed;
                                            for (const double each : values) passed.push_back(each < border);
                                            return passed;
                                          });
      EXPECT_EQ(found.end, Bisection::End::narrow);
      EXPECT_LE(found.low, border);
      EXPECT_GE(found.high, border);
      EXPECT_LE(found.high - found.low, 0.01 + 1e-12);
      EXPECT_LE(most, std::max<std::size_t>(width, 2));
      const double cuts = std::ceil(std::log(1000) / std::log(static_cast<double>(width) + 1) - 1e-9);
      EXPECT_LE(static_cast<double>(rounds), cuts + 2) << width;  // and the ends
    }
}

TEST(Bisection, SideBySideSaysWhereBothEndsAreAlike) {
  const Bisection found = bisect_many({.low = 0, .high = 1, .at_a_time = 4}, [](const auto& values) {
    return std::vector<bool>(values.size(), false);
  });
  EXPECT_EQ(found.end, Bisection::End::one_sided);
  EXPECT_EQ(found.probes.size(), 2U);
}

/// The set is that which one at a time finds, also where several sets fail.
TEST(Minimise, FindsTheSameSetSideBySide) {
  const executive::CounterRandom random(10);
  using Set = std::vector<std::size_t>;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<std::set<std::size_t>> needed(2);
    std::uint32_t drawn = 0;
    for (auto& each : needed)
      for (int i = 0; i < 3; ++i) each.insert(random.bits(trial, drawn++)[0] % 13);
    const auto fails = [&](const Set& set) {
      return std::any_of(needed.begin(), needed.end(), [&](const std::set<std::size_t>& all) {
        return std::includes(set.begin(), set.end(), all.begin(), all.end());
      });
    };
    const Minimum alone = minimise(13, fails);
    for (const std::size_t width : {2U, 3U, 8U, 100U}) {
      std::set<Set> ran;
      const Minimum found = minimise_many(13, width, [&](const std::vector<Set>& sets) {
        EXPECT_LE(sets.size(), width);
        std::vector<bool> failed;
        for (const Set& set : sets) {
          EXPECT_TRUE(ran.insert(set).second) << "no set is run twice";
          failed.push_back(fails(set));
        }
        return failed;
      });
      EXPECT_EQ(found.set, alone.set);
      EXPECT_EQ(found.runs, ran.size());
    }
  }
}

/// Draws of a batch end in any order, and count in their own: the end is that of one at a time, draw by draw.
TEST(UntilSure, EndsInABatchWhereOneAtATimeEnds) {
  const UntilSure sure(0.9, 0.1);
  const executive::CounterRandom random(77);
  for (const double rate : {0.03, 0.5, 0.9})
    for (std::int64_t stream = 0; stream < 40; ++stream) {
      const auto passes = [&](std::int64_t draw) {
        return draw % 7 == 3 ? -1 : random.uniform(stream, static_cast<std::uint32_t>(draw)) < rate ? 1 : 0;
      };
      const auto run = [&](std::int64_t at_a_time) {
        return draw_until_sure(sure, 10'000, at_a_time, [&](std::int64_t first, std::int64_t count) {
          EXPECT_LE(count, at_a_time);
          std::vector<int> all;
          for (std::int64_t draw = first; draw < first + count; ++draw) all.push_back(passes(draw));
          return all;
        });
      };
      const SureEnd alone = run(1);
      EXPECT_TRUE(sure.enough(alone.passed, alone.of));
      EXPECT_EQ(alone.left_out, 0);
      for (const std::int64_t width : {2, 5, 64}) {
        const SureEnd many = run(width);
        EXPECT_EQ(many.of, alone.of);
        EXPECT_EQ(many.passed, alone.passed);
        EXPECT_LT(many.left_out, width);
      }
    }
  const SureEnd short_of = draw_until_sure(sure, 5, 8, [](std::int64_t, std::int64_t count) {
    return std::vector<int>(static_cast<std::size_t>(count), 1);
  });
  EXPECT_EQ(short_of.of, 5);
}

/// The share of procedures whose interval holds the truth, in batches of many sizes.
void cover(double confidence, double half_width, std::initializer_list<double> rates, int trials) {
  const UntilSure sure(confidence, half_width);
  const executive::CounterRandom random(2027);
  std::int64_t stream = 0;
  for (const double rate : rates)
    for (const std::int64_t width : {2, 16, 100}) {
      int covered = 0;
      for (int trial = 0; trial < trials; ++trial, ++stream) {
        const SureEnd end =
            draw_until_sure(sure, 1'000'000, width, [&](std::int64_t first, std::int64_t count) {
              std::vector<int> all;
              for (std::int64_t draw = first; draw < first + count; ++draw)
                all.push_back(random.uniform(stream, static_cast<std::uint32_t>(draw)) < rate ? 1 : 0);
              return all;
            });
        const Interval interval = sure.interval(end.passed, end.of);
        covered += interval.low <= rate && rate <= interval.high ? 1 : 0;
      }
      const double share = covered / static_cast<double>(trials);
      EXPECT_GE(share, confidence - 4 * std::sqrt(confidence * (1 - confidence) / trials))
          << rate << ", batches of " << width;
    }
}

TEST(UntilSure, CoversThePassRateInBatches) { cover(0.95, 0.1, {0.05, 0.5, 0.9}, 300); }
TEST(UntilSureNightly, CoversThePassRateInBatches) {
  cover(0.95, 0.05, {0.01, 0.05, 0.2, 0.5, 0.77, 0.9, 0.97, 0.995}, 4000);
  cover(0.99, 0.1, {0.02, 0.5, 0.93}, 20'000);
}

}  // namespace
}  // namespace tactus::campaign::statistics_test
