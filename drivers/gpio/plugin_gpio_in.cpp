// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/gpio_in.hpp"
#include "executive/driver/driver.hpp"

TACTUS_DRIVER(tactus::executive::ModelDriver, "gpio_in", tactus::drivers::gpio::GpioIn)
