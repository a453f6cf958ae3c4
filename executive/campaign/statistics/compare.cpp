// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/statistics/compare.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <utility>

namespace tactus::campaign {
namespace {

/// Worse verdicts have greater numbers.
int rank_of(const std::string& verdict) {
  static const std::vector<std::string> kFromBest{"pass",         "note", "warn", "untested",
                                                  "inconclusive", "fail", "error"};
  const auto at = std::ranges::find(kFromBest, verdict);
  return static_cast<int>(at - kFromBest.begin());
}

double loss(const Change& change) {
  const double lost = change.margin_before - change.margin_after;
  return std::isnan(lost) ? 0 : lost;
}

}  // namespace

CampaignComparison compare(const std::vector<CaseVerdict>& before, const std::vector<CaseVerdict>& after,
                           double least) {
  CampaignComparison result;
  std::map<std::pair<std::string, std::string>, const CaseVerdict*> earlier;
  for (const CaseVerdict& each : before) earlier[{each.key, each.expectation}] = &each;
  result.only_before = earlier.size();
  for (const CaseVerdict& now : after) {
    const auto found = earlier.find({now.key, now.expectation});
    if (found == earlier.end()) {
      ++result.only_after;
      continue;
    }
    --result.only_before;
    const CaseVerdict& then = *found->second;
    Change change{now.key, now.expectation, then.verdict, now.verdict, then.margin, now.margin};
    const int step = rank_of(now.verdict) - rank_of(then.verdict);
    const double difference = now.margin - then.margin;
    const bool same_margin =
        std::isnan(difference) ||
        std::abs(difference) <= least * std::max(std::abs(now.margin), std::abs(then.margin));
    if (step == 0 && same_margin) {
      ++result.same;
      continue;
    }
    if (step != 0) {
      change.kind = step > 0 ? Change::Kind::worse_verdict : Change::Kind::better_verdict;
      ++(step > 0 ? result.worse : result.better);
    } else {
      change.kind = difference < 0 ? Change::Kind::less_margin : Change::Kind::more_margin;
    }
    result.changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(result.changes, [](const Change& a, const Change& b) {
    return a.kind != b.kind ? a.kind < b.kind : loss(a) > loss(b);
  });
  if (const std::int64_t changed = result.worse + result.better; changed > 0) {
    const boost::math::binomial_distribution<double> fair(static_cast<double>(changed), 0.5);
    result.chance =
        std::min(1.0, 2 * boost::math::cdf(fair, static_cast<double>(std::min(result.worse, result.better))));
  }
  return result;
}

}  // namespace tactus::campaign
