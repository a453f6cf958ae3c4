// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Mutants of a rig: one output each, disturbed by one fault, to see whether a test notices it.
///
/// Threads  plain values and pure functions.                                                @when setup
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "executive/capability/judge/compiled_test.hpp"
#include "executive/plan/rig.hpp"

namespace tactus::app {

/// An element of an output, and what it was in the run without a mutant.
struct SeenOutput {
  std::string name;  ///< "motor.speed", "axis.force[2]"
  std::string unit;  ///< text of its unit; empty: none
  enum class Form { real, whole, truth, word } form = Form::real;
  double least = 0, greatest = 0;  ///< observed
  double lowest = -std::numeric_limits<double>::infinity(),
         highest = std::numeric_limits<double>::infinity();  ///< range of its type
};

struct Mutant {
  std::string variable;
  std::string kind;         ///< stuck, off up, off down, delayed; off: of what is no number
  std::string fault{};      ///< map of a rig file; empty: it cannot be made
  std::string says{};       ///< "up by 0.55 rad", and where the amount is from
  std::string would_see{};  ///< the kind of expectation that would see it
  bool named = true;        ///< an expectation names the variable
  std::string left_out{};   ///< reason why it cannot be made; empty: it can
};

/// The share of the observed range by which an output is off that no expectation compares within a tolerance.
inline constexpr double kShareOfRange = 0.1;
/// The number of frames by which an output is delayed that no expectation gives a time.
inline constexpr int kFramesOfDelay = 10;

/// The outputs of all models of a rig, without what was observed of them.
std::vector<SeenOutput> outputs_of(const executive::Rig& rig);

/// The mutants of one output: stuck, off up, off down and delayed, in this order, also those that cannot be made.
/// Something that is no number has one that is off. So their number is that of the form.
std::vector<Mutant> mutants_of(const SeenOutput& output,
                               const std::vector<executive::CompiledExpectation>& expectations,
                               rtsync::Period frame);

/// The least tolerance within which one of the expectations compares the variable, in its unit; nothing: none does.
std::optional<double> least_tolerance(const SeenOutput& output,
                                      const std::vector<executive::CompiledExpectation>& expectations);

}  // namespace tactus::app
