// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "executive/frame/lane.hpp"
#include "executive/plan/plan.hpp"
#include "executive/plan/schedule.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/handshake.hpp"

namespace tactus::executive {

/// Work of the threads of a rig. Threads are numbered as in PlannedJob::thread.
class LaneRunner {
 public:
  virtual ~LaneRunner() = default;
  /// Does the present work of the thread: its lane of the present instant, or its release. Called again after
  /// `blocked` and `paused`. @when rt, on that thread
  virtual LaneEnd work(std::size_t thread) TACTUS_RT = 0;
  /// Dependency that blocks the thread's lane. Valid after LaneEnd::blocked.
  virtual const Dependency& blocked_by(std::size_t thread) const TACTUS_RT = 0;
  /// The present instant, which the gates of done jobs show.
  virtual std::uint32_t instant() const TACTUS_RT = 0;
  /// Wakes all threads that wait for a job.                                                         @when any
  virtual void wake_waiters() TACTUS_RT = 0;
  /// A thread begins to wait for another one: what wait_ended() is to be given.                     @when rt
  virtual std::uint64_t wait_begins() TACTUS_RT { return 0; }
  virtual void wait_ended(std::size_t /*thread*/, std::size_t /*awaited*/, std::uint64_t) TACTUS_RT {}
};

/// Runner of the lanes of an instant and of the releases of asynchronous threads: real threads, or a
/// simulation of them.
///
/// Threads  the frame's.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  /// Runs the present instant on the main thread and on the scheduled ones of `threads` (a bit each, bit 0 is
  /// main), and returns when all have ended. False: a job failed, or a thread is stuck. @when rt
  virtual bool run_instant(std::uint64_t threads) TACTUS_RT = 0;
  /// Lets an asynchronous thread that is idle run.                                                  @when rt
  virtual void release(std::size_t thread) TACTUS_RT = 0;
  virtual bool is_idle(std::size_t thread) TACTUS_RT = 0;
  /// False: it is stuck.                                                                            @when rt
  virtual bool wait_for(std::size_t thread) TACTUS_RT = 0;
  /// The thread that did not come back in time, if one did not.                                     @when any
  virtual std::optional<std::size_t> stuck() const TACTUS_RT = 0;
};

/// Everything on the main thread, one after the other: what a plan means, without any thread.
class InlineWorkerPool final : public WorkerPool {
 public:
  InlineWorkerPool(LaneRunner& work, std::size_t threads) : work_(work), threads_(threads) {}
  bool run_instant(std::uint64_t threads) TACTUS_RT override;
  void release(std::size_t thread) TACTUS_RT override { (void)work_.work(thread); }
  bool is_idle(std::size_t) TACTUS_RT override { return true; }
  bool wait_for(std::size_t) TACTUS_RT override { return true; }
  std::optional<std::size_t> stuck() const TACTUS_RT override { return std::nullopt; }

 private:
  LaneRunner& work_;
  const std::size_t threads_;
};

/// A worker thread each. The threads themselves are made by the user of this class: each calls serve() until
/// dismiss().
///
/// A thread that takes longer than its time by `stuck_after` is stuck: its waiters give up, and nothing is
/// run any more.
class ThreadWorkerPool final : public WorkerPool {
 public:
  /// @when setup
  ThreadWorkerPool(LaneRunner& work, const Plan& plan);

  /// The body of a worker thread (1 .. n): returns after dismiss().
  void serve(std::size_t thread) TACTUS_RT;
  /// Ends all serve(), as soon as their jobs let them.                                              @when any
  void dismiss() TACTUS_RT;
  /// Provision of the wait for a worker.
  rtsync::Provision provision(std::size_t thread) const {
    return workers_[thread - 1]->handshake.provision();
  }

  bool run_instant(std::uint64_t threads) TACTUS_RT override;
  void release(std::size_t thread) TACTUS_RT override;
  bool is_idle(std::size_t thread) TACTUS_RT override;
  bool wait_for(std::size_t thread) TACTUS_RT override;
  std::optional<std::size_t> stuck() const TACTUS_RT override;

  /// Progress for the watchdog of the threads: moves with every release, and tells whether the thread is at
  /// work.                                                                                          @when any
  const std::atomic<std::uint64_t>& progress(std::size_t thread) const {
    return workers_[thread - 1]->progress;
  }
  const std::atomic<bool>& busy(std::size_t thread) const { return workers_[thread - 1]->busy; }
  /// Time that a thread may take.
  rtsync::Nanoseconds timeout(std::size_t thread) const { return workers_[thread - 1]->timeout; }

 private:
  struct Worker {
    explicit Worker(const PlannedThread& thread)
        : handshake(thread.wait), scheduled(thread.kind == ThreadKind::scheduled) {}
    rtsync::Handshake handshake;
    const bool scheduled;
    rtsync::Nanoseconds timeout{0};
    std::atomic<std::uint64_t> progress{0};
    std::atomic<bool> busy{false};
    std::atomic<bool> waits{false};  // for another's job
  };
  /// A wait in slices, so that a process that was stopped (SIGSTOP, a debugger) takes one of them at most and
  /// not all of the timeout.
  struct Waiting {
    static constexpr int kSlices = 4;
    rtsync::Nanoseconds timeout{0};  ///< 0: for ever
    template <class Wait>
    rtsync::Gate::Result until(Wait wait) const TACTUS_RT {
      if (timeout == rtsync::Nanoseconds{0}) return wait(rtsync::kForever);
      auto result = rtsync::Gate::Result::timeout;
      for (int slice = 0; slice < kSlices && result == rtsync::Gate::Result::timeout; ++slice)
        result = wait(rtsync::monotonic_now() + timeout / kSlices);
      return result;
    }
  };
  LaneEnd run_to_end(std::size_t thread, Waiting deadline) TACTUS_RT;
  bool wait_for_job(std::size_t thread, const Dependency& dependency, Waiting waiting) TACTUS_RT;
  bool join_recorded(std::size_t thread, std::uint64_t others) TACTUS_RT;
  bool join(std::size_t thread, std::uint64_t others, rtsync::Nanoseconds timeout) TACTUS_RT;
  bool give_up(std::size_t awaited, std::uint64_t others) TACTUS_RT;
  void end(std::size_t thread) TACTUS_RT;
  void end_all() TACTUS_RT;
  bool worker_ended() const TACTUS_RT;

  static constexpr std::size_t kNobody = SIZE_MAX;
  LaneRunner& work_;
  std::vector<std::unique_ptr<Worker>> workers_;
  const rtsync::Nanoseconds timeout_;  // for an instant
  /// Ended threads: they run nothing more. Of what comes late in an instant only that is left out which waits
  /// for such a thread, so that of two failures always the same one is reported.
  std::unique_ptr<std::atomic<bool>[]> ended_;
  std::atomic<std::size_t> stuck_{kNobody};
};

}  // namespace tactus::executive
