// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/model/variable.hpp"

namespace tactus::executive {

/// Reads a rig file's value of a variable as the bytes to be copied there: numbers in the variable's unit
/// ("120 g cm^2" for one in kg m^2), integers that fit its type, yes and no, the names of an enumeration,
/// lists for arrays. Nothing, and a problem, when it does not fit, or is outside of the declared range.
/// @when setup
std::optional<std::vector<std::byte>> read_value(const Variable& variable, const config::Node& node,
                                                 const std::string& path, config::Problems& problems);

}  // namespace tactus::executive
