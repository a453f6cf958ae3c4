// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// A request to stop, for one other thread. The thread that sees it also sees all that was written before it.
///
/// Threads  any.
class StopFlag {
 public:
  void request() TACTUS_RT { requested_.store(true, std::memory_order_release); }
  bool requested() const TACTUS_RT { return requested_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> requested_{false};
};

}  // namespace tactus::rtsync
