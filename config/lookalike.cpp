// SPDX-License-Identifier: Apache-2.0
#include "config/lookalike.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "config/text.hpp"

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

constexpr Lookalike kLookalikes[] = {
    {0xA0, 0xA0, "a no-break space", kWriteSpace},
    {0xAB, 0xAB, "a typographic quote", kWriteQuote},
    {0xAD, 0xAD, "a soft hyphen", kWriteNothing},
    {0xBB, 0xBB, "a typographic quote", kWriteQuote},
    {0x1680, 0x1680, "a wide space", kWriteSpace},
    {0x2000, 0x200A, "a space of another width", kWriteSpace},
    {0x200B, 0x200D, "a space without width", kWriteNothing},
    {0x2010, 0x2015, "a dash", kWriteMinus},
    {0x2018, 0x201F, "a typographic quote", kWriteQuote},
    {0x202F, 0x202F, "a narrow no-break space", kWriteSpace},
    {0x2032, 0x2037, "a prime", kWriteQuote},
    {0x2039, 0x203A, "a typographic quote", kWriteQuote},
    {0x2044, 0x2044, "a fraction slash", "write a plain /"},
    {0x205F, 0x205F, "a space of another width", kWriteSpace},
    {0x2060, 0x2060, "a space without width", kWriteNothing},
    {0x2212, 0x2212, "a minus sign of mathematics", kWriteMinus},
    {0x2215, 0x2215, "a division slash", "write a plain /"},
    {0x3000, 0x3000, "a wide space", kWriteSpace},
    {0x660, 0x669, "a digit of another script", kWriteDigit},
    {0x66B, 0x66C, "a decimal sign of another script", "write a point"},
    {0xFEFF, 0xFEFF, "a space without width", kWriteNothing},
    {0xFF0C, 0xFF0C, "a full-width comma", "write a point"},
    {0xFF0D, 0xFF0D, "a full-width minus", kWriteMinus},
    {0xFF0E, 0xFF0E, "a full-width point", "write a plain point"},
    {0xFF10, 0xFF19, "a full-width digit", kWriteDigit},
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

std::string code_text(const char* format, std::uint32_t code) {
  char text[16];
  (void)std::snprintf(text, sizeof text, format, static_cast<unsigned>(code));
  return text;
}

/// Explains a comma where the decimal point is; empty: there is none.
std::string comma_problem(std::string_view text) {
  text = trimmed(text);
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::size_t digits = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == digits || at + 1 >= text.size() || text[at] != ',' || !is_digit(text[at + 1])) return {};
  std::string with_point(text);
  with_point[at] = '.';
  std::size_t end = at + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end < text.size() && (text[end] == ',' || text[end] == '.'))
    return " has commas in a number; write its digits without them, and a point as the decimal sign";
  std::string plain(text);
  plain.erase(at, 1);
  return " has a decimal comma; the decimal sign is a point: " + show(with_point) +
         (end - at == 4 ? ", or, if thousands are meant, " + show(plain) : "");
}

}  // namespace

std::string lookalike_problem(std::string_view text) {
  while (!text.empty()) {
    const CodePoint character = code_point_at(text);
    if (const Lookalike* const found = lookalike_of(character.code); found != nullptr)
      return std::string(" holds ") + found->name + " (" + code_text("U+%04X", character.code) + "); " +
             found->instead;
    text.remove_prefix(character.length);
  }
  return {};
}

std::string show_lookalikes(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint character = code_point_at(text);
    if (lookalike_of(character.code) != nullptr)
      result += code_text("\\u%04x", character.code);
    else
      result += text.substr(0, character.length);
    text.remove_prefix(character.length);
  }
  return result;
}

std::string number_problem(std::string_view text) {
  std::string problem = lookalike_problem(text);
  return problem.empty() ? comma_problem(text) : problem;
}

}  // namespace tactus::config
