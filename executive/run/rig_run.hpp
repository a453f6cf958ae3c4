// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/cause/run_causes.hpp"
#include "executive/capability/cause/run_teller.hpp"
#include "executive/capability/checkpoint/rig_checkpoints.hpp"
#include "executive/capability/clock/clock_status_part.hpp"
#include "executive/capability/flight/run_flight.hpp"
#include "executive/capability/isolation/run_isolation.hpp"
#include "executive/capability/library/run_libraries.hpp"
#include "executive/capability/link/run_link.hpp"
#include "executive/capability/policy/run_policies.hpp"
#include "executive/capability/privilege/foreign_threads.hpp"
#include "executive/capability/privilege/run_privileges.hpp"
#include "executive/capability/record/run_recordings.hpp"
#include "executive/capability/watch/crash_guard.hpp"
#include "executive/capability/watch/hardware_watchdog.hpp"
#include "executive/capability/watch/run_witness.hpp"
#include "executive/capability/watch/systemd_service.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/record/folder_lock.hpp"
#include "executive/run/run_live.hpp"
#include "executive/run/summary_file.hpp"
#include "executive/run_base/end_watch.hpp"
#include "executive/run_base/folder_calls.hpp"
#include "executive/run_base/machine_error.hpp"
#include "executive/run_base/main_thread.hpp"
#include "executive/run_base/pacing.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "executive/run_base/run_log.hpp"
#include "executive/run_base/run_observer.hpp"
#include "executive/run_base/run_options.hpp"
#include "executive/run_base/run_part.hpp"
#include "rtsync/host/dma_latency.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {

/// One run of a rig, from the first privilege asked for to the last file closed.
///
/// Threads  everything on one ordinary thread, which becomes the service thread; the frames run on a thread of
///          their own. All signals that a watcher wants to see must be blocked before run().
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
  /// A job never returned after an abort, or a call on the run folder: the process has to be ended with
  /// rtsync::end_process.
  bool stuck() const { return stuck_ || folder_stuck_ || file_stuck_; }
  RigCheckpoints& checkpoints() { return checkpoints_; }
  /// Live access; only with RunOptions::live or servers. From RunObserver::started() to the end of run().
  LiveRig& live() { return live_->access(); }
  /// Records that stand in no file, of all recordings together.
  std::uint64_t records_lost() const { return recordings_.lost(); }
  /// Why summary.json could not be written; empty: it could.
  const std::string& folder_error() const { return folder_error_; }
  /// The summary that it would have had then, as JSON on one line; empty: it could.
  const std::string& unwritten_summary() const { return unwritten_; }
  /// Which recordings could not be written, and what that cost; empty: all could. After run().
  std::string recording_failures() const { return recordings_.failures(); }
  /// 0 completed or stopped, all recordings were written, and summary.json says so, or what the client that stopped
  /// it asked for; 1 anything else.
  int exit_status() const;
  /// What of RunOptions::fail_on came: "3 overruns (--fail-on)"; empty: nothing. After run().
  std::string why_failed() const;
  /// The contract of summary.json (docs/run-folder.md). After run().
  config::Json summary() const;

 private:
  void open_folder(RunObserver& watcher);
  void open_devices();
  void make_executive();
  void make_parts();
  void tell_clients();
  void prepare_memory();
  void start_main_thread();
  bool join_link(RunObserver& watcher);
  bool initialize(RunObserver& watcher);
  bool open_recordings();
  void run_frames(RunObserver& watcher);
  void tell_unended();
  void save_end(RunObserver& watcher);
  void shut_down(RunObserver& watcher);
  void end_isolated(RunObserver& watcher);
  void finish(RunObserver& watcher);

  void join(RunPart& part) { parts_.push_back(&part); }
  void add_provision(rtsync::Provision provision) { provisions_.push_back(std::move(provision)); }
  void add_provisions(std::vector<rtsync::Provision> provisions);
  void refuse_or_warn() const;
  void list_threads();
  bool run_on_setup_thread(RunObserver& watcher, const char* what, const std::function<void()>& work);
  bool poll_until(RunObserver& watcher, const std::atomic<bool>& done, const char* what = "");
  bool waits_on(RunObserver& watcher, std::chrono::nanoseconds hangs, const std::string& what,
                std::chrono::seconds longest = std::chrono::seconds(60));
  bool await_folder(RunObserver& watcher);
  void stop_recorder(RunObserver& watcher);
  void tell_hanging_folder();
  void poll();
  void log_start();
  config::Json facts() const;
  config::Json unfinished() const;
  void write_unfinished();
  void write_summary(RunObserver& watcher);
  std::size_t room_for_summary() const;

  Rig& rig_;
  const RunOptions options_;
  const bool realtime_;
  RigCpus cpus_;
  std::vector<rtsync::Provision> provisions_;
  std::vector<rtsync::ThreadFacts> threads_;
  std::vector<RunPart*> parts_;
  std::optional<Pacing> pacing_;
  std::optional<ClockStatusPart> clock_status_;
  RunFlight flight_;
  std::unique_ptr<Executive> executive_;
  std::unique_ptr<RigThreads> job_threads_;
  RunRecordings recordings_;
  RigCheckpoints checkpoints_;
  std::optional<FolderLock> folder_lock_;  // as long as the run writes there
  std::unique_ptr<FolderCalls> folder_calls_;
  std::shared_ptr<SummaryFile> summary_file_;
  std::unique_ptr<RunLog> log_;
  std::optional<RunVoice> voice_;
  std::optional<RunCauses> causes_;
  std::optional<RunPolicies> policies_;
  std::optional<RunTeller> teller_;
  RunWitness witness_;
  std::optional<RunIsolation> isolation_;
  RunLibraries libraries_;
  std::optional<RunLive> live_;
  std::optional<RunLink> link_;
  std::optional<RunPrivileges> privileges_;
  std::optional<ForeignThreads> foreign_threads_;
  std::optional<rtsync::DmaLatency> dma_latency_;
  HardwareWatchdog watchdog_;
  std::optional<SystemdService> service_;
  std::optional<CrashGuard> crash_guard_;
  std::optional<EndWatch> end_watch_;
  std::unique_ptr<MainThread> main_;
  rtsync::ThreadFacts main_facts_;
  bool memory_locked_ = false;
  bool stuck_ = false;
  std::unique_ptr<rtsync::PinnedThread> setup_thread_;  // runs the jobs before and after the frames
  std::atomic<bool> setup_done_{false};
  std::chrono::steady_clock::time_point polled_seldom_{};
  std::chrono::steady_clock::time_point unfinished_written_{};
  std::uint64_t causes_written_ = 0;  // RunCauses::found() of that time
  std::vector<std::string> shutdown_failures_;
  RigCheckpoints::Saved saved_;  // by the setup thread
  Snapshot last_;                // of the frames; once they have ended
  rtsync::RealtimeTotals totals_when_stuck_;
  RunEnd end_;
  std::string folder_error_;
  std::string unwritten_;
  std::size_t failed_written_ = 0;  // recordings that had failed by then
  bool unfinished_failed_ = false;
  std::shared_ptr<std::string> unfinished_error_ =
      std::make_shared<std::string>();  // of the call that is made
  std::shared_ptr<std::atomic<bool>> unfinished_made_ = std::make_shared<std::atomic<bool>>(true);
  bool folder_hangs_ = false;  // it was said
  bool folder_stuck_ = false;
  bool file_stuck_ = false;  // a recording or a checkpoint: the folder itself may still answer
  std::string told_wait_;    // the last that waits_on() has said
  config::Json traces_ = config::Json::array();
};

}  // namespace tactus::executive
