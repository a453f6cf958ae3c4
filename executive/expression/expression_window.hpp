// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/expression_program.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// The values of the last ticks, as a tree: each node combines its two, so that a new value costs the logarithm of the
/// window in every frame, and what leaves the window leaves no trace: no NaN, no infinity, no rounding.
///
/// RT  take(); the constructor allocates.
class ExpressionWindow {
 public:
  enum class Combine : std::uint8_t { least, greatest, sum, least_whole, greatest_whole };

  ExpressionWindow(Combine combine, std::int64_t ticks);

  /// Forgets all values. Takes as long as the window is.                                          @when setup
  void begin_anew();
  /// Takes the value of one more tick and returns the combination of all that are in the window. Which of both, its
  /// Combine says.                                                                               @when rt
  double take_real(double value) TACTUS_RT;
  config::Wide take_whole(config::Wide value) TACTUS_RT;
  /// Number of values in it: fewer than its ticks at first.                                       @when rt
  std::int64_t filled() const TACTUS_RT { return filled_; }

 private:
  template <class T, class Both>
  static T take(std::vector<T>& tree, std::size_t node, T value, Both both) TACTUS_RT;
  std::size_t next_leaf() TACTUS_RT;

  Combine combine_;
  std::size_t ticks_, leaves_;
  // Node i has 2 i and 2 i + 1; the root is 1. One of both, by the kind of values, is empty.
  std::vector<double> reals_;
  std::vector<config::Wide> wholes_;
  std::size_t next_ = 0;
  std::int64_t filled_ = 0;
};

}  // namespace tactus::executive
