// SPDX-License-Identifier: Apache-2.0
#include "config/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>

namespace tactus::config {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// How many bytes the UTF-8 character at the beginning has (RFC 3629); 0 when there is none.
std::size_t character_at(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80U) return 1;
  const std::size_t length = first < 0xC2U   ? 0
                             : first < 0xE0U ? 2
                             : first < 0xF0U ? 3
                             : first < 0xF5U ? 4
                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i])) return 0;
  const bool too_long = (first == 0xE0U && at(1) < 0xA0U) || (first == 0xF0U && at(1) < 0x90U);
  const bool surrogate = first == 0xEDU && at(1) > 0x9FU;
  const bool beyond_unicode = first == 0xF4U && at(1) > 0x8FU;
  return too_long || surrogate || beyond_unicode ? 0 : length;
}

/// C0, DEL and C1 (U+0080 .. U+009F), which terminals obey, and what changes the direction or the line of a text.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x20U || first == 0x7FU) return true;
  if (first == 0xC2U) return static_cast<unsigned char>(character[1]) < 0xA0U;
  constexpr std::string_view kMarks[] = {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029",
                                         "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                                         "\u2066", "\u2067", "\u2068", "\u2069"};
  return std::find(std::begin(kMarks), std::end(kMarks), character) != std::end(kMarks);
}

void append_hex(std::string& text, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  text += {'\\', 'x', kHex[code >> 4U], kHex[code & 15U]};
}

/// Insertions, deletions, replacements and swaps of neighbours (the commonest slip of a hand).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last.back();
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_at(text);
    if (text.front() == '\n') {
      result += "\\n";
    } else if (text.front() == '\t') {
      result += "\\t";
    } else if (length == 0 || is_control(text.substr(0, length))) {
      for (const char c : text.substr(0, std::max<std::size_t>(length, 1))) append_hex(result, c);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string plain_lines(std::string_view text, std::span<const std::string_view> kept) {
  std::string result;
  std::size_t begin = 0;  // of what is not in the result yet
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t length = text[at] == '\n' || text[at] == '\t' ? 1 : 0;
    if (text[at] == '\033')
      for (const std::string_view each : kept)
        if (text.substr(at).starts_with(each)) length = each.size();
    if (length == 0) continue;
    result += one_line(text.substr(begin, at - begin));
    result += text.substr(at, length);
    begin = at + length;
    at = begin - 1;
  }
  return result + one_line(text.substr(begin));
}

std::string show(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!is_continuation(text[i]) && ++shown > kMost)
      return std::string{"'"}.append(one_line(text.substr(0, i))).append("...'");
  return std::string{"'"}.append(one_line(text)).append("'");
}

std::string show_all(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == kMost) return result + ", ...";
    result += (i == 0 ? "" : ", ") + show(words[i]);
  }
  return result;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kLongestName) return {};
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t count = edits(word, candidate);
    if (count >= fewest || count >= candidate.size()) continue;
    fewest = count;
    best = candidate;
  }
  return best;
}

std::string meant(std::string_view word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : "; did you mean '" + one_line(best) + "'?";
}

std::string hint(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return "none is known";
  if (const std::string best = meant(word, known); !best.empty()) return best.substr(2);
  return "known are " + show_all(known);
}

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), allowed);
}

}  // namespace tactus::config
