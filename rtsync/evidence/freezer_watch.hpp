// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "rtsync/evidence/group_file.hpp"
#include "rtsync/host/control_group.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {

/// Notices that a freezer of cgroup v1 is switched that threads are in. It leaves a thread that sleeps where it is, so that
/// no record tells a frozen one from one that wanted to sleep as long; but its file is written to (inotify).
///
/// Threads  look(): one, every 50 ms or so. may_have_held(): the thread of the frames.
/// RT       may_have_held() makes at most two system calls: outside of frames, and not after one in time.
class FreezerWatch {
 public:
  using Time = TimePoint<MonotonicTime>;
  using Clock = Time (*)();

  /// Watches the freezers of threads or processes.                                                @when setup
  explicit FreezerWatch(
      const std::vector<pid_t>& threads, std::filesystem::path root = "/",
      Clock clock = [] { return monotonic_now(); });

  /// Finds the freezers of threads that were moved, and notes what was switched.                  @when service
  void look();
  /// Returns true if a freezer may have held the thread with that place in the list since a time: one was switched or is
  /// frozen, it was moved, or its freezers are switched where that is not seen (a control group namespace).
  bool may_have_held(std::size_t thread, Time from);

 private:
  enum class Place : std::uint8_t { outside, in_root, watched, unseen };
  struct Thread {
    GroupFile groups;
    std::atomic<Place> place{Place::outside};
    Thread(const std::filesystem::path& root, const std::string& number) : groups(root, number) {}
  };
  void find(Thread& thread);
  Place watch(const GroupLine& group);
  bool watch_file(const std::string& file);
  void note_switches();
  bool is_frozen() const;

  const std::filesystem::path root_;
  const Clock clock_;
  const Descriptor events_;
  std::deque<Thread> threads_;
  std::vector<std::string> files_;  // freezer.state of each that is watched
  std::atomic<std::int64_t> switched_ns_{INT64_MIN};
  std::atomic<bool> look_again_{false};  // at the files: one was switched
  std::atomic<bool> frozen_{false};
};

}  // namespace tactus::rtsync
