// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/expression_program.hpp"
#include "executive/report/quantity.hpp"

namespace tactus::report {

/// A condition is wrong: where and what is allowed.
class ConditionError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// A condition under which a run fails: an expression (docs/expressions.md) over quantities of the run, and of another
/// one, the baseline.
///
///     late.p99 > 50 us          overruns > 0 and causes.throttled == 0          late.p99 > 1.2 * baseline
class Condition {
 public:
  /// Throws ConditionError.                                                                    @when setup
  static Condition parse(const std::string& text);

  const std::string& text() const { return text_; }

  struct Judged {
    bool holds = false;
    std::string sentence{};  ///< "late.p99 > 1.2 * baseline: 12.3 us against 9.1 us"
  };
  /// Throws ConditionError: a run does not have a quantity, there is no baseline, or there is no result, as of
  /// 0 / 0.                                                                                   @when service
  Judged judge(const RunData& run, const RunData* baseline) const;

 private:
  /// A quantity of the expression, in the order of ProgramInput::key.
  struct Used {
    Quantity quantity;
    bool of_baseline = false;
  };
  class Names;

  std::string values(const std::vector<double>& values, std::optional<double> limit) const;

  std::string text_;
  std::vector<Used> used_;
  config::ExpressionProgram program_;
  std::uint32_t result_ = 0;
  std::optional<std::uint32_t> limit_;  ///< cell of the right side, where the left side is a quantity
};

}  // namespace tactus::report
