// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/end_line.hpp"

#include <algorithm>
#include <string_view>

#include "config/text.hpp"

namespace tactus::executive {
namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

/// The first characters of a text, with "..." where it was cut.
std::string first_of(const std::string& text, std::size_t most) {
  if (characters(text) <= most) return text;
  std::size_t end = 0;
  for (std::size_t left = most - 3; end < text.size(); ++end)
    if (begins_character(text[end]) && left-- == 0) break;
  return text.substr(0, end) + "...";
}

std::string after(const char* mark, const std::string& text) { return text.empty() ? "" : mark + text; }

}  // namespace

std::string EndLine::whole() const {
  std::string line = begin;
  for (const Figure& figure : figures) line += after(", ", figure.shown);
  line += after("; ", reason);
  for (const Figure& verdict : verdicts) line += after("; ", verdict.shown);
  return line + after("; ", folder);
}

std::string EndLine::brief() const {
  constexpr std::size_t kShortest = 40;  // of a reason
  const std::string where = "; details: log.txt in " + folder;
  const std::string why = after("; ", config::one_line(reason));
  std::size_t taken = characters(begin) + characters(where);
  for (const Figure& verdict : verdicts) taken += 2 + characters(verdict.text);
  std::size_t room = kMost - std::min(taken, kMost);
  const std::string cut = first_of(why, std::max(room, kShortest));
  room -= std::min(characters(cut), room);
  std::string line = begin;
  for (const Figure& figure : figures) {
    if (2 + characters(figure.text) > room) break;
    room -= 2 + characters(figure.text);
    line += ", " + figure.shown;
  }
  line += cut;
  for (const Figure& verdict : verdicts) line += "; " + verdict.shown;
  return line + where;
}

}  // namespace tactus::executive
