// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/stuck_mark.hpp"

#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

void StuckMark::mark(std::size_t thread) TACTUS_RT {
  Marked nobody;
  (void)marked_.compare_exchange_strong(
      nobody, {static_cast<std::uint32_t>(thread), jobs_.running_job_index(thread)});
  commands_.request_abort("a thread is stuck");
}

void StuckMark::mark_call(const char* call) TACTUS_RT {
  if (marked_.load() == Marked{}) call_.store(call);
  mark(0);
}

std::optional<std::size_t> StuckMark::thread() const TACTUS_RT {
  if (const std::optional<std::size_t> stuck = jobs_.workers().stuck()) return stuck;
  const Marked marked = marked_.load();
  return marked.thread == UINT32_MAX ? std::nullopt : std::optional<std::size_t>(marked.thread);
}

std::uint32_t StuckMark::job(std::size_t thread) const TACTUS_RT {
  const Marked marked = marked_.load();
  return marked.thread == thread && marked.job != kNoPlanJob ? marked.job : jobs_.running_job_index(thread);
}

std::string StuckMark::text(std::size_t thread) const {
  if (const char* const call = call_.load(); call != nullptr && thread == 0)
    return std::string(call) + " within " + rtsync::duration_text(plan_.stuck_after.count()) +
           " after its deadline (threads.stuck_after)";
  const std::uint32_t index = job(thread);
  const std::string job = index < plan_.jobs.size() ? plan_.jobs[index].name : "";
  return "thread '" + plan_.thread_name(thread) + "' is stuck" +
         (job.empty() ? "" : " in job '" + job + "'") + ": it did not come back within " +
         rtsync::duration_text(plan_.stuck_after.count()) + " beyond its time (threads.stuck_after)";
}

}  // namespace tactus::executive
