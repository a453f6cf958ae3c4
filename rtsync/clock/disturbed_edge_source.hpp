// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rtsync/clock/clock.hpp"
#include "rtsync/clock/edge_source.hpp"

namespace tactus::rtsync {

/// Kind of a disturbance of edges.
enum class EdgeDisturbance : std::uint8_t {
  late,     ///< an edge comes later, and its stamp is as late
  missing,  ///< an edge is not seen
};

/// A line whose edges are disturbed on purpose: they come late, or not at all. What follows the edges sees no
/// difference from a line that does so itself.
///
/// A disturbance is for the edges whose time stamps lie between its beginning and its end, but for one edge at least: the
/// first after its beginning. A late edge is given out when it has come; one that would come after the next edge
/// comes right before that.
///
/// Threads  constructor, what(): as EdgeSource. wait(), begin(), end(), rest(): the paced thread. disturbed(): any.
/// RT       as EdgeSource; begin() and end() read the clock.
class DisturbedEdgeSource final : public EdgeSource {
 public:
  explicit DisturbedEdgeSource(std::unique_ptr<EdgeSource> inner,
                               TimePoint<MonotonicTime> (*now)() = &monotonic_now)
      : inner_(std::move(inner)), now_(now) {}

  /// Begins a disturbance; one that is on stays as it is. `late`: of EdgeDisturbance::late, at least 1 ns.
  void begin(EdgeDisturbance kind, Nanoseconds late) TACTUS_RT;
  void end(EdgeDisturbance kind) TACTUS_RT;
  /// Ends it at once, also if it has disturbed no edge.
  void rest(EdgeDisturbance kind) TACTUS_RT { window(kind) = {}; }

  EdgeRead wait(TimePoint<MonotonicTime> deadline,
                std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT override;
  std::string what() const override { return inner_->what(); }
  std::string code() const override { return inner_->code(); }
  std::int64_t disturbed() const TACTUS_RT override {
    return disturbed(EdgeDisturbance::late) + disturbed(EdgeDisturbance::missing);
  }
  std::int64_t disturbed(EdgeDisturbance kind) const TACTUS_RT {
    return disturbed_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }
  std::int64_t since_disturbed() const TACTUS_RT override { return since_; }

 private:
  struct Window {
    bool on = false;
    bool owed = false;  ///< no edge has been disturbed yet
    TimePoint<MonotonicTime> from{}, to{};
    Nanoseconds late{0};
  };
  Window& window(EdgeDisturbance kind) TACTUS_RT { return windows_[static_cast<std::size_t>(kind)]; }
  static bool takes(Window& window, TimePoint<MonotonicTime> stamp) TACTUS_RT;
  void count(EdgeDisturbance kind) TACTUS_RT;
  std::size_t filter(std::size_t count, std::size_t first,
                     std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT;

  const std::unique_ptr<EdgeSource> inner_;
  TimePoint<MonotonicTime> (*const now_)();
  std::array<Window, 2> windows_{};
  std::optional<TimePoint<MonotonicTime>> held_{};            ///< an edge that is late, and has not come yet
  std::array<std::atomic<std::int64_t>, 2> disturbed_{0, 0};  ///< counters by EdgeDisturbance
  std::int64_t since_ = kNeverDisturbed;                      ///< edges since the last disturbed one
};

}  // namespace tactus::rtsync
