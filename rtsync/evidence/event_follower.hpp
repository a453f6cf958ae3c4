// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rtsync/evidence/kernel_events.hpp"

namespace tactus::rtsync {

/// Reads what KernelEvents holds beside the frames, and takes nothing away from them.
///
/// Threads  one, of ordinary priority. @when service
class EventFollower {
 public:
  explicit EventFollower(std::shared_ptr<const KernelEvents> events);

  struct Taker {
    std::function<void(std::size_t thread, const EventRecord&)> of_thread;
    std::function<void(const EventRecord&)> of_cpu;
  };
  /// All records that came since the call before: those of a ring in their order, one ring after the other.
  void follow(const Taker& taker);
  bool sees_cpus() const { return events_->cpus() > 0; }
  const KernelEvents& events() const { return *events_; }
  /// Number of times that records were overwritten before they were read.
  std::uint64_t gaps() const { return gaps_; }

 private:
  bool read(const EventRing& ring, std::uint64_t& at);

  const std::shared_ptr<const KernelEvents> events_;
  std::vector<std::uint64_t> thread_at_;
  std::vector<std::uint64_t> cpu_at_;
  std::vector<EventRecord> batch_;
  std::uint64_t gaps_ = 0;
};

}  // namespace tactus::rtsync
