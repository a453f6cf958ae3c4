// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rtsync/host/control_group.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Counters of the kernel for some CPUs, read beside the frames: how fast they are, how long they take to
/// leave their idle states, and what interrupts and the hypervisor did there. Also counts how often the limit
/// of a control group stopped the rig.
///
/// Threads  watch: before the others. look, activity, group_stops: one. speed, idle_exit: any.
class CpuWatch {
 public:
  /// @when setup
  void watch(const CpuSet& cpus, const std::filesystem::path& root = "/");
  /// Reads the counters. Called about once a second. @when service
  void look();

  /// Against its usual frequency, as of the last look. Nothing: it is not reported, or the governor changes
  /// it.
  std::optional<double> speed(std::uint32_t cpu) const TACTUS_RT;
  /// The longest that it takes to leave an idle state that it used lately. Nothing: it is not reported.
  std::optional<Nanoseconds> idle_exit(std::uint32_t cpu) const TACTUS_RT;
  /// Describes the time between the last two looks: "steal 90 ms, softirq NET_RX 1200 times, irq 24 virtio0
  /// 35 times"; the most frequent ones of each. @when service
  std::string activity(std::uint32_t cpu) const;
  /// Stops of the rig's control group between the last two looks. @when service
  const GroupStops& group_stops() const { return group_stops_; }

 private:
  using Counts = std::map<std::string, std::int64_t>;
  struct IdleState {
    std::int64_t usage = 0;
    int used_ago = kLongAgo;  // in looks
  };
  static constexpr int kLongAgo = 1000;
  static constexpr std::size_t kMostSpeeds = 64;
  struct Cpu {
    std::uint32_t number = 0;
    std::atomic<std::int32_t> speed_permille{-1};
    std::atomic<std::int64_t> idle_exit_ns{-1};
    std::vector<std::int64_t> frequencies;  // the latest ones, oldest first
    std::vector<IdleState> idle_states;
    std::int64_t steal_ticks = -1;
    Counts interrupts;
    Counts softirqs;
    std::string activity;
  };

  const Cpu* find(std::uint32_t cpu) const TACTUS_RT;
  void look_at_frequency(Cpu& cpu) const;
  void look_at_idle_states(Cpu& cpu) const;
  void look_at_activity(Cpu& cpu) const;
  void look_at_group();

  std::filesystem::path root_;
  std::optional<GroupStops> group_;  // as of the last look
  GroupStops group_stops_;
  std::vector<std::unique_ptr<Cpu>> cpus_;
};

}  // namespace tactus::rtsync
