// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/pending.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

namespace tactus::drivers::link {
namespace {

bool before(const Incoming& a, const Incoming& b) TACTUS_RT {
  return std::tie(a.stamp_ns, a.subscription, a.sequence) < std::tie(b.stamp_ns, b.subscription, b.sequence);
}

}  // namespace

// Beside the queue there is room for a whole inbox: what is due at once needs no place in the queue. The
// order has twice the room, so that it seldom has to be moved to the front.
Pending::Pending(const Signals& signals, std::size_t queue, std::size_t inbox_slots)
    : queue_(queue),
      stride_(0),
      heads_(queue + inbox_slots),
      free_(heads_.size()),
      free_count_(heads_.size()),
      taken_(inbox_slots),
      order_(2 * heads_.size()) {
  for (const Subscription& subscription : signals.subscriptions) {
    bytes_.push_back(subscription.layout.bytes);
    stride_ = std::max(stride_, subscription.layout.bytes);
  }
  for (std::size_t i = 0; i < signals.networks.size(); ++i) {
    bytes_.push_back(sizeof(can::CanFrame));
    stride_ = std::max(stride_, sizeof(can::CanFrame));
  }
  blocks_.resize(stride_ * heads_.size());
  std::iota(free_.rbegin(), free_.rend(), 0U);
}

void Pending::take(rtsync::BlockRing& inbox, bool stamped, bool paced) TACTUS_RT {
  const std::size_t most = paced ? std::min(kTakenPerFrame, taken_.size()) : taken_.size();
  std::size_t taken = 0;
  const std::byte* slot = inbox.front();
  for (std::size_t seen = 0; slot != nullptr && seen < most && free_count_ > 0; ++seen) {
    Incoming head;
    std::memcpy(&head, slot, sizeof head);
    if (!stamped) head.stamp_ns = kNoStamp;
    if (head.subscription < bytes_.size()) {
      const std::uint32_t place = free_[--free_count_];
      heads_[place] = head;
      std::memcpy(blocks_.data() + place * stride_, slot + sizeof head, bytes_[head.subscription]);
      taken_[taken++] = place;
    }
    inbox.release();
    slot = inbox.front();
  }
  if (taken == 0) return;
  make_room(taken);
  if (stamped) {
    merge(taken);
    return;
  }
  for (std::size_t i = 0; i < taken; ++i) order_[last_++] = taken_[i];
}

void Pending::make_room(std::size_t more) TACTUS_RT {
  if (last_ + more <= order_.size()) return;
  const auto begin = order_.begin();
  std::copy(begin + static_cast<std::ptrdiff_t>(first_), begin + static_cast<std::ptrdiff_t>(last_), begin);
  last_ -= first_;
  first_ = 0;
}

/// The last of those taken first, each to its place: whatever has to move moves once.
void Pending::merge(std::size_t taken) TACTUS_RT {
  const auto sooner = [this](std::uint32_t a, std::uint32_t b)
                          TACTUS_RT { return before(heads_[a], heads_[b]); };
  std::sort(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(taken), sooner);
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first_);
  auto end = order_.begin() + static_cast<std::ptrdiff_t>(last_);
  last_ += taken;
  auto to = order_.begin() + static_cast<std::ptrdiff_t>(last_);
  while (taken > 0) {
    const std::uint32_t place = taken_[--taken];
    auto at = end;
    if (begin != end && sooner(place, *(end - 1)))  // most belong to the end
      at = std::upper_bound(begin, end, place, sooner);
    to = std::copy_backward(at, end, to);
    end = at;
    *--to = place;
  }
}

std::int64_t Pending::trim() TACTUS_RT {
  std::int64_t dropped = 0;
  for (; last_ - first_ > queue_; ++dropped) free_[free_count_++] = order_[--last_];
  if (first_ == last_) first_ = last_ = 0;
  return dropped;
}

}  // namespace tactus::drivers::link
