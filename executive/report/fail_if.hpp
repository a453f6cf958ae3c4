// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <stdexcept>
#include <string>

#include "executive/report/quantity.hpp"

namespace tactus::report {

/// A condition is wrong: where and what is allowed.
class ConditionError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// A condition under which a run fails:
///
///     late.p99 > 50 us          overruns > 0          late.p99 > 1.2 * baseline
class Condition {
 public:
  /// Throws ConditionError.                                                                    @when setup
  static Condition parse(const std::string& text);

  const std::string& text() const { return text_; }
  const Quantity& quantity() const { return quantity_; }

  struct Judged {
    bool holds = false;
    std::string sentence;  ///< "late.p99 > 1.2 * baseline: 12.3 us against 9.1 us"
  };
  /// Throws ConditionError: a run does not have the quantity, or there is no baseline.      @when service
  Judged judge(const RunData& run, const RunData* baseline) const;

 private:
  enum class Compare { above, at_least, below, at_most, equal, other };

  std::string text_;
  Quantity quantity_;
  Compare compare_ = Compare::above;
  double value_ = 0;
  std::optional<double> factor_;  ///< factor of the baseline's value
};

}  // namespace tactus::report
