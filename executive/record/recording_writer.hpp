// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "executive/record/recording.hpp"
#include "rtsync/exchange/stop_bell.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// One thread that writes some recordings, until it is stopped; it then writes what is left and closes the files.
///
/// Threads  the service thread, but for the loop itself.
class RecordingWriter : public std::enable_shared_from_this<RecordingWriter> {
 public:
  RecordingWriter(std::vector<Recording*> recordings, rtsync::Nanoseconds flush_every)
      : flush_every_(flush_every), recordings_(std::move(recordings)) {}

  void start(const rtsync::ThreadSettings& helper);
  void stop() { stopping_.request(); }
  /// Ends the thread. It must be done, or end without waiting for anything.
  void join();
  /// Leaves the thread to itself: it may never end.
  void leave();

  bool done() const { return done_.load(); }
  /// Time since which it has made no progress; 0: it does, or has ended.
  std::chrono::nanoseconds hangs();
  /// The recording in whose file it is.
  Recording* busy_with() const { return busy_with_.load(); }
  /// Gives away all recordings but the one in whose file it is. Empty: there are no others, or it is in none.
  std::vector<Recording*> give_away();

  const rtsync::PinnedThread* thread() const { return thread_.get(); }

 private:
  void write_until_stopped();
  Recording* turn(std::size_t i);

  rtsync::Nanoseconds flush_every_;
  std::mutex guarding_;                 // recordings_; never held in a call on a file
  std::vector<Recording*> recordings_;  // in the order in which they are written
  rtsync::StopBell stopping_;
  std::atomic<std::uint64_t> turns_{0};  // each time it gets on
  std::atomic<Recording*> busy_with_{nullptr};
  std::atomic<bool> done_{false};
  std::uint64_t turns_seen_ = 0;
  std::chrono::steady_clock::time_point seen_at_ = std::chrono::steady_clock::now();
  std::unique_ptr<rtsync::PinnedThread> thread_;
};

}  // namespace tactus::executive
