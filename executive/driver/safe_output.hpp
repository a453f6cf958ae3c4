// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "rtsync/interface.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Outputs to hardware that must not be left as they are when the rig ends, however it ends.
///
/// Threads  drive_safe(), end_safe(): any, also inside a signal handler, any number of times;
///          async-signal-safe. frame_ended(), frames_begin(), frames_ended(): the paced thread.
class SafeOutput : public rtsync::Interface {
 public:
  static constexpr rtsync::Nanoseconds kHangs{100'000'000};  ///< a longer call does not return

  /// Drives the declared safe values at once. Later frames may drive others again (after a freeze). False:
  /// the device refused. Whoever has an output calls make_safe() or end_safe() instead. @when any
  virtual bool drive_safe() TACTUS_RT = 0;
  /// Drives the safe values, unless another call has been doing so for kHangs: this one would not return, either. False
  /// then, and where the device refused. @when any
  bool make_safe() TACTUS_RT {
    const std::int64_t now = rtsync::kernel_time(CLOCK_MONOTONIC).count();
    std::int64_t since = 0;
    const bool first = in_call_since_.compare_exchange_strong(since, now);
    const bool hangs = !first && now - since > kHangs.count();
    const bool driven = !hangs && drive_safe();
    if (first) in_call_since_.store(0);
    if (!driven) has_failed_.store(true);
    return driven;
  }
  /// The same for good: whatever a frame that still runs writes, the outputs end up safe. @when any
  bool end_safe() TACTUS_RT {
    ended_.store(true);
    return make_safe();
  }
  /// Returns whether make_safe() has answered false at some time. @when any
  bool has_failed() const TACTUS_RT { return has_failed_.load(); }
  /// Returns whether a call of make_safe() has not returned. @when any
  bool in_call() const TACTUS_RT { return in_call_since_.load() != 0; }

  /// Names the code of drive_safe() for messages: "driver 'pins' (libtactus-model-pins.so)"; empty: code of tactus.
  /// @when service
  virtual std::string code() const { return {}; }
  /// Name of the model, for messages. @when setup
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }

  /// A frame, or a freeze frame, has ended: the watcher of the outputs sees that the rig is alive. Answers
  /// why the rig must not continue, as a text that stays; nullptr: nothing is wrong. @when rt
  virtual const char* frame_ended() TACTUS_RT { return nullptr; }
  /// The calling thread runs the frames from here on: its death ends the rig. @when setup
  virtual void frames_begin() noexcept {}
  /// It runs none any more, and may end. By the same thread. @when setup
  virtual void frames_ended() noexcept {}

 protected:
  /// end_safe() was called: write nothing else, and look again after a write, which may have crossed it.
  bool ended() const TACTUS_RT { return ended_.load(); }

 private:
  std::atomic<bool> ended_{false};
  std::atomic<bool> has_failed_{false};
  std::atomic<std::int64_t> in_call_since_{0};  // ns of CLOCK_MONOTONIC; 0: in none
  std::string name_;
};

/// Process that drives the outputs safe.
enum class SafeOutputs {
  guardian,  ///< a process of its own as well, which does so when the rig's process is killed or hangs
  process,   ///< the rig's own process alone: at its end and from its signal handler
};

/// Information that a device gets when it is opened.
struct OpenRequest {
  std::string rig;  ///< name of the rig, by which other programs see what holds a line
  SafeOutputs safe_outputs = SafeOutputs::guardian;
  /// No frame for this long: the guardian drives the outputs safe. 1 ms .. 60 s.
  rtsync::Nanoseconds guardian_timeout{std::chrono::milliseconds(200)};
  std::string folder{};  ///< folder of the run, where a model may make files; empty: there is none
};

}  // namespace tactus::executive
