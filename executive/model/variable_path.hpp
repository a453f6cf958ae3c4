#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::executive {

/// How a variable is written: "model.variable", or one element of it: "model.variable[2]".
struct VariablePath {
  std::string_view name;               ///< without the index
  std::optional<std::uint32_t> index;  ///< decimal, without sign

  /// Nothing when what follows the first '[' is not an index and ']'. The name is not looked at. @when any
  static std::optional<VariablePath> parse(std::string_view text);
};

/// What is wrong with a text that parse() refuses.
inline constexpr std::string_view kNoVariablePath =
    "is not a variable; one element is written model.variable[2]";

}  // namespace tactus::executive
