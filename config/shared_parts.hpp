// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Keys `x-...` at the top of a document: parts that other sections use by an alias.
///
///     x-motor: &motor { supply: 24 V }
///     models: { left: { parameters: *motor }, right: { parameters: { <<: *motor } } }
///
/// Threads  pure functions.
#include "config/node.hpp"
#include "config/place.hpp"

namespace tactus::config {

/// Beginning of the names of such keys.
inline constexpr const char* kSharedPrefix = "x-";

/// The document's map without these keys. What is used is checked where it is used; a part that nothing uses is not,
/// so it is a problem. `written`: the map before values were set; what these stand for is used, too.
Node without_shared_parts(const Node& root, const Node& written, Problems& problems);

}  // namespace tactus::config
