// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "executive/capability/judge/compiled_test.hpp"
#include "executive/capability/judge/standing_board.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/frame/frame_part.hpp"

namespace tactus::executive {

/// Judges the expectations of a test at the end of each frame, on the values that a recording would have.
class JudgePart final : public FramePart {
 public:
  explicit JudgePart(const CompiledTest& test);

  void joined(FrameServices& services) override;
  void in_slack(const FrameEnd& end) TACTUS_RT override;
  void changed(RigChange& change) TACTUS_RT override;

  /// Returns the monitors of all expectations, after the frames.
  const std::vector<Monitor>& monitors() const { return monitors_; }
  std::int64_t frames() const { return frames_; }
  std::int64_t last_frame() const { return frame_; }
  /// Returns what the expectations have come to, while frames run. @when service
  StandingBoard& board() { return board_; }
  /// Says that the run ended before the test was over, after the frames.
  void end_early(const char* why) {
    for (Monitor& each : monitors_) each.end_early(why);
  }

 private:
  struct Source {
    const ModelInstance* model;
    const void* data;
    tactus_type type;
    std::uint32_t cell;
  };

  const std::vector<CompiledExpectation>& expectations_;
  ExpressionRun expression_;
  std::vector<Source> sources_;
  std::vector<Monitor> monitors_;
  std::vector<rtsync::Nanoseconds> late_limits_;
  FrameServices* services_ = nullptr;
  std::int64_t frames_ = 0;
  std::vector<std::string> stop_reasons_;  // of the end, one for each expectation
  bool stopped_ = false;
  std::int64_t frame_ = -1;  // the last one
  StandingBoard board_;
};

}  // namespace tactus::executive
