// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tactus::drivers::fmi {

/// Memory of what a unit may change in its process beside its own instance, and nobody sees at once: the current folder, the signals
/// that the thread of its jobs blocks, threads of its own.
///
/// Threads  begin(): setup. on_thread(): that of the jobs. look(), look_seldom(): any that is not real-time.
class Surroundings {
 public:
  /// Notes how it is before a unit runs. @when setup
  void begin();
  /// Notes the calling thread as that of the jobs, the first time; three system calls then, none later. @when rt
  void on_thread() noexcept {
    if (thread_.load(std::memory_order_relaxed) == 0) note_thread();
  }
  /// Returns sentences about what has changed since, each once: "has changed the current folder to '/'". The folder is put
  /// back. @when service
  std::vector<std::string> look();
  /// The same, a few times a second at most. @when service
  std::vector<std::string> look_seldom();

 private:
  void note_thread() noexcept;

  std::mutex mutex_;
  std::string folder_;
  std::vector<pid_t> known_;  // threads
  std::uint64_t blocked_ = 0;
  std::array<char, 16> name_{};  // of the thread of the jobs
  std::atomic<pid_t> thread_{0};
  std::size_t started_ = 0;
  bool folder_said_ = false, mask_said_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace tactus::drivers::fmi
