// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/link/link_part.hpp"

#include "executive/frame/frame_services.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::executive {

void LinkPart::joined(FrameServices& services) {
  link_.redirect([&services](const ModelInstance* model, const void* data, std::size_t bytes) {
    return services.view(model, data, bytes);
  });
}

void LinkPart::changed(RigChange& change) TACTUS_RT {
  switch (change.what) {
    case RigChange::launched:
      return link_.start(change.frame);
    case RigChange::frozen:
    case RigChange::freeze_frame:
      return link_.freeze(change.freeze->why);
    case RigChange::resumed:
      return link_.unfreeze();
    case RigChange::goes_back:
      change.refusal = "a linked rig cannot go back: the virtual time of its peers does not";
      return;
    default:
      return;
  }
}

PartVerdict LinkPart::begin_frame(std::int64_t k) TACTUS_RT {
  if (faults_ != nullptr) faults_->before_receiving(k);
  const bool paced = sync_.active();
  const rtsync::TimePoint<rtsync::RigTime> wake = sync_.wake();
  const rtsync::TimePoint<rtsync::RigTime> slot = paced ? sync_.slot_of(k) : wake;
  const auto now = paced && clock_is_monotonic_
                       ? rtsync::TimePoint<rtsync::MonotonicTime>{wake.time_since_epoch()}
                       : rtsync::monotonic_now();
  switch (link_.begin_frame({k, slot, now, wake - slot, paced, sync_.timing().work})) {
    case LinkVerdict::go_on:
      break;
    case LinkVerdict::freeze:
      return {PartVerdict::pause, Outcome::completed, ""};
    case LinkVerdict::terminate:
      return {PartVerdict::terminate, Outcome::link_lost, link_.verdict_reason()};
  }
  return {};
}

}  // namespace tactus::executive
