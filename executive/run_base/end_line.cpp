// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/end_line.hpp"

#include <algorithm>

#include "config/text.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

using rtsync::letters_in;

/// The first characters of a text, with "..." where it was cut.
std::string first_of(const std::string& text, std::size_t most) {
  return letters_in(text) <= most ? text : std::string(rtsync::first_letters(text, most - 3)) + "...";
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
  std::size_t taken = letters_in(begin) + letters_in(where);
  for (const Figure& verdict : verdicts) taken += 2 + letters_in(verdict.text);
  std::size_t room = kMost - std::min(taken, kMost);
  const std::string cut = first_of(why, std::max(room, kShortest));
  room -= std::min(letters_in(cut), room);
  std::string line = begin;
  for (const Figure& figure : figures) {
    if (2 + letters_in(figure.text) > room) break;
    room -= 2 + letters_in(figure.text);
    line += ", " + figure.shown;
  }
  line += cut;
  for (const Figure& verdict : verdicts) line += "; " + verdict.shown;
  return line + where;
}

}  // namespace tactus::executive
