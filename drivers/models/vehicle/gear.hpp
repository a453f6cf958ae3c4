// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The gears, as every model of this library names them.
#include <cstdint>
#include <tactus/model.hpp>

namespace vehicle {

enum class Gear : std::int32_t { neutral, first, second, third, fourth, fifth };
constexpr int kGears = 5;

/// Labels for Declare. Their texts are copied, so one list serves all.
inline constexpr tactus::Labels kGearLabels = {{"neutral", Gear::neutral}, {"first", Gear::first},
                                               {"second", Gear::second},   {"third", Gear::third},
                                               {"fourth", Gear::fourth},   {"fifth", Gear::fifth}};

}  // namespace vehicle
