// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/frame/command_queue.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/program.hpp"

namespace tactus::executive {

/// The boundary before a frame, at which a rig takes its commands.
///
/// Threads  the rig's main thread.
/// RT       everything but the constructor.
class FrameBoundary {
 public:
  FrameBoundary(Program& program, CommandQueue& commands, const FrameRow& row, Slack& slack)
      : program_(program), commands_(commands), row_(row), slack_(slack) {}

  /// Takes the commands before frame k.
  void take_commands(std::int64_t k) TACTUS_RT {
    commands_.take(k, [&](const CommandCall& call) {
      (void)program_.enable(call.name, call.command == Command::enable);
    });
    if (pauses_before(k)) commands_.force_pause();
  }
  /// Returns true if a part wants the rig paused before frame k.
  bool pauses_before(std::int64_t k) const TACTUS_RT {
    return row_.before(k, PartVerdict::pause).what == PartVerdict::pause;
  }
  /// Calls at_boundary() and keep_state() of the parts before frame k, with unlimited slack.
  void stand_at(std::int64_t k) TACTUS_RT {
    slack_.open_unlimited();
    for (FramePart* const part : row_.boundaries) part->at_boundary(k, slack_);
    keep_state(k);
  }
  /// Calls keep_state() alone.
  void keep_state(std::int64_t k) TACTUS_RT {
    slack_.open_unlimited();
    for (FramePart* const part : row_.keepers) part->keep_state(k, slack_);
  }

 private:
  Program& program_;
  CommandQueue& commands_;
  const FrameRow& row_;
  Slack& slack_;
};

}  // namespace tactus::executive
