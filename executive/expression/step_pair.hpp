// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Pairs of operations of which the second one works on the result of the first: one step of a program instead of two.
/// Both results are kept, so that a program with pairs gives the same cells as one without.
///
/// Threads  pure.
/// RT       everything.
#include <cmath>
#include <cstdint>
#include <limits>

#include "config/expression_program.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Code of a single operation or of a pair in the steps of a program.
using StepCode = std::uint16_t;

/// Step as each tick reads it.
struct ExpressionStep {
  StepCode code;
  std::uint32_t to, a, b;           ///< cells of the first operation
  std::uint32_t second_to, second;  ///< second result of a pair, and its other operand; else the instruction
};

/// Calls `use` with each pair that exists, as template arguments: first, second.
#define TACTUS_STEP_PAIRS(use)                                                                               \
  use(multiply, add) use(multiply, subtract) use(multiply, below) use(multiply, at_most) use(add, below)     \
      use(add, at_most) use(subtract, absolute) use(subtract, below) use(subtract, at_most)                  \
          use(absolute, below) use(absolute, at_most) use(below, both) use(below, either) use(at_most, both) \
              use(at_most, either)

/// Codes of single operations are their numbers; those of pairs follow.
inline constexpr StepCode kSingleCodes = static_cast<StepCode>(config::Operation::whole_run_first) + 1;
inline constexpr unsigned kNoPair = 1000;

/// Number of a pair in the list; kNoPair: there is none of the two.
constexpr unsigned pair_number(config::Operation first, config::Operation second) TACTUS_RT {
  using config::Operation;
  unsigned number = 0;
#define TACTUS_IS_PAIR(one, other)                                          \
  if (first == Operation::one && second == Operation::other) return number; \
  ++number;
  TACTUS_STEP_PAIRS(TACTUS_IS_PAIR)
#undef TACTUS_IS_PAIR
  return kNoPair;
}

/// Code of a pair. `left`: the first result is the left operand of the second operation.
constexpr StepCode pair_code(config::Operation first, config::Operation second, bool left) TACTUS_RT {
  return static_cast<StepCode>(kSingleCodes + pair_number(first, second) * 2 + (left ? 1 : 0));
}

/// Value of an operation that occurs in pairs; the only place that says it.
template <config::Operation kOperation>
double result_of(double a, double b) TACTUS_RT {
  using config::Operation;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto compared = [&](bool holds) TACTUS_RT {
    return std::isunordered(a, b) ? kNone : holds ? 1.0 : 0.0;
  };
  if constexpr (kOperation == Operation::add) return a + b;
  if constexpr (kOperation == Operation::subtract) return a - b;
  if constexpr (kOperation == Operation::multiply) return a * b;
  if constexpr (kOperation == Operation::absolute) return std::abs(a);
  if constexpr (kOperation == Operation::below) return compared(a < b);
  if constexpr (kOperation == Operation::at_most) return compared(a <= b);
  if constexpr (kOperation == Operation::both) return a == 0 || b == 0 ? 0 : a * b;
  if constexpr (kOperation == Operation::either) return a == 1 || b == 1 ? 1 : a + b;
}

/// Does both operations of a pair.
template <config::Operation kFirst, config::Operation kSecond, bool kLeft>
void do_pair(const ExpressionStep& at, config::Cell* cells) TACTUS_RT {
  const double first = result_of<kFirst>(cells[at.a].real, cells[at.b].real);
  const double other = cells[at.second].real;
  cells[at.to].real = first;
  cells[at.second_to].real = kLeft ? result_of<kSecond>(first, other) : result_of<kSecond>(other, first);
}

}  // namespace tactus::executive
