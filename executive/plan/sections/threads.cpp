// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "executive/plan/sections.hpp"

namespace tactus::executive {

void plan_threads(Draft& draft) {
  constexpr const char* kTaken[] = {
      "main", "helpers",   "tactus", "setup",  "recorder", "watchdog", "checkpoint", "link",
      "live", "isolation", "flight", "traces", "counts",   "messages", "run-folder", "end-guard"};
  const ThreadsSection& threads = draft.settings.threads;
  draft.plan.stuck_after = threads.stuck_after;
  if (threads.workers.size() > 60)
    draft.problems.add(threads.workers[60].origin, "is the 61st; a rig has at most 60 threads beside main");
  for (const WorkerSettings& worker : threads.workers) {
    if (std::ranges::find(kTaken, worker.name) != std::end(kTaken)) {
      draft.problems.add(worker.origin,
                         "'" + worker.name + "' is the name of another thread of the rig; choose another");
      draft.threads_known = false;
    }
    if (worker.name.size() > 15)
      draft.problems.add(
          worker.origin,
          "the name has " + std::to_string(worker.name.size()) +
              " characters; at most 15 are allowed, as the kernel keeps no more of a thread's name");
    draft.plan.threads.push_back({worker.name, worker.kind, worker.period.value_or(rtsync::Period{}),
                                  worker.trigger.value_or(rtsync::WaitMode::adaptive),
                                  worker.trigger.has_value()});
    draft.origins.threads.push_back(worker.origin);
  }
}

}  // namespace tactus::executive
