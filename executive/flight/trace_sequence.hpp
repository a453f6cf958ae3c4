// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "executive/flight/perfetto_writer.hpp"

namespace tactus::executive {

/// Puts events into a trace in the order of their times, a sequence of packets after the other, and numbers its arrows.
///
/// Threads  one.
class TraceSequence {
 public:
  explicit TraceSequence(PerfettoWriter& out) : out_(out) {}

  /// Takes events of one track, and of those that go with it, in any order up to flush().
  void add(TraceEvent event) { events_.push_back(std::move(event)); }
  void flush() {
    std::ranges::stable_sort(events_, [](const TraceEvent& a, const TraceEvent& b) { return a.ns < b.ns; });
    for (TraceEvent& event : events_) {
      event.ns = flushed_ = std::max(event.ns, flushed_);
      out_.write(event);
    }
    events_.clear();
  }
  void next() {
    flush();
    out_.next_sequence();
    flushed_ = INT64_MIN;
  }
  /// Returns the number of a new arrow.
  std::uint64_t next_flow() { return ++flows_; }

 private:
  PerfettoWriter& out_;
  std::vector<TraceEvent> events_;  // not written yet
  std::int64_t flushed_ = INT64_MIN;
  std::uint64_t flows_ = 0;
};

}  // namespace tactus::executive
