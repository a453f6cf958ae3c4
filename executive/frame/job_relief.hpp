// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "executive/plan/plan.hpp"
#include "executive/plan/schedule.hpp"
#include "executive/state/state_image.hpp"

namespace tactus::executive {

/// Jobs that may be left out.
struct ReliefScope {
  enum class Of : std::uint8_t { rig, thread, job };
  Of of = Of::rig;
  std::size_t index = 0;  ///< index of a thread (0: main), or into Plan::jobs
};

/// Set of jobs that are shed (left out) or demoted (called less often) until there is room again. What went
/// last comes back first.
///
/// A demoted job keeps call n + k, n + 2k, ... of its calls, where n is the last one before; its call.dt is k
/// cycles. It comes back right after a call that it kept, so that dt is always the time since the call
/// before.
///
/// Threads the rig's main thread, between two frames. of(), left_out(), times(): any. RT everything but the
/// constructor, join() and add_state().
class JobRelief {
 public:
  enum class State : std::uint8_t { runs, demoted, shed };

  explicit JobRelief(const Plan& plan);
  /// `scheduled`: what a job of the plan is in the schedule. @when setup
  template <class Scheduled>
  void join(Schedule& schedule, Scheduled scheduled) {
    schedule_ = &schedule;
    for (Job& job : jobs_) job.scheduled = scheduled(job.index);
  }

  /// The plan has jobs that can be shed or demoted.
  bool any() const { return !jobs_.empty(); }
  /// Some are.                                                                                      @when rt
  bool relieved() const TACTUS_RT { return !relieved_.empty(); }

  /// Sheds, from frame k on, all jobs of the scope that have the lowest order of those that are not left out
  /// yet; or demotes the next one that can be. changed() names them. False: there is none. @when rt
  bool shed(const ReliefScope& scope) TACTUS_RT;
  bool demote(const ReliefScope& scope, std::int64_t k) TACTUS_RT;
  /// The number of what went last of that which has not come back; later ones are greater. 0: none.  @when rt
  std::int64_t latest() const TACTUS_RT;
  /// Brings back what was left out last.                                                            @when rt
  bool give_back() TACTUS_RT;
  /// The jobs (indices into Plan::jobs) of the last of these.
  std::span<const std::uint32_t> changed() const TACTUS_RT { return changed_; }
  /// Time by which the next jobs to come back would lengthen a frame, by their budgets: of the frame that has
  /// ended, before prepare(). @when rt
  rtsync::Nanoseconds needed() const TACTUS_RT;

  /// Frame k comes next.                                                                            @when rt
  void prepare(std::int64_t k) TACTUS_RT;
  /// Frame k has ended: what was left out in it is counted.                                         @when rt
  void count(std::int64_t k) TACTUS_RT;

  /// Adds its part of a checkpoint. @when setup
  void add_state(std::vector<Piece>& pieces);
  /// Another state was copied in.                                                                   @when rt
  void load_state() TACTUS_RT;

  /// State of a job of the plan.                                                                   @when any
  State of(std::size_t job) const TACTUS_RT { return value_of(job, &Job::state); }
  /// Calls.
  std::int64_t left_out(std::size_t job) const TACTUS_RT { return value_of(job, &Job::left_out); }
  std::int64_t times_shed(std::size_t job) const TACTUS_RT { return value_of(job, &Job::times_shed); }
  std::int64_t times_demoted(std::size_t job) const TACTUS_RT { return value_of(job, &Job::times_demoted); }

 private:
  struct Job {
    std::uint32_t index = 0;  // into Plan::jobs
    std::size_t scheduled = 0;
    // Numbers of what was done, ascending; 0: it was not. A checkpoint holds these three.
    std::int64_t shed = 0;
    std::int64_t demoted = 0;
    std::int64_t last_call = 0;  // before it was demoted
    bool returns = false;        // from being demoted, as soon as a call of its was kept
    bool out = false;            // of the frame that comes next, or runs
    std::atomic<State> state{State::runs};
    std::atomic<std::int64_t> left_out{0};
    std::atomic<std::int64_t> times_shed{0};
    std::atomic<std::int64_t> times_demoted{0};
  };

  bool is_in(const Job& job, const ReliefScope& scope) const TACTUS_RT;
  const PlannedJob& planned(const Job& job) const TACTUS_RT { return plan_.jobs[job.index]; }
  bool keeps_call_of(const Job& job, std::int64_t k) const TACTUS_RT;
  void list() TACTUS_RT;
  void show(Job& job) TACTUS_RT;
  /// Returns the value of a job of the plan; that of one which runs where it can be neither shed nor demoted.
  template <class T>
  T value_of(std::size_t job, std::atomic<T> Job::*value) const TACTUS_RT {
    const Job* const found = job < of_plan_.size() ? of_plan_[job] : nullptr;
    return found == nullptr ? T{} : (found->*value).load(std::memory_order_relaxed);
  }

  static constexpr std::int64_t kMostLoaded = std::int64_t{1} << 60;

  const Plan& plan_;
  Schedule* schedule_ = nullptr;
  std::deque<Job> jobs_;
  std::vector<Job*> relieved_;  // within what was reserved
  std::vector<Job*> of_plan_;   // by plan job
  std::vector<std::uint32_t> changed_;
  std::int64_t done_ = 0;
};

}  // namespace tactus::executive
