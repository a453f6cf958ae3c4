// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <latch>

#include "executive/frame/outcome.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// The thread of the frames: made before them, so that all else can be arranged around it, and released once.
///
/// Threads  one owner.
class MainThread {
 public:
  /// It waits; once released it runs the frames. @when setup
  MainThread(rtsync::ThreadSettings settings, std::function<RunEnd()> frames);
  /// Waits for the frames to end.
  ~MainThread() { dismiss(); }

  void release();
  /// It ends without a frame, if it was not released.
  void dismiss();
  bool released() const { return released_; }
  const std::atomic<bool>& done() const { return done_; }
  void join() { thread_.join(); }
  /// End of the frames; valid once done.
  const RunEnd& end() const { return end_; }

  pid_t tid() const { return thread_.tid(); }
  std::vector<rtsync::Provision> provisions() const { return thread_.provisions(); }
  bool owns(pid_t tid) const { return tid == thread_.tid(); }

 private:
  std::latch go_{1};
  bool released_ = false;  // go_ was counted down
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> done_{false};
  RunEnd end_;  // written by the thread before done_
  rtsync::PinnedThread thread_;
};

}  // namespace tactus::executive
