// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "executive/app/command_facts.hpp"

namespace tactus::app {

/// The manual page of a command, for man(1). That of `tactus` itself refers to those of its commands; that of a
/// command has the commands below it, too. `footer`: about the exit status. `docs`: the folder in which its reader
/// finds the pages of the documentation.
std::string man_page(const CommandFacts& command, const std::string& version, const std::string& footer,
                     const std::string& docs);
/// "tactus-demo.1" of "tactus demo".
std::string man_file(const CommandFacts& command);

}  // namespace tactus::app
