// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "executive/campaign/draw/distribution.hpp"
#include "executive/campaign/draw/normal.hpp"
#include "executive/campaign/draw/points.hpp"
#include "tests/support/process.hpp"

namespace tactus::campaign::draw_test {
namespace {

using Kind = Distribution::Kind;

TEST(NormalQuantile, IsThatOfThePublishedTablesAndInfiniteAtTheEnds) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-12);
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(normal_quantile(1), std::numeric_limits<double>::infinity());
}

/// The first points in seven dimensions of new-joe-kuo-6.21201, as Joe and Kuo's own program prints them.
TEST(SobolPoints, AreThoseOfThePublishedTable) {
  const double published[10][7] = {
      {0, 0, 0, 0, 0, 0, 0},
      {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5},
      {0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.25},
      {0.25, 0.75, 0.75, 0.75, 0.25, 0.25, 0.75},
      {0.375, 0.375, 0.625, 0.875, 0.375, 0.125, 0.375},
      {0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875},
      {0.625, 0.125, 0.875, 0.625, 0.625, 0.875, 0.125},
      {0.125, 0.625, 0.375, 0.125, 0.125, 0.375, 0.625},
      {0.1875, 0.3125, 0.9375, 0.4375, 0.5625, 0.3125, 0.4375},
      {0.6875, 0.8125, 0.4375, 0.9375, 0.0625, 0.8125, 0.9375},
  };
  const SobolPoints points(0, 7, false);
  for (std::int64_t draw = 0; draw < 10; ++draw)
    for (std::uint32_t variable = 0; variable < 7; ++variable)
      EXPECT_EQ(points.bits(draw, variable), published[draw][variable] * 0x1p32) << draw << ", " << variable;
}

TEST(SobolPoints, AreThoseOfScipyWhereItIs) {
  const std::string program =
      "import warnings; warnings.simplefilter('ignore')\n"
      "from scipy.stats import qmc\n"
      "for row in qmc.Sobol(40, scramble=False, bits=30).random(300):\n"
      "  print(*[int(x * 2 ** 30) for x in row])\n";
  const tactus::test::Finished scipy = tactus::test::run({.argv = {"python3", "-c", program}});
  if (scipy.status != 0) GTEST_SKIP() << "python3 has no scipy here";
  std::istringstream lines(scipy.out);
  const SobolPoints points(0, 40, false);
  for (std::int64_t draw = 0; draw < 300; ++draw)
    for (std::uint32_t variable = 0; variable < 40; ++variable) {
      std::uint32_t theirs = 0;
      ASSERT_TRUE(lines >> theirs);
      ASSERT_EQ(points.bits(draw, variable) >> 2U, theirs) << draw << ", " << variable;
    }
}

/// Owen's scrambling keeps what makes the points even: 2^m of them have one in each of 2^m equal parts.
TEST(SobolPoints, AreAsEvenScrambledAsNot) {
  for (const std::uint64_t seed : {0U, 1U, 2026U}) {
    const SobolPoints points(seed, 5, true);
    for (std::uint32_t variable = 0; variable < 5; ++variable) {
      std::set<int> parts;
      for (std::int64_t draw = 0; draw < 256; ++draw)
        parts.insert(static_cast<int>(points.share(draw, variable) * 256));
      EXPECT_EQ(parts.size(), 256U) << seed << ", " << variable;
    }
    std::set<std::pair<int, int>> cells;  // and two keys together: 16 x 16
    for (std::int64_t draw = 0; draw < 256; ++draw)
      cells.insert(
          {static_cast<int>(points.share(draw, 0) * 16), static_cast<int>(points.share(draw, 1) * 16)});
    EXPECT_EQ(cells.size(), 256U) << seed;
  }
  EXPECT_NE(SobolPoints(1, 1, true).share(0, 0), SobolPoints(2, 1, true).share(0, 0));
}

TEST(SobolPoints, HaveNoShareThatIsAnEnd) {
  const SobolPoints plain(0, 2, false);
  EXPECT_GT(plain.share(0, 0), 0);
  EXPECT_LT(plain.share((std::int64_t{1} << 32) - 1, 1), 1);
  const SobolPoints many(3, SobolPoints::kMostVariables, true);
  EXPECT_GT(many.share(5, SobolPoints::kMostVariables - 1), 0);
}

TEST(HypercubePoints, HaveOneInEachStratum) {
  for (const std::int64_t count : {1, 2, 3, 7, 16, 17, 500, 4097}) {
    const HypercubePoints points(42, count);
    for (std::uint32_t variable = 0; variable < 3; ++variable) {
      std::set<std::int64_t> strata, of_shares;
      for (std::int64_t draw = 0; draw < count; ++draw) {
        strata.insert(points.stratum(draw, variable));
        of_shares.insert(
            static_cast<std::int64_t>(points.share(draw, variable) * static_cast<double>(count)));
      }
      EXPECT_EQ(strata.size(), static_cast<std::size_t>(count));
      EXPECT_EQ(of_shares, strata);
      EXPECT_EQ(*strata.rbegin(), count - 1);
    }
  }
}

TEST(HypercubePoints, HaveKeysThatDoNotFollowEachOther) {
  const std::int64_t count = 1000;
  const HypercubePoints points(1, count);
  double sum = 0;
  for (std::int64_t draw = 0; draw < count; ++draw)
    sum += (points.share(draw, 0) - 0.5) * (points.share(draw, 1) - 0.5);
  EXPECT_LT(std::abs(sum / static_cast<double>(count) * 12),
            0.13);  // four standard deviations of a correlation
}

TEST(Points, AreTheSameInAnyOrder) {
  const IndependentPoints independent(7);
  const HypercubePoints hypercube(7, 1'000'000'000);
  const SobolPoints sobol(7, 3, true);
  std::vector<double> forwards, backwards;
  for (int draw = 0; draw < 200; ++draw)
    for (const double share : {independent.share(draw, 2), hypercube.share(draw, 2), sobol.share(draw, 2)})
      forwards.push_back(share);
  for (int draw = 199; draw >= 0; --draw)
    for (const double share :
         {SobolPoints(7, 3, true).share(draw, 2), hypercube.share(draw, 2), independent.share(draw, 2)})
      backwards.insert(backwards.begin(), share);
  EXPECT_EQ(forwards, backwards);
}

/// The counter is (draw, variable), the key is the seed: published numbers of Philox 4x32-10 are checked where it is.
TEST(IndependentPoints, DependOnSeedDrawAndVariable) {
  std::set<double> all;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::int64_t draw = 0; draw < 100; ++draw)
      for (std::uint32_t variable = 0; variable < 10; ++variable)
        all.insert(IndependentPoints(seed).share(draw, variable));
  EXPECT_EQ(all.size(), 10'000U);
}

struct Moments {
  double mean = 0, deviation = 0, least = std::numeric_limits<double>::infinity(), most = -least;
};

/// The moments of what the middles of many equal shares give: those of the distribution, nearly.
Moments moments_of(const Distribution& distribution) {
  constexpr int kShares = 100'000;
  Moments result;
  double squares = 0;
  for (int i = 0; i < kShares; ++i) {
    const double value = distribution.quantile((i + 0.5) / kShares);
    result.mean += value / kShares;
    squares += value * value / kShares;
    result.least = std::min(result.least, value);
    result.most = std::max(result.most, value);
  }
  result.deviation = std::sqrt(squares - result.mean * result.mean);
  return result;
}

Distribution made(Kind kind, double a, double b, double c = 0) {
  Distribution result;
  result.kind = kind;
  result.a = a;
  result.b = b;
  result.c = c;
  return result;
}

TEST(Distribution, HasTheMomentsOfItsFormula) {
  const double e = std::exp(1.0);
  const struct {
    const char* name;
    Distribution distribution;
    double mean, deviation;
  } rows[] = {
      {"uniform", made(Kind::uniform, 2, 8), 5, 6 / std::sqrt(12.0)},
      {"log_uniform", made(Kind::log_uniform, 1, e), e - 1, std::sqrt((e * e - 1) / 2 - (e - 1) * (e - 1))},
      {"normal", made(Kind::normal, -3, 2), -3, 2},
      {"lognormal", made(Kind::lognormal, 2, 0.3), 2 * std::exp(0.045),
       2 * std::exp(0.045) * std::sqrt(std::exp(0.09) - 1)},
      {"triangular", made(Kind::triangular, 1, 7, 4), 4, std::sqrt((1 + 49 + 16 - 7 - 4 - 28) / 18.0)},
      {"one side", made(Kind::triangular, 0, 1, 0), 1 / 3.0, std::sqrt(1 / 18.0)},
  };
  for (const auto& row : rows) {
    const Moments moments = moments_of(row.distribution);
    EXPECT_NEAR(moments.mean, row.mean, 2e-4 * row.deviation) << row.name;
    EXPECT_NEAR(moments.deviation, row.deviation, 2e-3 * row.deviation) << row.name;
  }
}

TEST(Distribution, StaysWithinItsBoundsAsATruncatedOne) {
  Distribution normal = made(Kind::normal, 0, 1);
  normal.low = -1;
  normal.high = 1;
  const Moments moments = moments_of(normal);
  EXPECT_NEAR(moments.mean, 0, 1e-9);
  // The variance of a normal one cut at one deviation: 1 - 2 phi(1) / (Phi(1) - Phi(-1)).
  const double share = std::erf(1 / std::sqrt(2.0));
  EXPECT_NEAR(moments.deviation, std::sqrt(1 - 2 * std::exp(-0.5) / std::sqrt(2 * std::acos(-1.0)) / share),
              1e-6);
  EXPECT_GE(moments.least, -1);
  EXPECT_LE(moments.most, 1);
  normal.low = 3;  // far from the middle, and open to one side
  normal.high = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(moments_of(normal).mean, 3.2831, 1e-3);
}

TEST(Distribution, TakesWeightsInTheirShares) {
  Distribution weights;
  weights.kind = Kind::weights;
  weights.weights = {1, 3, 4};
  std::vector<int> counts(3);
  for (int i = 0; i < 800; ++i) ++counts[static_cast<std::size_t>(weights.quantile((i + 0.5) / 800))];
  EXPECT_EQ(counts, (std::vector<int>{100, 300, 400}));
}

TEST(Distribution, KnowsTheShareBelowWhatItDraws) {
  for (const Distribution& each :
       {made(Kind::uniform, 2, 8), made(Kind::log_uniform, 1, 5), made(Kind::normal, 1, 3),
        made(Kind::lognormal, 2, 0.3), made(Kind::triangular, 0, 5, 1)})
    for (const double share : {0.01, 0.2, 0.5, 0.77, 0.99})
      EXPECT_NEAR(each.below(each.quantile(share)), share, 1e-9);
}

}  // namespace
}  // namespace tactus::campaign::draw_test
