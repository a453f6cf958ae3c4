// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>

#include "executive/driver/safe_output.hpp"
#include "executive/isolation/call_page.hpp"
#include "rtsync/crash/thread_life.hpp"

namespace tactus::executive {

/// The outputs of the model that this process serves: two threads, which end with the process, drive them safe when the
/// rig asks for it, in any state that the job is in, and when the rig is killed.
///
/// Threads  start(), end(): the one that serves. frame_ended(): that one, in a frame.
/// RT       frame_ended(): no lock, no heap.
class ServedOutput {
 public:
  /// Nullptr: the model has no outputs. @when setup
  void set(SafeOutput* output) { output_ = output; }
  /// Returns once both threads run; without outputs there are none. `frames_thread` is the rig's. @when setup
  void start(CallPage& page, const rtsync::ThreadLife& frames_thread);
  /// This thread runs the frames, as long as the process lives. @when setup
  void frames_begin();
  /// Answers why the rig must not continue; nullptr: nothing is wrong. @when rt
  const char* frame_ended() TACTUS_RT { return output_ == nullptr ? nullptr : output_->frame_ended(); }
  /// Lets go of the outputs, which the model's end destroys. @when service
  void end();

 private:
  void obey(CallPage& page);
  void outlive(CallPage& page, const rtsync::ThreadLife& frames_thread);

  std::mutex mutex_;
  SafeOutput* output_ = nullptr;  // nullptr: none, or it is being destroyed
  bool ended_safe_ = false;       // for good, as the rig asked for; under mutex_
};

}  // namespace tactus::executive
