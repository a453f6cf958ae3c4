// SPDX-License-Identifier: Apache-2.0
// Keys that become no part of their own: copied into the plan, or checked alone.
#include "config/date.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {

void read_frame(Draft& draft) {
  const RigSettings& settings = draft.settings;
  Plan& plan = draft.plan;
  plan.frame = settings.frame.period;
  plan.ratio = settings.realtime.ratio;
  plan.until = settings.until;
  plan.freeze_frame = settings.realtime.freeze_frame;
  plan.job_times = settings.job_times;
  plan.nan_guard = settings.guard.nan;
  plan.range_guard = settings.guard.ranges;
  const config::ParsedDate epoch = config::parse_date(settings.epoch.value);
  if (epoch)
    draft.rig.epoch_ns = *epoch.ns;
  else
    draft.problems.add(settings.epoch, epoch.problem);
}

}  // namespace tactus::executive
