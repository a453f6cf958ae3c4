// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/expression_program.hpp"
#include "executive/model/counter_random.hpp"
#include "executive/model/variable.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// A piece of a stimulus, in the unit of its variable and in nanoseconds.
struct StimulusSegment {
  enum class Shape : std::uint8_t { hold, ramp, sine, chirp, square, prbs, noise, points, expression };
  static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

  Shape shape = Shape::hold;
  std::int64_t length_ns = kForEver;
  bool from_entry = true;  ///< a ramp begins with the value before it
  bool exponential = false;
  bool holds = false;       ///< true: a value stays until the next point
  double from = 0, to = 0;  ///< hold, ramp; low and high
  /// The same, and each point, as they are in memory: no whole number loses a digit.
  std::uint64_t from_bits = 0, to_bits = 0;
  std::vector<std::uint64_t> point_bits{};
  double mean = 0, size = 0;        ///< offset and amplitude; mean and sigma
  double frequency = 0, until = 0;  ///< Hz
  double phase = 0;                 ///< rad
  double duty = 0.5;
  std::int64_t interval_ns = 1;
  std::vector<bool> sequence{};
  CounterRandom random{};
  double memory = 0;  ///< part of the noise of a frame that is in the next one; 0: white
  std::vector<std::pair<std::int64_t, double>> points{};
  std::size_t expression = 0;  ///< place in CompiledStimulus::expressions
};

/// Memory of a stimulus from frame to frame, beside the time since it began.
struct StimulusMemory {
  double entry = 0;  ///< the value before the segment
  double noise = 0;
  std::int64_t noise_at = -1;  ///< frame of it, from the beginning
};

/// Returns the value of a segment. `at_ns`: since it began. `n`: frames since the stimulus began.        @when rt
double value_of(const StimulusSegment& segment, std::int64_t at_ns, std::int64_t n,
                StimulusMemory& memory) TACTUS_RT;

/// Returns true if all values of a segment are levels: those of level_of().                               @when rt
inline bool is_level(const StimulusSegment& segment) TACTUS_RT {
  using Shape = StimulusSegment::Shape;
  return segment.shape == Shape::hold || segment.shape == Shape::square || segment.shape == Shape::prbs ||
         (segment.shape == Shape::points && segment.holds);
}
/// Returns the value of a segment of levels, as it is in memory.                                           @when rt
std::uint64_t level_of(const StimulusSegment& segment, std::int64_t at_ns) TACTUS_RT;

/// A sequence of the greatest length, 2^order - 1, of a shift register; `seed` says where it begins.  @when setup
std::vector<bool> binary_sequence(int order, std::uint64_t seed);

/// An expression of a segment, compiled.
struct StimulusExpression {
  config::ExpressionProgram program{};
  std::vector<VariableRef> inputs{};  ///< variables in the order of program.inputs
  std::uint32_t cell = 0;
  bool whole = false;           ///< the cell is a whole number
  double gain = 1, offset = 0;  ///< into the unit of the variable
};

/// A stimulus as frames follow it.
struct CompiledStimulus {
  std::string name{};
  VariableRef ref{};
  std::vector<StimulusSegment> segments{};
  std::vector<StimulusExpression> expressions{};
  std::int64_t at_ns = 0;
  std::int64_t frame = -1;  ///< it begins there; -1: at at_ns
  bool switched = false, loop = false, releases = false;
  std::int64_t blend_ns = 0;
};

/// The stimuli of a rig as its plan has them. They are no setting: nothing compares them.
struct PlannedStimuli {
  std::shared_ptr<const std::vector<CompiledStimulus>> all =
      std::make_shared<std::vector<CompiledStimulus>>();
  bool operator==(const PlannedStimuli&) const { return true; }
};

}  // namespace tactus::executive
