// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/folder_calls.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

#include "rtsync/thread/left_behind.hpp"

namespace tactus::executive {

struct FolderCalls::Shared {
  struct Call {
    std::string what;
    std::function<void()> make;
  };

  std::mutex mutex;  // of what follows
  std::condition_variable changed;
  std::deque<Call> waiting;  // the first one is being made
  Clock::time_point begun;   // when it began
  std::uint64_t asked = 0;
  std::uint64_t made = 0;
  bool over = false;
};

FolderCalls::FolderCalls(const rtsync::ThreadSettings& helper)
    : shared_(std::make_shared<Shared>()),
      thread_(std::make_unique<rtsync::PinnedThread>(helper, [shared = shared_] { serve(*shared); })),
      tid_(thread_->tid()) {}

FolderCalls::~FolderCalls() {
  std::unique_lock lock(shared_->mutex);
  shared_->over = true;
  shared_->changed.notify_all();
  for (std::uint64_t before = shared_->made; !shared_->waiting.empty(); before = shared_->made) {
    (void)shared_->changed.wait_for(lock, kMoment, [&] { return shared_->made != before; });
    if (shared_->made != before) continue;
    rtsync::leave_behind(std::move(thread_));  // it may never end
    return;
  }
}

FolderCalls::Answer FolderCalls::make(std::string what, std::function<void()> call) {
  std::unique_lock lock(shared_->mutex);
  if (shared_->waiting.size() >= kMostWaiting) return Answer::refused;
  const bool hangs = !shared_->waiting.empty() && Clock::now() - shared_->begun >= kMoment;
  if (shared_->waiting.empty()) shared_->begun = Clock::now();
  shared_->waiting.push_back({std::move(what), std::move(call)});
  const std::uint64_t number = ++shared_->asked;
  shared_->changed.notify_all();
  const auto made = [&] { return shared_->made >= number; };
  if (hangs) return Answer::waits;
  return shared_->changed.wait_for(lock, kMoment, made) ? Answer::made : Answer::waits;
}

bool FolderCalls::idle() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->waiting.empty();
}

std::chrono::nanoseconds FolderCalls::hangs() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->waiting.empty() ? std::chrono::nanoseconds{0} : Clock::now() - shared_->begun;
}

std::string FolderCalls::what() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->waiting.empty() ? "" : shared_->waiting.front().what;
}

void FolderCalls::serve(Shared& shared) {
  std::unique_lock lock(shared.mutex);
  for (;;) {
    shared.changed.wait(lock, [&] { return shared.over || !shared.waiting.empty(); });
    if (shared.waiting.empty()) return;
    shared.begun = Clock::now();
    const std::function<void()> call = std::move(shared.waiting.front().make);
    lock.unlock();
    try {
      call();
    } catch (const std::exception&) {  // each call keeps what went wrong itself
    }
    lock.lock();
    shared.waiting.pop_front();
    ++shared.made;
    shared.changed.notify_all();
  }
}

}  // namespace tactus::executive
