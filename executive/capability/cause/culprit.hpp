// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "executive/frame/frame_note.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// Part that took time from the rig, as sums name it: without numbers that differ from time to time.
struct Culprit {
  std::string name;    ///< "'stress'", "irq 24 (virtio0)", "the hypervisor"; empty: not known
  std::string policy;  ///< "SCHED_FIFO 90"; empty: it is not a thread, or that is not known
  std::string of;      ///< "rig servo", or the systemd unit or container that it belongs to; empty: not known
  auto operator<=>(const Culprit&) const = default;
};

/// Names culprits of findings, and remembers to what their threads belong.
///
/// Threads  the service thread.
class Culprits {
 public:
  static constexpr std::size_t kMostThreads = 1000;

  explicit Culprits(const Plan& plan, std::filesystem::path proc = "/proc")
      : plan_(plan), proc_(std::move(proc)) {}

  /// Returns the culprit of preempted, interrupted, throttled, suspended and machine_stopped; empty of other causes.
  Culprit of(const Finding& finding);

 private:
  const std::string& owner_of(std::int32_t thread);

  const Plan& plan_;
  const std::filesystem::path proc_;
  std::map<std::int32_t, std::string> owners_;  // by thread
};

/// Returns the unit or container in the text of /proc/PID/cgroup: "stress.service"; empty: it is in none.
std::string unit_in(const std::string& cgroup);

}  // namespace tactus::executive
