// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/call.hpp"

#include <exception>

namespace tactus::silkit {

std::string Call::make() const {
  try {
    if (function) function();
    if (step && *step) (*step)(now_ns, duration_ns);
  } catch (const std::exception& error) {
    return *error.what() == '\0' ? "an exception without a text" : error.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
  return "";
}

}  // namespace tactus::silkit
