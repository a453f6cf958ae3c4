// SPDX-License-Identifier: Apache-2.0
// The `threads` section: the threads of a rig, and where they run.
#include <chrono>

#include "config/rules.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/plan/setting_rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;
using rtsync::SchedPolicy;
using rtsync::WaitMode;
using namespace setting;

config::Choices<SchedPolicy> policies() {
  return choices<SchedPolicy>({{"fifo", SchedPolicy::fifo, "SCHED_FIFO"},
                               {"rr", SchedPolicy::rr, "SCHED_RR"},
                               {"other", SchedPolicy::other, "SCHED_OTHER: no real-time scheduling"}});
}

// 99 is left to who watches over the threads: it takes one more than the highest of them.
config::IntegerRange priorities() { return range(1, 98); }
config::IntegerRange stacks() { return config::bytes(64 << 10, 1 << 30); }
constexpr const char* kPriority = "SCHED_FIFO or SCHED_RR priority";
constexpr const char* kStack = "stack size; the stack is touched before the first frame";

Fields<MainThreadSection> main_thread_fields() {
  using T = MainThreadSection;
  return {"The thread that runs the frames.",
          {
              optional("cpus", &T::cpus,
                       "CPUs of the thread; by default the last isolated CPU, else the last allowed one"),
              optional("policy", &T::policy, policies(), "scheduling policy"),
              optional("priority", &T::priority, priorities(), kPriority),
              optional("stack", &T::stack, stacks(), kStack),
              budget(&T::budget,
                     "time its jobs may take in a frame, together; excesses are counted, and `tactus check` "
                     "adds budgets up"),
              escalation(&T::escalation, "what to do when its jobs exceed the budget too often"),
          }};
}

Fields<WorkerSettings> worker_fields() {
  using W = WorkerSettings;
  return {"A thread beside main that runs the jobs of models: `models.X.thread` puts them there.",
          {
              located(&W::origin),
              optional("kind", &W::kind,
                       choices<ThreadKind>(
                           {{"scheduled", ThreadKind::scheduled,
                             "in lock-step: released at each instant, and waited for at its end"},
                            {"asynchronous", ThreadKind::asynchronous,
                             "released when idle (at its period, if it has one), and never waited for"},
                            {"asynchronous_must_finish", ThreadKind::asynchronous_must_finish,
                             "released at its period, and waited for at the end of it"}}),
                       "how its jobs run beside the frames"),
              optional(
                  "period", &W::period, or_word("none", any_period()),
                  "asynchronous kinds only: a whole number of frames; required for asynchronous_must_finish"),
              optional("cpus", &W::cpus, "CPUs of the thread; by default chosen as for main"),
              optional("policy", &W::policy, policies(), "scheduling policy"),
              optional("priority", &W::priority, priorities(), kPriority),
              optional("stack", &W::stack, stacks(), kStack),
              optional("trigger", &W::trigger,
                       or_word("auto",
                               choices<WaitMode>(
                                   {{"spin", WaitMode::spin, "poll memory; needs a CPU of its own"},
                                    {"futex", WaitMode::futex, "sleep in the kernel"},
                                    {"adaptive", WaitMode::adaptive, "poll for a short time, then sleep"}}),
                               "adaptive in real time, else futex"),
                       "how it waits for work, and how main waits for it"),
              budget(&W::budget,
                     "time its jobs may take in a frame or its period, together; excesses are counted, and "
                     "`tactus check` adds budgets up"),
              escalation(&W::escalation, "what to do when its jobs exceed the budget too often"),
          }};
}

Fields<HelperThreadsSection> helper_threads_fields() {
  return {"The ordinary threads beside the frames: service and recorder. Always SCHED_OTHER.",
          {optional("cpus", &HelperThreadsSection::cpus,
                    "CPUs of these threads; by default every allowed CPU without a real-time thread")}};
}

}  // namespace

config::Fields<ThreadsSection> threads_fields() {
  using T = ThreadsSection;
  return {
      "Threads and where they run.",
      {
          optional("main", &T::main, main_thread_fields(), "the thread that runs the frames"),
          named("workers", &T::workers, worker_fields(), "worker", "threads that run jobs beside main"),
          optional("helpers", &T::helpers, helper_threads_fields(), "all other threads"),
          optional("stuck_after", &T::stuck_after, range(1ms, 3600s),
                   "abort the rig, naming the thread, if a thread exceeds its frame or period by this much"),
      }};
}

}  // namespace tactus::executive
