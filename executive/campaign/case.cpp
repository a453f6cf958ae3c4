// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/case.hpp"

#include <algorithm>
#include <string_view>

namespace tactus::campaign {

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  const bool plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string command_line(const Case& one) {
  std::string line = "tactus run " + shell_word(one.rig);
  for (const std::string& argument : one.arguments) line += " " + shell_word(argument);
  return line;
}

}  // namespace tactus::campaign
