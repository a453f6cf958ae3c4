// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/clock.hpp"

TACTUS_DRIVER_ENTRY(tactus::drivers::gpio::gpio_clock_entry())
