// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "executive/app/command_facts.hpp"

namespace tactus::app {

/// Returns the help of a command, wrapped at 80 columns; it ends with `footer`.
std::string help_text(const CommandFacts& command, const std::string& footer);

/// Returns what makes CLI11 print help_text() for `--help`.
std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace tactus::app
