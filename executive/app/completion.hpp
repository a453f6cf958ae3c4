// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "config/shape.hpp"
#include "executive/app/command_facts.hpp"

namespace tactus::app {

/// Says what an option or an argument of a command can be, "tactus can send" and "frame"; see
/// executive::CommandDriver::words_for.
using CommandWords = std::function<std::vector<config::Word>(
    const std::string& command, const std::string& option, const std::vector<std::string>& words)>;

/// Returns what the last of `words` can become; the others are before it, without the word `tactus`. The first line
/// is `words`, `rigs`, `files`, `folders` or `nothing`. With `words` each other line is one, a tab, and what it means.
/// `command_words`: asks the commands of drivers; empty: none is asked.
std::string complete(const CommandFacts& tactus, const std::vector<std::string>& words,
                     const CommandWords& command_words = {});

/// One line of a reply with words; empty: the word has another beginning.
std::string completion_row(const std::string& begin, const std::string& word, const std::string& about);

/// Returns what a shell (bash, zsh, fish) reads to complete `tactus`: it asks `tactus help --complete -- WORD ...`.
std::string completion_stub(const std::string& shell);

}  // namespace tactus::app
