// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "executive/frame/async_worker.hpp"
#include "executive/frame/event_jobs.hpp"
#include "executive/frame/hard_budgets.hpp"
#include "executive/frame/integration_loop.hpp"
#include "executive/frame/job_clock.hpp"
#include "executive/frame/job_names.hpp"
#include "executive/frame/job_relief.hpp"
#include "executive/frame/job_switches.hpp"
#include "executive/frame/lane.hpp"
#include "executive/frame/stretched_job.hpp"
#include "executive/plan/plan.hpp"
#include "executive/plan/schedule.hpp"
#include "executive/state/state_image.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::executive {

/// A plan compiled into what a run reads: schedules, lists, copies, guards. Nothing of it changes any more
/// but the state of the schedules.
///
/// Lanes: 0 is the main thread's, 1 .. n those of the scheduled threads. With more than one thread two more
/// belong to the main thread: latch() before the others start (delayed connections), record() after all have ended.
///
/// Threads  constructor: setup. Then as its parts say.
class Program {
 public:
  /// `read_time` measures job times where there is no trusted counter. Throws std::invalid_argument when the
  /// plan cannot be scheduled. @when setup
  Program(Plan plan, JobClock::Read read_time);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Plan& plan() const { return plan_; }  ///< plan with a job for each integration loop at its end

  Schedule& schedule() const TACTUS_RT { return *schedule_; }
  std::span<const Entry> entries() const TACTUS_RT { return entries_; }  ///< entries by place
  std::size_t lanes() const { return lanes_; }  ///< number of lanes that threads run: 1 + scheduled threads
  std::size_t latch() const { return lanes_; }
  std::size_t record() const { return lanes_ + 1; }
  /// The thread (as PlannedJob::thread) of a lane.
  std::size_t thread_of_lane(std::size_t lane) const TACTUS_RT { return thread_of_lane_[lane]; }
  std::size_t lane_of_thread(std::size_t thread) const TACTUS_RT { return lane_of_thread_[thread]; }
  bool alone() const TACTUS_RT { return lanes_ == 1; }
  std::uint64_t worker_lanes() const TACTUS_RT { return worker_lanes_; }  ///< bits of lanes 1 .. n
  Lane& lane(std::size_t index) const TACTUS_RT { return *lane_states_[index]; }

  /// Workers by thread; nullptr for main and scheduled ones.
  AsyncWorker* async_worker(std::size_t thread) const TACTUS_RT { return async_worker_of_thread_[thread]; }
  /// The lane with the jobs of a thread.
  Lane& lane_of(std::size_t thread) const TACTUS_RT {
    AsyncWorker* const worker = async_worker(thread);
    return worker != nullptr ? worker->lane : lane(lane_of_thread(thread));
  }
  std::span<const std::unique_ptr<AsyncWorker>> async_workers() const { return async_workers_; }
  std::span<const std::unique_ptr<IntegrationLoop>> loops() const { return loops_; }
  /// Returns the loop that runs as that job of the plan; nullptr: none.
  const IntegrationLoop* loop_running_as(std::uint32_t job) const TACTUS_RT {
    const std::size_t first = plan_.jobs.size() - loops_.size();  // they come last
    return job < first ? nullptr : loops_[job - first].get();
  }

  /// Returns the guard of a model's variables; nullptr: none. @when setup
  VariableGuard* guard_of(const ModelInstance* model);
  /// Returns the forces of a model; nullptr if it can have none.
  ModelForces* forces_of(const ModelInstance* model);
  /// Returns what stimuli and faults make of a model's variables; nullptr: none of them.
  ModelOverlay* overlay_of(const ModelInstance* model);
  bool has_overlays() const TACTUS_RT { return !overlays_.empty(); }
  /// Puts true values into the memory of the models that are at rest: those of no asynchronous thread, and of these
  /// threads (bits). Between frames, before others write there.                                     @when rt
  void hide_overlays(std::uint64_t threads) TACTUS_RT;
  /// Orders the cells of all overlays, once all parts have come in.                                @when setup
  void order_overlays();
  /// Shows what there is to be seen, after that, and what is forced.                                 @when rt
  void show_overlays(std::uint64_t threads) TACTUS_RT;
  /// A fault makes a job longer in frame k.                                                           @when rt
  void mark_injected(std::size_t job, std::int64_t k) TACTUS_RT { injected_[job] = k; }
  /// One has made the job longer in that frame; of an asynchronous thread, in a period that may reach into it.
  bool was_injected(std::uint32_t job, std::int64_t frame) const TACTUS_RT {
    if (job >= injected_.size() || injected_[job] < 0) return false;
    const AsyncWorker* const worker = async_worker_of_thread_[switches_->thread_of(job)];
    return injected_[job] <= frame && frame - injected_[job] <= (worker == nullptr ? 0 : worker->frames);
  }
  /// Adds state that a capability keeps; it must outlive this.                                       @when setup
  void keep(std::vector<Piece> pieces) { kept_.insert(kept_.end(), pieces.begin(), pieces.end()); }
  /// The asynchronous thread that a model is on; nullptr: none.
  const AsyncWorker* async_worker_of(const ModelInstance* model) const {
    return async_worker_of_thread_[model_thread(model)];
  }
  /// Its bit in masks of them; 0 for none.
  std::uint64_t async_worker_bit(const ModelInstance* model) const { return bit_of(model_thread(model)); }
  /// Classes of frames, freeze and checkpoints, each in its order.
  const Entries& list(tactus_job_class job_class) const TACTUS_RT;
  void set_call(const tactus_call& call) TACTUS_RT { list_call_ = call; }  ///< sets the argument of all lists
  Schedule& freeze_schedule() { return *freeze_schedule_; }
  std::span<const Entry> freeze_entries() const TACTUS_RT { return freeze_entries_; }

  /// Switches a job by its name; false when there is none. `by`: see JobSwitches::enable.  @when any
  bool enable(std::string_view job, bool on, std::size_t by = JobSwitches::kOutside) TACTUS_RT;
  JobSwitches& switches() const TACTUS_RT { return *switches_; }
  EventJobs& event_jobs() const TACTUS_RT { return *event_jobs_; }
  const JobNames& names() const TACTUS_RT { return *names_; }
  std::uint32_t find(std::string_view job) const TACTUS_RT { return names_->find(job); }
  /// Position of a job in the order of an instant; the jobs of a loop have the position of the loop.
  std::tuple<int, unsigned, std::uint32_t> order_of(std::uint32_t job) const TACTUS_RT;

  /// Wakes all threads that wait for a job.                                                         @when any
  void wake_waiters() TACTUS_RT {
    for (rtsync::Gate& gate : gates_) gate.wake_all();
  }
  /// Returns where other threads have to read a variable of a model on an asynchronous thread; nullptr: where
  /// it is. @when setup
  const void* outside_view(const ModelInstance* model, const void* data, std::size_t bytes);

  /// Adds the state of jobs, threads and loops, by their names; names begin with '@'.            @when setup
  void add_state(std::vector<Piece>& pieces);
  /// Saves, between two frames, the state that is not in the pieces' memory all the time.          @when rt
  void save_state() TACTUS_RT { switches_->save_state(); }
  /// Takes what was copied into them.                                                              @when rt
  void load_state() TACTUS_RT;
  /// Moves to before frame k.                                                                      @when rt
  void seek(std::int64_t k) TACTUS_RT;

  const JobClock& job_clock() const { return job_clock_; }
  const std::vector<rtsync::JobHistogram>& job_times() const { return job_times_; }
  BrokenPromises& promises() { return promises_; }
  const BrokenPromises& promises() const { return promises_; }
  JobBudgets& budgets() const { return *budgets_; }
  HardBudgets& hard_budgets() TACTUS_RT { return hard_budgets_; }
  JobRelief& relief() const TACTUS_RT { return *relief_; }

 private:
  using Times =
      std::tuple<const ModelInstance*, rtsync::Period, rtsync::Period, std::optional<rtsync::Period>, bool>;
  struct Build {
    std::vector<ScheduledJob> scheduled;
    Entries made;
    std::map<std::uint32_t, std::size_t> of_job;  // plan job -> scheduled
    std::set<Times> latched;
  };

  const PlannedLoop* loop_of(std::uint32_t job) const TACTUS_RT;
  void place_threads();
  void make_loops();
  void stretch_jobs();
  std::size_t model_thread(const ModelInstance* model) const;
  std::uint64_t bit_of(std::size_t thread) const;
  bool is_async(std::size_t thread) const { return async_worker_of_thread_[thread] != nullptr; }
  void add_latch(Build& build, const ScheduledJob& like, const ModelInstance* model, std::size_t thread);
  void add_job(Build& build, std::uint32_t job, std::uint32_t lane, std::uint32_t latch_lane);
  std::unique_ptr<Schedule> finish(Build& build, rtsync::Period frame, std::size_t lanes, Entries& entries);
  void compile_lanes();
  void compile_freeze();
  void compile_async_workers();
  void depend();
  void join_event_jobs();
  Entries make_list(tactus_job_class job_class, std::size_t thread, const tactus_call& call);
  CopyList* copies_to(const ModelInstance* model, bool delayed, std::size_t thread);
  CallExtras* extras_of(std::uint32_t job);
  void complete(Entry& entry, CopyList* copies);
  const CallExtras* latch_extras(const ModelInstance* model);

  Plan plan_;
  const JobClock job_clock_;
  std::vector<rtsync::JobHistogram> job_times_;
  BrokenPromises promises_;
  std::unique_ptr<JobNames> names_;
  std::unique_ptr<JobSwitches> switches_;
  std::unique_ptr<EventJobs> event_jobs_;
  std::unique_ptr<JobBudgets> budgets_;
  std::unique_ptr<JobRelief> relief_;
  std::size_t lanes_ = 1;
  std::uint64_t worker_lanes_ = 0;
  std::vector<std::size_t> thread_of_lane_{0};
  std::vector<std::size_t> lane_of_thread_;
  std::deque<std::unique_ptr<Lane>> lane_states_;
  std::vector<std::unique_ptr<AsyncWorker>> async_workers_;
  std::vector<AsyncWorker*> async_worker_of_thread_;
  std::vector<std::unique_ptr<IntegrationLoop>> loops_;
  std::map<const ModelInstance*, std::size_t> thread_of_model_;

  std::deque<StretchedJob> stretched_;
  HardBudgets hard_budgets_;
  std::deque<CopyList> copies_;
  std::map<std::tuple<const ModelInstance*, bool, std::size_t>, CopyList*> copies_of_;
  std::map<const ModelInstance*, std::unique_ptr<VariableGuard>> guards_;
  std::map<const ModelInstance*, std::unique_ptr<ModelForces>> forces_;
  OverlayChanges overlay_changes_;
  std::map<const ModelInstance*, std::unique_ptr<ModelOverlay>> overlays_;
  bool overlays_hidden_ = true;  // before a frame
  std::vector<Piece> kept_;
  std::vector<std::int64_t> injected_;  // by job: the last frame; -1: none
  std::map<std::uint32_t, std::unique_ptr<CallExtras>> extras_;
  std::map<const ModelInstance*, CallExtras> latch_extras_;
  CallCellStore cells_;
  std::deque<rtsync::Gate> gates_;

  std::unique_ptr<Schedule> schedule_;
  Entries entries_;
  std::unique_ptr<Schedule> freeze_schedule_;
  Entries freeze_entries_;
  std::array<Entries, 9> lists_;  // as kLists
  tactus_call list_call_{0, 0, 0};
};

}  // namespace tactus::executive
