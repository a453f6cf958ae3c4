// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executive/frame/frame_services.hpp"
#include "executive/frame/freeze.hpp"
#include "executive/frame/restart.hpp"
#include "executive/frame/rttime_reset.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/thread/run_counters.hpp"

namespace tactus::executive {

/// Runs a plan frame by frame: the heart of a rig. It keeps the states, the commands and the loop; what is
/// done in a frame belongs to its members.
///
/// Threads  constructor, run_default_data, run_initialization, run, run_shutdown: one after the other, run()
///          on the rig's real-time thread. The requests and the readers: any thread, any time.
/// RT       run(), from the first frame to the last: no lock, no allocation, no exception, no system call
///          but the sleeper's and, where threads wait for each other by futex, theirs.
class Executive {
 public:
  /// The plan's models, `sync`, `sleeper` and `clock` must outlive it. `read_time` measures job times
  /// where there is no trusted counter. Throws std::invalid_argument when the plan cannot be scheduled.
  /// @when setup
  Executive(Plan plan, rtsync::RealtimeSync& sync, rtsync::Sleeper& sleeper, rtsync::PacedClock& clock,
            RealtimeVariables& realtime_variables, JobClock::Read read_time = &JobClock::monotonic);
  Executive(const Executive&) = delete;
  Executive& operator=(const Executive&) = delete;

  /// State Start: default_data jobs (before the parameters are set) and initialization jobs (after). Throws
  /// std::runtime_error naming the job that failed. @when setup
  void run_default_data();
  void run_initialization();
  /// Runs until `frames` frames are done (INT64_MAX: for ever) or something ends it. Throws std::system_error
  /// when the sleeper cannot be had. Once per executive.
  RunEnd run(std::int64_t frames);
  /// State Disconnect: all shutdown jobs, also after one has failed; returns what failed. @when service
  std::vector<std::string> run_shutdown();
  /// There will be no frame: what was prepared for them has failed. @when setup
  void abandon() { status_.enter_if_allowed(State::abort); }

  /// Requests; each is taken at the end of the frame. Abort wins over stop, stop over reset, reset over
  /// pause. A reason is kept as a pointer: it has to stay.
  /// @when any
  void request_stop(const char* reason) TACTUS_RT { commands_.request_stop(reason); }
  void request_abort(const char* reason) TACTUS_RT { commands_.request_abort(reason); }
  /// A command that the frames take, as a client gives it.
  void give(Command command, std::int64_t value = 0) TACTUS_RT { commands_.give(command, value, kByClient); }
  void request_pause() TACTUS_RT { give(Command::pause); }
  void request_resume() TACTUS_RT { give(Command::resume); }
  /// Runs that many frames from where the rig is, running or frozen, then freezes. At least 1.
  void request_step(std::int64_t frames) TACTUS_RT { give(Command::step, frames); }
  /// Run until that simulated time (the first boundary of frames not before it), then freeze.
  void request_run_until(rtsync::Nanoseconds sim_time) TACTUS_RT {
    give(Command::run_until, sim_time.count());
  }
  /// Freeze at the first boundary of frames not before that simulated time, whatever happens until then.
  /// False: too many such pauses wait already.
  bool request_pause_at(rtsync::Nanoseconds sim_time) TACTUS_RT {
    return commands_.request_pause_at(sim_time.count());
  }
  /// Back to the state before the initialization jobs, and on from there. A model that cannot: Abort.
  void request_reset() TACTUS_RT { give(Command::reset); }
  std::int64_t resets_wanted() const TACTUS_RT { return commands_.resets_wanted(); }
  /// Continues from that state: the rig's thread copies it in. It must stay until Restart::loaded() counts
  /// one more.
  void request_load(const LoadedState& state) TACTUS_RT { commands_.request_load(state); }
  /// Makes a paused rig look at the requests.
  void poll_while_paused() TACTUS_RT { commands_.poll_while_paused(); }
  bool stop_requested() const TACTUS_RT { return commands_.stop_reason() != nullptr; }
  bool abort_requested() const TACTUS_RT { return commands_.abort_reason() != nullptr; }
  /// Commands of the rig file that were not reached. After run().
  std::size_t commands_left() const { return commands_.left(); }
  LinkCommands& link_commands() { return commands_; }

  /// Plan as given, with a job for each integration loop at the end.
  const Plan& plan() const TACTUS_RT { return program_.plan(); }
  Program& program() { return program_; }
  JobRunner& jobs() { return jobs_; }
  const JobRunner& jobs() const { return jobs_; }
  ModelRequests& model_requests() { return requests_; }
  StuckMark& stuck_mark() { return stuck_; }
  RateTransitions& transitions() { return transitions_; }
  StateRestorer& restorer() { return restorer_; }
  Restart& restart() { return restart_; }
  RigStatus& status() { return status_; }
  FrameAccounts& accounts() { return accounts_; }

  State state() const TACTUS_RT { return status_.state(); }
  /// One reader: the service thread.
  const RigFigures& latest() { return status_.latest(); }
  /// The number of the frame that would come next. After run().
  std::int64_t frames_done() const { return status_.frame().frames; }
  const FrameStatistics& statistics() const { return accounts_.statistics(); }
  const rtsync::JobHistogram& job_times(std::size_t job) const { return program_.job_times()[job]; }
  /// Number of times that work in the slack was deferred by a frame, as it would not have fitted.   @when any
  std::int64_t deferred() const TACTUS_RT { return slack_.deferred(); }
  /// Counters of the machine for the real-time thread during run(); valid after run().
  const rtsync::RunCounters& counters() const { return counters_; }
  rtsync::RealtimeTotals totals() const { return sync_.totals(); }
  /// Returns by how much the last frame was over; negative: it had so much slack. After run().  @when service
  rtsync::Nanoseconds last_overran() const { return -sync_.timing().slack; }

  /// Sets what the next overruns do to the grid of slots.                                          @when rt
  void set_on_overrun(rtsync::OnOverrun on_overrun) TACTUS_RT { sync_.set_on_overrun(on_overrun); }
  rtsync::OnOverrun on_overrun() const TACTUS_RT { return sync_.on_overrun(); }

  /// Drives all outputs to their safe values, for good. False: a device refused.                  @when any
  bool end_outputs_safe() TACTUS_RT { return outputs_.end_safe(); }
  /// Returns an output that a thread is driving safe right now; nullptr: none.                    @when any
  const SafeOutput* output_in_call() const TACTUS_RT { return outputs_.in_call(); }
  /// The same, but frames may drive them again.                                                  @when any
  void drive_outputs_safe() TACTUS_RT { outputs_.drive_safe(); }
  /// A device refused to be driven safe at some time.                                              @when any
  bool output_stuck() const TACTUS_RT { return outputs_.stuck(); }
  /// A capability more; at each hook the part that was added first is called first. It must outlive the run.
  /// @when setup
  template <class Part>
  void add(Part& part) {
    part.joined(services_);
    row_.add(part);
  }
  /// The main thread is a real-time one: it sleeps for a moment at least once a second. @when setup
  void enable_rttime_reset() { rttime_.emplace(); }

 private:
  bool run_frame(std::int64_t k) TACTUS_RT;
  rtsync::Verdict end_frame(std::int64_t k) TACTUS_RT;
  void use_slack(std::int64_t k) TACTUS_RT;
  void reset_rttime() TACTUS_RT;
  void follow_realtime() TACTUS_RT;
  rtsync::Verdict pause_as_wanted(rtsync::Verdict verdict, std::int64_t k, bool frames_left) TACTUS_RT;
  rtsync::Verdict await_start(rtsync::Verdict verdict, std::int64_t k) TACTUS_RT;
  void await_grant(std::int64_t k);
  bool granted(std::int64_t k) TACTUS_RT;
  bool ends_before(std::int64_t k, PartVerdict::What what) TACTUS_RT;
  bool begin_parts(std::int64_t k) TACTUS_RT;
  RunEnd end_of(rtsync::Verdict verdict, std::int64_t k) const;
  RunEnd ended(rtsync::Verdict verdict, std::int64_t k);

  Program program_;
  rtsync::RealtimeSync& sync_;
  rtsync::Sleeper& sleeper_;
  FrameRow row_;
  CommandQueue commands_;
  RigStatus status_;
  ModelRequests requests_;
  JobRunner jobs_;
  StuckMark stuck_;
  RateTransitions transitions_;
  FrameServices services_;
  SafeOutputList outputs_;
  Slack slack_;
  FrameBoundary boundary_;
  Freeze freeze_;
  FrameAccounts accounts_;
  StateRestorer restorer_;
  Restart restart_;
  std::optional<RttimeReset> rttime_;

  PartVerdict ended_by_;  // what a part wanted of its last frame
  rtsync::RunCounters counters_;
  bool was_realtime_ = false;
  std::int64_t first_frame_ = 0;
  std::int64_t frames_run_ = 0;
};

}  // namespace tactus::executive
