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
    if (given.frame < k) {  // before the first frame of a run from a checkpoint
      first_ = next_ + 1;
      continue;
    }
    bridges_[given.network].give(given.can);
  }
  for (CanBridge& bridge : bridges_) bridge.given();
}

void ReplayedBuses::end() {
  constexpr std::size_t kAtOnce = 10'000;
  if (!record_) return;
  for (std::size_t i = first_; i < next_; ++i) {
    record_->add(given_[i]);
    if ((i - first_) % kAtOnce == kAtOnce - 1) lost_ += record_->flush();
  }
  lost_ += record_->flush();
  record_->end(lost_);
  record_.reset();
}

}  // namespace tactus::drivers::link
