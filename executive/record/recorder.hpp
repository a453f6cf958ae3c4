// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "executive/record/recording.hpp"
#include "executive/record/recording_writer.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Writes all recordings of a rig from one helper thread. A file whose call does not return keeps that thread; another one
/// takes over all other recordings.
class Recorder {
 public:
  static constexpr std::chrono::seconds kHangs{1};  ///< a call on a file that lasts longer hangs

  /// Every `flush_every` what was taken is handed to the operating system: a kill costs no more.
  explicit Recorder(std::filesystem::path folder,
                    rtsync::Nanoseconds flush_every = std::chrono::milliseconds(200))
      : folder_(std::move(folder)), flush_every_(flush_every) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  /// Takes a recording in; it must be alive until stop(). @when setup
  void add(Recording& recording) { recordings_.push_back(&recording); }
  /// Opens the files (throws std::runtime_error naming the recording) and starts the thread. @when setup
  void start(const rtsync::ThreadSettings& helper);
  /// Writes what is left, closes the files, ends the threads. `wait`: asked again and again meanwhile, with the time since
  /// a thread has last got on; once it answers no, recordings that are not closed are given up, and the threads are left
  /// to themselves: the recordings must stay. False then. @when service
  bool stop(const std::function<bool(std::chrono::nanoseconds)>& wait = {});
  /// Longest time since which a thread has made no progress; 0: all do, or there is none.       @when service
  std::chrono::nanoseconds hangs();
  /// The recordings in whose files threads have been for kHangs without getting on.             @when service
  std::vector<const Recording*> hanging();
  /// Hands all other recordings of a thread that hangs to a new one.                            @when service
  void take_over();
  /// The recording in whose file the thread is that hangs() is about; nullptr: in none.         @when service
  const Recording* busy_with() const;
  std::vector<rtsync::Provision> provisions() const;
  bool owns(pid_t tid) const;  ///< false: a thread of somebody else                          @when service

 private:
  bool done() const;
  void give_up();

  std::filesystem::path folder_;
  rtsync::Nanoseconds flush_every_;
  rtsync::ThreadSettings helper_;
  std::vector<Recording*> recordings_;
  std::vector<std::shared_ptr<RecordingWriter>> writers_;
  bool stopping_ = false;
};

}  // namespace tactus::executive
