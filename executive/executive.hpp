#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "executive/lifecycle.hpp"
#include "executive/plan.hpp"
#include "executive/recorder.hpp"
#include "executive/schedule.hpp"
#include "executive/statistics.hpp"
#include "rtsync/clock.hpp"
#include "rtsync/edge_clock_settings.hpp"
#include "rtsync/latest_cell.hpp"
#include "rtsync/realtime_sync.hpp"
#include "rtsync/run_counters.hpp"
#include "rtsync/slot_ring.hpp"
#include "rtsync/watchdog_device.hpp"

namespace tactus::executive {

/// How a run ended.
enum class Outcome {
  completed,   ///< all planned frames were run
  stopped,     ///< somebody asked for the end
  overrun,     ///< a maximum of the overrun policy was reached
  clock_lost,  ///< the external clock was at fault, and the policy of that fault says terminate
  failed,      ///< a job failed: Abort
  aborted,     ///< somebody asked for Abort, or the sleeper broke
};

/// "completed", as summary.json has it.
std::string_view name_of(Outcome outcome);

struct RunEnd {
  Outcome outcome = Outcome::completed;
  std::string reason;  ///< a whole sentence; empty when completed
  std::int64_t frames = 0;
};

/// Runs a plan frame by frame: the heart of a rig.
///
/// Threads  constructor, run_default_data, run_initialization, run, run_shutdown: one after the other, run()
/// on the
///          rig's real-time thread. The requests and the readers: any thread, any time.
/// RT       run(), from the first frame to the last: no lock, no allocation, no exception, no system call
///          but the sleeper's.
class Executive final : public ModelServices {
 public:
  /// The plan's models, `sync`, `sleeper` and `clock` must outlive it. `ticks`: a TSC clock for the job times
  /// if there is one. Throws std::invalid_argument when the plan cannot be scheduled. @when setup
  Executive(Plan plan, rtsync::RealtimeSync& sync, rtsync::Sleeper& sleeper, const rtsync::Clock& clock,
            RealtimeVariables& realtime_variables);
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

  /// Requests; each is taken at the end of the frame. Abort wins over stop, stop over pause.       @when any
  void request_stop(const char* reason) TACTUS_RT;   ///< `reason` is a literal: it is kept as a pointer
  void request_abort(const char* reason) TACTUS_RT;  ///< likewise
  void request_pause() TACTUS_RT { pause_wanted_.store(true, std::memory_order_relaxed); }
  void request_resume() TACTUS_RT { pause_wanted_.store(false, std::memory_order_relaxed); }
  /// The job that is running; empty between jobs. @when any
  std::string_view running_job() const;
  /// Switches a job of a cyclic class by its name; false when there is none. Takes effect when it comes up
  /// next.
  bool enable_job(std::string_view name, bool on) TACTUS_RT override;
  /// Real-time synchronization from the end of the frame on; ignored after forbid_realtime().       @when any
  void set_realtime(bool on) TACTUS_RT override;
  /// --no-realtime: whatever a model asks for. @when setup
  void forbid_realtime() { realtime_allowed_ = false; }

  bool stop_requested() const TACTUS_RT { return stop_reason_.load(std::memory_order_relaxed) != nullptr; }
  bool abort_requested() const TACTUS_RT { return abort_reason_.load(std::memory_order_relaxed) != nullptr; }

  State state() const TACTUS_RT { return state_.load(std::memory_order_relaxed); }
  const FrameStatistics& statistics() const { return statistics_; }
  const rtsync::JobHistogram& job_times(std::size_t job) const { return job_times_[job]; }
  const Plan& plan() const { return plan_; }
  /// One reader: the service thread.
  const Snapshot& latest() { return latest_.read(); }
  /// What is known of the external clock, as of the last frame. One reader: the service thread.
  const rtsync::EdgeClockStatus& latest_clock() { return latest_clock_.read(); }
  /// Why the external clock froze the rig last. One reader: the service thread.
  const char* latest_clock_fault() { return latest_clock_fault_.read().data(); }
  /// One reader: the service thread.
  bool pop_note(FrameNote& note) { return notes_.pop(note); }
  std::uint64_t notes_lost() const { return notes_lost_.load(std::memory_order_relaxed); }
  /// What the machine did to the real-time thread during run(); after run().
  const rtsync::RunCounters& counters() const { return counters_; }
  rtsync::RealtimeTotals totals() const { return sync_.totals(); }

  /// Drives all outputs to their safe values, for good. False: a device refused.                  @when any
  bool end_outputs_safe() TACTUS_RT;
  /// A device refused to be driven safe at some time.                                              @when any
  bool output_stuck() const TACTUS_RT { return output_stuck_.load(std::memory_order_relaxed); }
  /// There will be no frame: what was prepared for them has failed. @when setup
  void abandon();
  /// What an external clock keeps up to date; handed on to latest_clock(). @when setup
  void set_clock_status(const rtsync::EdgeClockStatus& status) { clock_status_ = &status; }
  /// Kicked at the end of every frame and freeze frame. @when setup
  void set_watchdog(rtsync::WatchdogDevice& watchdog) { watchdog_ = &watchdog; }
  /// A recording that is sampled once per frame, after the frame's times are known. @when setup
  void set_frame_log(Recording& log) { frame_log_ = &log; }
  /// All recordings: they wait for room only while the rig is not in real time. @when setup
  void set_recordings(std::vector<Recording*> recordings) { recordings_ = std::move(recordings); }

 private:
  struct Entry {
    tactus_job_function run = nullptr;
    void* self = nullptr;
    const tactus_call* call = nullptr;
    std::uint32_t job = FrameNote::kNoJob;  // index into plan_.jobs; none for copies
  };
  struct JobTime {
    std::uint64_t ticks = 0;
    std::uint32_t job = 0;  // index into plan_.jobs
  };
  template <bool Timed>
  struct Runner;

  void compile();
  Entry copy_entry(const ModelInstance* to, bool delayed, const tactus_call* call);
  void add_to_list(std::vector<Entry>& list, tactus_job_class job_class, const tactus_call& call);
  bool has_connections(const ModelInstance* to, bool delayed) const;
  std::vector<std::string> run_once(tactus_job_class job_class, bool go_on_after_failure);
  std::string failure_text(std::size_t job, int status) const;

  bool ending() const TACTUS_RT {
    return stop_reason_.load(std::memory_order_relaxed) != nullptr || abort_requested();
  }
  void enter(State next) TACTUS_RT;
  bool run_frame(std::int64_t k) TACTUS_RT;
  bool run_list(const std::vector<Entry>& list) TACTUS_RT;
  rtsync::Verdict end_frame(std::int64_t k) TACTUS_RT;
  void count_job_times() TACTUS_RT;
  void account(std::int64_t k) TACTUS_RT;
  rtsync::Verdict pause_as_wanted(rtsync::Verdict verdict, bool frames_left) TACTUS_RT;
  rtsync::Verdict freeze(bool clock_fault) TACTUS_RT;
  void alive() TACTUS_RT;
  void follow_realtime() TACTUS_RT;
  std::uint64_t ticks() const TACTUS_RT;
  rtsync::Nanoseconds to_time(std::uint64_t ticks) const TACTUS_RT;
  RunEnd ended(rtsync::Verdict verdict, std::int64_t frames_run);

  const Plan plan_;
  rtsync::RealtimeSync& sync_;
  rtsync::Sleeper& sleeper_;
  const rtsync::Clock& clock_;
  std::uint64_t tick_scale_ = 0;  // ns per tick times 2^32; 0: ticks are the clock's nanoseconds

  std::unique_ptr<Schedule> schedule_;
  std::deque<CopyList> copies_;
  std::vector<Entry> entries_;                   // by place
  std::vector<std::uint32_t> scheduled_of_job_;  // plan job -> job of the schedule
  std::vector<Entry> top_of_frame_;
  std::vector<Entry> end_of_frame_;
  tactus_call top_call_{0, 0, 0};
  tactus_call end_call_{0, 0, 0};
  tactus_call log_call_{0, 0, 0};

  std::atomic<State> state_{State::connect};
  std::atomic<const char*> stop_reason_{nullptr};
  std::atomic<const char*> abort_reason_{nullptr};
  std::atomic<bool> pause_wanted_{false};  // of pause and resume the last one counts
  std::atomic<std::uint32_t> running_job_{FrameNote::kNoJob};

  FrameStatistics statistics_;
  std::vector<rtsync::JobHistogram> job_times_;
  std::vector<JobTime> job_log_;  // of the frame that is running, in the order of the calls
  std::size_t job_log_size_ = 0;
  rtsync::LatestCell<Snapshot> latest_;
  Snapshot latest_frame_;
  rtsync::LatestCell<rtsync::EdgeClockStatus> latest_clock_;
  rtsync::LatestCell<FaultText> latest_clock_fault_;
  const rtsync::EdgeClockStatus* clock_status_ = nullptr;
  rtsync::WatchdogDevice* watchdog_ = nullptr;
  std::int64_t turns_ = 0;
  std::atomic<bool> output_stuck_{false};
  rtsync::SpscRing<FrameNote> notes_{4096};
  std::atomic<std::uint64_t> notes_lost_{0};
  rtsync::RunCounters counters_;
  RealtimeVariables& rt_;
  std::array<std::int64_t, FrameNote::kFramesBefore> slack_before_{};
  Recording* frame_log_ = nullptr;
  std::vector<Recording*> recordings_;
  bool was_realtime_ = false;
  bool realtime_allowed_ = true;

  std::uint64_t last_tick_ = 0;
  std::uint64_t longest_ticks_ = 0;
  std::uint32_t longest_job_ = FrameNote::kNoJob;
  std::uint32_t failed_job_ = FrameNote::kNoJob;
  int failed_status_ = 0;
};

}  // namespace tactus::executive
