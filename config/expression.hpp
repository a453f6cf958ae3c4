// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The one language of expressions and conditions (docs/expressions.md), as a tree:
///
///     motor.speed > 300 rad/s and not controller.saturated
///     rms(motor.current, 500 ms) > 8 A          motor.angle within 0.5 rad of trajectory.position
///
/// What its names mean, and whether its units fit, is the work of expression_builder.hpp.
///
/// Threads  plain values and pure functions.                                               @when setup
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "config/number.hpp"

namespace tactus::config {

/// A mistake in an expression: what, and at which character of its text (from 0).
struct ExpressionProblem {
  std::size_t at = 0;
  std::string message{};
  /// "'motor.sped > 5', character 1: there is no ..."
  std::string text(std::string_view expression) const;
};

class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t at, const std::string& message)
      : std::runtime_error(message), problem_{at, message} {}
  const ExpressionProblem& problem() const { return problem_; }

 private:
  ExpressionProblem problem_;
};

/// A part of an expression, with its own parts.
struct Expression {
  enum class Kind {
    number,  ///< `word` and `unit`: "300", "rad/s"
    truth,   ///< yes, no: `word`; as it was written: `unit`
    name,    ///< name of a variable, an event or a value: `word`, with its indices
    recording,  ///< file of a recording: `word`, and the name of its column, `unit`; empty: that of the other side
    negated,   ///< - part
    power,     ///< part ^ `exponent`
    binary,    ///< part `word` part: + - * /
    compared,  ///< part `word` part: < <= > >= == !=
    within,    ///< parts: value, tolerance, middle
    held,      ///< part for `time`
    call,      ///< function `word` of the parts, and of a window `time`
    inverted,  ///< not part
    all,       ///< part and part
    any,       ///< part or part
  };

  Kind kind = Kind::number;
  std::size_t at = 0, end = 0;  ///< characters of the text that it has
  std::string word{};
  std::string unit{};
  bool quoted = false;     ///< `word` was written in quotes
  bool bracketed = false;  ///< it was written in brackets
  int exponent = 0;
  Nanoseconds time{0};
  bool has_time = false;
  std::vector<Expression> parts{};
};

inline constexpr std::size_t kLongestExpression = 4000;  ///< characters
inline constexpr int kDeepestExpression = 60;            ///< brackets, signs and nots inside each other

/// Throws ExpressionError.                                                                   @when setup
Expression parse_expression(std::string_view text);

/// Words that are no names: and, or, not, for, within, of, yes, no, true, false.
bool is_expression_word(std::string_view word);

}  // namespace tactus::config
