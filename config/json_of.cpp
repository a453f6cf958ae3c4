// SPDX-License-Identifier: Apache-2.0
#include "config/json_of.hpp"

namespace tactus::config {

Json json_of(std::string_view text) { return Json::parse(text.begin(), text.end(), nullptr, false); }

}  // namespace tactus::config
