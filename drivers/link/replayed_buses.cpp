// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/replayed_buses.hpp"

namespace tactus::drivers::link {

ReplayedBuses::ReplayedBuses(const Signals& signals, const rtsync::Period& frame,
                             const std::filesystem::path& run_folder)
    : frame_(frame), names_(names_of(signals.networks)), exchange_(1, 1, 1, signals.networks.size(), 1) {
  if (signals.networks.empty()) return;
  given_ = read_can_record(run_folder, names_);
  for (std::uint32_t i = 0; i < signals.networks.size(); ++i)
    bridges_.emplace_back(signals.networks[i], i, statuses_.emplace_back(), exchange_);
}

void ReplayedBuses::begin(std::int64_t k) TACTUS_RT {
  for (CanBridge& bridge : bridges_) bridge.begin(frame_.times(k).count(), frame_.floor().count(), 0, true);
  for (; next_ < given_.size() && given_[next_].frame <= k; ++next_) {
    const GivenCan& given = given_[next_];
    if (given.frame < k) continue;  // before the first frame of a run from a checkpoint
    if (recorder_) recorder_->put(k, given.network, given.can);
    bridges_[given.network].give(given.can);
  }
  for (CanBridge& bridge : bridges_) bridge.given();
}

}  // namespace tactus::drivers::link
