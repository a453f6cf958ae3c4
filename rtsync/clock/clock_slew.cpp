// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/clock_slew.hpp"

#include <cmath>

namespace tactus::rtsync {

ClockSlew::ClockSlew(std::int64_t rig, Moment mono, double rate, std::int64_t span,
                     double rate_after) TACTUS_RT : rig_(rig),
                                                    mono_(mono),
                                                    rate_(rate),
                                                    knee_(rig + span),
                                                    rate_after_(rate_after) {
  const double whole = std::floor(mono.part);
  mono_.whole += static_cast<std::int64_t>(whole);
  mono_.part -= whole;
  knee_mono_ = {mono_.whole + span, mono_.part + static_cast<double>(span) * rate};
}

Moment ClockSlew::at(std::int64_t rig) const TACTUS_RT {
  if (rig < knee_) {
    const std::int64_t since = rig - rig_;
    return {mono_.whole + since, mono_.part + static_cast<double>(since) * rate_};
  }
  const std::int64_t since = rig - knee_;
  return {knee_mono_.whole + since, knee_mono_.part + static_cast<double>(since) * rate_after_};
}

std::int64_t ClockSlew::to_rig(std::int64_t mono) const TACTUS_RT {
  const std::int64_t past_knee = mono - knee_mono_.whole;
  const bool before = static_cast<double>(past_knee) < knee_mono_.part;
  const std::int64_t since = before ? mono - mono_.whole : past_knee;
  const double rate = before ? rate_ : rate_after_;
  const double part = before ? mono_.part : knee_mono_.part;
  // The small addend is for rounding errors: what at() has rounded up must not come back below.
  const double rest = -(part + static_cast<double>(since) * rate) / (1 + rate) + 2e-4;
  return (before ? rig_ : knee_) + since + static_cast<std::int64_t>(std::floor(rest));
}

}  // namespace tactus::rtsync
