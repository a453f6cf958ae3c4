// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "executive/frame/explanations.hpp"
#include "executive/frame/frame_note.hpp"
#include "executive/frame/frame_promises.hpp"
#include "executive/frame/frame_statistics.hpp"
#include "executive/frame/isolated_uses.hpp"
#include "executive/frame/longest_stretch.hpp"
#include "executive/frame/part_times.hpp"
#include "executive/frame/program.hpp"
#include "executive/frame/stretch_evidence.hpp"
#include "executive/frame/thread_uses.hpp"
#include "executive/state/gradual_copy.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/evidence/cpu_watch.hpp"
#include "rtsync/evidence/group_quotas.hpp"
#include "rtsync/evidence/kernel_events.hpp"
#include "rtsync/evidence/ready_times.hpp"
#include "rtsync/evidence/run_delays.hpp"

namespace tactus::executive {

/// Finds out why a frame overran or woke late, in the slack after it: the part of it that took longest beyond
/// its usual time, and what was seen of its thread meanwhile.
///
/// Threads  watch(): before the frames. The rest: the rig's main thread.
/// RT       no lock; a system call behind a late frame alone. A frame that was on time costs a look at the head of each
///          ring.
class FrameEvidence {
 public:
  FrameEvidence(Program& program, rtsync::PacedClock& clock, const FrameStatistics& statistics)
      : program_(program),
        clock_(clock),
        statistics_(statistics),
        frame_(rtsync::real_period(program.plan().frame, program.plan().ratio).floor()),
        uses_(program),
        isolated_(program.plan()),
        longest_(program, clock, statistics),
        seen_(program, uses_, isolated_),
        promises_(program, uses_),
        explanations_(program.job_clock()),
        parts_(program.job_clock(), program.plan().job_times) {}

  /// The events of the threads of all lanes, in their order, of the asynchronous ones after them, and of the
  /// processes of isolated models. `throttle_gap`: how long the kernel stops a real-time thread that has used
  /// up its time, if it does. `preemptible`: it lets go of an ordinary thread's CPU at once. @when setup
  void watch(std::shared_ptr<rtsync::KernelEvents> events, std::optional<rtsync::Nanoseconds> throttle_gap,
             bool preemptible);
  /// Sets the source of the CPUs' speed and their times to leave idle states. It must outlive the frames.
  /// @when setup
  void watch_cpus(const rtsync::CpuWatch& cpus) { seen_.watch_cpus(cpus); }
  /// Edges that come late or not at all count as causes. It must outlive the frames. @when setup
  void watch_clock(const rtsync::EdgeClockStatus& status) { clock_status_ = &status; }
  /// Counts how long the thread of the frames waited for its CPU. It must outlive the frames. @when setup
  void watch_delays(rtsync::RunDelays& delays, bool realtime) {
    delays_ = &delays;
    is_realtime_ = realtime;
  }

  /// Sets the counts of stops by the limits of control groups, of the threads in the order of watch(). It must outlive the
  /// frames. @when setup
  void watch_quotas(rtsync::GroupQuotas& quotas) {
    quotas_ = &quotas;
    seen_.watch_quotas(quotas);
  }

  /// Sets the counts of how long the threads were ready and had no CPU, in the order of watch(). They must outlive the
  /// frames. @when setup
  void watch_ready(rtsync::ReadyTimes& ready) {
    ready_ = &ready;
    seen_.watch_ready(ready);
  }

  /// Sets what is seen of the threads' freezers, in the order of watch(). It must outlive the frames. @when setup
  void watch_freezers(rtsync::FreezerWatch& freezers) { seen_.watch_freezers(freezers); }

  /// Sets a copy that excuses faults: while it is under way, pages of the models' state fault when they are
  /// written, and no job caused that. It must outlive the frames. @when setup
  void excuse_faults_of(const GradualCopy& copy) { copy_ = &copy; }

  /// Fills in why. Before the lanes have counted the frame's jobs.
  void explain(const rtsync::FrameTiming& timing, FrameNote& note) TACTUS_RT;
  /// Every frame, likewise: notes the jobs that fault or give up the CPU, and makes room for the next frames.
  void end_frame(const rtsync::FrameTiming& timing) TACTUS_RT;
  /// Returns where the executive notes the work that is not a job's.                                 @when rt
  PartTimes& parts() TACTUS_RT { return parts_; }
  /// Looks at what the kernel counts of the threads: now and then, and right before the first frame.
  /// @when service
  void look_at_counts() { uses_.look(); }
  /// Frames that have ended.
  std::uint64_t frames() const TACTUS_RT { return frames_; }
  /// A slot of the last frames. Nothing: there was none yet.                                        @when any
  std::optional<rtsync::EvidenceTime> last_slot() const {
    const std::int64_t slot = last_slot_ns_.load(std::memory_order_relaxed);
    if (slot == 0) return std::nullopt;
    return rtsync::EvidenceTime{rtsync::Nanoseconds{slot}};
  }

 private:
  Finding finding_of(const Stretch& stretch, const rtsync::FrameTiming& timing) TACTUS_RT;
  void see_delays(const Stretch& stretch, const rtsync::FrameTiming& timing,
                  rtsync::Evidence& evidence) const TACTUS_RT;
  void name_part(const Stretch& stretch, Finding& finding) const TACTUS_RT;
  void name_inner_job(Finding& finding) const TACTUS_RT;
  void mark_injected(Finding& finding) const TACTUS_RT;
  /// Time by which a frame was too long.
  struct Excess {
    rtsync::Nanoseconds begin;
    rtsync::Nanoseconds work;
  };
  Excess excess_of(const rtsync::FrameTiming& timing) const TACTUS_RT;
  Finding explanation_finding(const rtsync::FrameTiming& timing) const TACTUS_RT;
  void find_causes(const rtsync::FrameTiming& timing, FrameNote& note) TACTUS_RT;
  void explain_overrun(const rtsync::FrameTiming& timing, FrameNote& note) TACTUS_RT;
  Finding catching_up_finding(const rtsync::FrameTiming& timing, std::int64_t from) const TACTUS_RT;
  Finding wake_finding(const rtsync::FrameTiming& timing) TACTUS_RT;
  Finding housekeeping_finding(const rtsync::FrameTiming& timing) TACTUS_RT;

  Program& program_;
  rtsync::PacedClock& clock_;
  const FrameStatistics& statistics_;
  const rtsync::Nanoseconds frame_;
  std::shared_ptr<rtsync::KernelEvents> events_;
  ThreadUses uses_;
  IsolatedUses isolated_;
  LongestStretch longest_;
  StretchEvidence seen_;
  FramePromises promises_;
  Explanations explanations_;
  const rtsync::EdgeClockStatus* clock_status_ = nullptr;
  rtsync::RunDelays* delays_ = nullptr;
  bool is_realtime_ = true;  // where delays_ decides
  rtsync::GroupQuotas* quotas_ = nullptr;
  rtsync::ReadyTimes* ready_ = nullptr;
  const GradualCopy* copy_ = nullptr;
  bool copied_ = false;  // in the frame before
  PartTimes parts_;
  std::int64_t explained_ = 0;          // the frame that was looked at last
  std::int64_t began_catching_up_ = 0;  // the frame that overran first
  struct {
    rtsync::Cause cause = rtsync::Cause::none;
    std::uint32_t job = Finding::kNoJob;
  } began_by_;  // of that frame
  std::uint64_t frames_ = 0;
  rtsync::Nanoseconds release_every_{0};
  int until_release_ = 1;
  rtsync::TimePoint<rtsync::RigTime> released_{};
  std::atomic<std::int64_t> last_slot_ns_{0};
};

}  // namespace tactus::executive
