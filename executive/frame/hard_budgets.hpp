// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <atomic>
#include <cstdint>
#include <deque>

#include "executive/frame/job_clock.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/exchange/block_ring.hpp"

namespace tactus::executive {

/// A job that was seen beyond its hard budget while it ran.
struct HardBudgetNote {
  std::uint32_t job = 0;  ///< index into Plan::jobs
  std::int64_t frame = 0;
  rtsync::Nanoseconds ran{0};  ///< time until it was seen
};

/// Calls a job, in place of the job itself, and shows since when.
///
/// Threads  call(): the job's. The rest: any.
/// RT       everything but the constructor.
class HardBudget {
 public:
  /// `clock` must outlive it. @when setup
  HardBudget(const PlannedJob& job, std::uint32_t index, const JobClock& clock)
      : run_(job.run),
        self_(job.self),
        index_(index),
        clock_(clock),
        beyond_(clock.ticks_beyond(*job.hard_budget)),
        action_(job.on_hard_budget) {}

  static int call(void* self, const tactus_call* call) { return static_cast<HardBudget*>(self)->run(call); }

  std::uint32_t job() const TACTUS_RT { return index_; }
  StepAction action() const TACTUS_RT { return action_; }
  /// Calls that ended beyond it; and that were seen so while they ran.
  std::int64_t exceeded() const TACTUS_RT { return exceeded_.load(std::memory_order_acquire); }
  std::int64_t named() const TACTUS_RT { return named_.load(std::memory_order_relaxed); }

  /// Those that ended beyond it, and the one that runs now if it was seen so.
  std::int64_t beyond() const TACTUS_RT {
    const std::uint64_t since = since_.load(std::memory_order_acquire);
    const bool one_runs = since != kIdle && since == seen_.load(std::memory_order_acquire);
    return exceeded() + (one_runs ? 1 : 0);
  }

  /// The call that runs now is beyond it, and was not before. One looks. `acts`: and acts on it.     @when rt
  bool look(HardBudgetNote& note, bool acts) TACTUS_RT {
    const std::uint64_t since = since_.load(std::memory_order_acquire);
    if (since == kIdle || since == seen_.load(std::memory_order_relaxed)) return false;
    const std::uint64_t now = clock_.ticks();
    if (now < since || now - since < beyond_) return false;
    note = {index_, frame_.load(std::memory_order_acquire), clock_.to_time(now - since)};
    // It may have ended, and begun again, since the first look at it.
    if (since_.load(std::memory_order_acquire) != since) return false;
    if (acts) acted_.store(true, std::memory_order_release);
    seen_.store(since, std::memory_order_release);
    named_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  /// Returns true if look() has acted since the last time: the frame has to do the rest.             @when rt
  bool take_acted() TACTUS_RT {
    return acted_.load(std::memory_order_relaxed) && acted_.exchange(false, std::memory_order_acquire);
  }

 private:
  int run(const tactus_call* call) TACTUS_RT {
    const std::uint64_t begin = clock_.ticks();
    // Who sees this frame sees, too, that the call before has ended.
    frame_.store(call->frame, std::memory_order_release);
    since_.store(begin, std::memory_order_release);
    const int status = run_(self_, call);
    since_.store(kIdle, std::memory_order_release);
    if (clock_.ticks() - begin >= beyond_) [[unlikely]]
      exceeded_.fetch_add(1, std::memory_order_release);
    return status;
  }

  static constexpr std::uint64_t kIdle = 0;

  const tactus_job_function run_;
  void* const self_;
  const std::uint32_t index_;
  const JobClock& clock_;
  const std::uint64_t beyond_;
  const StepAction action_;
  std::atomic<std::uint64_t> since_{kIdle};  // in ticks
  std::atomic<std::int64_t> frame_{0};
  std::atomic<std::int64_t> exceeded_{0};
  std::atomic<std::int64_t> named_{0};
  std::atomic<std::uint64_t> seen_{kIdle};  // the call that was named last
  std::atomic<bool> acted_{false};
};

/// The hard budgets of a plan.
///
/// Threads  add(): setup. look(): one thread. pop(): another. The rest: any.
class HardBudgets {
 public:
  /// Adds a job that has a hard budget, and runs in its place. @when setup
  void add(PlannedJob& job, std::uint32_t index, const JobClock& clock) {
    HardBudget& made = all_.emplace_back(job, index, clock);
    job.run = &HardBudget::call;
    job.self = &made;
  }
  const std::deque<HardBudget>& all() const TACTUS_RT { return all_; }
  std::deque<HardBudget>& all() TACTUS_RT { return all_; }

  /// Looks at what runs now. `act(action)`: of each that is beyond its hard budget, as long as steps are taken.
  /// @when rt
  template <class Act>
  void look(Act act) TACTUS_RT {
    HardBudgetNote note;
    for (HardBudget& each : all_) {
      const bool acts = armed_.load(std::memory_order_relaxed);
      if (!each.look(note, acts)) continue;
      (void)notes_.push(note);  // named() counts also those that are not said
      if (acts) act(each.action());
    }
  }
  /// Frames are paced and beyond their grace: what is exceeded has consequences.                   @when any
  void arm(bool yes) TACTUS_RT { armed_.store(yes, std::memory_order_relaxed); }
  bool pop(HardBudgetNote& note) { return notes_.pop(note); }

 private:
  std::deque<HardBudget> all_;
  std::atomic<bool> armed_{false};
  rtsync::SpscRing<HardBudgetNote> notes_{256};
};

}  // namespace tactus::executive
