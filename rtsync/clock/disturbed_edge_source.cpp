// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/disturbed_edge_source.hpp"

#include <algorithm>

namespace tactus::rtsync {

void DisturbedEdgeSource::begin(EdgeDisturbance kind, Nanoseconds late) TACTUS_RT {
  Window& one = window(kind);
  if (one.on) return;
  one = {true, true, now_(), {}, late};
}

void DisturbedEdgeSource::end(EdgeDisturbance kind) TACTUS_RT {
  Window& one = window(kind);
  if (!one.on) return;
  one.on = false;
  one.to = now_();
}

/// Returns true if the window disturbs an edge of this time.
bool DisturbedEdgeSource::takes(Window& one, TimePoint<MonotonicTime> stamp) TACTUS_RT {
  if (stamp < one.from || !(one.on || one.owed || stamp < one.to)) return false;
  one.owed = false;
  return true;
}

void DisturbedEdgeSource::count(EdgeDisturbance kind) TACTUS_RT {
  std::atomic<std::int64_t>& counter = disturbed_[static_cast<std::size_t>(kind)];
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // one thread writes
  since_ = 0;
}

/// Lets through what is not disturbed. The edges read begin at `first`, so that one that was held has room before them.
std::size_t DisturbedEdgeSource::filter(std::size_t count, std::size_t first,
                                        std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT {
  std::size_t out = 0;
  const auto give_held = [&](TimePoint<MonotonicTime> before) TACTUS_RT {
    if (!held_) return;
    edges[out++] = std::min(*held_, before);
    held_.reset();
  };
  for (std::size_t i = first; i < first + count; ++i) {
    const TimePoint<MonotonicTime> stamp = edges[i];
    Window& late = window(EdgeDisturbance::late);
    if (since_ < kNeverDisturbed) ++since_;
    if (takes(window(EdgeDisturbance::missing), stamp)) {
      this->count(EdgeDisturbance::missing);
    } else if (takes(late, stamp)) {
      this->count(EdgeDisturbance::late);
      give_held(stamp);
      held_ = stamp + late.late;
    } else {
      give_held(stamp);
      edges[out++] = stamp;
    }
  }
  if (held_ && *held_ <= now_()) give_held(*held_);
  return out;
}

EdgeRead DisturbedEdgeSource::wait(TimePoint<MonotonicTime> deadline,
                                   std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT {
  for (;;) {
    const std::size_t first = held_ ? 1 : 0;
    EdgeRead read = inner_->wait(held_ ? std::min(deadline, *held_) : deadline, edges.subspan(first));
    const bool is_over = read.status == EdgeStatus::timeout && !held_;
    read.count = filter(read.count, first, edges);
    if (read.status == EdgeStatus::gone) return read;
    read.status = read.count > 0 ? EdgeStatus::edges : EdgeStatus::timeout;
    if (read.count > 0 || read.overflowed || is_over || now_() >= deadline) return read;
  }
}

}  // namespace tactus::rtsync
