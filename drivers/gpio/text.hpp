// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Words for the messages of the GPIO drivers. These are written against the installed headers alone (docs/drivers.md),
/// so what the executive has for its own messages is not theirs.
///
/// Threads  pure functions.                                                                  @when setup or service
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::drivers::gpio {

/// Chips or lines that cannot be had. what() is a whole sentence with the cause and the fix.
class GpioError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// 'text', with blanks and marks that look like others, or like nothing, written as \u00a0.
std::string in_quotes(std::string_view text);

/// "did you mean 'PPS_IN'?", or "known are 'a', 'b'" when no name is close. `known` is not empty.
std::string hint(std::string_view word, const std::vector<std::string>& known);

/// "12.5 us", three digits.
std::string duration_text(std::int64_t nanoseconds);

/// Six digits, in every locale: "59.9401".
std::string number_text(double value);

/// Path of a page of the documentation as it is installed with this driver, "docs/gpio.md" if it is not.
std::string page_path(const std::string& page);

}  // namespace tactus::drivers::gpio
