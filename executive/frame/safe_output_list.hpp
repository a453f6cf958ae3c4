// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "executive/driver/safe_output.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/frame_services.hpp"

namespace tactus::executive {

/// The outputs of a rig that have a safe value.
///
/// Threads  drive_safe(), end_safe(), stuck(): any.
class SafeOutputList final : public FramePart {
 public:
  explicit SafeOutputList(std::span<SafeOutput* const> outputs)
      : FramePart("safe outputs"), outputs_(outputs) {}

  /// Drives all to their safe values; frames may drive others again.                                @when any
  void drive_safe() TACTUS_RT {
    for (SafeOutput* const output : outputs_) (void)output->make_safe();
  }
  /// The same for good. False: a device refused.                                                    @when any
  bool end_safe() TACTUS_RT {
    bool all = true;
    for (SafeOutput* const output : outputs_) all = output->end_safe() && all;
    return all;
  }
  /// Returns an output whose call has not returned; nullptr: all have.                               @when any
  const SafeOutput* in_call() const TACTUS_RT {
    for (const SafeOutput* const output : outputs_)
      if (output->in_call()) return output;
    return nullptr;
  }
  /// A device refused at some time.                                                                 @when any
  bool stuck() const TACTUS_RT {
    for (const SafeOutput* const output : outputs_)
      if (output->has_failed()) return true;
    return false;
  }

  void joined(FrameServices& services) override { services_ = &services; }
  void changed(RigChange& change) TACTUS_RT override {
    for (SafeOutput* const output : outputs_) {
      if (change.what == RigChange::started) output->frames_begin();
      if (change.what == RigChange::stopped) output->frames_ended();
    }
  }
  void heartbeat() TACTUS_RT override {
    for (SafeOutput* const output : outputs_)
      if (const char* const why = output->frame_ended()) services_->abort(why);
  }

 private:
  std::span<SafeOutput* const> outputs_;
  FrameServices* services_ = nullptr;
};

}  // namespace tactus::executive
