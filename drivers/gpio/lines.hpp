// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Chips and lines as a rig file names them, and what to say when they cannot be had.
///
/// Threads  none of these is for a frame. All throw GpioError.     @when setup or service
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "drivers/gpio/gpio.hpp"
#include "drivers/gpio/text.hpp"

namespace tactus::drivers::gpio {

/// "0", "gpiochip0", "/dev/gpiochip0" or a chip's label.
std::unique_ptr<Chip> open_chip(const Gpio& gpio, const std::string& which);

/// Digits are an offset; all else is the name of one line.
unsigned find_line(const Chip& chip, const std::string& which);

/// "line 8 of gpiochip0 (MOTOR_EN)"; without the name when it has none.
std::string line_text(const Chip& chip, unsigned line);

/// Explains why /dev/gpiochip0 may not be opened, and how to fix that.
std::string no_permission(const std::string& path);

/// Throws the sentence for a request that the kernel refused with this error.
[[noreturn]] void refuse(const Chip& chip, const std::vector<unsigned>& lines, int error);

/// Makes a request, and says in words why it was refused.
template <class JobRequest>
auto request(const Chip& chip, const std::vector<unsigned>& lines, JobRequest ask) {
  try {
    return ask();
  } catch (const std::system_error& refused) {
    refuse(chip, lines, refused.code().value());
  }
}

}  // namespace tactus::drivers::gpio
