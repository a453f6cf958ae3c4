// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A thread whose every attribute is chosen, applied, read back and reported before its body starts.
///
///     PinnedThread plant{{.name = "plant", .cpus = {3}, .policy = SchedPolicy::fifo, .priority = 80},
///                        [&] { executive.run(); }};
///     for (const Provision& p : plant.provisions()) report(p);   // what the machine granted, and why not
///     plant.join();                                               // rethrows what the body threw
///
/// The thread is made as SCHED_OTHER, so that making it never fails for lack of privilege; then it dresses
/// itself. SCHED_RESET_ON_FORK keeps threads that the body starts out of the real-time policy; they do
/// inherit its CPUs (see thread_list.hpp). Every signal is blocked but the synchronous faults.
///
/// Threads  constructed, joined and destroyed by one owner; the getters may be called by anyone.
/// RT       nothing here. @when setup.
#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

enum class SchedPolicy {
  other,  ///< SCHED_OTHER: the ordinary time-sharing threads
  fifo,   ///< SCHED_FIFO: runs until it sleeps or a higher priority wants the CPU
  rr,     ///< SCHED_RR: as fifo, in turns among equal priorities
};
/// "SCHED_FIFO".
std::string_view name_of(SchedPolicy policy);
/// "SCHED_FIFO", "SCHED_BATCH", ... for the kernel's number, with or without SCHED_RESET_ON_FORK.
std::string kernel_policy_name(int policy);

struct ThreadSettings {
  std::string name = {};  ///< role, at most 15 bytes; "" keeps the process's name
  CpuSet cpus = {};       ///< CPUs of the thread; empty: those of the process
  SchedPolicy policy = SchedPolicy::other;
  int priority = 0;                                ///< 1 .. 99 for fifo and rr
  std::size_t stack_bytes = std::size_t{2} << 20;  ///< rounded up to pages; 0: the system's default, made
                                                   ///< present only as far as it is used
  bool prefault_stack = true;  ///< touch the stack, so that no frame faults it in; no: it is made present
                               ///< only as far as it is used, also where all memory is locked
  std::string owner = {};      ///< the rig that the kernel's name shows after the role: "main@servo"
};

class ThreadStack;

class PinnedThread {
 public:
  /// Returns when every setting was applied; the body starts only then, whatever was granted.
  /// Throws std::system_error when no thread could be made at all.                        @when setup
  PinnedThread(ThreadSettings settings, std::function<void()> body);
  /// Waits for the body. An exception that join() did not fetch is written to stderr.
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

  const ThreadSettings& settings() const { return settings_; }
  /// One per request, in the order they were applied.
  std::vector<Provision> provisions() const { return provisions_; }
  pid_t tid() const { return tid_; }
  /// Valid until join().
  pthread_t native() const { return thread_; }
  bool joinable() const { return joinable_; }
  /// Waits for the body; rethrows what it threw, once. Joining again does nothing.
  void join();

 private:
  static void* enter(void* self);
  void run();

  const ThreadSettings settings_;
  std::function<void()> body_;
  std::latch applied_{1};
  std::vector<Provision> provisions_;
  std::exception_ptr failure_;
  std::unique_ptr<ThreadStack> stack_;  // one that is made present as it is used
  pid_t tid_ = 0;
  pthread_t thread_{};
  bool joinable_ = false;
};

/// Applies the same settings to the calling thread: for the process's initial thread, which cannot be made
/// anew. stack_bytes is how much of its stack to touch. Its signal mask stays as it is. @when setup
std::vector<Provision> apply_to_this_thread(const ThreadSettings& settings);

}  // namespace tactus::rtsync
