// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/isolation.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/host/rights.hpp"
#include "rtsync/thread/thread_names.hpp"

namespace tactus::executive {

using namespace std::chrono_literals;

namespace {

/// Both ends of a pipe in one descriptor, which is known again: eventfds cannot be told from each other. Not held: there are
/// no descriptors left.
rtsync::HeldFile make_wakes() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return rtsync::HeldFile();
  const rtsync::Descriptor reader(ends[0]);
  const rtsync::Descriptor writer(ends[1]);
  const std::string path = "/proc/self/fd/" + std::to_string(ends[0]);
  return rtsync::HeldFile(rtsync::Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)));
}

}  // namespace

Isolation::Isolation(rtsync::Nanoseconds timeout)
    : every_(std::clamp<std::chrono::nanoseconds>(timeout / 16, 1ms, 1s)), wakes_(make_wakes()) {
  if (wakes_.get() < 0) throw std::system_error(errno, std::generic_category(), "a pipe for isolated models");
  watcher_ = std::make_unique<rtsync::PinnedThread>(
      rtsync::ThreadSettings{"isolation", rtsync::allowed_cpus(), rtsync::SchedPolicy::other, 0, 0, false},
      [this] { watch(); });
}

std::vector<std::string> Isolation::end_models() {
  std::vector<std::string> failures;
  if (std::exchange(models_ended_, true)) return failures;
  for (IsolatedModel& model : models_) {
    ModelProcess& process = model.process();
    const bool begun = process.block() != nullptr;
    const bool before = process.ended();
    if (before && model.lost()) continue;  // the log has named that end
    const rtsync::Doing doing("model '" + model.name() + "' was destroyed in its process");
    process.end();
    if (begun && process.crashed())
      failures.push_back("model '" + model.name() + "': " + process.how() +
                         (before ? " after its last job" : " while it was destroyed"));
  }
  return failures;
}

Isolation::~Isolation() {
  for (const std::string& failure : end_models())  // the rig was not run
    (void)rtsync::print_plain(stderr, "tactus: warning: %s\n", failure.c_str());
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    wake();
  }
  watcher_->join();
}

std::optional<rtsync::Provision> Isolation::place(const rtsync::CpuSet& cpus, int priority,
                                                  const std::string& rig) {
  rtsync::name_thread(tid(), "isolation", rig);
  (void)rtsync::set_affinity(tid(), cpus);  // it sleeps, wherever it may
  if (priority == 0) return std::nullopt;
  sched_param param{};
  param.sched_priority = std::min(priority, 99);
  if (::sched_setscheduler(tid(), SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0) return std::nullopt;
  return rtsync::refused(
      "SCHED_FIFO priority " + std::to_string(param.sched_priority) + " for thread isolation", "SCHED_OTHER",
      rtsync::why_no_fifo(rtsync::read_rights(), param.sched_priority, errno));
}

/// Wakes the watcher, under the lock. Where a model has closed the pipe, it wakes by itself soon.
void Isolation::wake() const {
  if (!wakes_.is_taken()) (void)!::write(wakes_.get(), "", 1);
}

IsolatedModel& Isolation::add(const ModelOrigin& origin, OnCrash on_crash) {
  IsolatedModel& model = models_.emplace_back(models_.size(), origin, on_crash);
  try {
    spawn(model.process());
    model.begin();
    return model;
  } catch (const ModelRefused&) {
    throw;
  } catch (const std::exception& error) {
    throw ModelRefused(Letter::Kind::instance_refused, error.what());
  }
}

/// Starts the process on the watcher's thread: the kernel kills a process when the thread that started it
/// ends.
void Isolation::spawn(ModelProcess& process) {
  std::unique_lock lock(mutex_);
  wanted_ = &process;
  failure_ = nullptr;
  wake();
  started_.wait(lock, [this] { return wanted_ == nullptr; });
  if (failure_) std::rethrow_exception(failure_);
}

void Isolation::start_wanted() {
  const std::scoped_lock lock(mutex_);
  if (wanted_ == nullptr) return;
  try {
    wanted_->spawn();
    watched_.push_back(wanted_);
  } catch (...) {
    failure_ = std::current_exception();
  }
  wanted_ = nullptr;
  started_.notify_all();
}

/// Empties the pipe; makes another one where a model has closed all files of this process. Its number may be that of the
/// model's file by then, which is left alone.
void Isolation::take_wakes() {
  const std::scoped_lock lock(mutex_);
  if (wakes_.get() < 0 || wakes_.is_taken()) wakes_ = make_wakes();
  std::array<char, 64> taken{};
  while (::read(wakes_.get(), taken.data(), taken.size()) > 0) {
  }
}

void Isolation::watch() {
  auto next = std::chrono::steady_clock::now() + every_;
  for (;;) {
    // The watcher alone changes the descriptor.
    std::vector<pollfd> waiting{{wakes_.get(), POLLIN, 0}};
    for (const ModelProcess* const process : watched_) waiting.push_back({process->descriptor(), POLLIN, 0});
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(next - std::chrono::steady_clock::now()).count();
    // Never for ever: of a pipe that a model closes meanwhile nothing would be heard.
    (void)::poll(waiting.data(), waiting.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
    take_wakes();
    for (std::size_t i = waiting.size() - 1; i > 0; --i)
      if ((waiting[i].revents != 0 || waiting[i].fd < 0) && watched_[i - 1]->reap())
        watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    start_wanted();
    {
      const std::scoped_lock lock(mutex_);
      if (over_) return;
    }
    if (const auto now = std::chrono::steady_clock::now(); now >= next) {
      next = now + every_;
      for (ModelProcess* const process : watched_) process->look(every_);
    }
  }
}

}  // namespace tactus::executive
