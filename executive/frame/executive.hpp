#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "executive/driver/lifecycle.hpp"
#include "executive/driver/link.hpp"
#include "executive/driver/statistics.hpp"
#include "executive/frame/command_queue.hpp"
#include "executive/frame/frame_accounts.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/frame/program.hpp"
#include "executive/frame/safe_output_list.hpp"
#include "executive/frame/slack.hpp"
#include "executive/frame/worker_pool.hpp"
#include "executive/plan/plan.hpp"
#include "executive/state/state_image.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/exchange/latest_cell.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/thread/run_counters.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// A state to go on from: bytes in the layout of Executive::state_image().
struct LoadedState {
  std::vector<std::byte> bytes;
  std::int64_t frame = 0;  ///< the frame that comes next
};

/// Runs a plan frame by frame: the heart of a rig.
///
/// Threads  constructor, run_default_data, run_initialization, run, run_shutdown: one after the other, run()
///          on the rig's real-time thread. The requests and the readers: any thread, any time.
/// RT       run(), from the first frame to the last: no lock, no allocation, no exception, no system call
///          but the sleeper's and, where threads wait for each other by futex, theirs.
class Executive final : public ModelServices, public LaneRunner, public LinkCommands, private FrameServices {
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

  /// Requests; each is taken at the end of the frame. Abort wins over stop, stop over reset, reset over
  /// pause.
  /// @when any
  void request_stop(
      const char* reason) TACTUS_RT override;  ///< `reason` is kept as a pointer: it has to stay
  void request_abort(const char* reason) TACTUS_RT override;  ///< likewise
  void request_pause() TACTUS_RT { commands_.request_pause(); }
  void request_resume() TACTUS_RT { commands_.request_resume(); }
  void set_peer_pause(bool yes) TACTUS_RT override { commands_.set_peer_pause(yes); }
  /// Run so many frames from where the rig stands, running or frozen, then freeze. At least 1.
  void request_step(std::int64_t frames) TACTUS_RT { commands_.request_step(frames); }
  /// Run until that simulated time (the first boundary of frames not before it), then freeze.
  void request_run_until(rtsync::Nanoseconds sim_time) TACTUS_RT {
    commands_.request_run_until(sim_time.count());
  }
  /// Back to the state before the initialization jobs, and on from there. A model that cannot: Abort.
  void request_reset() TACTUS_RT { commands_.request_reset(); }
  /// The job that is running; empty between jobs. The calling thread's own if it is one of the rig's threads,
  /// else the main thread's. @when any
  std::string_view running_job() const;
  /// Of a thread, as PlannedJob::thread.                                                            @when any
  std::string_view running_job(std::size_t thread) const;
  /// Switches a job by its name; false when there is none. One of a cyclic class follows from the next
  /// instant on.
  bool enable_job(std::string_view name, bool on) TACTUS_RT override;
  bool call_at(std::string_view model, std::string_view job, std::int64_t sim_time_ns) TACTUS_RT override;
  bool command(tactus_command command, std::int64_t value) TACTUS_RT override;
  /// Real-time synchronization from the end of the frame on; ignored after forbid_realtime().       @when any
  void set_realtime(bool on) TACTUS_RT override;
  /// --no-realtime: whatever a model asks for. @when setup
  void forbid_realtime() { realtime_allowed_ = false; }

  bool stop_requested() const TACTUS_RT { return commands_.stop_reason() != nullptr; }
  bool abort_requested() const TACTUS_RT { return commands_.abort_reason() != nullptr; }

  State state() const TACTUS_RT { return state_.load(std::memory_order_relaxed); }
  const FrameStatistics& statistics() const { return accounts_.statistics(); }
  const rtsync::JobHistogram& job_times(std::size_t job) const { return program_.job_times()[job]; }
  /// As given, with a job for each integration loop at the end.
  const Plan& plan() const TACTUS_RT override { return program_.plan(); }
  /// In the order of Plan::loops; their counters after run().
  std::span<const std::unique_ptr<IntegrationLoop>> loops() const { return program_.loops(); }
  /// One reader: the service thread.
  const Snapshot& latest() { return latest_.read(); }
  /// One reader: the service thread.
  bool pop_note(FrameNote& note) { return accounts_.pop(note); }
  std::uint64_t notes_lost() const { return accounts_.notes_lost(); }
  /// How often work in the slack was put off by a frame, as it would not have fitted.               @when any
  std::int64_t deferred() const TACTUS_RT { return slack_.deferred(); }
  /// What the machine did to the real-time thread during run(); after run().
  const rtsync::RunCounters& counters() const { return counters_; }
  rtsync::RealtimeTotals totals() const { return sync_.totals(); }
  /// Releases at which an asynchronous thread was still busy. After run().
  std::int64_t skipped(std::size_t thread) const {
    const AsyncWorker* const background = program_.background(thread);
    return background == nullptr ? 0 : background->skipped;
  }

  /// Drives all outputs to their safe values, for good. False: a device refused.                  @when any
  bool end_outputs_safe() TACTUS_RT { return safe_outputs_.end_safe(); }
  /// A device refused to be driven safe at some time.                                              @when any
  bool output_stuck() const TACTUS_RT { return safe_outputs_.stuck(); }
  /// There will be no frame: what was prepared for them has failed. @when setup
  void abandon();
  /// A capability more; at each hook the part that was added first is called first. It must outlive the run.
  /// @when setup
  template <class Part>
  void add(Part& part) {
    part.joined(*this);
    row_.add(part);
  }
  /// What they can force in a model, and the bit of the asynchronous thread that it is on (0: none). @when
  /// setup
  ModelForces* forces_of(const ModelInstance* model) { return program_.forces_of(model); }
  std::uint64_t async_worker_bit(const ModelInstance* model) const {
    return program_.async_worker_bit(model);
  }
  const AsyncWorker* async_worker_of(const ModelInstance* model) const {
    return program_.async_worker_of(model);
  }
  /// A rig that stands still looks up: something was asked of it.                                   @when any
  void nudge() TACTUS_RT { commands_.nudge(); }
  /// The main thread is a real-time one: it sleeps for a moment at least once a second, also while it is not
  /// paced or cannot keep up, so that the kernel takes it for a runaway only when it is one. @when setup
  void enable_rttime_reset() { resets_rttime_ = true; }
  /// Who runs the other threads of the plan; without one the main thread does. @when setup
  void set_workers(WorkerPool& crew) { workers_ = &crew; }
  /// The thread that serves as `thread` from here on, for running_job(). @when setup
  void enter_thread(std::size_t thread);
  /// Where the initialization jobs run after a reset, while the main thread keeps alive what watches over it;
  /// without one, on the main thread. @when setup
  void set_setup_thread(rtsync::ThreadSettings settings) { setup_thread_ = std::move(settings); }

  /// All that a checkpoint holds; throws std::runtime_error when there can be none (a model that says so,
  /// variables that share memory). @when setup
  const StateImage& state_image();
  /// The number of the frame that would come next. After run().
  std::int64_t frames_done() const { return latest_frame_.frames; }
  /// Why the state after the last frame is not complete; empty: it is. After run().
  std::string incomplete() const;
  /// The state after the last frame, for a checkpoint. Throws std::runtime_error naming the job that failed.
  /// After run(). @when service
  std::vector<std::byte> copy_state();
  /// A reset is possible: the memory for the initial state is made. How long a copy of the state takes.
  /// Throws like state_image(). @when setup
  rtsync::Nanoseconds prepare_reset();
  /// Go on from there instead of from frame 0: after run_initialization(), before run(). Throws
  /// std::runtime_error naming the restart job that failed. @when setup
  void load(const LoadedState& state);
  /// Go on from there, at the end of the frame: the rig's thread copies it in. It must stay until loaded()
  /// counts one more. @when any
  void request_load(const LoadedState& state) TACTUS_RT { load_.store(&state, std::memory_order_release); }
  std::int64_t loaded() const TACTUS_RT { return loaded_.load(std::memory_order_acquire); }
  /// Commands of the rig file that were not reached. After run().
  std::size_t commands_left() const { return commands_.left(); }
  std::int64_t resets() const TACTUS_RT { return resets_.load(std::memory_order_relaxed); }

  /// "thread 'plant' is stuck in job ...".
  std::string stuck_text(std::size_t thread) const;
  /// Who watches over the threads has found one that does not come back: it is not waited for any more. @when
  /// rt
  void mark_stuck(std::size_t thread) TACTUS_RT;
  /// The first thread that is in a job, for the text of an abort; main if none is.
  std::size_t working_thread() const;
  /// A thread did not come back: it must not be waited for.                                        @when any
  bool stuck() const TACTUS_RT { return workers_->stuck().has_value(); }

  /// The main thread is at work: for who watches over it.                                           @when any
  const std::atomic<bool>& busy() const { return busy_; }
  const std::atomic<std::uint64_t>& progress() const { return progress_; }

  LaneEnd work(std::size_t thread) TACTUS_RT override;
  const Dependency& blocked_by(std::size_t thread) const TACTUS_RT override;
  std::uint32_t instant() const TACTUS_RT override { return program_.schedule().instant(); }
  /// For a crew that decides who goes next after every job: work() then pauses the lane after each.
  void set_step_by_step(bool on) { step_by_step_ = on; }
  void wake_waiters() TACTUS_RT override { program_.wake_waiters(); }

 private:
  std::vector<std::string> run_once(tactus_job_class job_class, bool go_on_after_failure);
  std::vector<std::string> initialization_failures();
  std::string failure_text(const CallFailure& failure) const;
  std::tuple<int, unsigned, std::uint32_t> order_of(std::uint32_t job) const TACTUS_RT;
  void apply_job_requests() TACTUS_RT;
  const CallFailure* first_failure() const;
  Lane& lane_of(std::size_t thread) const;

  void enter(State next) TACTUS_RT;
  bool run_frame(std::int64_t k) TACTUS_RT;
  bool run_instant() TACTUS_RT;
  bool run_rate_transitions(std::int64_t k) TACTUS_RT;
  bool due_async_workers(std::int64_t k, std::uint64_t& due) TACTUS_RT;
  bool run_list(tactus_job_class job_class, const tactus_call& call) TACTUS_RT;
  rtsync::Verdict end_frame(std::int64_t k) TACTUS_RT;
  void use_slack(std::int64_t k) TACTUS_RT;
  void take_commands(std::int64_t k) TACTUS_RT;
  bool async_workers_idle(std::int64_t k) TACTUS_RT;
  rtsync::Verdict pause_as_wanted(rtsync::Verdict verdict, std::int64_t k, bool frames_left) TACTUS_RT;
  rtsync::Verdict freeze(std::int64_t k, bool clock_fault) TACTUS_RT;
  const char* why_frozen(bool clock_fault) const TACTUS_RT;
  bool serve_frozen(const Frozen& frozen) TACTUS_RT;
  rtsync::Verdict rest_frozen(std::int64_t k, const Frozen& frozen) TACTUS_RT;
  bool run_freeze_frame(std::int64_t n) TACTUS_RT;
  rtsync::Verdict await_start(rtsync::Verdict verdict, std::int64_t k) TACTUS_RT;
  void await_grant(std::int64_t k);
  bool granted(std::int64_t k) TACTUS_RT;
  bool begin_parts(std::int64_t k) TACTUS_RT;
  bool pauses_before(std::int64_t k) const TACTUS_RT;
  void stand_at(std::int64_t k) TACTUS_RT;
  void show_waiting() TACTUS_RT;
  void send_heartbeat() TACTUS_RT;
  /// The main thread waits for time to pass, and need not get on; and works again.
  void reset_rttime() TACTUS_RT;
  bool apply(tactus_command command, std::int64_t value) TACTUS_RT;
  void mark_idle() TACTUS_RT { busy_.store(false, std::memory_order_relaxed); }
  void mark_busy() TACTUS_RT {
    progress_.fetch_add(1, std::memory_order_relaxed);
    busy_.store(true, std::memory_order_relaxed);
  }
  void follow_realtime() TACTUS_RT;
  bool wait_for(AsyncWorker& background) TACTUS_RT;
  bool wait_for_async_workers() TACTUS_RT;
  bool restore_requested() const TACTUS_RT {
    return commands_.reset_wanted() || load_.load(std::memory_order_relaxed) != nullptr;
  }
  std::optional<std::int64_t> restore_state();
  bool restore(const std::byte* bytes, std::int64_t frame);
  bool initialize_again();
  RunEnd ended(rtsync::Verdict verdict, std::int64_t k);

  // FrameServices
  const void* view(const ModelInstance* model, const void* data, std::size_t bytes) override {
    return program_.outside_view(model, data, bytes);
  }
  std::atomic<std::uint64_t>& progress_counter() override { return progress_; }
  bool run_jobs(tactus_job_class job_class, const tactus_call& call) TACTUS_RT override;
  std::uint64_t idle_async_workers(std::int64_t k) TACTUS_RT override;
  void publish_async(std::uint64_t workers) TACTUS_RT override;
  bool state_complete(std::int64_t k) TACTUS_RT override { return !failed_ && async_workers_idle(k); }
  void save_state() TACTUS_RT override { program_.save_state(); }
  const TimedCommand* next_checkpoint(std::int64_t k) TACTUS_RT override {
    return commands_.next_checkpoint(k);
  }
  bool hurried() const TACTUS_RT override { return sync_.active() || commands_.ending(); }
  void nap() TACTUS_RT override;
  void abort(const char* reason) TACTUS_RT override { request_abort(reason); }

  Program program_;
  InlineWorkerPool inline_pool_;
  WorkerPool* workers_;
  CommandQueue commands_;
  rtsync::RealtimeSync& sync_;
  rtsync::Sleeper& sleeper_;
  Slack slack_;
  SafeOutputList safe_outputs_;
  FrameRow row_;
  PartVerdict ended_by_;  // what a part wanted of its last frame

  tactus_call end_call_{0, 0, 0};
  bool in_controller_ = false;
  bool step_by_step_ = false;

  std::atomic<State> state_{State::connect};
  std::atomic<bool> busy_{false};
  std::atomic<std::uint64_t> progress_{0};

  FrameAccounts accounts_;
  rtsync::LatestCell<Snapshot> latest_;
  Snapshot latest_frame_;
  std::int64_t heartbeats_ = 0;
  rtsync::RunCounters counters_;
  bool was_realtime_ = false;
  bool realtime_allowed_ = true;

  StateImage image_;
  bool image_made_ = false;
  std::vector<std::byte> initial_;
  std::string reset_refusal_ = "no memory was made ready for it";
  std::string reset_failure_;
  bool reset_job_failed_ = false;
  std::optional<rtsync::ThreadSettings> setup_thread_;
  std::atomic<const LoadedState*> load_{nullptr};
  std::atomic<std::int64_t> loaded_{0};
  std::atomic<std::int64_t> resets_{0};
  std::int64_t first_frame_ = 0;
  std::int64_t frames_run_ = 0;

  /// Who was found stuck first, and in which job.
  struct alignas(8) Marked {  // one load or store of the processor, whatever the compiler
    std::uint32_t thread = UINT32_MAX;
    std::uint32_t job = kNoPlanJob;
    bool is(std::size_t other) const { return thread == other; }
    bool somebody() const { return thread != UINT32_MAX; }
  };
  std::atomic<Marked> marked_{Marked{}};
  std::optional<rtsync::TimePoint<rtsync::MonotonicTime>>
      last_sleep_;  // of a real-time thread that need not sleep
  bool resets_rttime_ = false;
  bool failed_ = false;  // a job did: nothing is run any more
};

}  // namespace tactus::executive
