// SPDX-License-Identifier: Apache-2.0
#pragma once
/// An expression as a frame evaluates it: a flat list of instructions over cells. executive/expression runs it.
///
/// Threads  plain values.
#include <cstdint>
#include <limits>
#include <vector>

#include "rtsync/time/period.hpp"

namespace tactus::config {

using rtsync::Wide;

/// A value. Real numbers have NaN for "no value", whole ones kNoWhole; a truth is a real 1, 0 or NaN.
union Cell {
  double real;
  Wide whole;
};
inline constexpr Wide kNoWhole = static_cast<Wide>(1) << 126;

/// Returns a whole number as a real one; NaN: it has no value.                                      @when rt
constexpr double real_of(Wide whole) TACTUS_RT {
  return whole == kNoWhole ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(whole);
}

enum class CellType : std::uint8_t { real, whole, truth };

enum class Operation : std::uint8_t {
  // of real cells
  add,
  subtract,
  multiply,
  divide,
  negate,
  absolute,
  least,
  greatest,
  power,
  root,
  sine,
  cosine,
  tangent,
  arcsine,
  arccosine,
  arctangent,
  angle,
  length,
  exponential,
  logarithm,
  logarithm_10,
  scale,
  shrink,  ///< a * c + b, a / c + b: constants of Instruction::parameter
  below,
  at_most,
  equal,
  other,
  // to and from whole cells
  to_real,
  floor,
  ceiling,
  nearest,
  sign,
  add_whole,
  subtract_whole,
  multiply_whole,
  negate_whole,
  absolute_whole,
  least_whole,
  greatest_whole,
  below_whole,
  at_most_whole,
  equal_whole,
  other_whole,
  // of truths
  both,
  either,
  invert,
  same,
  differ,
  // with a memory: Instruction::memory
  previous,
  previous_whole,
  rise,
  fall,
  change,
  change_whole,
  rate,
  held,  ///< parameter: frames
  window_least,
  window_greatest,
  window_least_whole,
  window_greatest_whole,
  window_mean,
  window_rms,
  window_count,
  once,   ///< true in the first frame only in which a is true
  count,  ///< true frames since the beginning
  // of all frames since the beginning; those without a value are left out. Three memory cells each.
  whole_run_least,
  whole_run_greatest,
  whole_run_mean,
  whole_run_rms,
  whole_run_last,   ///< seconds until the end of the last frame in which a is true; 0: it never was
  whole_run_first,  ///< seconds until the beginning of the first one; NaN: it never was
};

/// Returns true for an operation of the last ticks.
constexpr bool is_window(Operation operation) TACTUS_RT {
  return operation >= Operation::window_least && operation <= Operation::window_count;
}

/// An operation of cells a and b into cell `to`.
struct Instruction {
  Operation operation = Operation::add;
  std::uint32_t to = 0, a = 0, b = 0;
  std::uint32_t memory = 0;      ///< first of its memory cells, or number of its window
  double parameter[2] = {0, 0};  ///< constants of scale and shrink; of rate the seconds of a tick; of
                                 ///< whole_run_last and _first a tick as numerator and denominator in ns
  std::int64_t ticks = 0;        ///< number of ticks of held and of windows
};

/// A value from outside: which one its ExpressionNames means by `key`, into which cell.
struct ProgramInput {
  std::uint32_t cell = 0;
  std::uint32_t key = 0;
};

/// Several expressions, compiled into one list. Cells are inputs, constants and results of instructions.
struct ExpressionProgram {
  std::vector<Cell> cells{};  ///< values at the beginning
  std::vector<ProgramInput> inputs{};
  std::vector<Instruction> instructions{};
  std::uint32_t memory_cells = 0;
  std::vector<std::int64_t> windows{};  ///< ticks of each
};

}  // namespace tactus::config
