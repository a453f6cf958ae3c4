// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/stimulus_source.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tactus::executive {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

double noise_of(const StimulusSegment& segment, std::int64_t n, StimulusMemory& memory) TACTUS_RT {
  if (memory.noise_at != n) {
    const double fresh = segment.random.normal(n);
    const bool follows = segment.memory > 0 && memory.noise_at == n - 1 && n > 0;
    memory.noise =
        follows ? segment.memory * memory.noise + std::sqrt(1 - segment.memory * segment.memory) * fresh
                : fresh;
    memory.noise_at = n;
  }
  return segment.mean + segment.size * memory.noise;
}

bool is_high(const StimulusSegment& segment, double t) TACTUS_RT {
  // An edge belongs to the frame in which it falls; the time of a frame is cut to nanoseconds.
  const double turns = segment.frequency * (t + 1e-9) + 1e-9;
  return turns - std::floor(turns) < segment.duty;
}

bool bit_of(const StimulusSegment& segment, std::int64_t at_ns) TACTUS_RT {
  return segment
      .sequence[static_cast<std::size_t>((at_ns + 1) / segment.interval_ns) % segment.sequence.size()];
}

/// Place of the first point after a time.
std::size_t point_after(const StimulusSegment& segment, std::int64_t at_ns) TACTUS_RT {
  const auto& points = segment.points;
  return static_cast<std::size_t>(
      std::ranges::upper_bound(points, at_ns, {}, [](const auto& point) { return point.first; }) -
      points.begin());
}

double between_points(const StimulusSegment& segment, std::int64_t at_ns) TACTUS_RT {
  const auto& points = segment.points;
  const std::size_t place = point_after(segment, at_ns);
  if (place == 0) return points.front().second;
  const auto& before = points[place - 1];
  if (segment.holds || place == points.size()) return before.second;
  const auto* const after = &points[place];
  const double share =
      static_cast<double>(at_ns - before.first) / static_cast<double>(after->first - before.first);
  return before.second + (after->second - before.second) * share;
}

/// Turns of a chirp since it began.
double swept(const StimulusSegment& segment, double t) TACTUS_RT {
  const double length = static_cast<double>(segment.length_ns) * 1e-9;
  if (!segment.exponential)
    return segment.frequency * t + (segment.until - segment.frequency) * t * t / (2 * length);
  const double rate = std::log(segment.until / segment.frequency) / length;
  return rate == 0 ? segment.frequency * t : segment.frequency * std::expm1(rate * t) / rate;
}

}  // namespace

double value_of(const StimulusSegment& segment, std::int64_t at_ns, std::int64_t n,
                StimulusMemory& memory) TACTUS_RT {
  using Shape = StimulusSegment::Shape;
  const double t = static_cast<double>(at_ns) * 1e-9;
  switch (segment.shape) {
    case Shape::hold:
      return segment.to;
    case Shape::square:
      return is_high(segment, t) ? segment.to : segment.from;
    case Shape::prbs:
      return bit_of(segment, at_ns) ? segment.to : segment.from;
    case Shape::ramp: {
      if (at_ns >= segment.length_ns) return segment.to;
      const double from = segment.from_entry ? memory.entry : segment.from;
      return from +
             (segment.to - from) * (static_cast<double>(at_ns) / static_cast<double>(segment.length_ns));
    }
    case Shape::sine:
      return segment.mean + segment.size * std::sin(kTurn * segment.frequency * t + segment.phase);
    case Shape::chirp:
      return segment.mean + segment.size * std::sin(kTurn * swept(segment, t));
    case Shape::noise:
      return noise_of(segment, n, memory);
    case Shape::points:
      return between_points(segment, at_ns);
    case Shape::expression:
      break;
  }
  return 0;
}

std::uint64_t level_of(const StimulusSegment& segment, std::int64_t at_ns) TACTUS_RT {
  using Shape = StimulusSegment::Shape;
  if (segment.shape == Shape::points) {
    const std::size_t place = point_after(segment, at_ns);
    return segment.point_bits[place == 0 ? 0 : place - 1];
  }
  const bool high = segment.shape == Shape::hold ||
                    (segment.shape == Shape::square ? is_high(segment, static_cast<double>(at_ns) * 1e-9)
                                                    : bit_of(segment, at_ns));
  return high ? segment.to_bits : segment.from_bits;
}

std::vector<bool> binary_sequence(int order, std::uint64_t seed) {
  // The second tap of x^order + x^tap + 1, a primitive polynomial for each of these orders.
  static constexpr int kTaps[] = {0, 0, 1, 2, 3, 3, 5, 6, 0, 5, 7, 9, 0, 0, 0, 14};
  const int tap = kTaps[order];
  const auto length = (std::size_t{1} << order) - 1;
  std::vector<bool> once;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < length; ++i) {
    once.push_back((state & 1U) != 0);
    const std::uint32_t bit = ((state >> (order - 1)) ^ (state >> (tap - 1))) & 1U;
    state = ((state << 1) | bit) & static_cast<std::uint32_t>(length);
  }
  std::rotate(once.begin(), once.begin() + static_cast<std::ptrdiff_t>(seed % length), once.end());
  return once;
}

}  // namespace tactus::executive
