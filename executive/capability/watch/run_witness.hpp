// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "executive/frame/executive.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/crash/crash_handler.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::executive {

/// Drives the outputs safe in a crash, as long as it lives, and names what ran, before the crash ends the
/// process.
class CrashGuard {
 public:
  /// The executive must outlive it. @when setup
  explicit CrashGuard(Executive& executive) {
    if (!executive.plan().safe_outputs.empty())
      handler_.add([](void* rig) TACTUS_RT { return static_cast<Executive*>(rig)->end_outputs_safe(); },
                   &executive);
    handler_.set_place(
        [](void* runner) TACTUS_RT {
          const auto& jobs = *static_cast<const JobRunner*>(runner);
          return rtsync::CrashHandler::Ran{jobs.running_job(), jobs.in_foreign_thread()};
        },
        &executive.jobs());
  }

 private:
  rtsync::CrashHandler handler_;
};

/// Shows the rig's witness how far the frames have come: some stores after each frame.
class WitnessPart final : public FramePart {
 public:
  /// It must outlive the part. @when setup
  explicit WitnessPart(rtsync::WitnessPage& page) : FramePart("the witness page"), page_(page) {}

  void changed(RigChange& change) TACTUS_RT override {
    if (change.what == RigChange::started) page_.frames_thread.hold();
    if (change.what == RigChange::stopped) page_.frames_thread.release();
  }
  void in_slack(const FrameEnd& end) TACTUS_RT override {
    const auto show = [](std::atomic<std::int64_t>& place, std::int64_t value)
                          TACTUS_RT { place.store(value, std::memory_order_relaxed); };
    const RigFigures& rig = end.rig;
    show(page_.frames, rig.frames);
    show(page_.frames_run, rig.frames_run);
    show(page_.sim_time_ns, rig.sim_time_ns);
    show(page_.overruns, static_cast<std::int64_t>(rig.totals.overruns));
    show(page_.lost, static_cast<std::int64_t>(rig.totals.lost));
    show(page_.late_wakes, static_cast<std::int64_t>(rig.totals.late_wakes));
    if (!rig.timing.paced) return;
    show(page_.late_ns, rig.timing.late.count());
    show(page_.work_ns, rig.timing.work.count());
    show(page_.slack_ns, rig.timing.slack.count());
  }

 private:
  rtsync::WitnessPage& page_;
};

/// View that the witness, the process above a rig, has of this run; does nothing without a witness. A crash
/// drives the outputs safe, and leaves word of what ran.
///
/// Threads  the service thread.
class RunWitness final : public Capability {
 public:
  /// `page`: what the witness sees; nullptr: there is no witness. It must outlive this.
  explicit RunWitness(rtsync::WitnessPage* page) : page_(page) {}
  explicit RunWitness(RunContext& run) : RunWitness(rtsync::witness_page()) {
    run_ = &run;
    watch(*run.executive, run.cpus.helpers);
    crash_guard_.emplace(*run.executive);
  }

  using Capability::watch;
  /// Lets the witness see from here on how far the rig came, and moves it away from the CPUs of the frames.
  /// @when setup
  void watch(Executive& executive, const rtsync::CpuSet& helpers);
  /// Shows the witness which jobs never returned.
  void finish() override;

 private:
  RunContext* run_ = nullptr;
  rtsync::WitnessPage* const page_;
  std::optional<WitnessPart> part_;
  std::optional<CrashGuard> crash_guard_;
};

}  // namespace tactus::executive
