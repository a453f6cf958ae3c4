// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "executive/frame/job_clock.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// Number of times that something took longer than its budget, and the largest excess.
///
/// Threads  add(): the thread that runs it. take(): one reader. The rest: any.
class BudgetAccount {
 public:
  /// Sums between two looks.
  struct Since {
    std::int64_t count = 0;
    std::int64_t first = 0;  ///< frame
    std::int64_t last = 0;
    rtsync::Nanoseconds worst{0};  ///< the longest time that it took
  };

  /// Adds a call of that frame: its time, and the excess over its budget.                           @when rt
  void add(std::int64_t frame, rtsync::Nanoseconds took, rtsync::Nanoseconds over) TACTUS_RT {
    const std::uint32_t look = looks_.load(std::memory_order_acquire);
    if (look != seen_look_) {
      seen_look_ = look;
      first_.store(frame, std::memory_order_relaxed);
      longest_.store(0, std::memory_order_relaxed);
    }
    last_.store(frame, std::memory_order_relaxed);
    if (took.count() > longest_.load(std::memory_order_relaxed))
      longest_.store(took.count(), std::memory_order_relaxed);
    if (over.count() > worst_over_.load(std::memory_order_relaxed))
      worst_over_.store(over.count(), std::memory_order_relaxed);
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::int64_t count() const { return count_.load(std::memory_order_acquire); }
  rtsync::Nanoseconds worst_over() const {
    return rtsync::Nanoseconds{worst_over_.load(std::memory_order_relaxed)};
  }
  /// Takes what was added since the last look. One that is added at this very moment may be counted a look
  /// later.
  Since take() {
    const std::int64_t count = count_.load(std::memory_order_acquire);
    Since since{count - taken_, first_.load(std::memory_order_relaxed), last_.load(std::memory_order_relaxed),
                rtsync::Nanoseconds{longest_.load(std::memory_order_relaxed)}};
    if (since.count == 0) return {};
    taken_ = count;
    looks_.fetch_add(1, std::memory_order_release);
    return since;
  }

 private:
  std::atomic<std::int64_t> count_{0};
  std::atomic<std::int64_t> worst_over_{0};
  std::atomic<std::int64_t> first_{0};
  std::atomic<std::int64_t> last_{0};
  std::atomic<std::int64_t> longest_{0};
  std::atomic<std::uint32_t> looks_{1};
  std::uint32_t seen_look_ = 0;  // the one who adds
  std::int64_t taken_ = 0;       // the one who takes
};

/// The budgets of a plan's jobs and threads, in ticks of the clock that measures jobs.
///
/// Threads  as BudgetAccount; constructor and has_any(): setup.
class JobBudgets {
 public:
  struct Budget {
    std::uint64_t beyond = UINT64_MAX;  ///< number of ticks that is too much; UINT64_MAX: there is no budget
    rtsync::Nanoseconds time{0};
    BudgetAccount account{};
  };

  /// `plan` with a job for each of its loops.                                                    @when setup
  JobBudgets(const Plan& plan, const JobClock& clock)
      : beyond_(plan.jobs.size(), UINT64_MAX), jobs_(plan.jobs.size()), threads_(plan.threads.size() + 1) {
    const auto set = [&](Budget& budget, const std::optional<rtsync::Nanoseconds>& time) {
      if (!time) return;
      any_ = true;
      budget.time = *time;
      budget.beyond = clock.ticks_beyond(*time);
    };
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      set(jobs_[i], plan.jobs[i].budget);
      beyond_[i] = jobs_[i].beyond;
    }
    set(threads_[0], plan.main_budget);
    for (std::size_t i = 0; i < plan.threads.size(); ++i) set(threads_[i + 1], plan.threads[i].budget);
  }

  bool any() const TACTUS_RT { return any_; }
  /// Counts up whenever an account does.                                                           @when any
  std::uint32_t bookings() const TACTUS_RT { return bookings_.load(std::memory_order_acquire); }
  void book(Budget& budget, std::int64_t frame, rtsync::Nanoseconds took) TACTUS_RT {
    budget.account.add(frame, took, took - budget.time);
    bookings_.fetch_add(1, std::memory_order_release);
  }
  /// One compare for a job that has none.                                                          @when rt
  bool is_beyond(std::uint32_t job, std::uint64_t ticks) const TACTUS_RT { return ticks >= beyond_[job]; }
  Budget& job(std::size_t job) TACTUS_RT { return jobs_[job]; }
  Budget& thread(std::size_t thread) TACTUS_RT { return threads_[thread]; }

 private:
  std::vector<std::uint64_t> beyond_;  // what count() reads lies together
  std::vector<Budget> jobs_;
  std::vector<Budget> threads_;
  bool any_ = false;
  std::atomic<std::uint32_t> bookings_{0};
};

}  // namespace tactus::executive
