// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "executive/isolation/isolated_model.hpp"
#include "rtsync/host/held_file.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// The isolated models of a rig, and the thread that starts their processes and notices how they end. It
/// sleeps but for a look now and then at the calls that are being made.
///
/// Threads one, at setup; models(): their elements name the threads that may.
class Isolation {
 public:
  /// `timeout`: how long a call within a frame may last.
  explicit Isolation(rtsync::Nanoseconds timeout);
  /// Destroys the models and ends their processes.
  ~Isolation();
  Isolation(const Isolation&) = delete;
  Isolation& operator=(const Isolation&) = delete;

  /// Throws ModelRefused: it could not be made.
  IsolatedModel& add(const ModelOrigin& origin, OnCrash on_crash);
  /// Destroys the models and ends their processes; nothing calls them any more then. Returns each that ended in another
  /// way than it was asked to since its last job, with its end. @when setup
  std::vector<std::string> end_models();
  std::deque<IsolatedModel>& models() { return models_; }
  const std::deque<IsolatedModel>& models() const { return models_; }
  /// Sets the CPUs of the watcher's thread, its priority of SCHED_FIFO (0: none), and the rig that its name shows. Returns
  /// what was refused.
  std::optional<rtsync::Provision> place(const rtsync::CpuSet& cpus, int priority, const std::string& rig);
  /// Thread id of the watcher.
  pid_t tid() const { return watcher_->tid(); }

 private:
  void spawn(ModelProcess& process);
  void watch();
  void start_wanted();
  void take_wakes();
  void wake() const;

  const std::chrono::nanoseconds every_;
  std::deque<IsolatedModel> models_;
  bool models_ended_ = false;
  std::mutex mutex_;  // of the four below
  std::condition_variable started_;
  rtsync::HeldFile wakes_;  // the watcher; it replaces what a model has closed
  ModelProcess* wanted_ = nullptr;
  std::exception_ptr failure_;
  bool over_ = false;
  std::deque<ModelProcess*> watched_;  // the watcher's
  std::unique_ptr<rtsync::PinnedThread> watcher_;
};

}  // namespace tactus::executive
