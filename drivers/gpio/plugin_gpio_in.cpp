// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/gpio_in.hpp"

TACTUS_DRIVER_ENTRY(tactus::drivers::gpio::gpio_in_entry())
