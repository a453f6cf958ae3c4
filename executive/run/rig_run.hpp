#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/frame/executive.hpp"
#include "executive/live/live_access.hpp"
#include "executive/part/clock_status_part.hpp"
#include "executive/part/isolation_part.hpp"
#include "executive/part/link_part.hpp"
#include "executive/part/recordings_part.hpp"
#include "executive/part/witness_part.hpp"
#include "executive/plan/rig.hpp"
#include "executive/record/folder_lock.hpp"
#include "executive/run/hardware_watchdog.hpp"
#include "executive/run/pacing.hpp"
#include "executive/run/privilege_watch.hpp"
#include "executive/run/rig_checkpoints.hpp"
#include "executive/run/rig_threads.hpp"
#include "executive/run/run_log.hpp"
#include "executive/run/run_observer.hpp"
#include "executive/run/run_teller.hpp"
#include "executive/run/systemd_service.hpp"
#include "rtsync/crash/crash_handler.hpp"
#include "rtsync/host/dma_latency.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {

/// The machine cannot do what the rig requires (exit status 3). what() holds every refusal with cause and
/// cure.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RunOptions {
  std::filesystem::path folder;     ///< the run folder; exists and is empty
  std::int64_t frames = INT64_MAX;  ///< how many to run
  bool realtime = true;             ///< false: --no-realtime
  std::filesystem::path from{};     ///< a checkpoint to go on from; empty: frame 0
  bool live = false;                ///< live() is there even if the rig has no servers
  bool paused = false;              ///< in Pause before the first frame
};

/// One run of a rig, from the first privilege asked for to the last file closed.
///
/// Threads  everything on one ordinary thread, which becomes the service thread; the frames run on a thread
/// of their
///          own. All signals that a watcher wants to see must be blocked before run().
class RigRun {
 public:
  RigRun(Rig& rig, RunOptions options);
  ~RigRun();
  RigRun(const RigRun&) = delete;
  RigRun& operator=(const RigRun&) = delete;

  /// Runs it. Throws MachineError when nothing was started because the machine refused what the rig requires;
  /// what fails later is in end().
  void run(RunObserver& watcher);

  // For watchers, during run() and after it.
  Executive& executive() { return *executive_; }
  const Executive& executive() const { return *executive_; }
  const Rig& rig() const { return rig_; }
  const RunOptions& options() const { return options_; }
  const std::vector<rtsync::Provision>& provisions() const { return provisions_; }
  const std::vector<rtsync::ThreadFacts>& threads() const { return threads_; }
  bool realtime() const { return realtime_; }
  /// Of the run so far. After run().
  rtsync::RealtimeTotals totals() const;
  const rtsync::Sleeper& sleeper() const { return pacing_->sleeper(); }
  /// What the edges of an external clock come from; empty when it is internal.
  std::string source() const { return pacing_->source(); }
  /// The external clock; nullptr when it is internal.
  const rtsync::EdgeClock* edge_clock() const { return pacing_->edge_clock(); }
  /// As of the last frame; the rig has one.
  const rtsync::EdgeClockStatus& latest_clock() { return clock_status_->latest(); }
  rtsync::PacedClock& clock() const { return pacing_->clock(); }
  const RunEnd& end() const { return end_; }
  /// The frames never ended after an abort: the process has to be ended with rtsync::end_process.
  bool stuck() const { return stuck_; }
  RigCheckpoints& checkpoints() { return checkpoints_; }
  /// Live access; only with RunOptions::live or servers. From RunObserver::started() to the end of run().
  LiveRig& live() { return *live_; }
  /// Records that stand in no file, of all recordings together.
  std::uint64_t records_lost() const;
  /// Why summary.json could not be written; empty: it could.
  const std::string& folder_error() const { return folder_error_; }
  /// 0 completed or stopped, and summary.json says so, or what the client that stopped it asked for; 1
  /// anything else.
  int exit_status() const;
  /// The contract of summary.json (docs/command-line.md). After run().
  config::Json summary() const;

 private:
  void open_devices();
  void make_executive();
  void show_to_witness();
  void tell_witness();
  config::Json facts() const;
  void guard_against_crashes();
  void warn_of_unpaced_outputs();
  void prepare_machine();
  void tell_checkpoints();
  void make_live();
  std::string switch_recordings(const std::string& name, bool on);
  void open_live(RunObserver& watcher);
  void tell_live(RunObserver& watcher);
  void close_live(RunObserver& watcher);
  bool join_link(RunObserver& watcher);
  void leave_link(RunObserver& watcher);
  bool initialize(RunObserver& watcher);
  bool run_on_setup_thread(RunObserver& watcher, const std::function<void()>& work);
  void start_main_thread();
  void dismiss_main_thread();
  void add_provision(rtsync::Provision provision) { provisions_.push_back(std::move(provision)); }
  void add_provision(std::vector<rtsync::Provision> provisions);
  void refuse_or_warn();
  std::vector<rtsync::Provision> move_foreign_threads() const;
  void list_threads();
  bool open_recordings();
  bool has_frame_log() const;
  void count_frame_that_never_ends(std::chrono::nanoseconds waited);
  void watch_privileges();
  void tell_privileges();
  void place_isolated_models();
  void tell_isolated_models();
  config::Json isolated_models() const;
  void poll_run(RunObserver& watcher);
  std::chrono::nanoseconds stop_patience() const;
  bool tick_until(RunObserver& watcher, const std::atomic<bool>& done);
  void log_start();
  void report_unused();
  void finish(RunObserver& watcher);
  void write_text(const std::string& name, const std::string& text);

  Rig& rig_;
  const RunOptions options_;
  bool realtime_;
  RigCpus cpus_;
  std::vector<rtsync::Provision> provisions_;
  std::vector<rtsync::ThreadFacts> threads_;
  std::optional<Pacing> pacing_;
  std::optional<ClockStatusPart> clock_status_;
  std::optional<LinkPart> link_;
  std::optional<RecordingsPart> recordings_;
  std::optional<FrameLogPart> frame_log_;
  std::optional<WitnessPart> witness_;
  std::optional<IsolationPart> isolation_;
  std::unique_ptr<Executive> executive_;
  std::unique_ptr<LiveAccess> live_;
  std::unique_ptr<RigThreads> job_threads_;
  std::unique_ptr<Recorder> recorder_;
  RigCheckpoints checkpoints_;
  std::optional<FolderLock> folder_lock_;  // as long as the run writes there
  std::unique_ptr<RunLog> log_;
  std::optional<rtsync::DmaLatency> dma_latency_;
  HardwareWatchdog watchdog_;
  std::optional<SystemdService> service_;
  std::unique_ptr<rtsync::CrashHandler> crash_handler_;
  std::optional<RunVoice> voice_;
  std::optional<RunTeller> teller_;
  std::latch go_{1};
  bool released_ = false;  // go_ was counted down
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> done_{false};
  std::unique_ptr<rtsync::PinnedThread> main_;
  rtsync::ThreadFacts main_facts_;
  bool memory_locked_ = false;
  PrivilegeWatch privileges_;
  std::string privilege_lost_;  // the reason of an abort
  bool stuck_ = false;
  std::unique_ptr<rtsync::PinnedThread> setup_thread_;  // runs the jobs before and after the frames
  std::atomic<bool> setup_done_{false};
  std::chrono::steady_clock::time_point told_{};
  std::optional<std::chrono::steady_clock::time_point> stopping_;
  std::vector<std::string> shutdown_failures_;
  RigCheckpoints::Saved saved_;  // by the thread beside
  Snapshot last_;                // of the frames; once they have ended
  rtsync::RealtimeTotals totals_when_stuck_;
  RunEnd main_end_;  // written by the rig's thread before done_
  RunEnd end_;
  std::string folder_error_;
};

}  // namespace tactus::executive
