// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "executive/capability/live/live_access.hpp"

// What the run tells of itself: it is asked here, and answers when its service thread comes by.
namespace tactus::executive {

void LiveAccess::report(LiveReport which, std::function<void(Json)> then) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) return reports_.push_back({which, std::move(then)});
  }
  then({});
}

void LiveAccess::answer_reports(const std::function<Json(LiveReport)>& make) {
  std::vector<Reported> asked;
  {
    const std::lock_guard lock(mutex_);
    asked.swap(reports_);
  }
  std::map<LiveReport, Json> made;  // the same for all who asked meanwhile
  for (const Reported& one : asked) {
    auto found = made.find(one.which);
    if (found == made.end()) found = made.emplace(one.which, make(one.which)).first;
    one.then(found->second);
  }
}

void LiveAccess::trace(const LiveTraceCall& call, std::function<void(LiveTrace)> then) {
  if (commands_.services().trace) return commands_.services().trace(call, std::move(then));
  LiveRig::trace(call, std::move(then));
}

}  // namespace tactus::executive
