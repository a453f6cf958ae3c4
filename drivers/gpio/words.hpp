// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/driver.hpp>

#include "drivers/gpio/gpio.hpp"

namespace tactus::drivers::gpio {

inline constexpr const char* kChipMeaning =
    "the chip: its name or number (gpiochip0), its path, or its label as gpiodetect shows it";

inline constexpr KeyWord<Bias> kBiasWords[] = {
    {"as_is", Bias::as_is, "as the board or the firmware set it"},
    {"disable", Bias::disable, "no resistor"},
    {"pull_up", Bias::pull_up, "the chip's resistor to the supply"},
    {"pull_down", Bias::pull_down, "the chip's resistor to ground"}};

inline constexpr KeyWord<Edges> kEdgeWords[] = {{"rising", Edges::rising, "the line becomes active"},
                                                {"falling", Edges::falling, "the line becomes inactive"},
                                                {"both", Edges::both, "both: two edges per pulse"}};

}  // namespace tactus::drivers::gpio
