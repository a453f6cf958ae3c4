// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "executive/campaign/statistics/until_sure.hpp"

namespace tactus::campaign {

/// The draws of a campaign, counted one by one in their order until their pass rate is sure, in whatever order their cases
/// end: it is enough at the draw at which one at a time would have been enough, so the coverage is that of UntilSure.
/// A draw passes if all of its cases do, and fails if one does; one that cannot be judged does not count.
///
/// Threads  one owner. Memory: draws that have a result, and of which an earlier one has none.
class SureDraws {
 public:
  /// The judgement of a case.
  enum class Judged {
    pass,
    fail,
    not_judged,  ///< it was inconclusive, untested or an error
    left_out,    ///< it is not run, or does not have the expectation
  };

  /// `expectation`: the one that judges; empty: the verdict of the case. `cases_a_draw` from 1 on; the other bounds are
  /// those of UntilSure.                                                                         @when service
  SureDraws(double confidence, double half_width, std::string expectation, std::int64_t cases_a_draw)
      : rule_(confidence, half_width),
        confidence_(confidence),
        half_width_(half_width),
        expectation_(std::move(expectation)),
        cases_a_draw_(cases_a_draw) {}

  /// Takes the result of a case, by its number. A second one of the same case must not follow.   @when service
  void take(std::int64_t number, Judged judged);
  /// Returns true once no further draw is needed.
  bool enough() const { return enough_; }
  /// Draws that count, those of them that passed, and those that ran beside the last one and do not count.
  const SureEnd& counted() const { return counted_; }
  Interval interval() const { return rule_.interval(counted_.passed, counted_.of); }
  const UntilSure& rule() const { return rule_; }
  double confidence() const { return confidence_; }
  double half_width() const { return half_width_; }
  const std::string& expectation() const { return expectation_; }

  /// Reads the verdict of a case or an expectation: pass, fail, or any other word.
  static Judged judged(const std::string& verdict) {
    return verdict == "pass" ? Judged::pass : verdict == "fail" ? Judged::fail : Judged::not_judged;
  }

 private:
  struct Draw {
    std::int64_t cases = 0, passed = 0, failed = 0, left_out = 0;
  };
  void count(const Draw& draw);

  UntilSure rule_;
  double confidence_, half_width_;
  std::string expectation_;
  std::int64_t cases_a_draw_, next_ = 0;
  std::map<std::int64_t, Draw> draws_;
  SureEnd counted_;
  bool enough_ = false;
};

}  // namespace tactus::campaign
