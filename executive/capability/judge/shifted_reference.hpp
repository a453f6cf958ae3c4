// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "executive/capability/judge/compiled_test.hpp"
#include "executive/capability/judge/monitor.hpp"

namespace tactus::executive {

/// Compares a value with a recording that is shifted as a whole by each number of frames at once. It holds as long as one
/// of the shifts has fitted in all frames.
///
/// RT  take(), begin_anew(); the constructor allocates.
class ShiftedReference {
 public:
  explicit ShiftedReference(const CompiledShift& shift);

  /// Takes frame k: says whether a shift is left, and by how much the best one has fitted so far.
  void take(std::int64_t k, double value, double tolerance, Monitor::Sample& sample) TACTUS_RT;
  void begin_anew() TACTUS_RT;

  /// The shift in frames that has fitted best: above 0 the rig is later than the recording.
  std::int64_t best() const;
  /// A shift that fits has met the recording in at least half of the frames: others fit as nothing is left of them.
  bool has_compared() const;

 private:
  double reference(std::int64_t k) const TACTUS_RT;
  double fit(std::int64_t by) const;

  const CompiledShift& shift_;
  std::vector<double> margins_;         // the least of each shift so far, from the one to the other end
  std::vector<std::int64_t> compared_;  // frames in which each shift met the recording
  std::int64_t taken_ = 0;
};

}  // namespace tactus::executive
