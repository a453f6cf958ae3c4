// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "executive/frame/async_worker.hpp"
#include "executive/plan/plan.hpp"
#include "executive/plan/schedule.hpp"
#include "executive/state/state_image.hpp"

namespace tactus::executive {

/// State of the switches of jobs, and their places in the schedules. Requests between an asynchronous thread
/// and others wait until it is at rest: so they take effect at the same time however quick the thread is.
///
/// Threads enable: any. place, add_state: setup. The rest: the rig's main thread, between two frames or where
/// the
///          asynchronous thread is at rest.
/// RT everything but the constructor, place and add_state.
class JobSwitches {
 public:
  static constexpr std::size_t kOutside = SIZE_MAX;

  /// Place of a job in the schedules.
  struct Home {
    Schedule* schedule = nullptr;  ///< nullptr: none knows it
    std::uint32_t scheduled = 0;
    bool operator==(const Home&) const = default;
  };

  /// `jobs` must outlive it. `thread_of`: which runs each of them. `async_workers`: by thread. @when setup
  JobSwitches(const std::vector<PlannedJob>& jobs, std::vector<std::size_t> thread_of,
              const std::vector<AsyncWorker*>& async_workers);

  void place(std::uint32_t job, const Home& home) { homes_[job] = home; }
  const Home& home(std::uint32_t job) const TACTUS_RT { return homes_[job]; }
  /// The thread that runs a job.
  std::size_t thread_of(std::uint32_t job) const TACTUS_RT { return thread_of_[job]; }
  /// The switch of a job that no schedule knows.
  const std::atomic<bool>* flag(std::uint32_t job) const { return &on_[job]; }

  /// Switches a job. `by`: the asynchronous thread whose job asks for it, or kOutside. False: that thread asked for too
  /// much since it met the others.
  bool enable(std::uint32_t job, bool on, std::size_t by) TACTUS_RT;
  /// Carries out, at a boundary where the thread is at rest, first the switches that it requested, then those
  /// requested of it.
  void post(AsyncWorker& from) TACTUS_RT;
  void take(const AsyncWorker& worker) TACTUS_RT;
  /// The next time of a dynamic job. False: it is none.
  bool call_at(std::uint32_t job, std::int64_t sim_time_ns) TACTUS_RT;

  /// Adds the state of a job, by its name.            @when setup
  void add_state(std::vector<Piece>& pieces);
  void save_state() TACTUS_RT;
  void load_state() TACTUS_RT;

 private:
  enum : std::uint8_t { kAsItIs, kOn, kOff };
  void turn(std::uint32_t job, bool on) TACTUS_RT;
  bool is_async(std::uint32_t job) const TACTUS_RT { return async_workers_[thread_of_[job]] != nullptr; }
  void want(std::uint32_t job, bool on) TACTUS_RT {
    wanted_[job].store(on ? kOn : kOff, std::memory_order_relaxed);
  }

  const std::vector<PlannedJob>& jobs_;
  const std::vector<std::size_t> thread_of_;
  const std::vector<AsyncWorker*>& async_workers_;
  std::vector<Home> homes_;
  std::unique_ptr<std::atomic<bool>[]> on_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> wanted_;  // of asynchronous threads
  std::vector<std::uint8_t> on_saved_;                   // for a checkpoint
  std::vector<std::int64_t> next_saved_;                 // of dynamic ones
};

}  // namespace tactus::executive
