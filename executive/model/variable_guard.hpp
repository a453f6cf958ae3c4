// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Finds the values of a model that can only be wrong: not finite, or outside of their declared range.
///
///     VariableGuard guard(model.variables(), true);                    // setup
///     if (const VariableGuard::Bad* bad = guard.check()) ...           // after the model's jobs
///     text(*bad)   "motor.speed is nan"   "axis.force[2] = 512.5 N is outside -500 .. 500 N"
///
/// Checked for nan and infinity, when that is wanted: outputs and states of type float and double; of arrays,
/// those up to kLongest elements. Checked against their range, when that is wanted, at any length: all
/// variables but bools that declare one. A nan is outside of every range; infinity is inside of an open end.
///
/// The bits of a value tell whether it is finite: nothing traps, and every element costs the same. Ranges are
/// compared quietly: only a signaling nan raises the flag of an invalid operation.
///
/// Threads  one: whose the model's jobs are.
/// RT       check(). A good model costs a pass over its values; only a bad one is searched for the first.
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "executive/model/variable.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Doubles in a row in memory.
struct FiniteRun {
  const std::byte* data;
  std::uint64_t count;
};

class VariableGuard {
 public:
  static constexpr std::size_t kLongest = 1000;
  enum class Kind : std::uint8_t {
    nan,    ///< not finite, infinity included; or a nan where there is a range
    range,  ///< outside of low .. high
  };
  struct Bad {
    const Variable* variable = nullptr;
    std::uint32_t index = 0;  ///< index of the element; 0 for a scalar
    double value = 0;
    Kind kind = Kind::nan;
    double low = 0;   ///< nan: an open end
    double high = 0;  ///< nan: an open end
  };

  VariableGuard() = default;  ///< guard of nothing
  /// The variables must stay where they are. @when setup
  VariableGuard(const std::deque<Variable>& variables, bool not_finite, bool ranges = true);

  /// The first bad value in the order of declaration and elements, valid until the next call; nullptr when
  /// there is none.                                                                                  @when rt
  const Bad* check() TACTUS_RT;

  /// All that check() looks at, if that is doubles alone, which have to be finite. @when setup
  std::optional<std::vector<FiniteRun>> finite_runs() const;

  bool empty() const { return watched_.empty(); }
  /// Those that are too long to be checked for nan.
  const std::vector<const Variable*>& left_out() const { return left_out_; }

 private:
  struct Run {
    const std::byte* data;
    std::size_t elements;
  };
  /// An element is bad when it is not in low .. high; for integers already rounded inwards.
  struct Range {
    bool (*bad)(const Range&) noexcept;
    const std::byte* data;
    std::size_t elements;
    union Limit {
      double real;
      std::int64_t whole;
      std::uint64_t natural;
    } low, high;
  };
  struct Watched {
    const Variable* variable;
    bool not_finite;
    bool ranged;
    double low;
    double high;
  };
  template <class T>
  static bool outside(const Range& range) noexcept;
  static Range range_of(const Watched& watched);
  template <class T>
  static void set_whole_limits(const Watched& watched, Range& range);
  const Bad* first_bad() TACTUS_RT;

  std::vector<Watched> watched_;           // in the order of declaration
  std::vector<const std::byte*> doubles_;  // alone in memory
  std::vector<const std::byte*> floats_;
  std::vector<Run> double_runs_;  // several in a row
  std::vector<Run> float_runs_;
  std::vector<Range> ranges_;
  std::vector<const Variable*> left_out_;
  Bad bad_;
};

/// One line for people. @when service
std::string text(const VariableGuard::Bad& bad);

}  // namespace tactus::executive
