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

// Beside the queue there is room for a whole inbox: what is due at once needs no place in the queue.
Pending::Pending(const Signals& signals, std::size_t queue, std::size_t inbox_slots)
    : queue_(queue),
      stride_(0),
      heads_(queue + inbox_slots),
      free_(heads_.size()),
      free_count_(heads_.size()) {
  for (const Subscription& subscription : signals.subscriptions) {
    bytes_.push_back(subscription.layout.bytes);
    stride_ = std::max(stride_, subscription.layout.bytes);
  }
  blocks_.resize(stride_ * heads_.size());
  order_.resize(heads_.size());
  std::iota(free_.rbegin(), free_.rend(), 0U);
}

void Pending::take(rtsync::SlotRing& inbox, bool stamped) TACTUS_RT {
  const std::byte* slot = inbox.front();
  for (std::size_t taken = 0; slot != nullptr && taken < inbox.capacity() && free_count_ > 0; ++taken) {
    Incoming head;
    std::memcpy(&head, slot, sizeof head);
    if (!stamped) head.stamp_ns = kNoStamp;
    if (head.subscription < bytes_.size()) {
      const std::uint32_t place = free_[--free_count_];
      heads_[place] = head;
      std::memcpy(blocks_.data() + place * stride_, slot + sizeof head, bytes_[head.subscription]);
      insert(place);
    }
    inbox.release();
    slot = inbox.front();
  }
}

void Pending::insert(std::uint32_t place) TACTUS_RT {
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(last_);
  auto at = end;
  if (begin != end && before(heads_[place], heads_[*(end - 1)]))  // most belong to the end
    at = std::upper_bound(begin, end, place,
                          [this](std::uint32_t a, std::uint32_t b) { return before(heads_[a], heads_[b]); });
  std::copy_backward(at, end, end + 1);
  *at = place;
  ++last_;
}

std::int64_t Pending::trim() TACTUS_RT {
  std::int64_t dropped = 0;
  for (; last_ - first_ > queue_; ++dropped) free_[free_count_++] = order_[--last_];
  if (first_ > 0) {
    std::copy(order_.begin() + static_cast<std::ptrdiff_t>(first_),
              order_.begin() + static_cast<std::ptrdiff_t>(last_), order_.begin());
    last_ -= first_;
    first_ = 0;
  }
  return dropped;
}

}  // namespace tactus::drivers::link
