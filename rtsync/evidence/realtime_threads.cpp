// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/realtime_threads.hpp"

#include <sched.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

namespace tactus::rtsync {
namespace {

/// 0: the name of no thread.
pid_t number_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  pid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

bool is_realtime(pid_t thread) {
  const int policy = ::sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

template <class Take>
void each_entry(const std::filesystem::path& folder, Take take) {
  std::error_code error;  // processes come and go
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const pid_t number = number_of(entry->path()); number > 0) take(number, entry->path());
}

}  // namespace

void RealtimeThreads::look(const char* proc) {
  const std::size_t next = 1 - latest_.load(std::memory_order_relaxed);
  List& list = lists_[next];
  std::size_t count = 0;
  bool any = false;
  each_entry(proc, [&](pid_t, const std::filesystem::path& process) {
    each_entry(process / "task", [&](pid_t thread, const std::filesystem::path&) {
      any = true;
      if (!is_realtime(thread)) return;
      if (count < kMost) list.threads[count].store(thread, std::memory_order_relaxed);
      ++count;
    });
  });
  list.all.store(!any || count > kMost, std::memory_order_relaxed);
  list.count.store(count > kMost ? kMost : count, std::memory_order_relaxed);
  latest_.store(next, std::memory_order_release);
}

bool RealtimeThreads::has(pid_t thread) const TACTUS_RT {
  const List& list = lists_[latest_.load(std::memory_order_acquire)];
  if (list.all.load(std::memory_order_relaxed)) return true;
  for (std::size_t i = 0; i < list.count.load(std::memory_order_relaxed); ++i)
    if (list.threads[i].load(std::memory_order_relaxed) == thread) return true;
  return false;
}

}  // namespace tactus::rtsync
