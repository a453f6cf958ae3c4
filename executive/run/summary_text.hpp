// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "config/json.hpp"

namespace tactus::executive {

/// A summary as it is in summary.json.
inline std::string summary_text(const config::Json& summary) {
  return summary.dump(2, ' ', false, config::Json::error_handler_t::replace) + "\n";
}

}  // namespace tactus::executive
