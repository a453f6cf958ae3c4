// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "executive/frame/model_requests.hpp"
#include "executive/frame/rig_status.hpp"
#include "executive/frame/worker_pool.hpp"

namespace tactus::executive {

/// Runs the jobs of a rig, frame by frame, on its lanes. After a job has failed nothing is run any more but
/// shutdown jobs.
///
/// Threads  LaneRunner: the rig's threads. running_job(), working_thread(), stuck(): any. The rest: the rig's
///          main thread.
/// RT       what is marked so.
class JobRunner final : public LaneRunner {
 public:
  JobRunner(Program& program, ModelRequests& requests, RigStatus& status);

  /// Sets the pool that runs the other threads of the plan; without one the main thread runs their jobs.
  /// @when setup
  void set_workers(WorkerPool& workers) { workers_ = &workers; }
  WorkerPool& workers() const TACTUS_RT { return *workers_; }
  /// Makes work() pause the lane after each job, for a pool that decides after every job which thread is
  /// next.
  void set_step_by_step(bool on) { step_by_step_ = on; }
  /// The thread that serves as `thread` from here on, for running_job().                          @when setup
  static void enter_thread(std::size_t thread);

  Lane& lane_of(std::size_t thread) const TACTUS_RT;

  /// The jobs of a class outside of frames; returns what failed. Only shutdown jobs continue after one has.
  /// @when setup, service
  std::vector<std::string> run_once(tactus_job_class job_class);
  /// The jobs of Start, and the derivatives of the states as they then are; returns what failed. @when setup
  std::vector<std::string> initialize();
  /// The jobs of frame k, each in its state. False: one failed.                                     @when rt
  bool run_frame(std::int64_t k) TACTUS_RT;
  /// Those of the beginning of a freeze, of its frame n, and of the end after n frames.                 @when rt
  bool begin_freeze() TACTUS_RT;
  bool run_freeze_frame(std::int64_t n) TACTUS_RT;
  bool end_freeze(std::int64_t n) TACTUS_RT;
  /// Returns true if end_freeze() runs any job.                                                     @when rt
  bool has_unfreeze_jobs() const TACTUS_RT;
  /// The jobs of a class between two frames.                                                        @when rt
  bool run_list(tactus_job_class job_class, const tactus_call& call) TACTUS_RT;
  /// Runs the jobs of a class if no frame follows: their times are counted at once.                 @when rt
  bool run_jobs(tactus_job_class job_class, const tactus_call& call) TACTUS_RT;

  /// The simulated time that jobs outside of frames are called with.                                @when rt
  std::int64_t sim_time_ns() const TACTUS_RT { return end_call_.sim_time_ns; }
  void seek(std::int64_t sim_time_ns) TACTUS_RT { end_call_.sim_time_ns = sim_time_ns; }
  /// Counts the times of a frame that was broken off.                                               @when rt
  void count_times() TACTUS_RT;

  /// A job has failed, or a thread did not come back.                                               @when rt
  bool failed() const TACTUS_RT { return failed_; }
  void set_failed() TACTUS_RT { failed_ = true; }
  /// "job 'plant.step' (scheduled) failed: ...", of all threads' failures the one that comes first in the
  /// order of the plan, whichever was quicker; empty: none.                                    @when service
  std::string take_failure_text() const;

  /// The job that is running; empty between jobs. The calling thread's own if it is one of the rig's threads,
  /// else the main thread's.                                                                       @when any
  std::string_view running_job() const;
  /// The calling thread serves as none of the rig's.                                               @when any
  bool in_foreign_thread() const TACTUS_RT;
  /// Name of the job that runs on a thread. The thread is numbered as in PlannedJob::thread; the job is an
  /// index too, or kNoPlanJob.                                                                      @when any
  std::string_view running_job(std::size_t thread) const;
  std::uint32_t running_job_index(std::size_t thread) const TACTUS_RT {
    return lane_of(thread).running_job();
  }
  /// Keeps the job that a thread runs there, unless a flight recorder keeps it: in memory that outlives this
  /// process. @when setup
  void keep_running_in(std::size_t thread, rtsync::RunningJob& place) {
    if (Lane& lane = lane_of(thread); !lane.is_recorded()) lane.keep_running_in(place);
  }
  /// Records when the jobs of a thread ended. @when setup
  void record_in(std::size_t thread, FlightRing& ring) { lane_of(thread).record_in(ring); }
  /// Ends it, before the memory of the recorder goes. No thread runs jobs any more. @when setup
  void record_nowhere(std::size_t thread) { lane_of(thread).record_nowhere(); }
  /// The first thread that is in a job, for the text of an abort; main if none is.                  @when any
  std::size_t working_thread() const;
  /// A thread did not come back: it must not be waited for.                                         @when any
  bool stuck() const TACTUS_RT { return workers_->stuck().has_value(); }

  LaneEnd work(std::size_t thread) TACTUS_RT override;
  const Dependency& blocked_by(std::size_t thread) const TACTUS_RT override {
    return *lane_of(thread).blocked_by();
  }
  std::uint32_t instant() const TACTUS_RT override { return program_.schedule().instant(); }
  void wake_waiters() TACTUS_RT override { program_.wake_waiters(); }
  std::uint64_t wait_begins() TACTUS_RT override { return program_.job_clock().ticks(); }
  void wait_ended(std::size_t thread, std::size_t awaited, std::uint64_t began) TACTUS_RT override {
    lane_of(thread).record_wait(awaited, began);
  }

 private:
  const Plan& plan() const TACTUS_RT { return program_.plan(); }
  bool run_instants(std::int64_t k) TACTUS_RT;
  bool run_instant() TACTUS_RT;
  bool run_lane(std::size_t lane) TACTUS_RT;
  std::string text_of(const CallFailure& failure) const;

  Program& program_;
  ModelRequests& requests_;
  RigStatus& status_;
  InlineWorkerPool inline_pool_;
  WorkerPool* workers_ = &inline_pool_;
  tactus_call end_call_{0, 0, 0};
  bool in_controller_ = false;
  bool step_by_step_ = false;
  bool failed_ = false;
};

}  // namespace tactus::executive
