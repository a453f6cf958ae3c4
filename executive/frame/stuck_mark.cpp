// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/stuck_mark.hpp"

#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

void StuckMark::mark(std::size_t thread, rtsync::StuckBy by) TACTUS_RT {
  Marked nobody;
  (void)marked_.compare_exchange_strong(
      nobody,
      {.job = jobs_.running_job_index(thread), .thread = static_cast<std::uint16_t>(thread), .by = by});
  commands_.request_abort("a thread is stuck");
}

void StuckMark::mark_call(const char* call, rtsync::StuckBy by) TACTUS_RT {
  if (marked_.load() == Marked{}) call_.store(call);
  mark(0, by);
}

void StuckMark::mark_awaited() {
  const std::optional<std::size_t> awaited = jobs_.workers().stuck();
  if (awaited && knows_ && marked_.load() == Marked{}) mark(*awaited, knows_(*awaited));
}

std::optional<std::size_t> StuckMark::thread() const TACTUS_RT {
  if (const std::optional<std::size_t> stuck = jobs_.workers().stuck()) return stuck;
  const Marked marked = marked_.load();
  return marked.thread == kNoThread ? std::nullopt : std::optional<std::size_t>(marked.thread);
}

std::uint32_t StuckMark::job(std::size_t thread) const TACTUS_RT {
  const Marked marked = marked_.load();
  return marked.thread == thread && marked.job != kNoPlanJob ? marked.job : jobs_.running_job_index(thread);
}

std::string StuckMark::text(std::size_t thread, const std::string& frozen) const {
  using By = rtsync::StuckBy;
  const char* const call = thread == 0 ? call_.load() : nullptr;
  const By by = this->by(thread);
  const std::string time = rtsync::duration_text(plan_.stuck_after.count());
  const std::string name = "thread '" + plan_.thread_name(thread) + "'";
  const std::uint32_t index = call != nullptr ? kNoPlanJob : job(thread);
  const std::string job = index < plan_.jobs.size() ? " in job '" + plan_.jobs[index].name + "'" : "";
  const std::string where = call != nullptr ? " while it waited for an edge" : job;
  const std::string late = time + " beyond its time (threads.stuck_after)";
  if (by == By::no_cpu)
    return name + " had no CPU" + where + " for " + late +
           ": it was ready, and another thread or interrupts had its CPU, or a limit of the kernel stopped "
           "it";
  if (by == By::stopped || by == By::frozen || !frozen.empty()) {
    const std::string by_whom =
        by == By::stopped ? "by a debugger or a signal" : "its control group was frozen";
    return name + " was stopped" + where + " for " + late + ": " + (frozen.empty() ? by_whom : frozen);
  }
  if (call != nullptr)
    return std::string(call) + " within " + time + " after its deadline (threads.stuck_after)";
  return name + " is stuck" + job + ": it did not come back within " + late;
}

}  // namespace tactus::executive
