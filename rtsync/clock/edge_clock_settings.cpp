// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_clock_settings.hpp"

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "rtsync/time/duration_text.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::rtsync {
namespace {

void require(bool fine, const std::string& message) {
  if (!fine) throw std::invalid_argument(message);
}

}  // namespace

const EdgeClockSettings& checked(const EdgeClockSettings& s) {
  require(s.frame >= Period{1'000, 1} && s.frame <= Period{10'000'000'000, 1},
          "frame: a frame lasts 1 us .. 10 s");
  require(s.edges_per_frame >= 1 && s.edges_per_frame <= 1000, "edges_per_frame is outside 1 .. 1000");
  require(s.frames_per_edge >= 1 && s.frames_per_edge <= 100'000, "frames_per_edge is outside 1 .. 100000");
  require(s.edges_per_frame == 1 || s.frames_per_edge == 1,
          "edges_per_frame and frames_per_edge: at least one of the two is 1");
  const Period edge = s.edge_period();
  require(edge >= Period{1'000, 1} && edge <= Period{1'000'000'000'000, 1},
          "edges_per_frame, frames_per_edge: an edge period lasts 1 us .. 1000 s");
  require(s.smoothing >= 2 && s.smoothing <= 10'000, "smoothing is outside 2 .. 10000 edges");
  require(s.slew >= 1e-6 && s.slew <= 0.1, "slew is outside 1e-6 .. 0.1 seconds per second");
  require(s.rate_tolerance >= 1e-6 && s.rate_tolerance <= 0.1, "rate_tolerance is outside 1e-6 .. 0.1");
  require(s.blanking >= 0 && s.blanking <= 0.9, "blanking is outside 0 .. 0.9 edge periods");
  const Nanoseconds half = edge.floor() / 2;
  for (const auto& [name, limit] : {std::pair("late", s.late_limit), std::pair("jitter", s.jitter_limit)})
    require(!limit || (*limit > Nanoseconds{0} && *limit <= half),
            std::string(name) + "_limit is outside 1 ns .. " + duration_text(half.count()) +
                " (half of the time between two edges): it is " +
                duration_text(limit.value_or(Nanoseconds{0}).count()));
  require(
      !s.jitter_limit || !s.late_limit || *s.jitter_limit <= *s.late_limit,
      "jitter_limit is above late_limit: " + duration_text(s.jitter_limit.value_or(Nanoseconds{0}).count()) +
          " and " + duration_text(s.late_limit.value_or(Nanoseconds{0}).count()));
  require(s.max_missing >= 1 && s.max_missing <= 1'000'000'000, "max_missing is outside 1 .. 1e9 edges");
  require(s.lock_after >= 2 && s.lock_after <= 1000, "lock_after is outside 2 .. 1000 edges");
  require(s.start_timeout > Nanoseconds{0}, "start_timeout is not above 0");
  return s;
}

std::string_view name_of(ClockState state) {
  using enum ClockState;
  static constexpr Worded<ClockState> kWords[] = {
      {acquiring, "acquiring"}, {locked, "locked"}, {holdover, "holdover"}, {lost, "lost"}};
  return word_of(kWords, state, "?");
}

std::string_view name_of(ClockFault fault) {
  constexpr std::array<std::string_view, kClockFaults> kNames = {
      "glitch", "double", "late", "jitter", "missing", "wrong_rate", "no_edge", "gone", "overflow"};
  return static_cast<std::size_t>(fault) < kNames.size() ? kNames[static_cast<std::size_t>(fault)] : "?";
}

Period EdgeClockSettings::edge_period() const {
  const auto shared = [](std::int64_t a, std::int64_t b) { return std::gcd(a, b); };
  const std::int64_t longer = frames_per_edge / shared(frames_per_edge, frame.den());
  const std::int64_t shorter = edges_per_frame / shared(edges_per_frame, frame.num());
  const Wide num = static_cast<Wide>(frame.num() / shared(edges_per_frame, frame.num())) * longer;
  const Wide den = static_cast<Wide>(frame.den() / shared(frames_per_edge, frame.den())) * shorter;
  if (num > INT64_MAX || den > INT64_MAX)
    throw std::invalid_argument("frame: too clumsy a fraction for its edges");
  return Period{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

}  // namespace tactus::rtsync
