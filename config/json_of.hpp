// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "config/json.hpp"

namespace tactus::config {

/// Reads a text; the value is discarded (is_discarded()) when it is no JSON. One function, since each file that calls
/// Json::parse compiles a parser of its own.
///
/// Threads  any.
Json json_of(std::string_view text);

}  // namespace tactus::config
