// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>

#include <forward_list>
#include <memory>
#include <mutex>
#include <utility>

#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::rtsync {

/// Keeps a thread that may never end until the process has ended: its destructor would wait for it. An empty pointer
/// is let be.
///
/// Threads  any.
inline void leave_behind(std::unique_ptr<PinnedThread> thread) {
  static auto& guarding = *new std::mutex;  // never destroyed: the threads may outlive all statics
  static auto& all = *new std::forward_list<std::unique_ptr<PinnedThread>>;
  const std::scoped_lock lock(guarding);
  if (!thread) return;
  if (thread->joinable()) (void)::pthread_detach(thread->native());
  all.push_front(std::move(thread));
}

}  // namespace tactus::rtsync
