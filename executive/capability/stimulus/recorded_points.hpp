// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "executive/model/variable.hpp"

namespace tactus::executive {

/// Reads a column of a recording, of any format that this machine has, in the unit of the variable: time in ns, from
/// `from_ns` of the recording on, and value; `in_memory`: the values as they are in the variable's memory. A column of
/// words has the variable's values of these names. Empty, and `why`, when that is not possible.            @when setup
std::vector<std::pair<std::int64_t, double>> recorded_points(const std::filesystem::path& file,
                                                             const std::string& column,
                                                             const Variable& variable, std::int64_t from_ns,
                                                             std::vector<std::uint64_t>& in_memory,
                                                             std::string& why);

}  // namespace tactus::executive
