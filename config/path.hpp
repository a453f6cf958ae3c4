// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "rtsync/text.hpp"

namespace tactus::config {

// The pieces of "models.motor.jobs[2]" and of "motor.speed[1][0]".

/// Takes "[2]" off the front: a decimal number without sign. Nothing, and nothing is taken, when it does not stand
/// there.
inline std::optional<std::size_t> take_index(std::string_view& path) {
  const std::size_t close = path.find(']');
  if (!path.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  const auto index = rtsync::read_number<std::size_t>(path.substr(1, close - 1));
  if (index) path.remove_prefix(close + 1);
  return index;
}

/// Takes what stands before the next '.', '[' or ']' off the front.
inline std::string_view take_key(std::string_view& path) {
  const std::string_view key = path.substr(0, path.find_first_of(".[]"));
  path.remove_prefix(key.size());
  return key;
}

/// "motor.speed" of "motor.speed[1][0]".
inline std::string_view without_indices(std::string_view path) { return path.substr(0, path.find('[')); }

}  // namespace tactus::config
