// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "executive/campaign/case.hpp"

namespace tactus::app {

/// Reads what `--only` asks for: numbers and ranges as "3-9,12", else a text that the command line of the case holds.
std::function<bool(const campaign::Case&)> wanted_cases(const std::string& words);

}  // namespace tactus::app
