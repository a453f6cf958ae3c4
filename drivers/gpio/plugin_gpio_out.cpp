// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/gpio_out.hpp"
#include "executive/driver/driver.hpp"

TACTUS_DRIVER(tactus::executive::ModelDriver, "gpio_out", tactus::drivers::gpio::GpioOut)
