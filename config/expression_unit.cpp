// SPDX-License-Identifier: Apache-2.0
#include "config/expression_unit.hpp"

#include "config/expression.hpp"
#include "config/text.hpp"
#include "config/unit.hpp"

namespace tactus::config {
namespace {

/// The end of a symbol with its power at `i`: "s", "cm^2"; `i`: there is none.
std::size_t symbol_end(std::string_view text, std::size_t i) {
  const std::size_t from = i;
  while (i < text.size() && (Unit::in_symbol(text[i]) || (i > from && is_digit(text[i])))) ++i;
  if (i == from || is_expression_word(text.substr(from, i - from))) return from;
  if (i < text.size() && (text[i] == '.' || text[i] == '(' || text[i] == '[')) return from;  // a name
  if (i + 1 < text.size() && text[i] == '^') {
    std::size_t digits = i + 1;
    if (text[digits] == '-') ++digits;
    if (digits < text.size() && is_digit(text[digits])) {
      while (digits < text.size() && is_digit(text[digits])) ++digits;
      i = digits;
    }
  }
  return i;
}

bool is_unit(std::string_view text) {
  if (text.find_first_of(".+") != std::string_view::npos) return false;
  const auto unit = Unit::find(text);
  return unit && unit->unlisted().empty() && !trimmed(text).empty();
}

/// The end of a unit whose symbols are joined by '*' or '.', as in rad*s^-1 and N.m; `at`: there is none. All of its
/// symbols are known, so a product of a number and a variable is none.
std::size_t joined_unit_end(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size()) {
    const char c = text[end];
    const bool power = c == '^' || is_digit(c) || (c == '-' && end > at && text[end - 1] == '^');
    if (!Unit::in_symbol(c) && c != '*' && c != '.' && c != '/' && !(power && end > at)) break;
    ++end;
  }
  const std::string_view written = text.substr(at, end - at);
  const bool points = written.find('.') != std::string_view::npos;
  const bool signs = written.find_first_of("*/") != std::string_view::npos;
  // "3 m*m.s" and "3 m/m.s" have a variable.
  const bool joined = points ? !signs : written.find('*') != std::string_view::npos;
  if (!joined || (end < text.size() && (text[end] == '(' || text[end] == '['))) return at;
  const auto unit = Unit::find(written);
  return unit && unit->unlisted().empty() ? end : at;
}

}  // namespace

std::size_t unit_end(std::string_view text, std::size_t at) {
  if (const std::size_t end = joined_unit_end(text, at); end != at) return end;
  std::size_t end = at;
  if (text.substr(at).starts_with("1/") && symbol_end(text, at + 2) != at + 2) ++end;
  for (;;) {
    std::size_t next = end;
    while (next < text.size() && text[next] == ' ' && end != at) ++next;
    if (next < text.size() && text[next] == '/' && end != at) {
      if (next != end) return end;  // "5 m / x" divides
      ++next;
      if (next < text.size() && text[next] == '(') {
        const std::size_t close = text.find(')', next);
        if (close == std::string_view::npos || !is_unit(text.substr(next + 1, close - next - 1))) return end;
        end = close + 1;
        continue;
      }
    }
    const std::size_t symbol = symbol_end(text, next);
    if (symbol == next) return end;
    end = symbol;
  }
}

}  // namespace tactus::config
