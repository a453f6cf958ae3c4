// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "executive/flight/flight_ring.hpp"
#include "executive/frame/broken_promises.hpp"
#include "executive/frame/call_cells.hpp"
#include "executive/frame/job_budgets.hpp"
#include "executive/frame/job_clock.hpp"
#include "executive/frame/job_end.hpp"
#include "executive/model/connection.hpp"
#include "executive/model/model_forces.hpp"
#include "executive/model/model_overlay.hpp"
#include "executive/model/variable_guard.hpp"
#include "executive/plan/schedule.hpp"
#include "rtsync/crash/running_job.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/host/map_watch.hpp"
#include "rtsync/host/unforked_memory.hpp"
#include "rtsync/thread/float_environment.hpp"
#include "rtsync/thread/gate.hpp"
#include "rtsync/time/histogram.hpp"

namespace tactus::executive {

/// A job of another lane that has to be done first, whenever both are due.
struct Dependency {
  std::uint32_t place = 0;
  rtsync::Gate* done = nullptr;  ///< shows the number of the instant
  rtsync::WaitMode wait = rtsync::WaitMode::adaptive;
  std::size_t thread = 0;             ///< thread that runs it
  mutable rtsync::SpinBudget spin{};  ///< knowledge from its waits, all of which are this lane's
};

/// Work that some calls need before and after them, beyond CallCells.
struct alignas(64) CallExtras {
  std::vector<Dependency> waits_for;
  CopyList* copies = nullptr;       ///< fills the model's inputs
  VariableGuard* guard = nullptr;   ///< looks at what the model wrote
  ModelForces* forces = nullptr;    ///< values that clients force in the model
  ModelOverlay* overlay = nullptr;  ///< overlay of stimuli and faults on the model's variables
  rtsync::Gate* done = nullptr;     ///< another thread waits for this job
};

/// A call that is ready to be made.
struct Entry {
  tactus_job_function run = nullptr;
  void* self = nullptr;
  const tactus_call* call = nullptr;
  std::uint32_t job = kNoPlanJob;  ///< index into Plan::jobs; none for copies
  const CallExtras* extras = nullptr;
  const CallCells* cells = nullptr;  ///< the plain part of what is needed; nullptr: nothing
  /// Switch of a job that the schedule does not know; nullptr: always on.
  const std::atomic<bool>* enabled = nullptr;
  bool is_on() const TACTUS_RT { return enabled == nullptr || enabled->load(std::memory_order_relaxed); }
};

/// Calls in order. A copy of the rig that a model made by fork() has none, so that it drives no output.
using Entries = std::vector<Entry, rtsync::UnforkedAllocator<Entry>>;

/// Reason why a lane ended.
struct CallFailure {
  std::uint32_t job = kNoPlanJob;
  int status = 0;  ///< return value of the job; 0 when a variable is bad
  const VariableGuard::Bad* bad = nullptr;
  bool happened() const { return job != kNoPlanJob; }
};

/// Request of a job while others may run beside it: a job switched, or a command.
struct JobRequest {
  std::uint32_t by = kNoPlanJob;   ///< the job that asked
  std::uint32_t job = kNoPlanJob;  ///< the one to be switched; none: a command
  bool on = false;
  tactus_command command = TACTUS_PAUSE;
  std::int64_t value = 0;
};

/// Makes the calls of one thread, one after the other, and measures them: the end of one job is the beginning
/// of the next, so there is one clock read per job.
///
/// Threads  call, run_list, begin, count: the thread whose lane it is; failure() and the times: after it has
/// ended.
///          running_job(), passes(), busy(): any.
/// RT       everything but the constructor.
class alignas(64) Lane {
 public:
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  using JobEnd = executive::JobEnd;

  /// `times`: a histogram per job of the plan, of which a lane writes those of its own jobs; empty: nothing
  /// is measured. `most_entries`: of the log in one frame, as far as known. `thread` is whose it is.
  Lane(const JobClock& clock, std::vector<rtsync::JobHistogram>& times, JobBudgets& budgets,
       std::size_t thread, std::size_t most_entries)
      : clock_(clock),
        times_(times),
        budgets_(budgets),
        own_budget_(budgets.thread(thread)),
        log_(times.empty() || most_entries == 0 ? 0 : most_entries + kMostBegins),
        heap_times_(log_.size()) {
    if (log_.empty()) return;
    log_end_ = log_.data();
    log_room_end_ = log_.data() + log_.size();
  }

  /// Prepares the first call after a while.
  void begin() TACTUS_RT {
    if (measures()) measure(kNoPlanJob);
  }
  CallEnd call(const Entry& entry) TACTUS_RT {
    return entry.extras == nullptr ? make(entry) : call_with_extras(entry);
  }
  /// Makes the calls of the list. True: all were made.
  bool run_list(std::span<const Entry> list) TACTUS_RT;
  /// The instant whose dependencies are looked at.
  void set_schedule(const Schedule* schedule) { schedule_ = schedule; }
  /// Dependency that blocked the last call; nullptr: none.
  const Dependency* blocked_by() const TACTUS_RT { return blocked_by_; }
  /// Counts what was measured since the last time, in the slack: the histograms of many jobs lie in no cache.
  void count() TACTUS_RT;
  /// Looks which of the calls that are not counted took longest; see longest_ticks().
  void find_longest() TACTUS_RT;
  /// Begins frame k, or a period that began with it: what is counted from here on belongs to it.
  void begin_frame(std::int64_t k) TACTUS_RT {
    frame_ = k;
    spent_ticks_ = 0;
    longest_wait_ = {};
    is_cut_ = false;
    reset_longest();
  }
  /// The frame that it has begun last.
  std::int64_t frame() const TACTUS_RT { return frame_; }
  /// Books the frame against the thread's budget, once all of it is counted.
  void book_frame() TACTUS_RT {
    if (spent_ticks_ >= own_budget_.beyond) [[unlikely]]
      book(own_budget_, spent_ticks_);
  }
  /// Ends of calls that count() will count, oldest first: since the frame began, but for frames of very many
  /// calls.
  std::span<const JobEnd> log() const TACTUS_RT {
    return {log_.data(), static_cast<std::size_t>(log_end_ - log_.data())};
  }
  /// Returns true if the frame had more entries than log() has room for: the first ones are counted already.
  bool is_cut() const TACTUS_RT { return is_cut_; }
  /// Returns the duration of the calls of the heap between two entries of log().
  rtsync::Nanoseconds heap_time(const JobEnd& begin, const JobEnd& end) const TACTUS_RT {
    return rtsync::Nanoseconds{std::uint32_t{heap_ns_at(end.heap_calls) - heap_ns_at(begin.heap_calls)}};
  }
  /// The calling thread makes its calls from here on.                                           @when setup
  void enter_thread() {
    heap_ = rtsync::HeapCounter::timed_of_this_thread();
    maps_ = rtsync::MapLog::of_this_thread();
  }
  /// Counter of the heap calls of its thread.
  const rtsync::HeapCounter& heap() const TACTUS_RT { return heap_; }
  /// Log of the map calls of its thread; nullptr: they are not noted here.
  rtsync::MapLog* maps() const TACTUS_RT { return maps_; }
  /// Counts there which jobs used the heap; it must outlive the lane. @when setup
  void count_in(BrokenPromises& promises) { promises_ = &promises; }
  /// A job has returned: how its thread computes is as it was before, or is again, and then counted.
  void keep_environment(std::uint32_t job) TACTUS_RT {
    if (!environment_.is_current()) [[unlikely]]
      put_back_environment(job);
  }
  /// Longest time since reset_longest(), in ticks.
  std::uint64_t longest_ticks() const TACTUS_RT { return longest_ticks_; }
  std::uint32_t longest_job() const TACTUS_RT { return longest_job_; }
  /// Something that is no job of this lane took long: it was waited for.
  void consider(std::uint32_t job, std::uint64_t ticks) TACTUS_RT {
    if (ticks <= longest_ticks_) return;
    longest_ticks_ = ticks;
    longest_job_ = job;
  }
  void reset_longest() TACTUS_RT {
    longest_ticks_ = 0;
    longest_job_ = kNoPlanJob;
  }

  /// False: there is no room for more in this instant.
  bool ask(JobRequest ask) TACTUS_RT {
    if (ask_count_ == job_requests_.size()) return false;
    ask.by = running_job();
    job_requests_[ask_count_++] = ask;
    return true;
  }
  std::span<const JobRequest> asks() const TACTUS_RT { return {job_requests_.data(), ask_count_}; }
  void clear_job_requests() TACTUS_RT { ask_count_ = 0; }

  std::uint32_t running_job() const TACTUS_RT { return running_->job.load(std::memory_order_relaxed); }
  void set_running(std::uint32_t job) TACTUS_RT { running_->job.store(job, std::memory_order_relaxed); }
  /// Keeps it there from here on; it must outlive the lane. @when setup
  void keep_running_in(rtsync::RunningJob& place) { running_ = &place; }
  /// Leaves there what count() counts, and what runs; it must outlive the lane. @when setup
  void record_in(FlightRing& ring) {
    flight_ = &ring;
    keep_running_in(ring.now());
  }
  bool is_recorded() const { return flight_ != nullptr; }
  /// Ends record_in(): what runs is kept in the lane. No thread runs its jobs any more. @when setup
  void record_nowhere() {
    flight_ = nullptr;
    running_ = &own_running_;
  }
  /// Records that its thread has waited for another one since then. Records a wait. Called by that thread in
  /// its frame, while no thread counts.
  void record_wait(std::size_t awaited, std::uint64_t began) TACTUS_RT;
  /// Recorded wait of the frame.
  struct Wait {
    std::size_t thread = 0;  ///< index, as PlannedJob::thread; 0: there was none
    std::uint64_t ticks = 0;
  };
  const Wait& longest_wait() const TACTUS_RT { return longest_wait_; }
  /// The instant it has begun last.
  std::uint32_t instant = 0;
  const CallFailure& failure() const TACTUS_RT { return failure_; }
  void fail(const CallFailure& failure) TACTUS_RT { failure_ = failure; }

 private:
  CallEnd call_with_extras(const Entry& entry) TACTUS_RT;
  static void prepare(const CallExtras& extras, const Entry& entry) TACTUS_RT;
  void put_back_environment(std::uint32_t job) TACTUS_RT;
  CallEnd left_bad(const Entry& entry) TACTUS_RT;
  CallEnd make(const Entry& entry) TACTUS_RT {
    if (entry.job == kNoPlanJob) {
      (void)entry.run(entry.self, entry.call);  // copies cannot fail, and their time is their job's
      return CallEnd::done;
    }
    set_running(entry.job);
    if (entry.cells != nullptr) entry.cells->copy_words();
    const int status = entry.run(entry.self, entry.call);
    if (measures()) measure(entry.job);
    keep_environment(entry.job);  // behind the counter: the job has computed its last by then
    if (status == 0) [[likely]]
      return entry.cells == nullptr || entry.cells->all_finite() ? CallEnd::done : left_bad(entry);
    if (!failure_.happened()) failure_ = {entry.job, status, nullptr};  // a loop has named its job already
    return CallEnd::failed;
  }
  void book(JobBudgets::Budget& budget, std::uint64_t ticks) TACTUS_RT;
  bool measures() const TACTUS_RT { return log_end_ != nullptr; }
  [[gnu::always_inline]] void measure(std::uint32_t job) TACTUS_RT {
    const std::uint64_t ticks = clock_.ticks();
    const auto heap_calls = static_cast<std::uint32_t>(heap_.calls());
    *log_end_++ = {ticks, job, heap_calls};
    running_->since.store(ticks, std::memory_order_relaxed);
    if (heap_calls != heap_calls_) [[unlikely]]
      note_heap(heap_calls);
    if (log_end_ == log_room_end_) [[unlikely]]
      make_room();
  }
  void note_heap(std::uint32_t heap_calls) TACTUS_RT;
  std::uint32_t heap_ns_at(std::uint32_t heap_calls) const TACTUS_RT;
  void make_room() TACTUS_RT;
  void look_at_calls(std::span<const JobEnd> log) TACTUS_RT;
  void add_times(std::span<const JobEnd> log) TACTUS_RT;
  void leave_record() TACTUS_RT;

  static constexpr std::size_t kMostBegins = 64;

  /// Heap of the thread at a moment, as JobEnd::heap_calls.
  struct HeapTime {
    std::uint32_t calls = 0;
    std::uint32_t ns = 0;
  };

  // What every call reads, in one cache line.
  const JobClock& clock_;
  JobEnd* log_end_ = nullptr;  // of what was logged; nullptr: nothing is measured
  const JobEnd* log_room_end_ = nullptr;
  rtsync::HeapCounter heap_;
  std::uint32_t heap_calls_ = 0;  // of the last entry
  rtsync::RunningJob* running_ = &own_running_;
  const rtsync::FloatEnvironment environment_ = rtsync::FloatEnvironment::of_this_thread();

  std::vector<rtsync::JobHistogram>& times_;
  JobBudgets& budgets_;
  JobBudgets::Budget& own_budget_;
  std::int64_t frame_ = 0;
  std::uint64_t spent_ticks_ = 0;     // of the frame, as far as looked at
  bool is_cut_ = false;               // since the frame began
  std::vector<JobEnd> log_;           // in the order of the calls
  std::vector<HeapTime> heap_times_;  // ascending: where calls of the heap were seen since the last count()
  std::size_t heap_times_count_ = 0;
  HeapTime heap_before_;                        // at the last count()
  std::array<JobRequest, 256> job_requests_{};  // in the order of the jobs
  std::size_t ask_count_ = 0;
  std::uint64_t counted_to_ = 0;  // in ticks
  BrokenPromises* promises_ = nullptr;
  rtsync::MapLog* maps_ = nullptr;
  Wait longest_wait_;
  std::uint64_t longest_ticks_ = 0;
  std::uint32_t longest_job_ = kNoPlanJob;
  const Schedule* schedule_ = nullptr;
  const Dependency* blocked_by_ = nullptr;
  FlightRing* flight_ = nullptr;
  CallFailure failure_;
  rtsync::RunningJob own_running_;
};

/// Makes a lane run the jobs of a schedule.
struct LaneVisitor {
  Lane& lane;
  std::span<const Entry> entries;  ///< entries by place
  void controller() TACTUS_RT {}
  CallEnd call(std::uint32_t place) TACTUS_RT { return lane.call(entries[place]); }
};

}  // namespace tactus::executive
