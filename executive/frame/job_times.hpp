// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtsync/rt.hpp"
#include "rtsync/time/histogram.hpp"

namespace tactus::executive {

/// Times of all jobs of a plan. Each call is counted once: by the thread whose lane it was on, or by a helper beside
/// the frames. They count apart, since neither may wait for the other; readers see the sum.
///
/// Threads  add(): of one job one at a time, a thread of the frames. usual(), late_time(): the rig's main thread.
///          add_beside(), show_median(): the helper. of(): any.
/// RT       all but the constructor, make_helper() and of().
class JobTimes {
 public:
  /// Measures that many jobs; 0: nothing is measured.                                             @when setup
  explicit JobTimes(std::size_t jobs) : own_(jobs) {}
  JobTimes(const JobTimes&) = delete;
  JobTimes& operator=(const JobTimes&) = delete;

  bool measures() const TACTUS_RT { return !own_.empty(); }
  /// Makes room for what a helper counts. @when setup
  void make_helper() {
    beside_ = std::vector<rtsync::JobHistogram>(own_.size());
    medians_ = std::vector<std::atomic<std::int64_t>>(own_.size());
    for (std::atomic<std::int64_t>& median : medians_) median.store(kUnknown, std::memory_order_relaxed);
  }

  void add(std::size_t job, rtsync::Nanoseconds time) TACTUS_RT { own_[job].add(time); }
  void add_beside(std::size_t job, rtsync::Nanoseconds time) TACTUS_RT { beside_[job].add(time); }
  /// Shows usual() the median of what the helper has counted of a job.
  void show_median(std::size_t job) TACTUS_RT {
    medians_[job].store(beside_[job].median().count(), std::memory_order_relaxed);
  }

  /// Median of a job's times; where both have counted, of those that most were counted by.
  rtsync::Nanoseconds usual(std::size_t job) const TACTUS_RT {
    if (beside_.empty() || beside_[job].count() <= own_[job].count()) return own_[job].median();
    const std::int64_t median = medians_[job].load(std::memory_order_relaxed);
    return median == kUnknown ? own_[job].median() : rtsync::Nanoseconds{median};
  }
  /// Time that 99 % of a job's calls do not exceed. Takes about a microsecond.
  rtsync::Nanoseconds late_time(std::size_t job) const TACTUS_RT {
    return beside_.empty() ? own_[job].quantile(0.99) : of(job).quantile(0.99);
  }
  /// Returns all times of a job as they have been counted.                                     @when any
  rtsync::JobHistogram of(std::size_t job) const {
    rtsync::JobHistogram all = own_[job];
    if (!beside_.empty()) all.add(beside_[job]);
    return all;
  }

 private:
  static constexpr std::int64_t kUnknown = -1;
  std::vector<rtsync::JobHistogram> own_;
  std::vector<rtsync::JobHistogram> beside_;        // of the helper; empty: there is none
  std::vector<std::atomic<std::int64_t>> medians_;  // of beside_
};

}  // namespace tactus::executive
