// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The New European Driving Cycle as UN Regulation No. 83 publishes it: Annex 4a, table 1 (elementary urban
/// cycle, driven four times) and table 2 (extra-urban cycle). 1180 s, 11.03 km, 120 km/h at most. (The
/// regulation states 4 x 1.013 + 6.955 = 11.007 km; the corner points of its urban table enclose 1.018 km.)
///
/// Speeds are straight lines between the corner points, which are whole seconds and whole km/h. The published
/// accelerations are rounded, some of them coarsely; they are here to be checked against, not to be driven.
/// Where the table changes gear or clutch inside an operation, the operation takes two rows.
///
/// Units    s, km/h, m/s^2.
#include <array>
#include <cstddef>

#include "models/vehicle/gear.hpp"

namespace vehicle {

struct Operation {
  int number;           ///< number as in the table; urban 1 .. 25, extra-urban 1 .. 21
  int duration;         ///< s
  double from, to;      ///< km/h
  double acceleration;  ///< m/s^2, as published
  Gear gear;            ///< gear of a manual gearbox; in a gear change the one to come
  bool clutch_open;     ///< the table's K: in gear, clutch disengaged. PM is neutral, clutch engaged
  const char* about;
};

inline constexpr std::array<Operation, 28> kUrban{{
    {1, 6, 0, 0, 0, Gear::neutral, false, "idling"},
    {1, 5, 0, 0, 0, Gear::first, true, "idling"},
    {2, 4, 0, 15, 1.04, Gear::first, false, "acceleration"},
    {3, 8, 15, 15, 0, Gear::first, false, "steady speed"},
    {4, 2, 15, 10, -0.69, Gear::first, false, "deceleration"},
    {5, 3, 10, 0, -0.92, Gear::first, true, "deceleration, clutch disengaged"},
    {6, 16, 0, 0, 0, Gear::neutral, false, "idling"},
    {6, 5, 0, 0, 0, Gear::first, true, "idling"},
    {7, 5, 0, 15, 0.83, Gear::first, false, "acceleration"},
    {8, 2, 15, 15, 0, Gear::second, false, "gear change"},
    {9, 5, 15, 32, 0.94, Gear::second, false, "acceleration"},
    {10, 24, 32, 32, 0, Gear::second, false, "steady speed"},
    {11, 8, 32, 10, -0.75, Gear::second, false, "deceleration"},
    {12, 3, 10, 0, -0.92, Gear::second, true, "deceleration, clutch disengaged"},
    {13, 16, 0, 0, 0, Gear::neutral, false, "idling"},
    {13, 5, 0, 0, 0, Gear::first, true, "idling"},
    {14, 5, 0, 15, 0.83, Gear::first, false, "acceleration"},
    {15, 2, 15, 15, 0, Gear::second, false, "gear change"},
    {16, 9, 15, 35, 0.62, Gear::second, false, "acceleration"},
    {17, 2, 35, 35, 0, Gear::third, false, "gear change"},
    {18, 8, 35, 50, 0.52, Gear::third, false, "acceleration"},
    {19, 12, 50, 50, 0, Gear::third, false, "steady speed"},
    {20, 8, 50, 35, -0.52, Gear::third, false, "deceleration"},
    {21, 13, 35, 35, 0, Gear::third, false, "steady speed"},
    {22, 2, 35, 35, 0, Gear::second, false, "gear change"},
    {23, 7, 35, 10, -0.99, Gear::second, false, "deceleration"},
    {24, 3, 10, 0, -0.92, Gear::second, true, "deceleration, clutch disengaged"},
    {25, 7, 0, 0, 0, Gear::neutral, false, "idling"},
}};

inline constexpr std::array<Operation, 22> kExtraUrban{{
    {1, 20, 0, 0, 0, Gear::first, true, "idling"},
    {2, 5, 0, 15, 0.83, Gear::first, false, "acceleration"},
    {3, 2, 15, 15, 0, Gear::second, false, "gear change"},
    {4, 9, 15, 35, 0.62, Gear::second, false, "acceleration"},
    {5, 2, 35, 35, 0, Gear::third, false, "gear change"},
    {6, 8, 35, 50, 0.52, Gear::third, false, "acceleration"},
    {7, 2, 50, 50, 0, Gear::fourth, false, "gear change"},
    {8, 13, 50, 70, 0.43, Gear::fourth, false, "acceleration"},
    {9, 50, 70, 70, 0, Gear::fifth, false, "steady speed"},
    {10, 4, 70, 60, -0.69, Gear::fifth, false, "deceleration"},
    {10, 4, 60, 50, -0.69, Gear::fourth, false, "deceleration"},
    {11, 69, 50, 50, 0, Gear::fourth, false, "steady speed"},
    {12, 13, 50, 70, 0.43, Gear::fourth, false, "acceleration"},
    {13, 50, 70, 70, 0, Gear::fifth, false, "steady speed"},
    {14, 35, 70, 100, 0.24, Gear::fifth, false, "acceleration"},
    {15, 30, 100, 100, 0, Gear::fifth, false, "steady speed"},
    {16, 20, 100, 120, 0.28, Gear::fifth, false, "acceleration"},
    {17, 10, 120, 120, 0, Gear::fifth, false, "steady speed"},
    {18, 16, 120, 80, -0.69, Gear::fifth, false, "deceleration"},
    {19, 8, 80, 50, -1.04, Gear::fifth, false, "deceleration"},
    {20, 10, 50, 0, -1.39, Gear::fifth, true, "deceleration, clutch disengaged"},
    {21, 20, 0, 0, 0, Gear::neutral, false, "idling"},
}};

template <std::size_t N>
constexpr int duration_of(const std::array<Operation, N>& part) noexcept {
  int sum = 0;
  for (const Operation& o : part) sum += o.duration;
  return sum;
}

/// No jump in speed from one operation to the next.
template <std::size_t N>
constexpr bool is_continuous(const std::array<Operation, N>& part) noexcept {
  for (std::size_t i = 1; i < N; ++i) {
    if (part[i].from > part[i - 1].to || part[i].from < part[i - 1].to) return false;
  }
  return true;
}

/// Every ramp has the published acceleration, but for its rounding.
template <std::size_t N>
constexpr bool has_published_accelerations(const std::array<Operation, N>& part) noexcept {
  for (const Operation& o : part) {
    const double difference = (o.to - o.from) / 3.6 / o.duration - o.acceleration;
    if (difference > 0.015 || difference < -0.015) return false;
  }
  return true;
}

inline constexpr int kUrbanRepeats = 4;
inline constexpr int kUrbanSeconds = duration_of(kUrban);
inline constexpr int kNedcSeconds = kUrbanRepeats * kUrbanSeconds + duration_of(kExtraUrban);
static_assert(kUrbanSeconds == 195 && kNedcSeconds == 1180);
static_assert(has_published_accelerations(kUrban) && has_published_accelerations(kExtraUrban));
static_assert(is_continuous(kUrban) && is_continuous(kExtraUrban));

}  // namespace vehicle
