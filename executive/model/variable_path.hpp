// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "executive/model/variable.hpp"

namespace tactus::executive {

/// Written form of a variable: "model.variable", or one element of it: "model.variable[2]",
/// "model.variable[1][2]".
struct VariablePath {
  std::string_view name;                 ///< name without indices
  std::optional<std::uint32_t> index{};  ///< decimal, without sign
  std::optional<std::uint32_t> column{};

  /// Nothing when what follows the first '[' is not an index and ']', or two of them. The name is not looked
  /// at. @when any
  static std::optional<VariablePath> parse(std::string_view text);

  /// The element of a variable of that name, counted in memory; 0 without an index. Nothing, and why, when
  /// there is none. @when service
  std::optional<std::uint32_t> element_of(const Variable& variable, std::string& problem) const;
};

/// Problem of a text that parse() refuses.
inline constexpr std::string_view kNoVariablePath =
    "is not a variable; one element is written model.variable[2]";

}  // namespace tactus::executive
