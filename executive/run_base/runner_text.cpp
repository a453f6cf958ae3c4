// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/runner_text.hpp"

#include <sched.h>
#include <unistd.h>

#include "rtsync/evidence/judge.hpp"
#include "rtsync/thread/cpu_claims.hpp"
#include "rtsync/thread/thread_list.hpp"
#include "rtsync/thread/thread_names.hpp"

namespace tactus::executive {
namespace {

using rtsync::kNoPriority;

/// The policy that the kernel has of it now; -1: the thread is gone.
int policy_now(std::int32_t thread) {
  const int policy = ::sched_getscheduler(thread);
  return policy < 0 ? -1 : policy & ~SCHED_RESET_ON_FORK;
}

/// Priority as the kernel counts it; for a policy without priorities that of any thread of it.
std::int16_t priority_now(std::int32_t thread, int policy) {
  sched_param parameter{};
  if (policy < 0 || ::sched_getparam(thread, &parameter) != 0) return kNoPriority;
  if (policy == SCHED_DEADLINE) return -1;
  if (policy == SCHED_FIFO || policy == SCHED_RR)
    return static_cast<std::int16_t>(99 - parameter.sched_priority);
  return 120;
}

/// "SCHED_FIFO 90".
std::string policy_text(std::int16_t priority, int policy) {
  if (priority == kNoPriority) return "";
  if (priority < 0) return "SCHED_DEADLINE";
  if (rtsync::is_realtime_priority(priority)) {
    const std::string number = " " + std::to_string(99 - priority);
    return (policy == SCHED_FIFO ? "SCHED_FIFO"
            : policy == SCHED_RR ? "SCHED_RR"
                                 : "SCHED_FIFO or SCHED_RR") +
           number;
  }
  return policy == SCHED_IDLE ? "SCHED_IDLE" : policy == SCHED_BATCH ? "SCHED_BATCH" : "SCHED_OTHER";
}

/// The rig of a thread's name, if it is another one: plug-ins note no roles here. One that Linux cut is looked up among
/// the claims of CPUs.
std::string rig_of(const rtsync::OwnedThreadName& name, std::int32_t thread) {
  const pid_t process = rtsync::process_of(thread);
  if (process == ::getpid()) return "";
  if (name.role.size() + 1 + name.owner.size() < rtsync::kLongestThreadName) return name.owner;
  const std::string rig = rtsync::rig_with_claims(process);
  return rig.starts_with(name.owner) ? rig : name.owner;
}

}  // namespace

RunnerWords words_of(const rtsync::Runner& runner) {
  if (runner.thread < 0) return {"an unnamed thread (ended, or in another PID namespace)", ""};
  const std::string recorded = runner.name.data();
  const std::string role = rtsync::role_of_thread(runner.thread);
  const std::string name = !role.empty()      ? role
                           : recorded.empty() ? rtsync::thread_name(runner.thread)
                                              : recorded;
  const int policy = policy_now(runner.thread);
  const std::int16_t priority =
      runner.priority == kNoPriority ? priority_now(runner.thread, policy) : runner.priority;
  if (const auto owned = rtsync::split_thread_name(name); role.empty() && owned)
    return {"'" + owned->role + "'", policy_text(priority, policy), rig_of(*owned, runner.thread)};
  return {name.empty() ? "a thread that is gone" : "'" + name + "'", policy_text(priority, policy)};
}

std::string runner_text(const rtsync::Runner& runner) {
  const RunnerWords words = words_of(runner);
  if (runner.thread < 0) return words.name;
  const std::string who = words.rig.empty() ? words.name : words.name + " of rig " + words.rig;
  return who + " (tid " + std::to_string(runner.thread) + (words.policy.empty() ? "" : ", " + words.policy) +
         ")";
}

rtsync::Runner longest_of(const rtsync::OtherThreads& others) {
  if (others.stronger.thread != 0 && others.stronger.thread == others.thread) return others.stronger;
  if (others.ordinary.thread != 0 && others.ordinary.thread == others.thread) return others.ordinary;
  return {others.thread, others.longest};
}

rtsync::Runner blamed_runner(const rtsync::Evidence& evidence) {
  if (!evidence.others) return {};
  const rtsync::Nanoseconds not_ready = rtsync::not_queued(evidence);
  const rtsync::Runner one = longest_of(*evidence.others);
  return not_ready > rtsync::Nanoseconds{0} && one.time <= not_ready ? rtsync::Runner{} : one;
}

}  // namespace tactus::executive
