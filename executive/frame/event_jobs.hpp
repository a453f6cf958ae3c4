// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "executive/frame/job_switches.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// The jobs of class on_event: each is called in the frames before which it was asked for, and left out of all others.
/// A job of an asynchronous thread is called in the first period that begins after it was asked for.
///
/// Threads  constructor, flag, join, add_state: setup. The rest: the rig's main thread, between two frames.
/// RT       everything but the constructor, join and add_state.
class EventJobs {
 public:
  /// `jobs` must outlive it.                                                                        @when setup
  explicit EventJobs(const std::vector<PlannedJob>& jobs);

  /// Returns the switch of such a job that no schedule knows; nullptr: it is of another class.        @when setup
  const std::atomic<bool>* flag(std::uint32_t job) const;
  /// Leaves all of them out, once their places are known. `threads`: the asynchronous thread of each job as a bit;
  /// 0: none.                                                                                       @when setup
  void join(JobSwitches& switches, const std::vector<std::uint64_t>& threads);

  bool empty() const TACTUS_RT { return all_.empty(); }
  /// Asks for a call. False: the job is of another class.
  bool ask(std::uint32_t job) TACTUS_RT;
  /// Begins a frame, and a period of these asynchronous threads (bits).
  void begin(std::uint64_t threads) TACTUS_RT;

  /// Adds what has been asked for.                                                                  @when setup
  void add_state(std::vector<Piece>& pieces);
  /// Takes what was copied into it.
  void load_state() TACTUS_RT;

 private:
  struct Each {
    std::uint32_t job = 0;
    std::uint64_t thread = 0;
    std::uint8_t asked = 0;
    bool called = false;  ///< the schedule calls it
    std::atomic<bool> flag{false};
  };
  void call(Each& each, bool yes) TACTUS_RT;

  const std::vector<PlannedJob>& jobs_;
  JobSwitches* switches_ = nullptr;
  std::deque<Each> all_;
};

}  // namespace tactus::executive
