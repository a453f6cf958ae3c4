// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/realtime_threads.hpp"

#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "rtsync/text.hpp"

namespace tactus::rtsync {
namespace {

bool is_realtime_policy(int policy) {
  const int plain = policy & ~SCHED_RESET_ON_FORK;
  return plain == SCHED_FIFO || plain == SCHED_RR || plain == SCHED_DEADLINE;
}

/// Calls `take` for each process or thread that has a folder in this one.
template <class Take>
void each_entry(const std::string& folder, Take take) {
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* const entry = ::readdir(entries))
    if (const auto number = read_number<pid_t>(entry->d_name); number && *number > 0) take(*number);
  ::closedir(entries);
}

/// True: the process has one thread, which has its number. The kernel counts threads as links of their folder.
bool has_one_thread(const std::string& tasks) {
  struct stat facts {};
  return ::stat(tasks.c_str(), &facts) == 0 && facts.st_nlink == 3;
}

}  // namespace

void RealtimeThreads::Threads::take(std::vector<pid_t> threads) {
  std::sort(threads.begin(), threads.end());
  threads.resize(std::min(threads.size(), kMost));
  for (std::size_t i = 0; i < threads.size(); ++i) numbers[i].store(threads[i], std::memory_order_relaxed);
  count.store(threads.size(), std::memory_order_relaxed);
}

bool RealtimeThreads::Threads::has(pid_t thread) const TACTUS_RT {
  std::size_t from = 0;
  std::size_t to = count.load(std::memory_order_relaxed);
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    const pid_t there = numbers[middle].load(std::memory_order_relaxed);
    if (there == thread) return true;
    (there < thread ? from : to) = there < thread ? middle + 1 : middle;
  }
  return false;
}

void RealtimeThreads::look(const char* proc) {
  std::vector<pid_t> realtime;
  std::vector<pid_t> ordinary;
  const auto add = [&](pid_t thread) {
    const int policy = ::sched_getscheduler(thread);
    if (policy >= 0) (is_realtime_policy(policy) ? realtime : ordinary).push_back(thread);
  };
  each_entry(proc, [&](pid_t process) {
    const std::string tasks = std::string(proc) + "/" + std::to_string(process) + "/task";
    if (has_one_thread(tasks))
      add(process);
    else
      each_entry(tasks, add);
  });
  take(std::move(realtime), std::move(ordinary));
}

void RealtimeThreads::take(std::vector<pid_t> realtime, std::vector<pid_t> ordinary) {
  const std::size_t next = 1 - latest_.load(std::memory_order_relaxed);
  Look& look = looks_[next];
  look.all.store((realtime.empty() && ordinary.empty()) || realtime.size() > kMost,
                 std::memory_order_relaxed);
  look.realtime.take(std::move(realtime));
  look.ordinary.take(std::move(ordinary));
  latest_.store(next, std::memory_order_release);
}

bool RealtimeThreads::has(pid_t thread) const TACTUS_RT {
  return latest().all.load(std::memory_order_relaxed) || latest().realtime.has(thread);
}

bool RealtimeThreads::is_realtime(pid_t thread) const TACTUS_RT { return latest().realtime.has(thread); }

bool RealtimeThreads::is_ordinary(pid_t thread) const TACTUS_RT { return latest().ordinary.has(thread); }

}  // namespace tactus::rtsync
