// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The one door to the JSON library; keys keep the order in which they were written.
#include <nlohmann/json.hpp>

namespace tactus::config {

using Json = nlohmann::ordered_json;

}  // namespace tactus::config
