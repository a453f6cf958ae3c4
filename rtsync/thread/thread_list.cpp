// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_list.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "rtsync/host/host_file.hpp"
#include "rtsync/host/rights.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/thread/thread_names.hpp"

namespace tactus::rtsync {
namespace {

bool is_ours(pid_t tid) { return ::tgkill(::getpid(), tid, 0) == 0; }

/// Nothing when the thread has ended.
std::optional<ThreadFacts> facts_of(pid_t tid, bool own = true) {
  ThreadFacts facts{.tid = tid};
  const int policy = ::sched_getscheduler(tid);
  if (policy < 0 && errno == ESRCH) return std::nullopt;
  facts.policy = policy < 0 ? -1 : policy & ~SCHED_RESET_ON_FORK;
  facts.policy_name = policy < 0 ? "unreadable" : kernel_policy_name(policy);
  facts.reset_on_fork = policy >= 0 && (policy & SCHED_RESET_ON_FORK) != 0;
  sched_param param{};
  if (::sched_getparam(tid, &param) == 0) facts.priority = param.sched_priority;
  facts.cpus = affinity_of(tid).value_or(CpuSet{});
  facts.name = thread_name(tid);
  if (own) facts.name = role_of_name(facts.name);  // a thread that a model made has the name of its maker
  return facts;
}

std::vector<ThreadFacts> threads_in(const std::string& tasks, bool own) {
  std::vector<ThreadFacts> threads;
  for (const std::filesystem::path& entry : entries_of(tasks)) {
    const auto tid = whole_number(entry.filename().string());
    if (!tid) continue;
    if (auto facts = facts_of(static_cast<pid_t>(*tid), own)) threads.push_back(std::move(*facts));
  }
  std::ranges::sort(threads, [](const ThreadFacts& a, const ThreadFacts& b) { return a.tid < b.tid; });
  return threads;
}

}  // namespace

std::string thread_name(pid_t tid) {
  std::string role = role_of_thread(tid);
  return role.empty() ? read_host_file("/", "/proc/" + std::to_string(tid) + "/comm").text : role;
}

pid_t process_of(pid_t tid) {
  const std::string status = read_host_file("/", "/proc/" + std::to_string(tid) + "/status").text;
  return static_cast<pid_t>(number_behind(status, "\nTgid:\t").value_or(0));
}

std::vector<ThreadFacts> threads_of(pid_t process) {
  return threads_in("/proc/" + std::to_string(process) + "/task", process == ::getpid());
}

std::vector<ThreadFacts> list_threads() { return threads_in("/proc/self/task", true); }

Provision evict(pid_t tid, const CpuSet& allowed) {
  const std::string what = "thread " + std::to_string(tid) + " as SCHED_OTHER on CPUs " + allowed.text();
  const auto describe = [](const std::optional<ThreadFacts>& facts) {
    return facts ? facts->policy_name + " on CPUs " + facts->cpus.text()
                 : std::string{"the thread has ended"};
  };
  // sched_setscheduler would take any tid of the machine; only our own threads are ours to move.
  if (tid <= 0 || !is_ours(tid)) {
    if (tid > 0 && ::sched_getscheduler(tid) < 0 && errno == ESRCH)
      return granted(what, "the thread has ended");
    return refused(what, "nothing changed",
                   {"it is not a thread of this process", "choose a tid out of /proc/self/task"});
  }
  const auto before = facts_of(tid);
  if (!before) return granted(what, describe(before));
  if (before->policy != SCHED_OTHER) {
    // The reset flag may be taken away only with CAP_SYS_NICE; it does no harm, so it stays.
    const sched_param param{};
    const int policy = SCHED_OTHER | (before->reset_on_fork ? SCHED_RESET_ON_FORK : 0);
    if (::sched_setscheduler(tid, policy, &param) != 0 && errno != ESRCH) {
      const int error = errno;
      return refused(
          what, describe(facts_of(tid)),
          {"sched_setscheduler answered " + error_words(error), "sudo chrt -o -p 0 " + std::to_string(tid)});
    }
  }
  const int error = set_affinity(tid, allowed);
  const auto after = facts_of(tid);
  if (!after || error == ESRCH) return granted(what, "the thread has ended");
  if (after->policy == SCHED_OTHER && !after->cpus.empty() && allowed.contains(after->cpus))
    return granted(what, describe(after));
  if (error == EPERM && !allowed.empty())
    return refused(what, describe(after), why_no_cpus(read_rights(), error));
  return refused(
      what, describe(after),
      {error != 0 ? "sched_setaffinity answered " + error_words(error) +
                        (allowed.empty() ? ": no CPU was named" : ": none of these CPUs is allowed here")
                  : "the kernel accepted the request but set something else",
       "choose among the CPUs " + allowed_cpus().text()});
}

}  // namespace tactus::rtsync
