#pragma once
#include <tactus/model.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rtsync/period.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// What the schedule has to know of a cyclic job.
struct ScheduledJob {
  int job_class = 0;                   ///< ascending within an instant; see tactus_job_class
  unsigned phase = 0;                  ///< ascending within a class
  std::uint64_t declaration = 0;       ///< ascending within a phase
  bool controller = false;             ///< runs in State::step_controller; never before a job that does not
  rtsync::Period cycle;                ///< > 0
  rtsync::Period first;                ///< simulated time of the first call
  std::optional<rtsync::Period> stop;  ///< no call after this time; inclusive
  bool enabled = true;
};

/// The compiled order of all cyclic jobs: a function of the plan alone.
///
/// Jobs run at first + n * cycle, in the order (time, class, phase, declaration). Times are whole numbers of
/// ticks, the tick being the longest time of which frame, cycles, first calls and stops are all multiples:
/// nothing is ever rounded, and whether a job is due is a comparison of integers, never of clock readings.
///
/// Jobs with the same times form a group; a heap holds the groups by their next time. Each job has a place in
/// one global order, and an instant's due jobs are a set of bits over these places. So a frame costs what is
/// due in it: one step of the heap per due group, one bit per due job.
///
/// Threads  run_frame, reset: one thread. enable: any.
/// RT       everything but compile.
class Schedule {
 public:
  /// Throws std::invalid_argument when a cycle is zero or the times have no common tick above 10^-18 s.
  /// @when setup
  Schedule(std::span<const ScheduledJob> jobs, rtsync::Period frame);

  /// Places run from 0 to places() - 1; some hold no job.
  std::size_t places() const { return job_at_.size(); }
  static constexpr std::uint32_t kNoJob = UINT32_MAX;
  /// The job (index into the constructor's list) at a place, or kNoJob.
  std::uint32_t job_at(std::size_t place) const { return job_at_[place]; }
  /// What the job at a place is called with; rewritten whenever it is due.
  const tactus_call& call_at(std::size_t place) const { return calls_[group_at_[place]]; }
  /// The place of a job.
  std::uint32_t place_of(std::size_t job) const { return place_of_[job]; }

  /// Switches a job; it counts from the next time the job comes up. A job that is off keeps its times.
  /// @when any
  void enable(std::size_t job, bool on) TACTUS_RT {
    const std::uint32_t place = place_of_[job];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if (on) {
      enabled_[place / 64].fetch_or(bit, std::memory_order_relaxed);
    } else {
      enabled_[place / 64].fetch_and(~bit, std::memory_order_relaxed);
    }
  }
  bool enabled(std::size_t job) const TACTUS_RT {
    const std::uint32_t place = place_of_[job];
    return (enabled_[place / 64].load(std::memory_order_relaxed) >> (place % 64) & 1) != 0;
  }

  /// Back to before frame 0. Does not touch what is enabled.                                        @when rt
  void reset() TACTUS_RT;

  /// Runs all that is due in frame k: the frames must come in order, from 0. The visitor is told
  ///     visitor.simulator()    at each instant, before its simulator jobs (once in an empty frame)
  ///     visitor.controller()   at each instant, before its controller jobs (once in an empty frame)
  ///     visitor.call(place)    to run a job; false ends the frame there, and run_frame returns false
  template <class Visitor>
  bool run_frame(std::int64_t k, Visitor& visitor) TACTUS_RT;

 private:
  struct Word {  // some jobs of a group: the bits of one word of places
    std::uint32_t index;
    std::uint64_t bits;
  };
  struct Group {  // the jobs that share all their times
    rtsync::Wide first;
    rtsync::Wide cycle;
    rtsync::Wide stop;
    std::uint32_t words_begin;
    std::uint32_t words_end;
  };
  struct Due {
    rtsync::Wide next;
    std::uint32_t group;
  };

  static constexpr rtsync::Wide kNever = static_cast<rtsync::Wide>(INT64_MAX) << 62;

  std::uint32_t take_first(std::int64_t k, std::int64_t sim_time_ns) TACTUS_RT;
  void sift_down() TACTUS_RT;
  std::int64_t nanoseconds(rtsync::Wide ticks) const TACTUS_RT {
    return static_cast<std::int64_t>(ticks_per_ns_ == 1 ? ticks : ticks / ticks_per_ns_);
  }
  template <class Visitor>
  bool run_word(std::uint32_t word, std::uint64_t bits, bool& in_controller, Visitor& visitor) TACTUS_RT;
  template <class Visitor>
  bool run_group(std::uint32_t group, Visitor& visitor) TACTUS_RT;
  template <class Visitor>
  bool run_due(Visitor& visitor) TACTUS_RT;
  void mark(std::uint32_t group) TACTUS_RT;

  std::int64_t ticks_per_ns_ = 1;
  rtsync::Wide frame_ticks_ = 1;
  std::vector<std::uint32_t> job_at_;
  std::vector<std::uint32_t> group_at_;
  std::vector<std::uint32_t> place_of_;
  std::uint32_t controller_word_ = 0;  // places from here on hold controller jobs
  std::vector<Group> groups_;
  std::vector<Word> words_;
  std::vector<tactus_call> calls_;                         // one per group
  std::unique_ptr<std::atomic<std::uint64_t>[]> enabled_;  // one bit per place
  std::vector<Due> heap_;
  std::vector<std::uint64_t> due_;      // one bit per place
  std::vector<std::uint64_t> due_sum_;  // one bit per word of due_
};

template <class Visitor>
bool Schedule::run_word(std::uint32_t word, std::uint64_t bits, bool& in_controller,
                        Visitor& visitor) TACTUS_RT {
  if (word >= controller_word_ && !in_controller) {
    in_controller = true;
    visitor.controller();
  }
  for (bits &= enabled_[word].load(std::memory_order_relaxed); bits != 0; bits &= bits - 1)
    if (!visitor.call(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)))) return false;
  return true;
}

template <class Visitor>
bool Schedule::run_group(std::uint32_t group, Visitor& visitor) TACTUS_RT {
  bool in_controller = false;
  for (std::uint32_t i = groups_[group].words_begin; i < groups_[group].words_end; ++i)
    if (!run_word(words_[i].index, words_[i].bits, in_controller, visitor)) return false;
  if (!in_controller) visitor.controller();
  return true;
}

template <class Visitor>
bool Schedule::run_due(Visitor& visitor) TACTUS_RT {
  bool in_controller = false;
  bool going = true;
  for (std::size_t i = 0; i < due_sum_.size(); ++i) {
    std::uint64_t sum = due_sum_[i];
    due_sum_[i] = 0;
    for (; sum != 0; sum &= sum - 1) {
      const std::size_t word = i * 64 + static_cast<std::size_t>(std::countr_zero(sum));
      const std::uint64_t bits = due_[word];
      due_[word] = 0;  // also after a job has failed, so that nothing is left over
      going = going && run_word(static_cast<std::uint32_t>(word), bits, in_controller, visitor);
    }
  }
  if (going && !in_controller) visitor.controller();
  return going;
}

template <class Visitor>
bool Schedule::run_frame(std::int64_t k, Visitor& visitor) TACTUS_RT {
  const rtsync::Wide end = frame_ticks_ * (k + 1);
  if (heap_.empty() || heap_.front().next >= end) {
    visitor.simulator();
    visitor.controller();
    return true;
  }
  while (!heap_.empty() && heap_.front().next < end) {
    const rtsync::Wide now = heap_.front().next;
    const std::int64_t now_ns = nanoseconds(now);
    visitor.simulator();
    const std::uint32_t first = take_first(k, now_ns);
    bool going = true;
    if (heap_.front().next != now) {
      going = run_group(first, visitor);
    } else {
      mark(first);
      while (heap_.front().next == now) mark(take_first(k, now_ns));
      going = run_due(visitor);
    }
    if (!going) return false;
  }
  return true;
}

}  // namespace tactus::executive
