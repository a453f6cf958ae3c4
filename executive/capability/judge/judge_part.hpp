// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "executive/capability/action/action_part.hpp"
#include "executive/capability/judge/compiled_test.hpp"
#include "executive/capability/judge/failure_ring.hpp"
#include "executive/capability/judge/sequence_run.hpp"
#include "executive/capability/judge/shifted_reference.hpp"
#include "executive/capability/judge/standing_board.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "executive/frame/frame_part.hpp"

namespace tactus::executive {

/// Judges the expectations of a test at the end of each frame, on the values that a recording would have.
class JudgePart final : public FramePart {
 public:
  /// `frames_around`: kept before and after a failure; 0: none. `actions`: does what events and steps want; nullptr: there
  /// are none. All must outlive it.                                                               @when setup
  JudgePart(const CompiledTest& test, std::int64_t frames_around, ActionPart* actions);

  void joined(FrameServices& services) override;
  void in_slack(const FrameEnd& end) TACTUS_RT override;
  void changed(RigChange& change) TACTUS_RT override;

  /// Returns the monitors of all expectations, after the frames.
  const std::vector<Monitor>& monitors() const { return monitors_; }
  /// The frames by which the recording of an expectation was shifted; nothing: it has no shift.
  std::optional<std::int64_t> shift(std::size_t expectation) const {
    const auto& shifted = shifted_[expectation];
    return shifted ? std::optional(shifted->best()) : std::nullopt;
  }
  /// No shift that fits has met the recording in half of the frames. False for what has no shift.
  bool compared_too_little(std::size_t expectation) const {
    const auto& shifted = shifted_[expectation];
    return shifted && !shifted->has_compared();
  }
  /// Returns the value that a cell of the test's program has after the last frame; NaN: no frame ran.
  double value_of(std::uint32_t cell) {
    return frames_ == 0 ? std::numeric_limits<double>::quiet_NaN() : expression_.cell(cell).real;
  }
  std::int64_t frames() const { return frames_; }
  std::int64_t last_frame() const { return frame_; }
  /// Returns what the expectations have come to, while frames run. @when service
  StandingBoard& board() { return board_; }
  const SequenceRun& sequence() const { return sequence_; }
  /// Says that the run ended before the test was over, after the frames.
  void end_early(const char* why) {
    sequence_.end_early(why);
    for (Monitor& each : monitors_) each.end_early(why);
  }
  /// Returns what was around the failures, after the frames. nullptr: nothing is kept.
  FailureRing* finished_ring();

 private:
  struct Recorded {
    const std::vector<double>* values;
    std::uint32_t cell;
  };
  void find_inputs();
  void judge(std::size_t expectation, const FrameEnd& end) TACTUS_RT;
  void do_actions(const FrameEnd& end) TACTUS_RT;
  void follow(const SequenceRun::Moved& moved, std::int64_t k) TACTUS_RT;

  const CompiledTest& test_;
  ActionPart* const actions_;
  SequenceRun sequence_;
  ExpressionRun expression_;
  VariableSources inputs_;
  std::vector<Recorded> recorded_;
  std::vector<Monitor> monitors_;
  std::vector<std::optional<ShiftedReference>> shifted_;
  std::vector<bool> known_failed_;  // kept around
  std::optional<FailureRing> ring_;
  FrameServices* services_ = nullptr;
  std::int64_t frames_ = 0;
  bool first_ = true;
  std::vector<std::string> stop_reasons_;  // of the end, one for each expectation
  std::vector<std::string> step_stops_;    // likewise, one for each step
  bool stopped_ = false;
  std::int64_t frame_ = -1;  // the last one
  StandingBoard board_;
};

}  // namespace tactus::executive
