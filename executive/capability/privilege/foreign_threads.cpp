// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/privilege/foreign_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {

/// Moves those away that are in the way now. What became of each.
std::vector<rtsync::Provision> ForeignThreads::move() const {
  std::vector<rtsync::Provision> moved;
  if (!run_.realtime) return moved;
  const rtsync::CpuSet frames = run_.cpus.of_frames() - run_.cpus.helpers;
  for (const rtsync::ThreadFacts& thread : rtsync::list_threads()) {
    const bool ours = thread.tid == ::getpid() || run_.owns(thread.tid);
    const bool in_the_way = thread.cpus.intersects(frames) || thread.policy != SCHED_OTHER;
    if (!ours && in_the_way) moved.push_back(rtsync::evict(thread.tid, run_.cpus.helpers));
  }
  return moved;
}

void ForeignThreads::poll_seldom(RunVoice& voice) {
  for (const rtsync::Provision& moved : move())
    // What lacks a right was said at the start, of all threads together.
    if (moved.granted || moved.lacks.empty())
      voice.say("a thread appeared in the way of the frames: " + rtsync::sentence(moved));
}

}  // namespace tactus::executive
