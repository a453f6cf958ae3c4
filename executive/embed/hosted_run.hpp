// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "executive/plan/rig.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// A run whose service thread is one of its own, so that the thread that asked for it can do something else.
/// One at a time in a process.
///
/// Threads  constructor, start(), destructor: one thread. The rest: any but the frames'.
class HostedRun final : public RunObserver {
 public:
  using Log = std::function<void(const std::string& line)>;

  /// The one that there may be in a process.
  struct ProcessLock {
    /// Throws MachineError when another run of this process is not over.
    ProcessLock();
    ~ProcessLock();
    /// The run that has it never ends: a job of it does not return.
    static void keep_for_ever();
    ProcessLock(const ProcessLock&) = delete;
    ProcessLock& operator=(const ProcessLock&) = delete;
  };

  /// @when setup
  HostedRun(std::unique_ptr<ProcessLock> lock, Rig& rig, RunOptions options, RunFolder folder, Log log);
  /// Waits for the end of a run that was started.
  ~HostedRun() override;
  HostedRun(const HostedRun&) = delete;
  HostedRun& operator=(const HostedRun&) = delete;

  void start();
  /// Waits until the first frame may begin, or the run is over.
  void wait_until_started();
  /// Waits for the last file to be closed. Throws what kept it from being started (MachineError,
  /// config::ConfigError).
  void wait();
  /// The same, but not longer than that. Whether it is over.
  bool wait_for(std::chrono::milliseconds limit);

  /// Asks for the end, at any time; the second one asks for Abort. `reason` is kept as a pointer.
  void stop(const char* reason);
  void abort(const char* reason);

  bool over() const { return over_.load(); }
  /// It is over, and wait() will throw.
  bool failed() const { return over() && failure_ != nullptr; }
  State state() const;
  RigRun& run() { return run_; }

  void started(const RigRun& run) override;
  void tick(RigRun& run, std::chrono::nanoseconds at_most) override;
  void say(const std::string& line) override;

 private:
  void serve();
  void meet(RigRun& run);
  void pass_on();

  std::unique_ptr<ProcessLock> process_lock_;
  RunFolder folder_;
  Log log_;
  RigRun run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;  // something was asked for
  bool started_ = false;
  const char* stop_ = nullptr;
  const char* abort_ = nullptr;
  std::atomic<bool> over_{false};
  std::atomic<Executive*> executive_{nullptr};     // once there is one
  std::exception_ptr failure_;                     // written before over_
  std::unique_ptr<rtsync::PinnedThread> service_;  // last: it uses all of the above
};

}  // namespace tactus::executive
