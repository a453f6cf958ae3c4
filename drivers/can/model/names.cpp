// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/names.hpp"

#include <string_view>
#include <utility>

namespace tactus::drivers::can {
namespace {

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_symbol(char c) {
  return is_ascii_letter(c) || c == '%' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

std::string without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

/// Symbols of databases for units that have another one here.
constexpr std::pair<std::string_view, std::string_view> kOther[] = {
    {"kph", "km/h"},    {"km/hr", "km/h"}, {"kmh", "km/h"},     {"KPH", "km/h"},   {"Km/h", "km/h"},
    {"1/min", "rpm"},   {"U/min", "rpm"},  {"Upm", "rpm"},      {"RPM", "rpm"},    {"rev/min", "rpm"},
    {"degrees", "deg"}, {"degree", "deg"}, {"Grad", "deg"},     {"deg C", "degC"}, {"deg_C", "degC"},
    {"Deg C", "degC"},  {"DegC", "degC"},  {"Celsius", "degC"}, {"° C", "degC"},   {"Volts", "V"},
    {"Volt", "V"},      {"volts", "V"},    {"Amps", "A"},       {"Amp", "A"},      {"amps", "A"},
    {"sec", "s"},       {"seconds", "s"},  {"Sec", "s"},        {"percent", "%"},  {"Percent", "%"},
    {"hours", "h"},     {"meters", "m"},   {"meter", "m"},      {"MPH", "mph"},    {"NM", "Nm"},
    {"g/s2", "g/s^2"},  {"-", ""},         {"Nm/s", "N m/s"},   {"Bar", "bar"},    {"PSI", "psi"}};

}  // namespace

std::string Names::add(const std::string& name) {
  std::string made;
  for (const char c : name) {
    if (made.empty() && (is_digit(c) || c == '.')) made += '_';
    made += is_ascii_letter(c) || is_digit(c) || c == '.' || c == '_' ? c : '_';
  }
  if (made.empty()) made = "_";
  while (!used_.insert(made).second) made += "_";
  return made;
}

std::string rig_unit(const std::string& unit) {
  const std::string text = without_blanks(unit);
  for (const auto& [from, to] : kOther)
    if (text == from) return std::string(to);
  // symbol [^] digit, separated by '/' or a blank or '*'
  std::string made;
  std::size_t i = 0;
  const auto symbol = [&] {
    const std::size_t first = i;
    while (i < text.size() && is_symbol(text[i])) made += text[i++];
    if (i == first) return false;
    if (i < text.size() && text[i] == '^') ++i;
    if (i < text.size() && is_digit(text[i])) {
      if (text[i] < '1' || (i + 1 < text.size() && is_digit(text[i + 1]))) return false;
      if (text[i] != '1') (made += '^') += text[i];
      ++i;
    } else if (text[i == 0 ? 0 : i - 1] == '^') {
      return false;
    }
    return true;
  };
  if (text.starts_with("1/")) made = "1/", i = 2;
  while (symbol()) {
    if (i == text.size()) return made.size() <= 40 ? made : "";
    const char c = text[i];
    if (c != '/' && c != '*' && c != ' ') return "";
    made += c;
    ++i;
  }
  return "";
}

}  // namespace tactus::drivers::can
