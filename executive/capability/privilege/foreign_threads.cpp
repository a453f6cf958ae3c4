// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/privilege/foreign_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {

std::vector<rtsync::Provision> ForeignThreads::move() const {
  std::vector<rtsync::Provision> moved;
  if (!realtime_) return moved;
  const rtsync::CpuSet frames = cpus_.of_frames() - cpus_.helpers;
  for (const rtsync::ThreadFacts& thread : rtsync::list_threads()) {
    const bool ours =
        thread.tid == ::getpid() || std::any_of(parts_.begin(), parts_.end(),
                                                [&](const RunPart* part) { return part->owns(thread.tid); });
    const bool in_the_way = thread.cpus.intersects(frames) || thread.policy != SCHED_OTHER;
    if (!ours && in_the_way) moved.push_back(rtsync::evict(thread.tid, cpus_.helpers));
  }
  return moved;
}

void ForeignThreads::poll_seldom(RunVoice& voice) {
  for (const rtsync::Provision& moved : move())
    voice.say("a thread appeared in the way of the frames: " + rtsync::sentence(moved));
}

}  // namespace tactus::executive
