// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus::campaign {

/// Verdict of a case on one expectation, in one campaign.
struct CaseVerdict {
  std::string key;  ///< name of the case: test and values drawn; the same in both campaigns
  std::string expectation;
  std::string verdict;  ///< pass, note, untested, inconclusive, fail, error
  double margin = 0;    ///< NaN: it has none
};

/// A case whose verdict or margin is another one.
struct Change {
  enum class Kind { worse_verdict, less_margin, better_verdict, more_margin };  ///< the worst first
  std::string key, expectation;
  std::string before, after;  ///< verdicts
  double margin_before = 0, margin_after = 0;
  Kind kind = Kind::worse_verdict;
};

struct CampaignComparison {
  std::vector<Change>
      changes;  ///< changes for the worse first: worse verdicts by margin, then margins by their loss
  std::size_t same = 0;                         ///< neither verdict nor margin differ
  std::size_t only_before = 0, only_after = 0;  ///< cases of one campaign alone
  std::int64_t worse = 0, better = 0;           ///< verdicts that became so
  /// Probability that as uneven a split of the changed verdicts comes by chance: McNemar's exact test, two-sided.
  /// Source: Q. McNemar, Psychometrika 12 (1947) 153; the exact binomial form. 1 where nothing changed.
  double chance = 1;
};

/// Compares two campaigns case by case. `least`: a change of a margin below this share of the greater one is none.
CampaignComparison compare(const std::vector<CaseVerdict>& before, const std::vector<CaseVerdict>& after,
                           double least = 1e-9);

}  // namespace tactus::campaign
