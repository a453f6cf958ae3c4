// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "executive/app/command_facts.hpp"

namespace tactus::app {

/// Returns the help of a command, wrapped at 80 columns; it ends with `footer`.
std::string help_text(const CommandFacts& command, const std::string& footer);

/// Returns help_text() of a command, as CLI11 asks for it at `--help`.
std::string help_of(const CLI::App* app, const std::string& name, CLI::AppFormatMode mode);

}  // namespace tactus::app
