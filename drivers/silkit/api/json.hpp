// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "config/node.hpp"

namespace tactus::silkit {

/// Puts a text in double quotes, on one line; control characters are escaped, invalid UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);
/// A configuration as JSON, on one line. Plain scalars that look like numbers and truth values become such.
std::string to_json(const config::Node& node);

}  // namespace tactus::silkit
