// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/privilege/privilege_watch.hpp"

#include <algorithm>
#include <utility>

#include "rtsync/host/memory.hpp"

namespace tactus::executive {

std::string PrivilegeWatch::text_of(const rtsync::ThreadFacts& thread) {
  return thread.policy_name + (thread.priority > 0 ? " " + std::to_string(thread.priority) : "") + ", CPUs " +
         thread.cpus.text();
}

/// Less than half of what was locked at the start: it was unlocked as a whole.
std::string PrivilegeWatch::memory_text() const {
  return 2 * rtsync::locked_bytes() >= locked_bytes_ ? "locked" : "may be paged out";
}

void PrivilegeWatch::start(const std::vector<pid_t>& threads, bool memory) {
  for (const rtsync::ThreadFacts& thread : rtsync::list_threads()) {
    if (std::ranges::find(threads, thread.tid) == threads.end()) continue;
    watched_.push_back({"thread " + thread.name, thread.tid, text_of(thread), text_of(thread)});
  }
  if (!memory) return;
  locked_bytes_ = rtsync::locked_bytes();
  watched_.push_back({"memory", 0, memory_text(), memory_text()});
}

void PrivilegeWatch::compare(Watched& watched, std::string is, std::int64_t frame) {
  if (is == watched.is) return;
  // Somebody may switch to and fro: the first ones tell it.
  if (changes_.size() < kMost)
    changes_.push_back({watched.what, watched.is, is, frame, is != watched.granted});
  watched.is = std::move(is);
}

void PrivilegeWatch::look(std::int64_t frame) {
  const std::scoped_lock lock(lock_);
  if (watched_.empty()) return;
  const std::vector<rtsync::ThreadFacts> threads = rtsync::list_threads();
  for (Watched& watched : watched_) {
    if (watched.tid == 0) {
      compare(watched, memory_text(), frame);
      continue;
    }
    const auto now = std::ranges::find(threads, watched.tid, &rtsync::ThreadFacts::tid);
    if (now != threads.end() && now->policy >= 0) compare(watched, text_of(*now), frame);
  }
}

std::vector<PrivilegeWatch::Change> PrivilegeWatch::take_new() {
  const std::scoped_lock lock(lock_);
  std::vector<Change> fresh(changes_.begin() + static_cast<std::ptrdiff_t>(taken_), changes_.end());
  taken_ = changes_.size();
  return fresh;
}

std::vector<PrivilegeWatch::Change> PrivilegeWatch::changes() const {
  const std::scoped_lock lock(lock_);
  return changes_;
}

}  // namespace tactus::executive
