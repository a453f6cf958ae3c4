// SPDX-License-Identifier: Apache-2.0
#include "executive/embed/simulation.hpp"

#include <utility>
#include <vector>

#include "executive/embed/hosted_run.hpp"
#include "executive/run_base/safe_end.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopTimeout = 5s;    // before a stop becomes an abort
constexpr auto kAbortTimeout = 10s;  // before a run is left behind
constexpr const char* kStopped = "stopped by the program";
constexpr const char* kAborted = "aborted by the program";

/// A job of it never returned: its thread continues using all of it.
void leave_behind(std::unique_ptr<HostedRun> run, std::unique_ptr<Rig> rig) {
  HostedRun::ProcessLock::keep_for_ever();
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::pair<std::unique_ptr<Rig>, std::unique_ptr<HostedRun>>>;
  const std::lock_guard lock(mutex);
  kept.emplace_back(std::move(rig), std::move(run));
}

}  // namespace

Simulation::CallLock::CallLock(Simulation& simulation) : simulation_(simulation) {
  if (simulation_.in_call_.exchange(true))
    throw BusyError("another thread is in a call of this simulation; wait for its return");
}

Simulation::CallLock::~CallLock() { simulation_.in_call_.store(false); }

Simulation::Simulation(const std::string& rig_file, SimulationOptions options)
    : options_(std::move(options)) {
  (void)rtsync::allowed_cpus();  // before anything is pinned
  rig_ = load_rig(rig_file, options_);
  check_pace_of_outputs(*rig_, options_);
}

Simulation::~Simulation() {
  if (run_ == nullptr) return;
  if (!run_->over()) {
    run_->stop(kStopped);
    if (!run_->wait_for(kStopTimeout)) run_->abort(kAborted);
  }
  if (!run_->wait_for(kAbortTimeout) || run_->run().stuck()) leave_behind(std::move(run_), std::move(rig_));
}

HostedRun& Simulation::start(bool live) {
  const std::lock_guard lock(mutex_);
  if (over_) refuse_again();
  if (run_ != nullptr) return *run_;
  try {
    auto process_lock = std::make_unique<HostedRun::ProcessLock>();  // before anything is made on disk
    const RunFolder folder(options_, rig_->settings().rig.value);
    folder_ = folder.path();
    RunOptions options = run_options(*rig_, options_, folder);
    options.live = options.live || live;
    options.paused = options.paused || live;
    run_ =
        std::make_unique<HostedRun>(std::move(process_lock), *rig_, std::move(options), folder, options_.log);
    if (stop_before_ != nullptr) run_->stop(stop_before_);
    if (abort_before_ != nullptr) run_->abort(abort_before_);
    run_->start();
  } catch (...) {
    keep_failure();
    throw;
  }
  return *run_;
}

void Simulation::refuse_again() const {
  if (failed_) throw SimulationError("the run could not be started; make the simulation anew");
  throw SimulationError("the run is over: " + std::string(name_of(end_.outcome)) + " after " +
                        std::to_string(end_.frames) + " frames" +
                        (end_.reason.empty() ? "" : " (" + end_.reason + ")") +
                        "; for another make the simulation anew");
}

RunEnd Simulation::finish() {
  try {
    run_->wait();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    keep_failure();
    throw;
  }
  const std::lock_guard lock(mutex_);
  keep_end();
  return end_;
}

/// Keeps what is asked for afterwards, and lets go of the run, so that another may begin.
void Simulation::keep_end() {
  over_ = true;
  end_ = run_->run().end();
  exit_status_ = run_->run().exit_status();
  if (run_->run().stuck()) {
    HostedRun::ProcessLock::keep_for_ever();
    end_outputs_safe_aside(run_->run().executive());  // it may have written meanwhile
  } else {
    run_.reset();
  }
}

/// Keeps that nothing was started, and as its reason the exception that is handled.
void Simulation::keep_failure() {
  run_.reset();
  over_ = failed_ = true;
  end_.outcome = Outcome::failed;
  try {
    throw;
  } catch (const std::exception& error) {
    end_.reason = error.what();
  } catch (...) {
    end_.reason = "an exception without words";
  }
}

RunEnd Simulation::run() {
  const CallLock turn(*this);
  (void)start(false);
  return finish();
}

void Simulation::stop() {
  const std::lock_guard lock(mutex_);
  if (run_ != nullptr) {
    run_->stop(kStopped);
  } else {
    if (stop_before_ != nullptr) abort_before_ = kAborted;
    stop_before_ = kStopped;
  }
}

void Simulation::abort() {
  const std::lock_guard lock(mutex_);
  if (run_ != nullptr)
    run_->abort(kAborted);
  else
    abort_before_ = kAborted;
}

State Simulation::state() const {
  const std::lock_guard lock(mutex_);
  if (over_) return State::disconnect;
  return run_ == nullptr ? State::connect : run_->state();
}

}  // namespace tactus::executive
