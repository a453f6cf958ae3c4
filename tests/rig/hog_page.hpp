// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace tactus::test {

/// Memory that a rig's model shares with a test: the model says when the test's real-time threads, one on each of the
/// first CPUs, take their CPU from the rig. They are the test's, as a rig takes real time away from threads of its own
/// process that it does not know.
struct HogPage {
  struct Hog {
    sem_t wanted;
    std::atomic<std::int64_t> time_ns;
    std::atomic<bool> has_it;
  };
  static constexpr const char* kFile = "hogs";
  std::atomic<bool> queues;  ///< they have the priority of the rig's threads: they come when those sleep
  std::array<Hog, 2> hogs;
};

}  // namespace tactus::test
