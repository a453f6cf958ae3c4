// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Values of variables as JSON and back, strictly.
///
/// | variable | JSON |
/// |---|---|
/// | float, double | a number; "nan", "inf", "-inf" when it is none (never taken in) |
/// | int8 .. uint64 | a whole number in its range; with labels one of theirs, or a label |
/// | bool | true or false |
/// | array | a list of as many |
///
/// Threads  any.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/model/variable.hpp"

namespace tactus::executive {

/// `elements` values at `data`; a list when `list`.
config::Json to_json(const Variable& variable, const std::byte* data, std::uint32_t elements, bool list);

/// The bytes of `elements` values; nothing, and what is wrong ("is a number, not a bool"), when `json` is not
/// what the variable needs, is outside of its declared range, or not finite.
std::optional<std::vector<std::byte>> from_json(const Variable& variable, std::uint32_t elements, bool list,
                                                const config::Json& json, std::string& problem);
/// Explains why bytes of the variable's type may not be written into it (its declared range, nan); empty:
/// they may.
std::string value_problem(const Variable& variable, const std::byte* data, std::uint32_t elements);

}  // namespace tactus::executive
