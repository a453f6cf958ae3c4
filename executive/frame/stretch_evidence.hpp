// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "executive/frame/isolated_uses.hpp"
#include "executive/frame/program.hpp"
#include "executive/frame/stretch.hpp"
#include "executive/frame/thread_uses.hpp"
#include "rtsync/evidence/cpu_watch.hpp"
#include "rtsync/evidence/freezer_watch.hpp"
#include "rtsync/evidence/group_quotas.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/evidence/kernel_events.hpp"
#include "rtsync/evidence/ready_times.hpp"

namespace tactus::executive {

/// Says what was seen of a thread in a stretch of a frame, and why one that was waited for was not ready.
///
/// Threads  watch(), watch_cpus(): before the frames. The rest: the rig's main thread.
/// RT       no lock; system calls in weigh() and see_counts() alone, outside of frames and not behind one in time.
class StretchEvidence {
 public:
  /// All must outlive it. @when setup
  StretchEvidence(const Program& program, ThreadUses& uses, const IsolatedUses& isolated)
      : program_(program), uses_(uses), isolated_(isolated) {}

  /// Watches the events, as FrameEvidence::watch() does.                                          @when setup
  void watch(std::shared_ptr<rtsync::KernelEvents> events, std::optional<rtsync::Nanoseconds> throttle_gap,
             bool preemptible);
  void watch_cpus(const rtsync::CpuWatch& cpus) { cpus_ = &cpus; }
  void watch_quotas(rtsync::GroupQuotas& quotas) { quotas_ = &quotas; }
  void watch_ready(rtsync::ReadyTimes& ready) { ready_ = &ready; }
  void watch_freezers(rtsync::FreezerWatch& freezers) { freezers_ = &freezers; }

  /// Fills in what was seen of a thread, by its place among the watched ones.
  void see(std::size_t thread, const Stretch& stretch, rtsync::Evidence& evidence) const TACTUS_RT;
  /// Fills in what the kernel counts beside its records: how the limits of its control groups stopped an ordinary thread,
  /// how long one that was to be woken was ready, at most, and whether a freezer may have held one that slept.
  void see_counts(std::size_t thread, const Stretch& stretch, rtsync::Evidence& evidence) const;
  /// The heap's calls with the time that measuring them takes.
  rtsync::HeapTimes with_measuring(const rtsync::HeapTimes& heap, const Stretch& stretch) const TACTUS_RT;
  /// Weighs causes. Where nothing but the thread's own work is left, page faults may have taken that: looks then at what
  /// the kernel counted.
  rtsync::CauseWeights weigh(std::size_t thread, const Stretch& stretch, const rtsync::FrameFacts& facts,
                             rtsync::Evidence& evidence) const;

  struct CallTimes {
    rtsync::EvidenceTime taken;     ///< time at which the process of an isolated model took the call up
    rtsync::EvidenceTime answered;  ///< time at which the process answered
  };
  /// The call of an isolated model's job. Nothing: the job has another, or its process did not say it.
  std::optional<CallTimes> times_of_call(const Stretch& stretch) const TACTUS_RT;
  /// Returns the root cause of a wait: why the awaited thread was not ready. All of that time was too long;
  /// it waits for no other thread.
  Finding::Root root_of(const Stretch& stretch) const;

 private:
  Finding::Root root_of_lane(const Stretch& stretch) const;
  Finding::Root root_of_process(const Stretch& stretch) const;

  const Program& program_;
  ThreadUses& uses_;
  const IsolatedUses& isolated_;
  std::shared_ptr<rtsync::KernelEvents> events_;
  std::optional<rtsync::Nanoseconds> throttle_gap_;
  bool preemptible_ = true;
  const rtsync::CpuWatch* cpus_ = nullptr;
  rtsync::GroupQuotas* quotas_ = nullptr;
  rtsync::ReadyTimes* ready_ = nullptr;
  rtsync::FreezerWatch* freezers_ = nullptr;
  rtsync::Nanoseconds clock_read_{0};  // what it costs
};

}  // namespace tactus::executive
