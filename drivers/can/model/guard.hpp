// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus::drivers::can {

/// Memory that a process shares with its guard: what must go on from where it was.
///
/// Threads  any, of both processes, also signal handlers.
class SharedState {
 public:
  /// Takes a page, or more. Throws std::runtime_error. @when setup
  explicit SharedState(std::size_t counters);
  ~SharedState();
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  std::atomic<std::uint32_t>& counter(std::size_t index) { return counters()[index]; }
  /// All is safe for good: nobody has to do anything more.
  std::atomic<bool>& is_safe_for_good() { return *static_cast<std::atomic<bool>*>(memory_); }

 private:
  static constexpr std::size_t kHead = 64;  // bytes before the counters
  std::atomic<std::uint32_t>* counters();

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A copy of this process that does something when this one is gone without a farewell: after SIGKILL, also that of the
/// kernel when memory is short.
///
/// The copy is made by fork(), sleeps, and holds nothing open but one descriptor of those it inherited. It has the memory of
/// the moment in which it was made, and what is shared. It ends with this process, whatever other children live on.
///
/// Threads  setup.
class Guard {
 public:
  /// Makes it. `act` is called there, once, with what is async-signal-safe alone; `kept` is the descriptor that it needs.
  /// Throws std::runtime_error. @when setup
  Guard(int kept, void (*act)(void* of), void* of);
  /// Says farewell, and waits until it has ended: it does nothing. One that does not end in five seconds is killed.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  pid_t process_ = -1;
  int farewell_ = -1;  // pipe
};

}  // namespace tactus::drivers::can
