// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "executive/plan/time_heap.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// Times of more ticks in a nanosecond have no common time base.
constexpr std::int64_t kMostTicksPerNs = 1'000'000'000;

/// Facts of a cyclic job that the schedule needs.
struct ScheduledJob {
  int job_class = 0;                   ///< ascending within an instant; see tactus_job_class
  unsigned phase = 0;                  ///< ascending within a class
  std::uint64_t declaration = 0;       ///< ascending within a phase
  bool controller = false;             ///< runs in State::step_controller; never before a job that does not
  rtsync::Period cycle;                ///< > 0, unless dynamic
  rtsync::Period first;                ///< simulated time of the first call
  std::optional<rtsync::Period> stop;  ///< no call after this time; inclusive
  bool enabled = true;
  bool dynamic = false;      ///< true: after the first call it is called only when call_at() set a time
  bool integration = false;  ///< integrates up to its time: an instant of its own right before that time, so
                             ///< that it still belongs to the frame that ends there. `first` > 0
  std::uint32_t lane = 0;    ///< lane: the jobs of one thread, in order
  bool own_call = false;     ///< it shares its tactus_call with no other job: set_dt()
};

/// Result of a call.
enum class CallEnd : std::uint8_t {
  done,
  failed,   ///< the lane ends here
  blocked,  ///< it was not made, and has to be tried again
  paused    ///< done, and the lane is to be left for now
};

/// Result of a lane.
enum class LaneEnd : std::uint8_t { done, failed, blocked, paused };

/// The compiled order of all cyclic jobs: a function of the plan alone.
///
/// Jobs run at first + n * cycle, in the order (time, class, phase, declaration). Times are whole numbers of
/// ticks, the tick being the longest time of which frame, cycles, first calls and stops are all multiples:
/// nothing is ever rounded, and whether a job is due is a comparison of integers, never of clock readings.
/// Integration up to a time comes half a tick before it.
///
/// Jobs with the same times form a group; a heap holds the groups by their next time. Each job has a place in
/// one global order, and an instant's due jobs are a set of bits over these places. So a frame costs what is
/// due in it: one step of the heap per due group, one bit per due job. Dynamic jobs have a heap of their own, and a
/// set of bits says whose time was changed. The places of a lane lie together, so
/// that lanes can be run by different threads at the same time.
///
/// Threads  next, close, seek, reset, run_frame: one thread. start, run: the thread of the lane, between next
/// and
///          close. enable: any. call_at: a job that runs.
/// RT       everything but compile.
class Schedule {
 public:
  static constexpr std::size_t kMostLanes = 64;

  /// Throws std::invalid_argument when a cycle is zero or the times have no common tick above 10^-18 s.
  /// @when setup
  Schedule(std::span<const ScheduledJob> jobs, rtsync::Period frame, std::size_t lanes = 1);

  /// Places run from 0 to places() - 1; some hold no job.
  std::size_t places() const { return job_at_.size(); }
  static constexpr std::uint32_t kNoJob = UINT32_MAX;
  /// The job (index into the constructor's list) at a place, or kNoJob.
  std::uint32_t job_at(std::size_t place) const { return job_at_[place]; }
  /// Argument of the call of the job at a place; rewritten whenever it is due.
  const tactus_call& call_at_place(std::size_t place) const { return calls_[group_at_[place]]; }
  /// The place of a job.
  std::uint32_t place_of(std::size_t job) const { return place_of_[job]; }

  /// Switches a job, from the next instant on, in whatever order jobs run in the present one. A job that is
  /// off keeps its times. @when any
  void enable(std::size_t job, bool on) TACTUS_RT {
    const std::uint32_t place = place_of_[job];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if (on) {
      wanted_[place / 64].fetch_or(bit, std::memory_order_relaxed);
    } else {
      wanted_[place / 64].fetch_and(~bit, std::memory_order_relaxed);
    }
    switched_.store(true, std::memory_order_release);
  }
  bool enabled(std::size_t job) const TACTUS_RT {
    const std::uint32_t place = place_of_[job];
    return (wanted_[place / 64].load(std::memory_order_relaxed) >> (place % 64) & 1) != 0;
  }
  /// Leaves a job out from the next instant on, whether or not it is enabled; or calls it again.
  /// @when rt, between frames, on the thread of next()
  void leave_out(std::size_t job, bool yes) TACTUS_RT {
    const std::uint32_t place = place_of_[job];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    left_out_[place / 64] = yes ? left_out_[place / 64] | bit : left_out_[place / 64] & ~bit;
    switched_.store(true, std::memory_order_release);
  }
  /// Number of calls before frame k of a job that is not dynamic.                                   @when rt
  std::int64_t calls_before(std::size_t job, std::int64_t k) const TACTUS_RT;
  /// Sets the cycle that a job with a call of its own is given.            @when rt, between frames
  void set_dt(std::size_t job, double dt) TACTUS_RT { calls_[group_at_[place_of_[job]]].dt = dt; }
  /// The next time of a dynamic job, in nanoseconds. False when the job is not dynamic, or the time does not
  /// lie after the present instant.
  bool call_at(std::size_t job, std::int64_t sim_time_ns) TACTUS_RT;

  /// Back to before frame 0. Does not touch what is enabled.                                        @when rt
  void reset() TACTUS_RT;
  /// Moves to before frame k; dynamic jobs as next_of() returns. Keeps what is enabled.       @when rt
  /// `late`: a dynamic job whose time was passed over is called at the beginning of frame k instead of never.
  void seek(std::int64_t k, bool late = false) TACTUS_RT;

  /// State that cannot be computed from the frame number: the next time of a dynamic job in nanoseconds;
  /// kFirst: at its start; kNeverNs. To be set before seek(). @when rt
  std::int64_t next_of(std::size_t job) const TACTUS_RT { return dynamic_times_[dynamic_of(job)]; }
  void set_next_of(std::size_t job, std::int64_t ns) TACTUS_RT { dynamic_times_[dynamic_of(job)] = ns; }
  static constexpr std::int64_t kFirst = -1;
  static constexpr std::int64_t kNeverNs = INT64_MAX;

  /// Continues to the next instant of frame k; false when there is none left in it.                 @when rt
  bool next(std::int64_t k) TACTUS_RT;
  /// Lanes with due jobs at the present instant: a bit for each.                                    @when rt
  std::uint64_t lanes_due() const TACTUS_RT { return lanes_due_; }
  /// Counts the instants, from 1.                                                                   @when rt
  std::uint32_t instant() const TACTUS_RT { return instant_; }
  /// Returns true if a job is due at the present instant, and switched on.            @when rt, from any lane
  bool is_due(std::uint32_t place) const TACTUS_RT {
    return due_at_[group_at_[place]] == instant_ && (enabled_[place / 64] >> (place % 64) & 1) != 0;
  }
  /// Gets a lane ready for the present instant. @when rt, on the lane's thread
  void start(std::size_t lane) TACTUS_RT;
  /// Runs what is left of a lane. The visitor gets
  ///     visitor.controller()   once, before the lane's controller jobs, if it has any
  ///     visitor.call(place)    to run a job
  template <class Visitor>
  LaneEnd run(std::size_t lane, Visitor& visitor) TACTUS_RT;
  /// The instant is over on all lanes.                                                              @when rt
  void close() TACTUS_RT {
    if (rescheduled_.load(std::memory_order_relaxed)) take_changed_times();
  }

  /// A whole frame on the calling thread, lane by lane; the frames must come in order, from 0. Besides the
  /// above the visitor gets
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
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  // Times are kept in half ticks: even at an instant, odd for the integration that leads there.
  struct Group {  // the jobs that share all their times
    rtsync::Wide first;
    rtsync::Wide cycle;
    rtsync::Wide stop;
    std::uint64_t lanes;
    std::uint32_t dynamic;  // its number among the dynamic ones, or kCyclic
  };
  struct Due {
    rtsync::Wide next;
    std::uint32_t group;
  };
  struct Lane {
    std::uint32_t word_begin = 0;
    std::uint32_t word_end = 0;
    std::uint32_t controller_word = 0;   // words from here on hold controller jobs
    std::vector<std::uint64_t> due;      // one bit per place of the lane
    std::vector<std::uint64_t> due_sum;  // one bit per word of due
    bool in_controller = false;
  };

  static constexpr std::uint32_t kCyclic = UINT32_MAX;
  static constexpr rtsync::Wide kNever = static_cast<rtsync::Wide>(INT64_MAX) << 62;

  void take_first() TACTUS_RT;
  void take(std::uint32_t group) TACTUS_RT;
  void sift_down() TACTUS_RT;
  void take_switches() TACTUS_RT;
  std::uint32_t dynamic_of(std::size_t job) const TACTUS_RT {
    return groups_[group_at_[place_of_[job]]].dynamic;
  }
  void take_changed_times() TACTUS_RT;
  rtsync::Wide next_dynamic() const TACTUS_RT {
    return dynamic_heap_.empty() ? kNever : dynamic_heap_.time(dynamic_heap_.first());
  }
  rtsync::Wide dynamic_time(std::uint32_t i, rtsync::Wide from) const TACTUS_RT;
  const Range& range(std::uint32_t group, std::size_t lane) const TACTUS_RT {
    return ranges_[group * lanes_.size() + lane];
  }
  template <class Visitor>
  LaneEnd run_word(Lane& lane, std::uint32_t word, std::uint64_t& bits, Visitor& visitor) TACTUS_RT;

  std::int64_t ticks_per_ns_ = 1;
  rtsync::Wide frame_ticks_ = 1;  // half ticks
  std::vector<std::uint32_t> job_at_;
  std::vector<std::uint32_t> group_at_;
  std::vector<std::uint32_t> place_of_;
  std::vector<Lane> lanes_;
  std::vector<Group> groups_;
  std::vector<Range> ranges_;  // by group and lane: a range of words_
  std::vector<Word> words_;
  std::vector<tactus_call> calls_;                        // one per group
  std::vector<std::uint32_t> due_at_;                     // one per group: the instant it was due at last
  std::vector<std::uint64_t> enabled_;                    // one bit per place, as of the present instant
  std::vector<std::uint64_t> left_out_;                   // likewise, from the next one on
  std::unique_ptr<std::atomic<std::uint64_t>[]> wanted_;  // likewise, from the next one on
  std::atomic<bool> switched_{false};
  std::vector<Due> heap_;
  std::vector<std::uint32_t> dynamic_groups_;
  std::vector<std::int64_t> dynamic_times_;  // in nanoseconds, as they were asked for
  TimeHeap dynamic_heap_{0, kNever};
  // Whose time was asked for since the heap was told: a bit for each, and a bit for each word of bits.
  std::unique_ptr<std::atomic<std::uint64_t>[]> changed_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> changed_words_;
  std::atomic<bool> rescheduled_{false};

  rtsync::Wide now_ = -1;
  std::int64_t now_ns_ = -1;
  std::int64_t frame_ = 0;
  std::uint32_t instant_ = 0;
  std::uint64_t lanes_due_ = 0;
  std::vector<std::uint32_t> due_groups_;
  std::size_t due_count_ = 0;
};

template <class Visitor>
LaneEnd Schedule::run_word(Lane& lane, std::uint32_t word, std::uint64_t& bits, Visitor& visitor) TACTUS_RT {
  if (word >= lane.controller_word && !lane.in_controller) {
    lane.in_controller = true;
    visitor.controller();
  }
  for (bits &= enabled_[word]; bits != 0; bits &= bits - 1) {
    const CallEnd end = visitor.call(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
    if (end == CallEnd::done) [[likely]]
      continue;
    if (end == CallEnd::blocked) return LaneEnd::blocked;
    bits &= bits - 1;
    return end == CallEnd::paused ? LaneEnd::paused : LaneEnd::failed;
  }
  return LaneEnd::done;
}

template <class Visitor>
LaneEnd Schedule::run(std::size_t index, Visitor& visitor) TACTUS_RT {
  Lane& lane = lanes_[index];
  LaneEnd end = LaneEnd::done;
  for (std::size_t i = 0; i < lane.due_sum.size(); ++i) {
    while (lane.due_sum[i] != 0) {
      const std::size_t word = i * 64 + static_cast<std::size_t>(std::countr_zero(lane.due_sum[i]));
      std::uint64_t bits = lane.due[word];
      if (end == LaneEnd::failed) {
        bits = 0;  // nothing is left over for the next instant
      } else {
        end = run_word(lane, lane.word_begin + static_cast<std::uint32_t>(word), bits, visitor);
      }
      if (end == LaneEnd::failed) bits = 0;
      lane.due[word] = bits;
      if (bits == 0) lane.due_sum[i] &= lane.due_sum[i] - 1;
      if (end == LaneEnd::blocked || end == LaneEnd::paused) return end;
    }
  }
  return end;
}

template <class Visitor>
bool Schedule::run_frame(std::int64_t k, Visitor& visitor) TACTUS_RT {
  // A job's bool becomes what a lane understands, and controller() is told once per instant.
  struct Inner {
    Visitor& visitor;
    bool in_controller = false;
    void controller() TACTUS_RT {
      if (!in_controller) visitor.controller();
      in_controller = true;
    }
    CallEnd call(std::uint32_t place) TACTUS_RT {
      return visitor.call(place) ? CallEnd::done : CallEnd::failed;
    }
  };
  bool empty = true;
  while (next(k)) {
    empty = false;
    visitor.simulator();
    Inner inner{visitor};
    bool good = true;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      start(lane);
      good = good && run(lane, inner) == LaneEnd::done;
    }
    close();
    if (!good) return false;
    inner.controller();
  }
  if (empty) {
    visitor.simulator();
    visitor.controller();
  }
  return true;
}

}  // namespace tactus::executive
