// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Protocol of a rig and its guardian: a page of memory and messages over a socket.
///
/// The guardian is started with the socket as descriptor 3 and the words: rig, process, state. Each message
/// of the rig but `released` is answered by one with the same kind and the outcome.
///
/// Threads  the page: any, also a signal handler.
#include <atomic>
#include <cstdint>

#include "drivers/gpio/safe_write.hpp"
#include "rtsync/crash/thread_life.hpp"

namespace tactus::drivers::gpio {

inline constexpr std::uint32_t kGuardianVersion = 4;
inline constexpr int kGuardianSocket = 3;

/// Longest sleep of the guardian: it reports at that interval that it lives.
inline constexpr std::int64_t kGuardianSleepNs = 200'000'000;

/// Page in a memfd of its own. Times are CLOCK_MONOTONIC in nanoseconds.
struct GuardianPage {
  std::atomic<std::int64_t> frame_ended{0};  ///< time at which the last frame ended
  std::atomic<std::uint32_t> armed{0};       ///< 1: frames run, so frame_ended must move
  std::atomic<std::uint32_t> tripped{0};     ///< 1: the guardian drove the outputs safe; never 0 again
  std::atomic<std::uint64_t> wakes{0};       ///< number of wakes of the guardian
  rtsync::ThreadLife frames_thread;          ///< held by the thread that runs the frames
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

struct GuardianMessage {
  enum class Kind : std::uint32_t {
    hello,     ///< greeting with the page's descriptor
    watch,     ///< watch a line, with its descriptor: to be driven safe by `write`
    forget,    ///< the output of that id was driven safe and ends
    released,  ///< all outputs were: the guardian ends and touches nothing
  };

  Kind kind = Kind::hello;
  std::uint32_t version = kGuardianVersion;
  std::int32_t id = 0;
  std::int32_t error = 0;  ///< errno's value in an answer
  std::int64_t timeout_ns = 0;
  SafeWrite write{};
};

}  // namespace tactus::drivers::gpio
