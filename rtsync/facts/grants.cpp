// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <exception>

#include "rtsync/evidence/tracepoint.hpp"
#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::rtsync::probes {
namespace {

/// Result of a thread's request, or the reason why it is unknown.
struct Trial {
  std::optional<Provision> fate;
  Refusal problem = {"nothing was tried here", ""};
};

/// Starts a thread that ends at once, and looks what became of one of its requests.
Trial try_thread(const Host& host, SchedPolicy policy, int priority, const std::string& request) {
  if (!host.live) return {};
  try {
    PinnedThread scratch{
        {.name = "tactus-probe", .policy = policy, .priority = priority, .prefault_stack = false}, [] {}};
    scratch.join();
    for (const Provision& provision : scratch.provisions()) {
      if (provision.what.find(request) != std::string::npos) return {provision};
    }
  } catch (const std::exception& failure) {
    return {{}, {std::string{"no thread could be made to try it: "} + failure.what(), "ulimit -u; free -m"}};
  }
  return {};
}

/// Tries to lock a little memory; only the answer remains. 0 or the errno.
int try_memory_lock() {
  const std::size_t bytes = page_bytes();
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return errno;
  const int error = ::mlock(block, bytes) == 0 ? 0 : errno;
  ::munmap(block, bytes);  // unlocks it, too
  return error;
}

/// "95 % of a CPU".
std::string percent_of_a_cpu(double share) { return format_text("%.4g %% of a CPU", share * 100.0); }

/// Several reasons as one.
Refusal together(const std::vector<Refusal>& reasons) {
  Refusal all;
  for (const Refusal& each : reasons) {
    all.cause += (all.cause.empty() ? "" : "; ") + each.cause;
    all.fix += (all.fix.empty() ? "" : "; ") + each.fix;
  }
  return all;
}

}  // namespace

Fact realtime_scheduling(const Host& host) {
  constexpr Subject kSubject{"real-time scheduling", "SCHED_FIFO is granted",
                             "an ordinary thread waits for all other ordinary threads"};
  if (!host.request.wants_fifo) return fact(kSubject, Grade::ok, "not asked for by the rig");
  const int priority = host.request.priority;
  const std::string request = "SCHED_FIFO priority " + std::to_string(priority);
  const auto [fate, problem] = try_thread(host, SchedPolicy::fifo, priority, request);
  if (!fate) return unknown(kSubject, problem.cause, problem.fix);
  if (fate->granted) return fact(kSubject, Grade::ok, "tried: " + request + " was granted");
  return fact(kSubject, Grade::fail, "tried " + request + ": " + fate->cause, fate->fix);
}

Fact throttle(const Host& host) {
  constexpr Subject kSubject{
      "real-time throttle", "a SCHED_FIFO thread may use all of its CPU",
      "a thread that spins, or overruns for long, is stopped for tens of milliseconds"};
  const auto share = host.throttle().share(host.rt);
  if (!share)
    return unknown(kSubject, "neither sched_rt_runtime_us nor the kernel's release could be read",
                   "cat /proc/sys/kernel/sched_rt_runtime_us");
  const std::string found = percent_of_a_cpu(*share);
  // Everything that limits is named, though the rig may need less than all.
  const auto limits = host.throttle().stops(1.0, host.rt);
  if (limits.empty()) return fact(kSubject, Grade::ok, found);
  const Refusal all = together(limits);
  const bool hurts = !host.throttle().stops(host.request.share_needed, host.rt).empty();
  return fact(kSubject, hurts ? Grade::fail : Grade::warn, found + ": " + all.cause, all.fix);
}

Fact memory_lock(const Host& host) {
  constexpr Subject kSubject{"memory lock", "all memory, now and later, can be locked",
                             "a page that is not in memory stops a frame until the kernel has fetched it"};
  if (!host.request.wants_memory_lock) return fact(kSubject, Grade::ok, "not asked for by the rig");
  if (!host.live) return unknown(kSubject, "nothing was tried here");
  if (!host.rights().may_lock_all()) {
    const Refusal why = why_no_memory_lock(host.rights(), 0);
    return fact(kSubject, Grade::fail, why.cause, why.fix);
  }
  if (const int error = try_memory_lock(); error != 0) {
    const Refusal why = why_no_memory_lock(host.rights(), error);
    return fact(kSubject, Grade::fail, "tried one page: " + why.cause, why.fix);
  }
  return fact(kSubject, Grade::ok,
              std::string{"tried one page; "} +
                  (host.rights().memlock_limit ? "CAP_IPC_LOCK is held" : "RLIMIT_MEMLOCK is unlimited"));
}

Fact timer_slack(const Host& host) {
  constexpr Subject kSubject{"timer slack", "1 ns or none can be set for a thread",
                             "an ordinary thread is woken 50 us late on purpose"};
  const auto [fate, problem] = try_thread(host, SchedPolicy::other, 0, "timer slack");
  if (!fate) return unknown(kSubject, problem.cause, problem.fix);
  if (fate->granted) return fact(kSubject, Grade::ok, "tried: " + fate->got);
  return fact(kSubject, Grade::warn, "tried: " + fate->got + "; " + fate->cause, fate->fix);
}

Fact kernel_events(const Host& host) {
  constexpr Subject kSubject{"kernel events",
                             "perf_event_open may watch the rig's CPUs, and their interrupts",
                             "without it no late frame can say which thread or interrupt took its CPU"};
  const auto level = read_host_number(host.request.root, "/proc/sys/kernel/perf_event_paranoid");
  if (!level)
    return unknown(kSubject, "/proc/sys/kernel/perf_event_paranoid could not be read",
                   "cat /proc/sys/kernel/perf_event_paranoid");
  const std::string found = "kernel.perf_event_paranoid is " + std::to_string(*level);
  const std::string fix = sysctl_fix("kernel.perf_event_paranoid", "-1");
  const bool perfmon = host.live && host.rights().cap_perfmon;
  if (*level > 0 && !perfmon)
    return fact(kSubject, Grade::warn,
                found + (*level <= 2 ? ": the rig's own threads can be watched, their CPUs not"
                                     : ": not even the rig's own threads can be watched"),
                fix);
  const std::string seen = found + (perfmon ? "; CAP_PERFMON is held" : "");
  std::vector<Refusal> refusals;
  if (*level >= 0 && !perfmon) refusals.push_back({"that takes -1, or CAP_PERFMON", fix});
  const TracepointSearch search = find_interrupt_tracepoints(host.request.root);
  if (!search.tracepoints) refusals.push_back(search.refusal);
  if (refusals.empty()) return fact(kSubject, Grade::ok, seen + "; interrupts are named");
  const Refusal all = together(refusals);
  return fact(kSubject, Grade::warn, seen + "; the time in interrupts is not seen: " + all.cause, all.fix);
}

}  // namespace tactus::rtsync::probes
