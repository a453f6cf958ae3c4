// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "executive/frame/executive.hpp"
#include "rtsync/thread/left_behind.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Drives the outputs safe for good, from a thread of its own: a driver that does not return keeps that thread alone.
/// Waits for it for a second at most. The executive must stay as long as the process when it does not return.
/// @when service
inline void end_outputs_safe_aside(Executive& executive) {
  if (executive.plan().safe_outputs.empty()) return;
  constexpr int kLooks = 1000;  // a machine that stands still takes none of them away
  const auto done = std::make_shared<std::atomic<bool>>(false);
  auto thread = std::make_unique<rtsync::PinnedThread>(
      rtsync::ThreadSettings{"safe-outputs", {}, rtsync::SchedPolicy::other, 0, 0, false},
      [&executive, done] {
        (void)executive.end_outputs_safe();
        done->store(true);
      });
  for (int look = 0; look < kLooks && !done->load(); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (done->load()) return thread->join();
  rtsync::leave_behind(std::move(thread));
}

}  // namespace tactus::executive
