// SPDX-License-Identifier: Apache-2.0
#include "config/lookalike.hpp"

#include <cstddef>
#include <cstdint>

#include "config/text.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::config {
namespace {

/// Characters from `first` to `last`, their name, and what stands for them.
struct Lookalike {
  std::uint32_t first;
  std::uint32_t last;
  const char* name;
  const char* instead;
};

constexpr const char* kWriteSpace = "write a plain space";
constexpr const char* kWriteQuote = "write a plain ' or \", or none";
constexpr const char* kWriteNothing = "remove it";
constexpr const char* kWriteMinus = "write a plain -";
constexpr const char* kWriteDigit = "write 0 to 9";
constexpr const char* kWritePoint = "write a plain point";
constexpr const char* kWriteLetter = "write a plain letter";

constexpr Lookalike kLookalikes[] = {
    {0xA0, 0xA0, "a no-break space", kWriteSpace},
    {0xAB, 0xAB, "a typographic quote", kWriteQuote},
    {0xAD, 0xAD, "a soft hyphen", kWriteNothing},
    {0xB4, 0xB4, "an acute accent", kWriteQuote},
    {0xBB, 0xBB, "a typographic quote", kWriteQuote},
    {0x2BC, 0x2BC, "a typographic quote", kWriteQuote},
    {0x60C, 0x60C, "a comma of another script", kWritePoint},
    {0x61C, 0x61C, "a mark of direction", kWriteNothing},
    {0x660, 0x669, "a digit of another script", kWriteDigit},
    {0x66A, 0x66A, "a percent sign of another script", "write a plain %"},
    {0x66B, 0x66B, "a decimal sign of another script", kWritePoint},
    {0x66C, 0x66C, "a sign of thousands of another script", kWriteNothing},
    {0x6F0, 0x6F9, "a digit of another script", kWriteDigit},
    {0x966, 0x96F, "a digit of another script", kWriteDigit},
    {0x9E6, 0x9EF, "a digit of another script", kWriteDigit},
    {0x1680, 0x1680, "a wide space", kWriteSpace},
    {0x2000, 0x200A, "a space of another width", kWriteSpace},
    {0x200B, 0x200D, "a space without width", kWriteNothing},
    {0x200E, 0x200F, "a mark of direction", kWriteNothing},
    {0x2010, 0x2015, "a dash", kWriteMinus},
    {0x2018, 0x201F, "a typographic quote", kWriteQuote},
    {0x2028, 0x2029, "a break of lines", kWriteNothing},
    {0x202A, 0x202E, "a mark of direction", kWriteNothing},
    {0x202F, 0x202F, "a narrow no-break space", kWriteSpace},
    {0x2032, 0x2037, "a prime", kWriteQuote},
    {0x2039, 0x203A, "a typographic quote", kWriteQuote},
    {0x2044, 0x2044, "a fraction slash", "write a plain /"},
    {0x205F, 0x205F, "a space of another width", kWriteSpace},
    {0x2060, 0x2064, "a space without width", kWriteNothing},
    {0x2066, 0x2069, "a mark of direction", kWriteNothing},
    {0x207B, 0x207B, "a raised minus", kWriteMinus},
    {0x2212, 0x2212, "a minus sign of mathematics", kWriteMinus},
    {0x2215, 0x2215, "a division slash", "write a plain /"},
    {0x2796, 0x2796, "a heavy minus sign", kWriteMinus},
    {0x3000, 0x3000, "a wide space", kWriteSpace},
    {0xFE63, 0xFE63, "a small minus", kWriteMinus},
    {0xFEFF, 0xFEFF, "a space without width", kWriteNothing},
    {0xFF05, 0xFF05, "a full-width percent sign", "write a plain %"},
    {0xFF0B, 0xFF0B, "a full-width plus", "write a plain +"},
    {0xFF0C, 0xFF0C, "a full-width comma", kWritePoint},
    {0xFF0D, 0xFF0D, "a full-width minus", kWriteMinus},
    {0xFF0E, 0xFF0E, "a full-width point", kWritePoint},
    {0xFF0F, 0xFF0F, "a full-width slash", "write a plain /"},
    {0xFF10, 0xFF19, "a full-width digit", kWriteDigit},
    {0xFF1A, 0xFF1A, "a full-width colon", "write a plain :"},
    {0xFF21, 0xFF3A, "a full-width letter", kWriteLetter},
    {0xFF41, 0xFF5A, "a full-width letter", kWriteLetter},
};

struct CodePoint {
  std::uint32_t code = 0;
  std::size_t length = 1;
};

/// The character that the text begins with. The text is UTF-8; of other bytes each is a character.
CodePoint code_point_at(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0xC0U ? 1 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
  if (length == 1 || text.size() < length) return {first < 0x80U ? first : 0, 1};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6U | (byte(i) & 0x3FU);
  return {code, length};
}

const Lookalike* lookalike_of(std::uint32_t code) {
  if (code < 0x80U) return nullptr;
  for (const Lookalike& each : kLookalikes)
    if (code >= each.first && code <= each.last) return &each;
  return nullptr;
}

/// Number of digits in `text` from `at` on.
std::size_t digits_at(std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - begin;
}

/// Appends the digits in groups at `at` to `plain`, and moves behind them. Returns true if they are in groups.
bool take_groups(std::string_view text, std::size_t& at, std::string& plain) {
  const std::size_t first = digits_at(text, at);
  plain += text.substr(at, first);
  at += first;
  bool groups = false;
  while (at < text.size() && std::string_view("'_` ").find(text[at]) != std::string_view::npos) {
    const std::size_t digits = digits_at(text, at + 1);
    const std::size_t end = at + 1 + digits;
    const auto is_at = [&](char sign) { return end < text.size() && text[end] == sign; };
    // "5 1/min" and "5 100/s" are a number and its unit; "60 000/1001" is a fraction.
    const bool unit = digits != 3 || is_at('^') || (is_at('/') && digits_at(text, end + 1) == 0);
    if (digits == 0 || (text[at] == ' ' && unit)) break;
    plain += text.substr(at + 1, digits);
    groups = true;
    at = end;
  }
  return groups;
}

/// Explains digits in groups, as in 1'000 us or 1 000 us; empty: there are none.
std::string groups_problem(std::string_view text) {
  text = trimmed(text);
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  if (digits_at(text, at) == 0) return {};
  std::string plain(text.substr(0, at));
  bool groups = take_groups(text, at, plain);
  const bool fraction = at < text.size() && text[at] == '/' && digits_at(text, at + 1) != 0;
  if (fraction) {
    plain += text[at++];
    groups = take_groups(text, at, plain) || groups;
  }
  if (!groups) return {};
  const bool comma = at < text.size() && text[at] == ',' && digits_at(text, at + 1) != 0;
  plain.append(comma ? "." : "").append(text.substr(at + (comma ? 1 : 0)));
  return " has its digits in groups; write " + show(plain);
}

/// Explains a point at half height where the decimal point is; empty: there is none. In a unit it is right: N·m.
std::string half_height_problem(std::string_view text) {
  constexpr std::string_view kPoint = "\u00b7";
  text = trimmed(text);
  const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::size_t digits = digits_at(text, sign), at = sign + digits;
  const bool there = digits != 0 && text.substr(at).starts_with(kPoint);
  if (!there || digits_at(text, at + kPoint.size()) == 0) return {};
  std::string with_point(text);
  with_point.replace(at, kPoint.size(), ".");
  return " has a point at half height (U+00B7) as its decimal sign; write a plain point: " + show(with_point);
}

/// Explains a comma where the decimal point is; empty: there is none.
std::string comma_problem(std::string_view text) {
  text = trimmed(text);
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::size_t digits = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == digits || digits_at(text, at + 1) == 0) return {};
  if (text[at] == '.') {
    const std::size_t after = at + 1 + digits_at(text, at + 1);
    if (after < text.size() && (text[after] == ',' || text[after] == '.') && digits_at(text, after + 1) != 0)
      return " has several decimal signs; write its digits without groups, and one point as the decimal sign";
  }
  if (text[at] != ',') return {};
  std::string with_point(text);
  with_point[at] = '.';
  std::size_t end = at + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end < text.size() && (text[end] == ',' || text[end] == '.'))
    return " has commas in a number; write its digits without them, and a point as the decimal sign";
  std::string plain(text);
  plain.erase(at, 1);
  // "0,001" and "1234,567" have no groups of three digits.
  const bool group = end - at == 4 && at - digits <= 3 && text[digits] != '0';
  return " has a decimal comma; the decimal sign is a point: " + show(with_point) +
         (group ? ", or, if thousands are meant, " + show(plain) : "");
}

}  // namespace

std::string lookalike_problem(std::string_view text) {
  while (!text.empty()) {
    const CodePoint character = code_point_at(text);
    if (const Lookalike* const found = lookalike_of(character.code); found != nullptr)
      return std::string(" holds ") + found->name + " (" + rtsync::format_text("U+%04X", character.code) +
             "); " + found->instead;
    text.remove_prefix(character.length);
  }
  return {};
}

std::string show_lookalikes(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint character = code_point_at(text);
    if (lookalike_of(character.code) != nullptr)
      result += rtsync::format_text("\\u%04x", character.code);
    else
      result += text.substr(0, character.length);
    text.remove_prefix(character.length);
  }
  return result;
}

std::string number_problem(std::string_view text) {
  std::string problem = lookalike_problem(text);
  if (problem.empty()) problem = half_height_problem(text);
  if (problem.empty()) problem = groups_problem(text);
  return problem.empty() ? comma_problem(text) : problem;
}

}  // namespace tactus::config
