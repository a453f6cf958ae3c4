// SPDX-License-Identifier: Apache-2.0
#include "executive/embed/hosted_run.hpp"

#include <utility>

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 10ms;  // how soon the end of the frames is noticed; a stop wakes at once

std::atomic<bool> running{false};
std::atomic<bool> runs_for_ever{false};

}  // namespace

HostedRun::ProcessLock::ProcessLock() {
  if (!running.exchange(true)) return;
  if (runs_for_ever.load())
    throw MachineError(
        "a simulation of this process was left behind, as a job of it never returned: no other one can run "
        "here; end the process with _exit, and use a new one");
  throw MachineError(
      "another simulation of this process is not over: run it to its end or destroy it first, or use a "
      "process for each");
}

HostedRun::ProcessLock::~ProcessLock() { running.store(false); }

void HostedRun::ProcessLock::keep_for_ever() { runs_for_ever.store(true); }

HostedRun::HostedRun(std::unique_ptr<ProcessLock> lock, Rig& rig, RunOptions options, RunFolder folder,
                     Log log)
    : process_lock_(std::move(lock)),
      folder_(std::move(folder)),
      log_(std::move(log)),
      run_(rig, std::move(options)) {}

HostedRun::~HostedRun() = default;

void HostedRun::start() {
  service_ = std::make_unique<rtsync::PinnedThread>(
      rtsync::ThreadSettings{"tactus", rtsync::allowed_cpus(), rtsync::SchedPolicy::other, 0, 0, false},
      [this] { serve(); });
}

void HostedRun::serve() {
  std::exception_ptr failure;
  try {
    run_in(folder_, run_, *this);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  over_.store(true);
  changed_.notify_all();
}

void HostedRun::wait_until_started() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return started_ || over_.load(); });
}

void HostedRun::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return over_.load(); });
  if (failure_) std::rethrow_exception(failure_);
}

bool HostedRun::wait_for(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return over_.load(); });
}

void HostedRun::stop(const char* reason) {
  const std::lock_guard lock(mutex_);
  if (stop_ == nullptr)
    stop_ = reason;
  else
    abort_ = "aborted by a second stop";
  pass_on();
}

void HostedRun::abort(const char* reason) {
  const std::lock_guard lock(mutex_);
  abort_ = reason;
  pass_on();
}

/// Passes requests to stop and abort on to the executive, as soon as it exists.
void HostedRun::pass_on() {
  Executive* const executive = executive_.load();
  if (executive == nullptr) return;
  if (stop_ != nullptr) executive->request_stop(stop_);
  if (abort_ != nullptr) executive->request_abort(abort_);
  woken_ = true;  // the service thread looks after what does not let it happen
  changed_.notify_all();
}

State HostedRun::state() const {
  if (over_.load()) return State::disconnect;
  const Executive* const executive = executive_.load();
  return executive == nullptr ? State::connect : executive->state();
}

void HostedRun::meet(RigRun& run) {
  if (executive_.load() != nullptr) return;
  const std::lock_guard lock(mutex_);
  executive_.store(&run.executive());
  pass_on();
}

void HostedRun::started(const RigRun& run) {
  meet(run_);  // the frames may be over before the next tick
  for (const rtsync::Provision& provision : run.provisions())
    if (!provision.granted) say(rtsync::sentence(provision));
  const std::lock_guard lock(mutex_);
  started_ = true;
  changed_.notify_all();
}

void HostedRun::tick(RigRun& run, std::chrono::nanoseconds at_most) {
  meet(run);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::min<std::chrono::nanoseconds>(at_most, kTick), [this] { return woken_; });
  woken_ = false;
}

void HostedRun::say(const std::string& line) {
  if (log_) log_(line);
}

}  // namespace tactus::executive
