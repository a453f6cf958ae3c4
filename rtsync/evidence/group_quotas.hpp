// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rtsync/evidence/evidence.hpp"
#include "rtsync/evidence/group_file.hpp"
#include "rtsync/host/control_group.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {

/// Counts how long the limits of control groups (cpu.max; in cgroup v1: cpu.cfs_quota_us) stopped the ordinary threads
/// in them. The kernel counts a stop as it ends (cpu.stat), for all threads of a group together.
///
/// Threads  look(): one helper thread. The rest: the thread of the frames.
/// RT       begin(). stops_since() makes a system call for each group of the thread: of an ordinary thread alone, outside of
///          frames, and not after one in time.
class GroupQuotas {
 public:
  using Time = TimePoint<MonotonicTime>;
  using Clock = Time (*)();
  static constexpr std::size_t kMostThreads = 64;  ///< most threads; every stop of others is uncertain
  static constexpr std::size_t kMostGroups =
      32;  ///< most groups in the life of a run; with more, every stop is uncertain

  /// Watches the groups of these threads or processes.                                            @when setup
  explicit GroupQuotas(
      const std::vector<pid_t>& threads, std::filesystem::path root = "/",
      Clock clock = [] { return monotonic_now(); });

  /// Keeps what is counted now. Finds anew in which groups the threads are, and which of those have a limit, where
  /// `find` is true.                                                                              @when service
  void look(bool find);
  /// Begins with a late frame: what stops_since() has read is that of another one.
  void begin() TACTUS_RT { ++frame_; }
  /// Returns the stops since a time of the thread with that place in the list. A part of them may have been before: since
  /// the last look, or the late frame before.
  QuotaStops stops_since(std::size_t thread, Time from);

 private:
  struct Counts {
    Time at{};  // right behind it was read: what is counted in between is of a later time
    std::int64_t times = 0;
    std::int64_t took_ns = 0;
    Time until{};  // right before it was read last: no stop had ended since then
  };
  struct Look {
    std::atomic<std::uint64_t> number{0};  // 0: it is being written, or there was none
    std::atomic<std::int64_t> at_ns{0}, times{0}, took_ns{0}, until_ns{0};
  };
  struct Limit {
    std::uint32_t runtime_us = 0;  // 0: none
    std::uint32_t period_us = 0;
  };
  /// A group that has a limit, or may get one. Its place is never given to another.
  struct Group {
    std::string folder{};  // empty: it is gone. Of look() alone
    Descriptor stat{}, limit{}, period{};
    GroupName name{};
    std::atomic<std::uint64_t> threads{0};  // in it, by their places
    std::atomic<bool> counts{false};        // it has a limit, or had one
    std::atomic<std::uint32_t> runtime_us{0}, period_us{0};
    // Only where something had changed: the times of the looks are when that was seen first.
    std::array<Look, 8> looks{};
    std::uint64_t next_look = 1;
    std::optional<Counts> seen{};         // by look() alone
    std::optional<Counts> now, before{};  // of stops_since(), in this late frame and in the one before
    std::uint64_t frame = 0;              // of `now`
  };
  struct Thread {
    std::string number;
    GroupFile groups;
    Thread(std::string its_number, const std::filesystem::path& root)
        : number(std::move(its_number)), groups(root, number) {}
  };
  static std::optional<Limit> limit_of(const Group& group);
  std::optional<Counts> count(const Group& group) const;
  static void keep(Group& group, const Counts& counts);
  static std::optional<Counts> counts_of(const Look& look) TACTUS_RT;
  struct Stopped {
    Nanoseconds took{0};
    Nanoseconds over_after{0};  // the last stop had ended so long after that time
  };
  static Stopped stopped_since(const Group& group, const Counts& then, Time from) TACTUS_RT;
  static std::optional<Counts> known_at(const Group& group, Time from) TACTUS_RT;
  Descriptor open(const std::string& file) const;
  void find_groups();
  void find_limit(Group& group);
  void read(Group& group);
  Group* group_of(const QuotaFiles& files);

  const std::filesystem::path root_;
  const Clock clock_;
  std::deque<Thread> threads_;
  std::array<Group, kMostGroups> groups_;
  std::atomic<std::size_t> used_{0};
  std::atomic<bool> too_many_{false};
  std::uint64_t frame_ = 1;  // late frames
};

}  // namespace tactus::rtsync
