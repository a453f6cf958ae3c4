// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "config/document.hpp"

namespace tactus::executive {

/// Finds the path that was meant by one whose first word is not a key of a rig file: of a key, of an entry of the file, or
/// of a parameter or an input of its models, which are loaded for that. "motor.resistence" means
/// "models.motor.parameters.resistance". Empty: the first word is a key or nearly one, no path is like it, or two
/// are equally.
/// @when setup
std::string setting_meant(std::string_view path, const config::Document& document, const std::string& file);

}  // namespace tactus::executive
