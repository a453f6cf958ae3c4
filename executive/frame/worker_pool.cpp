// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/worker_pool.hpp"

#include <array>
#include <bit>

#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

using rtsync::Gate;
using rtsync::MonotonicTime;
using rtsync::TimePoint;

bool InlineWorkerPool::run_instant(std::uint64_t threads) TACTUS_RT {
  // Dependencies follow one order of all jobs: whoever comes first in it among the waiting can always go on,
  // unless it waits for a thread that has failed.
  bool good = true;
  std::array<const Dependency*, Schedule::kMostLanes> before{};  // what each was blocked by
  for (bool moved = true; threads != 0 && moved;) {
    moved = false;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
      if ((threads >> thread & 1) == 0) continue;
      const LaneEnd end = work_.work(thread);
      good = good && end != LaneEnd::failed;
      const Dependency* const by = end == LaneEnd::blocked ? &work_.blocked_by(thread) : nullptr;
      moved = moved || by == nullptr || by != before[thread];
      before[thread] = by;
      if (end == LaneEnd::done || end == LaneEnd::failed) threads &= ~(std::uint64_t{1} << thread);
    }
  }
  return good;
}

ThreadWorkerPool::ThreadWorkerPool(LaneRunner& work, const Plan& plan)
    : work_(work),
      timeout_(plan.stuck_time(plan.frame)),
      ended_(std::make_unique<std::atomic<bool>[]>(plan.threads.size() + 1)) {
  for (const PlannedThread& thread : plan.threads) {
    auto& worker = workers_.emplace_back(std::make_unique<Worker>(thread));
    worker->timeout = plan.stuck_time(workers_.size());
  }
}

void ThreadWorkerPool::serve(std::size_t thread) TACTUS_RT {
  Worker& worker = *workers_[thread - 1];
  worker.handshake.begin();
  while (const std::optional<std::uint32_t> n = worker.handshake.await_work()) {
    worker.busy.store(true, std::memory_order_relaxed);
    worker.progress.fetch_add(1, std::memory_order_relaxed);
    // Its own wait for another's job has no end of its own: who is stuck is for the others to say.
    if (worker.scheduled) {
      (void)run_to_end(thread, {});
    } else {
      (void)work_.work(thread);  // a failure is noticed at a boundary, always at the same one
    }
    worker.busy.store(false, std::memory_order_relaxed);
    worker.handshake.finished(*n);
  }
}

void ThreadWorkerPool::dismiss() TACTUS_RT {
  end_all();
  for (const auto& worker : workers_) worker->handshake.dismiss();
}

void ThreadWorkerPool::end(std::size_t thread) TACTUS_RT {
  ended_[thread].store(true);
  work_.wake_waiters();
}

bool ThreadWorkerPool::worker_ended() const TACTUS_RT {
  for (std::size_t thread = 1; thread <= workers_.size(); ++thread)
    if (ended_[thread].load()) return true;
  return false;
}

void ThreadWorkerPool::end_all() TACTUS_RT {
  for (std::size_t thread = 0; thread <= workers_.size(); ++thread) ended_[thread].store(true);
  work_.wake_waiters();
}

/// Waits for a job. A waiting thread need not make progress: the watchdog looks at the awaited one.
bool ThreadWorkerPool::wait_for_job(std::size_t thread, const Dependency& dependency,
                                    Waiting waiting) TACTUS_RT {
  Worker* const worker = thread == 0 ? nullptr : workers_[thread - 1].get();
  const auto set_waits = [worker](bool waits) TACTUS_RT {
    if (worker == nullptr) return;
    worker->waits.store(waits, std::memory_order_relaxed);
    worker->busy.store(!waits, std::memory_order_relaxed);
  };
  set_waits(true);
  const std::uint64_t began = work_.wait_begins();
  const bool open = waiting.until([&](TimePoint<MonotonicTime> deadline) {
    return dependency.done->wait(work_.instant(), dependency.wait, deadline, &ended_[dependency.thread],
                                 &dependency.spin);
  }) == Gate::Result::open;
  set_waits(false);
  work_.wait_ended(thread, dependency.thread, began);
  return open;
}

/// `blocked`: it waited in vain for another's job, which failed or did not end in time.
LaneEnd ThreadWorkerPool::run_to_end(std::size_t thread, Waiting deadline) TACTUS_RT {
  for (;;) {
    const LaneEnd end = work_.work(thread);
    if (end == LaneEnd::done) return end;
    if (end == LaneEnd::paused) continue;
    if (end == LaneEnd::blocked && wait_for_job(thread, work_.blocked_by(thread), deadline)) continue;
    this->end(thread);
    return end;
  }
}

bool ThreadWorkerPool::run_instant(std::uint64_t threads) TACTUS_RT {
  const std::uint64_t workers = threads & ~std::uint64_t{1};
  for (std::uint64_t rest = workers; rest != 0; rest &= rest - 1)
    workers_[static_cast<std::size_t>(std::countr_zero(rest)) - 1]->handshake.trigger();
  // A thread whose job main waited for in vain has had its time, and is not given it again.
  if ((threads & 1) != 0 && run_to_end(0, {timeout_}) == LaneEnd::blocked && !worker_ended())
    return give_up(work_.blocked_by(0).thread, workers);
  for (std::uint64_t rest = workers; rest != 0; rest &= rest - 1)
    if (!join_recorded(static_cast<std::size_t>(std::countr_zero(rest)), workers)) return false;
  bool good = true;
  for (std::size_t thread = 0; thread <= workers_.size(); ++thread)
    good = good && !ended_[thread].load(std::memory_order_relaxed);
  return good;
}

/// Main waits for a worker of the instant, unless that has ended already.
bool ThreadWorkerPool::join_recorded(std::size_t thread, std::uint64_t others) TACTUS_RT {
  if (workers_[thread - 1]->handshake.idle()) return join(thread, others, timeout_);
  const std::uint64_t began = work_.wait_begins();
  const bool back = join(thread, others, timeout_);
  if (back) work_.wait_ended(0, thread, began);
  return back;
}

bool ThreadWorkerPool::join(std::size_t thread, std::uint64_t others, rtsync::Nanoseconds timeout) TACTUS_RT {
  rtsync::Handshake& handshake = workers_[thread - 1]->handshake;
  const Waiting waiting{timeout};
  if (waiting.until([&](TimePoint<MonotonicTime> deadline) { return handshake.join(deadline); }) ==
      Gate::Result::open)
    return true;
  return give_up(thread, others);
}

/// False. Stuck is who was awaited, or else the first of `others`: the one that has not come back and does not only wait
/// itself.
bool ThreadWorkerPool::give_up(std::size_t awaited, std::uint64_t others) TACTUS_RT {
  const auto keeps_others = [this](std::size_t thread) TACTUS_RT {
    return !is_idle(thread) && !workers_[thread - 1]->waits.load(std::memory_order_relaxed);
  };
  std::size_t stuck = awaited;
  for (std::uint64_t rest = others; rest != 0 && !keeps_others(stuck); rest &= rest - 1)
    stuck = static_cast<std::size_t>(std::countr_zero(rest));
  stuck_.store(keeps_others(stuck) ? stuck : awaited, std::memory_order_relaxed);
  end_all();
  return false;
}

void ThreadWorkerPool::release(std::size_t thread) TACTUS_RT { workers_[thread - 1]->handshake.trigger(); }

bool ThreadWorkerPool::is_idle(std::size_t thread) TACTUS_RT {
  return workers_[thread - 1]->handshake.idle();
}

bool ThreadWorkerPool::wait_for(std::size_t thread) TACTUS_RT {
  if (is_idle(thread)) return true;
  return join(thread, std::uint64_t{1} << thread, workers_[thread - 1]->timeout);
}

std::optional<std::size_t> ThreadWorkerPool::stuck() const TACTUS_RT {
  const std::size_t thread = stuck_.load(std::memory_order_relaxed);
  return thread == kNobody ? std::nullopt : std::optional(thread);
}

}  // namespace tactus::executive
