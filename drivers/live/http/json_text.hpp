// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "config/json.hpp"

namespace tactus::drivers::live_http {

/// Limits of size and depth of a text, so that no text costs more than its length.
struct JsonLimits {
  static constexpr std::size_t kDepth = 16;
  static constexpr std::size_t kEntries = 4096;    ///< largest number of entries of one object
  static constexpr std::size_t kElements = 65536;  ///< largest number of elements of one list
};

/// Strict JSON: no key twice, no limit passed. Nothing, and what is wrong where, otherwise.
std::optional<config::Json> parse_json(const std::string& text, std::string& problem);

}  // namespace tactus::drivers::live_http
