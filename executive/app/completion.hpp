// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/app/command_facts.hpp"

namespace tactus::app {

/// What a shell completes `tactus` with.
std::string bash_completion(const CommandFacts& tactus);
std::string zsh_completion(const CommandFacts& tactus);
std::string fish_completion(const CommandFacts& tactus);

}  // namespace tactus::app
