// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tactus::silkit {

/// The return codes of the C API.
enum class Code : std::int32_t {
  success = 0,
  unspecified = 1,
  not_supported = 2,
  not_implemented = 3,
  bad_parameter = 4,
  buffer_too_small = 5,
  timeout = 6,
  unsupported_service = 7,
  wrong_state = 8,
  type_conversion = 9,
  configuration = 10,
  protocol = 11,
  assertion = 12,
  extension = 13,
  logic = 14,
  length = 15,
  out_of_range = 16,
};

/// A call that cannot be carried out; the text is for the person who made it.
class Refusal : public std::runtime_error {
 public:
  Refusal(Code why, const std::string& text) : std::runtime_error(text), code(why) {}
  const Code code;
};

}  // namespace tactus::silkit
