// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/expression_program.hpp"
#include "config/json.hpp"
#include "config/unit.hpp"
#include "executive/frame/frame_statistics.hpp"

namespace tactus::executive {

struct RunContext;

/// The share of "p99.9": 0.999. Nothing: it is no such word.                                             @when any
std::optional<double> share_of_percentile(std::string_view word);

/// Figures of a run, without its grace period.
struct RunFigures {
  std::int64_t overruns = 0;
  std::int64_t late_wakes = 0;
  std::int64_t refused = 0;
  std::int64_t lost = 0;    ///< slots
  std::int64_t frames = 0;  ///< frames of the run
  std::int64_t longest_overrun_ns = 0;
  const FrameStatistics* times = nullptr;  ///< nullptr: there are none
  config::Json causes = nullptr;           ///< causes as in summary.json; null: not known
};

/// A condition on figures of a run, judged once at its end: "overruns == 0 and late.p99 < 50 us".
class RunCondition {
 public:
  /// Nothing, and `why`: it is wrong.                                                            @when setup
  static std::optional<RunCondition> parse(const std::string& text, std::string& why);

  /// Reads a number over figures instead, as "late.p99 - work.p50". Nothing, and `why`: it is wrong. @when setup
  static std::optional<RunCondition> parse_number(const std::string& text, std::string& why);
  /// The unit of a number, or of the margin of a condition.
  const config::Unit& unit() const { return unit_; }
  /// Returns how far a condition is from where it would change: ExpressionBuilder::add_margin(). NaN: it has none.
  /// @when service
  double margin(const RunFigures& figures) const;
  /// Returns why a condition has no margin; empty: it has one.
  const std::string& no_margin() const { return no_margin_; }

  /// 1, 0, or NaN: no value; or the number.                                                                     @when service
  double judge(const RunFigures& figures) const;
  /// The figures that it names, with their values: "late.p99 is 12.3 us, overruns is 3".          @when service
  std::string values(const RunFigures& figures) const;

 private:
  class Names;
  static std::optional<RunCondition> parse(const std::string& text, bool is_number, std::string& why);
  double evaluate(std::uint32_t cell, const RunFigures& figures) const;

  std::vector<std::string> used_;  // in the order of ProgramInput::key
  config::ExpressionProgram program_;
  std::uint32_t result_ = 0;
  std::optional<std::uint32_t> margin_{};
  config::Unit unit_{};
  std::string no_margin_{};
};

/// Figures of the run until now; at its end, once all capabilities before have finished.           @when service
RunFigures figures_of(const RunContext& run);

}  // namespace tactus::executive
