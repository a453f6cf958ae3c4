// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/clock.hpp"
#include "executive/driver/driver.hpp"

TACTUS_DRIVER(tactus::executive::ClockDriver, "gpio", tactus::drivers::gpio::GpioClock)
