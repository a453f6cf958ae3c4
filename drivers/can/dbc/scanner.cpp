// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/dbc/scanner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tactus::drivers::can {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes of the UTF-8 sequence at the front; 0: none is there.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  if (size == 3 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F))) return 0;
  if (size == 4 && ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))) return 0;
  return size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = sequence(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

/// Characters of code page 1252 from 0x80 to 0x9F; 0: not used.
constexpr std::array<unsigned, 32> kWindows = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

void append(std::string& text, unsigned point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0U | point >> 6U);
    text += static_cast<char>(0x80U | (point & 0x3FU));
  } else {
    text += static_cast<char>(0xE0U | point >> 12U);
    text += static_cast<char>(0x80U | (point >> 6U & 0x3FU));
    text += static_cast<char>(0x80U | (point & 0x3FU));
  }
}

}  // namespace

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string readable(std::string_view text, bool& converted) {
  const bool windows = !is_utf8(text);
  converted = converted || windows;
  std::string made;
  made.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"') continue;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (!windows || byte < 0x80)
      made += text[i];
    else if (byte >= 0xA0)
      append(made, byte);
    else
      append(made, kWindows[byte - 0x80U] == 0 ? 0xFFFD : kWindows[byte - 0x80U]);
  }
  return made;
}

void Scanner::step() {
  if (text_[at_] == '\n') ++line_;
  ++at_;
}

bool Scanner::skip_blanks() {
  while (!at_end()) {
    if (is_blank(text_[at_])) {
      step();
    } else if (text_.compare(at_, 2, "//") == 0) {
      skip_line();
    } else if (text_.compare(at_, 2, "/*") == 0) {
      const std::size_t end = text_.find("*/", at_ + 2);
      const std::size_t to = end == std::string_view::npos ? text_.size() : end + 2;
      while (at_ < to) step();
    } else {
      return true;
    }
  }
  return false;
}

bool Scanner::skip_blanks_of_line() {
  while (!at_end() && text_[at_] != '\n' && is_blank(text_[at_])) ++at_;
  if (!at_end() && text_.compare(at_, 2, "//") == 0) {
    while (!at_end() && text_[at_] != '\n') ++at_;
  }
  return !at_end() && text_[at_] != '\n';
}

std::string_view Scanner::word() {
  const std::size_t from = at_;
  while (!at_end() && is_word(text_[at_])) ++at_;
  return text_.substr(from, at_ - from);
}

std::string_view Scanner::name(std::string_view ends) {
  const std::size_t from = at_;
  while (!at_end() && !is_blank(text_[at_]) && ends.find(text_[at_]) == std::string_view::npos) ++at_;
  return text_.substr(from, at_ - from);
}

bool Scanner::take(char mark) {
  (void)skip_blanks();
  if (peek() != mark || at_end()) return false;
  step();
  return true;
}

std::optional<double> Scanner::number() {
  (void)skip_blanks();
  std::size_t from = at_;
  if (peek() == '+') ++from;
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data() + from, text_.data() + text_.size(), value);
  if (error == std::errc::invalid_argument) return std::nullopt;
  const std::string_view digits = text_.substr(from, static_cast<std::size_t>(end - text_.data()) - from);
  if (std::ranges::none_of(digits, is_digit)) return std::nullopt;  // inf, nan
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = digits.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && digits.substr(exponent).find('-') == 1;
    value = tiny ? 0 : digits.front() == '-' ? -HUGE_VAL : HUGE_VAL;
  }
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::optional<std::uint64_t> Scanner::whole() {
  (void)skip_blanks();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc{}) return std::nullopt;
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::optional<Scanner::Quoted> Scanner::string() {
  (void)skip_blanks();
  if (peek() != '"') return std::nullopt;
  const std::size_t from = ++at_;
  std::size_t end = text_.find('"', from);
  while (end != std::string_view::npos && end > from && text_[end - 1] == '\\')
    end = text_.find('"', end + 1);
  if (end == std::string_view::npos) {
    const std::size_t stop = std::min(text_.find('\n', from), text_.size());
    at_ = stop;
    return Quoted{text_.substr(from, stop - from), false};
  }
  line_ += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(from),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  at_ = end + 1;
  return Quoted{text_.substr(from, end - from), true};
}

void Scanner::skip_line() {
  while (!at_end() && text_[at_] != '\n') ++at_;
  if (!at_end()) step();
}

bool Scanner::skip_statement(bool (*is_keyword)(std::string_view)) {
  bool first = false;  // a keyword at the front of this line begins another statement
  while (skip_blanks()) {
    const std::uint32_t line = line_;
    if (first && is_word(peek())) {
      const std::size_t from = at_;
      if (is_keyword(word())) {
        at_ = from;
        return false;
      }
    }
    if (peek() == '"')
      (void)string();
    else if (!at_end() && !is_blank(peek())) {
      const char c = peek();
      step();
      if (c == ';') return true;
      if (is_word(c)) (void)word();
    }
    const std::uint32_t before = line_;
    if (!skip_blanks()) return false;
    first = line_ != line || line_ != before;
  }
  return false;
}

std::string Scanner::coming() const {
  if (at_end()) return "the end of the file";
  const std::string_view rest = text_.substr(at_, 20);
  const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
  if (line.empty()) return "the end of the line";
  return "'" + readable(line) + "'";
}

}  // namespace tactus::drivers::can
