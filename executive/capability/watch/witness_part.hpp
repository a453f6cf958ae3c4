// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

#include "executive/frame/frame_part.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::executive {

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

}  // namespace tactus::executive
