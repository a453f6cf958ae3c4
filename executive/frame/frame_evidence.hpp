// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "executive/driver/statistics.hpp"
#include "executive/frame/explanations.hpp"
#include "executive/frame/isolated_uses.hpp"
#include "executive/frame/late_jobs.hpp"
#include "executive/frame/part_times.hpp"
#include "executive/frame/program.hpp"
#include "executive/frame/thread_uses.hpp"
#include "executive/state/gradual_copy.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/evidence/cpu_watch.hpp"
#include "rtsync/evidence/kernel_events.hpp"

namespace tactus::executive {

/// Finds out why a frame overran or woke late, in the slack behind it: the part of it that took longest beyond
/// its usual time, and what was seen of its thread meanwhile.
///
/// Threads  watch(): before the frames. The rest: the rig's main thread.
/// RT       no lock, no system call. A frame that was on time costs a look at the head of each ring.
class FrameEvidence {
 public:
  FrameEvidence(Program& program, rtsync::PacedClock& clock, const FrameStatistics& statistics)
      : program_(program),
        clock_(clock),
        statistics_(statistics),
        frame_(rtsync::real_period(program.plan().frame, program.plan().ratio).floor()),
        lanes_(program.lanes()),
        uses_(program),
        late_jobs_(program.job_clock(), program.job_times(), isolated_jobs(program.plan())),
        explanations_(program.job_clock()),
        isolated_(program.plan()),
        parts_(program.job_clock(), program.plan().job_times) {}

  /// The events of the threads of all lanes, in their order, of the asynchronous ones behind them, and of the processes of
  /// isolated models. `throttle_gap`:
  /// how long the kernel stops a real-time thread that has used up its time, if it does. `preemptible`: it lets go of an
  /// ordinary thread's CPU at once. @when setup
  void watch(std::shared_ptr<rtsync::KernelEvents> events, std::optional<rtsync::Nanoseconds> throttle_gap,
             bool preemptible);
  /// How fast the CPUs are, and how long they take to leave idle states. It must outlive the frames. @when setup
  void watch_cpus(const rtsync::CpuWatch& cpus) { cpus_ = &cpus; }
  /// Edges that come late or not at all count as causes. It must outlive the frames. @when setup
  void watch_clock(const rtsync::EdgeClockStatus& status) { clock_status_ = &status; }

  /// While a copy in pieces is under way, pages of the models' state fault when they are written: those faults are no
  /// job's. It must outlive the frames. @when setup
  void excuse_faults_of(const GradualCopy& copy) { copy_ = &copy; }

  /// Fills in why. Before the lanes have counted the frame's jobs.
  void explain(const rtsync::FrameTiming& timing, FrameNote& note) TACTUS_RT;
  /// Every frame, likewise: notes the jobs that fault or give up the CPU, and makes room for the next frames.
  void end_frame(const rtsync::FrameTiming& timing) TACTUS_RT;
  /// Where the executive notes the work that is no job's.                                             @when rt
  PartTimes& parts() TACTUS_RT { return parts_; }
  /// Looks at what the kernel counts of the threads: now and then, and right before the first frame.  @when service
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
  /// A part of the frame, on the thread of a lane.
  struct Stretch {
    rtsync::LatePart part = rtsync::LatePart::job;
    std::size_t lane = 0;
    std::uint32_t job = Finding::kNoJob;
    rtsync::EvidenceTime from{};
    rtsync::EvidenceTime to{};
    rtsync::Nanoseconds usual{0};
    rtsync::HeapTimes heap{};
    JobGroup group{};
    bool for_others = false;
    bool always = false;  // it is the longest, and nothing takes longer than usual
    rtsync::Nanoseconds time() const TACTUS_RT { return to - from; }
    rtsync::Nanoseconds excess() const TACTUS_RT { return always ? time() : time() - usual; }
  };
  /// Two readings of one moment, to put the lanes' ticks on the kernel's clock.
  struct Moment {
    std::uint64_t ticks;
    rtsync::EvidenceTime time;
  };
  class JobsByTime;
  class JobCounts;
  struct LaneSeen {
    std::uint64_t head = 0;  // of the ring, up to the end of the frame before
    bool limited = false;    // the kernel takes no samples of each fault for a while
    bool full = false;       // the ring of each fault was, in the frame before
  };
  static constexpr int kMostRecords = 256;

  static rtsync::HeapTimes heap_of(const Lane::JobEnd& begin, const Lane::JobEnd& end) TACTUS_RT;
  rtsync::HeapTimes with_measuring(const rtsync::HeapTimes& heap, const Stretch& stretch) const TACTUS_RT;
  Moment now() const TACTUS_RT;
  rtsync::EvidenceTime at(const Moment& now, std::uint64_t ticks) const TACTUS_RT {
    return now.time - program_.job_clock().to_time(now.ticks - ticks);
  }
  Stretch longest_of_work(const rtsync::FrameTiming& timing) TACTUS_RT;
  Stretch stretch_of(const Moment& now, const LateJobs::Calls& calls) const TACTUS_RT;
  Stretch longest_gap(const Moment& now, rtsync::EvidenceTime wake, rtsync::EvidenceTime done) TACTUS_RT;
  Finding judge(const Stretch& stretch, const rtsync::FrameTiming& timing) TACTUS_RT;
  void see(std::size_t thread, const Stretch& stretch, rtsync::Evidence& evidence) const TACTUS_RT;
  static bool went_on_in(const Stretch& stretch) TACTUS_RT;
  rtsync::CauseWeights judge_with_counts(std::size_t thread, const Stretch& stretch,
                                         const rtsync::FrameFacts& facts,
                                         rtsync::Evidence& evidence) TACTUS_RT;
  Finding::Root root_of(const Stretch& stretch) TACTUS_RT;
  Finding::Root root_of_lane(const Stretch& stretch) const TACTUS_RT;
  Finding::Root root_of_process(const Stretch& stretch) const TACTUS_RT;
  struct CallTimes {
    rtsync::EvidenceTime taken;     // by the process of an isolated model
    rtsync::EvidenceTime answered;  // likewise
  };
  static std::vector<bool> isolated_jobs(const Plan& plan) {
    std::vector<bool> isolated;
    for (const PlannedJob& job : plan.jobs) isolated.push_back(job.isolated != nullptr);
    return isolated;
  }
  std::optional<CallTimes> times_of_call(const Stretch& stretch) const TACTUS_RT;
  void name_part(const Stretch& stretch, Finding& finding) const TACTUS_RT;
  void name_inner_job(Finding& finding) const TACTUS_RT;
  /// What made a frame overrun.
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
  rtsync::MapTimes maps_of(const Stretch& stretch, const rtsync::MapLog& maps) const TACTUS_RT;
  void note_maps(std::size_t lane, rtsync::MapLog& maps) TACTUS_RT;
  void note_promises(std::size_t lane, std::uint64_t head, bool minor_faults) TACTUS_RT;
  bool note_faults(std::size_t lane) TACTUS_RT;
  const Lane::JobEnd* of_own_process(const Lane::JobEnd* call) const TACTUS_RT;
  bool has_each_fault(std::size_t lane, std::uint64_t head) TACTUS_RT;

  Program& program_;
  rtsync::PacedClock& clock_;
  const FrameStatistics& statistics_;
  const rtsync::Nanoseconds frame_;
  std::shared_ptr<rtsync::KernelEvents> events_;
  std::vector<LaneSeen> lanes_;
  ThreadUses uses_;
  LateJobs late_jobs_;
  Explanations explanations_;
  std::optional<rtsync::Nanoseconds> throttle_gap_;
  bool preemptible_ = true;
  const rtsync::EdgeClockStatus* clock_status_ = nullptr;
  const rtsync::CpuWatch* cpus_ = nullptr;
  const GradualCopy* copy_ = nullptr;
  bool copied_ = false;  // in the frame before
  bool faults_of_copy_ = false;
  IsolatedUses isolated_;
  PartTimes parts_;
  std::int64_t explained_ = 0;          // the frame that was looked at last
  std::int64_t began_catching_up_ = 0;  // the frame that overran first
  struct {
    rtsync::Cause cause = rtsync::Cause::none;
    std::uint32_t job = Finding::kNoJob;
  } began_by_;                         // of that frame
  rtsync::Nanoseconds clock_read_{0};  // what it costs
  std::uint64_t frames_ = 0;
  rtsync::Nanoseconds release_every_{0};
  int until_release_ = 1;
  rtsync::TimePoint<rtsync::RigTime> released_{};
  std::atomic<std::int64_t> last_slot_ns_{0};
};

}  // namespace tactus::executive
