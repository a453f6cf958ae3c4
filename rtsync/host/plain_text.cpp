// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/plain_text.hpp"

#include <algorithm>
#include <clocale>
#include <cstddef>
#include <iterator>

#include "rtsync/text.hpp"

namespace tactus::rtsync {
namespace {

/// C0, DEL and C1 (U+0080 .. U+009F), which terminals obey, and what changes the direction or the line of a text.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x20U || first == 0x7FU) return true;
  if (first == 0xC2U) return static_cast<unsigned char>(character[1]) < 0xA0U;
  constexpr std::string_view kMarks[] = {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029",
                                         "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                                         "\u2066", "\u2067", "\u2068", "\u2069"};
  return std::ranges::find(kMarks, character) != std::end(kMarks);
}

/// The calling thread has the locale "C" as long as this lives, whatever setlocale() chose for the process.
class PlainLocale {
 public:
  PlainLocale() : before_(::uselocale(plain())) {}
  ~PlainLocale() { (void)::uselocale(before_); }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  static locale_t plain() {
    static const locale_t made = ::newlocale(LC_ALL_MASK, "C", nullptr);  // lives as long as the process
    return made;
  }
  const locale_t before_;
};

void append_hex(std::string& text, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  text += {'\\', 'x', kHex[code >> 4U], kHex[code & 15U]};
}

}  // namespace

std::size_t character_length(std::string_view text) {
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

std::string plain_line(std::string_view text) {
  std::string result;
  while (true) {
    const auto plain = std::ranges::find_if(text, [](char c) { return c < 0x20 || c > 0x7E; });
    result.append(text.begin(), plain);
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) return result;
    const std::size_t length = character_length(text);
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
    result += plain_line(text.substr(begin, at - begin));
    result += text.substr(at, length);
    begin = at + length;
    at = begin - 1;
  }
  return result + plain_line(text.substr(begin));
}

std::string formatted(const char* format, va_list arguments) {
  const PlainLocale locale;
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(static_cast<std::size_t>(std::max(length, 0)) + 1, '\0');
  (void)std::vsnprintf(text.data(), text.size(), format, arguments);
  text.pop_back();
  return text;
}

std::string format_text(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = formatted(format, arguments);
  va_end(arguments);
  return text;
}

bool print_plain(std::FILE* file, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted(format, arguments);
  va_end(arguments);
  return std::fputs(plain_lines(text).c_str(), file) >= 0;
}

}  // namespace tactus::rtsync
