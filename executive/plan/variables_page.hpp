// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/model/variable.hpp"

namespace tactus::executive {

/// The page of the variables that every rig has beside those of its models (Markdown): name, unit, type, meaning, and
/// the words of codes. `link`: those of a link's driver; empty: this machine has none. @when setup
std::string variables_page(const std::vector<Variable>& link);

}  // namespace tactus::executive
