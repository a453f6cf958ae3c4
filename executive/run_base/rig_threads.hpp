// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/frame/worker_pool.hpp"
#include "executive/plan/rig_settings.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/thread/cpu_claims.hpp"
#include "rtsync/thread/cpu_time_limit.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/thread/stuck_thread_watchdog.hpp"
#include "rtsync/wait/edge_sleeper.hpp"

namespace tactus::executive {

/// CPUs on which the threads of a rig run.
struct RigCpus {
  rtsync::CpuSet main;
  std::vector<rtsync::CpuSet> workers;  ///< CPUs, as Plan::threads
  rtsync::CpuSet helpers;
  std::vector<rtsync::Provision> refused;
  std::string rig{};  ///< name that the kernel's names of threads show

  rtsync::CpuSet of_frames() const;  ///< main and workers
  /// Settings of a thread of the frames by its section of the rig file; outside of real time it is an ordinary one.
  template <class Section>
  rtsync::ThreadSettings of_frames(std::string name, const rtsync::CpuSet& cpus, const Section& section,
                                   bool realtime) const {
    const bool ordinary = !realtime || section.policy == rtsync::SchedPolicy::other;
    return {std::move(name),
            cpus,
            ordinary ? rtsync::SchedPolicy::other : section.policy,
            ordinary ? 0 : section.priority,
            static_cast<std::size_t>(section.stack),
            realtime,
            rig};
  }
  /// Settings of a thread beside the frames.
  rtsync::ThreadSettings helper(std::string name) const {
    return {std::move(name), helpers, rtsync::SchedPolicy::other, 0, 0, false, rig};
  }
  /// Settings of a helper thread that calls no model.
  rtsync::ThreadSettings small_helper(std::string name) const {
    rtsync::ThreadSettings settings = helper(std::move(name));
    settings.stack_bytes = std::size_t{1} << 20;
    return settings;
  }
};

/// Chooses them: what the rig file says, where this process may run there; else each real-time thread an
/// isolated CPU, or else one of its own, from the last one down; the helpers the rest. CPUs of `others`, which are other
/// rigs, are taken where no other is free, or where the rig file names them. @when setup
RigCpus choose_cpus(const ThreadsSection& threads, bool realtime, const rtsync::CpuSet& others = {});
/// Chooses them, and claims those of a rig in real time, so that no two rigs take the same one by default. Where two have
/// to, or a rig file says so, `refused` names the rig that has it. @when setup
RigCpus claim_cpus(const ThreadsSection& threads, bool realtime, rtsync::CpuClaims& claims);

/// The threads beside main that run jobs, and the guard above all of them.
///
/// Threads  one owner; stuck(): any.
class RigThreads {
 public:
  /// Spinning for each other, however briefly, needs a CPU each: threads that share one sleep instead. @when
  /// setup
  static void choose_wait_modes(Plan& plan, const RigCpus& cpus, bool realtime,
                                std::vector<rtsync::Provision>& refused);

  RigThreads(Executive& executive, const ThreadsSection& threads, const RigCpus& cpus, bool realtime);
  ~RigThreads();
  RigThreads(const RigThreads&) = delete;
  RigThreads& operator=(const RigThreads&) = delete;

  /// Makes the workers; they wait for work. @when setup
  std::vector<rtsync::Provision> start();
  /// Begins to watch over them and over main. `spins`: a thread reads the clock instead of sleeping, so that
  /// the kernel's limit on that cannot be set. `edges`: main waits for those of an external clock, whose driver has to
  /// return; nullptr: it waits for none. Must outlive it. @when setup
  std::vector<rtsync::Provision> guard(pid_t main, bool spins, const rtsync::EdgeSleeper* edges = nullptr);
  /// Interval at which the watchdog looks for jobs beyond their hard budgets: a quarter of the shortest, 250
  /// us at least. Nothing: no job has one.
  static std::optional<rtsync::Nanoseconds> hard_budget_looks(const Plan& plan);
  /// Ends the workers; those that are stuck are abandoned. False: some are.   @when service
  bool stop();

  bool owns(pid_t tid) const;
  /// Thread id of a thread, numbered as PlannedJob::thread. Valid after start(); of main after guard(), before it 0.
  pid_t tid(std::size_t thread) const { return thread == 0 ? main_ : workers_[thread - 1]->tid(); }
  /// Thread ids of all threads that run jobs: main, then those of Plan::threads.
  std::vector<pid_t> tids(pid_t main) const;
  /// The thread that the guard found stuck, as PlannedJob::thread. The outputs were driven safe, and an abort
  /// was requested. @when any
  std::optional<std::size_t> stuck() const;

 private:
  void found_stuck(std::size_t thread) TACTUS_RT;
  void look_at_hard_budgets() TACTUS_RT;

  Executive& executive_;
  const ThreadsSection& settings_;
  const RigCpus& cpus_;
  const bool realtime_;
  pid_t main_ = 0;
  std::unique_ptr<ThreadWorkerPool> pool_;
  std::vector<std::unique_ptr<rtsync::PinnedThread>> workers_;
  std::unique_ptr<rtsync::StuckThreadWatchdog> guard_;
  std::optional<rtsync::CpuTimeLimit> limit_;
  std::string waiting_;  // what is said of an external clock that does not return from its wait
  static constexpr std::size_t kNobody = SIZE_MAX;
  std::atomic<std::size_t> stuck_{kNobody};
};

}  // namespace tactus::executive
