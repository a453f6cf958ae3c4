// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "config/place.hpp"

namespace tactus::executive {

/// The keys of a model in the rig file that its driver reads: as they pass to the model's process, with their
/// places, so that a problem is reported as in the rig's own process.
///
/// Threads  a value. @when setup
struct DriverSection {
  config::Node settings;
  std::string path;      ///< "models.motor"
  std::string folder{};  ///< folder of the rig file, in which relative paths begin
};

std::string encode(const DriverSection& section);
/// Throws std::runtime_error when the text is none.
DriverSection decode_section(std::string_view text);

std::string encode(const config::Problems& problems);
/// Throws std::runtime_error when the text is none.
config::Problems decode_problems(std::string_view text);

}  // namespace tactus::executive
