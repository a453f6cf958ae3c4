// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "executive/plan/rig.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "rtsync/clock/disturbed_edge_source.hpp"
#include "rtsync/clock/edge_clock.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/wait/edge_sleeper.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// Pacing of the frames of one run: the clock of the rig file, the sleeper on it, and the sync between them.
///
/// Threads  one, at setup; then the rig's main thread.
class Pacing {
 public:
  /// `realtime`: the run begins in real time; `allowed`: it may be in real time at all. What was refused is
  /// added to `provisions`. Throws DeviceError. @when setup
  Pacing(Rig& rig, bool realtime, bool allowed, std::vector<rtsync::Provision>& provisions);

  rtsync::PacedClock& clock() const { return *clock_; }
  rtsync::Sleeper& sleeper() const { return *sleeper_; }
  rtsync::RealtimeSync& sync() const { return *sync_; }
  /// The external clock; nullptr when it is internal.
  const rtsync::EdgeClock* edge_clock() const { return edge_clock_; }
  /// Waits for its edges; nullptr when the clock is internal.
  const rtsync::EdgeSleeper* edge_sleeper() const { return edge_sleeper_; }
  /// Its edges, where faults of the rig disturb them; nullptr: none does.
  rtsync::DisturbedEdgeSource* disturbed_edges() const { return disturbed_edges_; }
  /// Source of its edges; empty when the clock is internal.
  std::string source() const { return edges_ == nullptr ? "" : edges_->what(); }

  /// Refuses what the kernel would stop for spinning; and outputs that are not paced. @when setup
  void check(const RigCpus& cpus, const Plan& plan, std::vector<rtsync::Provision>& provisions) const;

 private:
  void check_spinning(const RigCpus& cpus, const Plan& plan,
                      std::vector<rtsync::Provision>& provisions) const;
  void choose_clock(std::vector<rtsync::Provision>& provisions);

  Rig& rig_;
  const bool realtime_;
  const bool allowed_;
  std::unique_ptr<rtsync::EdgeSource> edges_;
  rtsync::DisturbedEdgeSource* disturbed_edges_ = nullptr;  // edges_, if it is one
  std::unique_ptr<rtsync::PacedClock> clock_;
  rtsync::EdgeClock* edge_clock_ = nullptr;         // clock_, if it is one
  std::unique_ptr<rtsync::Sleeper> inner_sleeper_;  // of an external clock
  std::unique_ptr<rtsync::Sleeper> sleeper_;
  const rtsync::EdgeSleeper* edge_sleeper_ = nullptr;  // sleeper_, if it is one
  std::unique_ptr<rtsync::RealtimeSync> sync_;
};

/// Returns the workers (indices into Plan::threads) that spin for their work under a real-time policy: the kernel's limit
/// for real-time threads stops them, and no ordinary thread.                                        @when setup
std::vector<std::size_t> spinning_workers(const ThreadsSection& threads, const Plan& plan);

}  // namespace tactus::executive
