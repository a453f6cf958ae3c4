// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/app/command_facts.hpp"

namespace tactus::app {

/// Returns what the last of `words` can become; the others are before it, without the word `tactus`. The first line
/// is `words`, `rigs`, `files`, `folders` or `nothing`. With `words` each other line is one, a tab, and what it means.
std::string complete(const CommandFacts& tactus, const std::vector<std::string>& words);

/// Returns what a shell (bash, zsh, fish) reads to complete `tactus`: it asks `tactus help --complete -- WORD ...`.
std::string completion_stub(const std::string& shell);

}  // namespace tactus::app
