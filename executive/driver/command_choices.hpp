// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "config/rules.hpp"
#include "executive/driver/command.hpp"

namespace tactus::executive {

/// The words of a key that names a command: the rows with a text in that column. @when setup
inline config::Choices<Command> command_choices(const char* CommandRow::*about) {
  config::Choices<Command> choices;
  for (const CommandRow& row : command_rows())
    if (row.*about != nullptr)
      choices.words.push_back({row.word, static_cast<std::int64_t>(row.command), row.*about});
  return choices;
}

}  // namespace tactus::executive
