// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "config/place.hpp"
#include "executive/campaign/file/settings.hpp"
#include "executive/campaign/file/vary.hpp"

namespace tactus::campaign {

/// Makes values of an entry of `vary:`. Nothing, and problems: something in it is wrong.       @when setup
std::optional<Vary> read_vary(const VarySettings& settings, config::Problems& problems);

/// A value of a document for a key: a number in the unit of the key, or a word. Nothing, and a problem: it has another
/// dimension, or is a word among numbers.                                                     @when setup
std::optional<Value> read_value(const config::Node& node, const std::string& path, const Vary& vary,
                                config::Problems& problems);

}  // namespace tactus::campaign
