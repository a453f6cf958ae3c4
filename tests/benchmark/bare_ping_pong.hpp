// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdint>
#include <new>
#include <stdexcept>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::benchmark {

/// The least that can be written for two processes: a word there and a word back.
class BarePingPong {
 public:
  explicit BarePingPong(const rtsync::ThreadSettings& place) {
    void* const at =
        ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::runtime_error("mmap");
    words_ = ::new (at) Words;
    child_ = ::fork();
    if (child_ == 0) answer();
    (void)rtsync::set_affinity(child_, place.cpus);
    sched_param param{};
    param.sched_priority = place.priority - 1;
    if (place.policy == rtsync::SchedPolicy::fifo) (void)::sched_setscheduler(child_, SCHED_FIFO, &param);
  }
  ~BarePingPong() {
    (void)::kill(child_, SIGKILL);
    (void)::waitpid(child_, nullptr, 0);
  }
  BarePingPong(const BarePingPong&) = delete;
  BarePingPong& operator=(const BarePingPong&) = delete;

  void call() {
    const std::uint32_t turn = words_->there.load() + 1;
    wake(words_->there, turn);
    sleep_until(words_->back, turn);
  }

 private:
  struct Words {
    alignas(64) std::atomic<std::uint32_t> there{0};
    alignas(64) std::atomic<std::uint32_t> back{0};
  };
  static void wake(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    word.store(value);
    (void)::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  static void sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    for (std::uint32_t seen = 0; (seen = word.load()) != value;)
      (void)::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
  [[noreturn]] void answer() const {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (std::uint32_t turn = 1;; ++turn) {
      sleep_until(words_->there, turn);
      wake(words_->back, turn);
    }
  }
  Words* words_ = nullptr;
  pid_t child_ = -1;
};

}  // namespace tactus::benchmark
