// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>

namespace tactus::silkit::command {

/// SIGINT, SIGTERM and SIGHUP as something to wait for, beside a wake() of another thread. What was
/// ignored when the program started, as with nohup, stays ignored; so does SIGPIPE from here on: a write
/// fails instead.
///
/// Threads  made before any other thread, so that all inherit what it blocks; wake() by any, else one thread.
class SignalWaiter {
 public:
  enum class Call { signal, woken, resized, nothing };

  SignalWaiter();
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;
  ~SignalWaiter();

  /// A signal is reported before a wake; several wakes may be reported as one. `resized`: the terminal was.
  Call wait(std::chrono::milliseconds limit = std::chrono::hours(1));
  void wake();

 private:
  int signals_ = -1;
  int wakes_ = -1;
};

}  // namespace tactus::silkit::command
