// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The one door to the JSON library; keys keep the order in which they were written.

// The library's literal, `"..."_json`, has each file instantiate the parser of another kind of JSON: half a second of GCC.
// The literal is declared, and not defined, since nobody here writes one: what defined it is a template that nobody
// calls.
#define _json(...)    \
  _json(__VA_ARGS__); \
  template <int>      \
  nlohmann::json parse_literal(__VA_ARGS__)
#include <nlohmann/json.hpp>
#undef _json

namespace tactus {
namespace config {

using Json = nlohmann::ordered_json;

}  // namespace config

using config::Json;  // the same word in all layers above

}  // namespace tactus
