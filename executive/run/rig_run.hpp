// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run/run_files.hpp"
#include "executive/run/run_reports.hpp"
#include "executive/run_base/end_watch.hpp"
#include "executive/run_base/machine_error.hpp"
#include "executive/run_base/main_thread.hpp"
#include "executive/run_base/patience.hpp"
#include "executive/run_base/run_context.hpp"
#include "executive/run_base/run_observer.hpp"
#include "executive/run_base/run_options.hpp"
#include "rtsync/host/dma_latency.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {

/// One run of a rig, from the first privilege asked for to the last file closed. What it can do beside its frames are
/// its capabilities (kCapabilities), of which it knows the hooks only.
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
  Executive& executive() { return *run_.executive; }
  const Executive& executive() const { return *run_.executive; }
  const Rig& rig() const { return run_.rig; }
  const RunOptions& options() const { return options_; }
  const std::vector<rtsync::Provision>& provisions() const { return run_.provisions; }
  const std::vector<rtsync::ThreadFacts>& threads() const { return threads_; }
  bool realtime() const { return run_.realtime; }
  /// Says whether it is in real time, and why not: "not in real time (--no-realtime)".
  std::string pace() const { return run_.pace(); }
  /// Totals of the run so far. Valid after run().
  rtsync::RealtimeTotals totals() const { return run_.totals(); }
  const Pacing& pacing() const { return *run_.pacing; }
  const RunEnd& end() const { return run_.end; }
  /// A job never returned after an abort, or a call on the run folder or of a driver: the process has to be ended with
  /// rtsync::end_process.
  bool stuck() const { return run_.stuck || files_.stuck() || run_.file_stuck || run_.driver_stuck; }
  /// A capability of the run; nullptr: it has none of that kind. From RunObserver::started() on.
  template <class Kind>
  Kind* find() const {
    return run_.find<Kind>();
  }
  /// Reason why summary.json could not be written; empty: it could.
  const std::string& folder_error() const { return files_.error(); }
  /// The summary that it would have had then, as JSON on one line; empty: it could.
  const std::string& unwritten_summary() const { return files_.unwritten(); }
  /// 0 completed or stopped, all recordings were written, and summary.json says so, or what the client that stopped
  /// it asked for; 1 anything else.
  int exit_status() const;
  /// Names the events of RunOptions::fail_on that occurred: "3 overruns (--fail-on)"; empty: none. Valid
  /// after run().
  std::string why_failed() const;
  /// The contract of summary.json (docs/run-folder.md). After run().
  config::Json summary() const { return summary(Capability::Summary::ended); }

 private:
  using Hook = void (Capability::*)();
  using Step = bool (Capability::*)();

  void open_devices();
  void make_executive();
  void make_capabilities();
  void prepare_memory();
  void start_main_thread();
  bool initialize();
  void start_frames(RunObserver& watcher);
  void stop_jobs();
  void finish(RunObserver& watcher);

  void each(Hook hook);
  bool all(Step step);
  void refuse_or_warn() const;
  void list_threads();
  bool run_aside(RunObserver& watcher, const char* what, const std::function<void()>& work);
  bool poll_until(RunObserver& watcher, const std::atomic<bool>& done, const char* what = "");
  bool waits_on(RunObserver& watcher, std::chrono::nanoseconds hangs, const AwaitedEnd& end,
                std::chrono::seconds longest);
  void poll();
  void say_unsafe_outputs();
  void log_start();
  config::Json summary(Capability::Summary what) const;
  config::Json facts() const;
  config::Json unfinished() const;
  config::Json ended() const;

  const RunOptions options_;
  const std::vector<CapabilityRow> rows_;
  RunContext run_;
  RunReports reports_{run_};
  std::vector<rtsync::ThreadFacts> threads_;
  RunFiles files_;
  std::optional<rtsync::DmaLatency> dma_latency_;
  std::optional<EndWatch> end_watch_;
  std::unique_ptr<MainThread> main_;
  rtsync::ThreadFacts main_facts_;
  std::unique_ptr<rtsync::PinnedThread> setup_thread_;  // runs the jobs before and after the frames
  std::atomic<bool> setup_done_{false};
  std::chrono::steady_clock::time_point polled_seldom_{};
  RigFigures last_;          // of the frames; once they have ended
  std::string told_unsafe_;  // the last that say_unsafe_outputs() has said
  std::string told_wait_;    // the last that waits_on() has said
  std::string awaited_;      // what waits_on() waits for, whatever the call
  Patience patience_;        // since it waits for that
};

}  // namespace tactus::executive
