// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "executive/driver/live.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/gate.hpp"

namespace tactus::drivers::link {

/// Changes that peers made by commands while a run was recorded (journal.jsonl of its run folder), made again
/// at the same frames.
///
/// Threads  constructor and serve: one thread at setup. The rest: the frames.
class ReplayedChanges {
 public:
  /// Reads all of it. Throws std::runtime_error naming file and line.                            @when setup
  explicit ReplayedChanges(const std::filesystem::path& run_folder);
  ReplayedChanges(const ReplayedChanges&) = delete;
  ReplayedChanges& operator=(const ReplayedChanges&) = delete;
  ~ReplayedChanges();

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  /// Begins to hand them over; the rest follows as frames take them. Throws executive::DeviceError: one does not
  /// fit this rig.                                                                               @when setup
  void serve(executive::LiveRig& rig);

  /// All that are for frame k, and those before it, are with the frames.
  bool ready(std::int64_t k) const TACTUS_RT { return k < next_.load(std::memory_order_acquire); }
  /// Waits until ready(), or until the deadline. Not for frames in real time.
  bool wait(std::int64_t k, rtsync::TimePoint<rtsync::MonotonicTime> deadline) TACTUS_RT;
  /// Reason why a change could not be made; a text that stays; nullptr: none failed.
  const char* failure() const TACTUS_RT { return failure_.load(std::memory_order_acquire); }

 private:
  struct Feed;
  std::shared_ptr<Feed> feed_;  // callbacks may come when this is gone
  std::size_t count_ = 0;
  std::atomic<std::int64_t>& next_;
  std::atomic<const char*>& failure_;
};

}  // namespace tactus::drivers::link
