// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run/run_setup.hpp"
#include "executive/run_base/machine_error.hpp"

namespace tactus::executive {

class HostedRun;

struct SimulationOptions : RunOverrides {
  /// Lines that a person would want to see at once; all of them, and more, are in the run folder's log.txt.
  /// Called on the service thread. None: nothing is said.
  std::function<void(const std::string& line)> log{};
};

/// The run is over, or could not be started: there is nothing to be run any more.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Another thread is in a call of the same simulation.
class BusyError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A rig file, loaded and run in this process: what `tactus run` does, for programs.
///
///     Simulation simulation("servo.yaml", options);
///     const RunEnd end = simulation.run();  // to the end; stop() from another thread comes before it
///
/// Frames, service and recordings have threads of their own; the caller's is left as it is. Nothing is
/// written to the terminal. What a run changes for the whole process: memory may be locked (`memory:`), and
/// while it is under way signals that mean a crash drive the outputs safe, threads of the program that
/// disturb the frames are moved to other CPUs, and exit() is an end with status 1. One at a time in a
/// process.
///
/// Threads  constructor, run(), destructor: one thread. The rest: any.
class Simulation {
 public:
  /// Loads the file and the models. Throws config::ConfigError with everything that is wrong. @when setup
  explicit Simulation(const std::string& rig_file, SimulationOptions options = {});
  /// Stops a rig that still runs, and waits for its end. When a job never returns that ends too, after some
  /// seconds; its thread and memory are then left behind.
  virtual ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Runs to the end, once. Throws MachineError or config::ConfigError when nothing was started,
  /// SimulationError when it has been run, BusyError when another thread runs it.
  virtual RunEnd run();

  /// Ends it in order at the end of the frame, also one that is yet to begin; a second stop is an abort.
  void stop();
  void abort();

  State state() const;
  bool over() const { return locked(over_); }
  /// End of the run; valid once it is over. `failed`, with the reason, of one that could not be started.
  RunEnd end() const { return locked(end_); }
  /// 0 completed or stopped, 1 anything else; once it is over. As of `tactus run`.
  int exit_status() const { return locked(exit_status_); }
  /// The run folder; empty before the run.
  std::filesystem::path folder() const { return locked(folder_); }
  const Rig& rig() const { return *rig_; }

 protected:
  /// One call at a time. Throws BusyError when another thread is in one.
  class CallLock {
   public:
    explicit CallLock(Simulation& simulation);
    ~CallLock();
    CallLock(const CallLock&) = delete;
    CallLock& operator=(const CallLock&) = delete;

   private:
    Simulation& simulation_;
  };

  /// Starts the run, if it was not; `live`: with a live side, paused before the first frame. Throws when
  /// nothing was started, or the run is over.
  HostedRun& start(bool live);
  /// Waits for the end of a run that was started, and keeps how it ended.
  RunEnd finish();

 private:
  void keep_end();
  void keep_failure();
  [[noreturn]] void refuse_again() const;
  template <class T>
  T locked(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  const SimulationOptions options_;
  std::unique_ptr<Rig> rig_;
  mutable std::mutex mutex_;  // of all below, against stop() and the getters
  std::unique_ptr<HostedRun> run_;
  std::filesystem::path folder_;
  const char* stop_before_ = nullptr;  // it was asked for before the run
  const char* abort_before_ = nullptr;
  bool over_ = false;
  bool failed_ = false;  // nothing was started
  RunEnd end_;
  int exit_status_ = 1;
  std::atomic<bool> in_call_{false};
};

}  // namespace tactus::executive
