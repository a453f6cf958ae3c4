// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The one door of text to a terminal: what a model, a file or a server puts into a text is shown, not obeyed.
///
/// Threads  every function is re-entrant.
/// RT       nothing here. @when setup or service.
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace tactus::rtsync {

/// Returns the number of bytes of the UTF-8 character at the beginning (RFC 3629); 0 if there is none. `text`: not empty.
std::size_t character_length(std::string_view text);
/// Returns the text on one line, as valid UTF-8: control characters, marks that change the direction of a text, and
/// bytes that are not UTF-8 are escaped (\n, \x1b).
std::string plain_line(std::string_view text);
/// Returns the text as plain_line() does, but with its line ends and tabs. `kept`: escape sequences of our own.
std::string plain_lines(std::string_view text, std::span<const std::string_view> kept = {});
/// Returns what std::vprintf would print in the locale "C": a model may have chosen another one for the process.
std::string formatted(const char* format, va_list arguments);
/// The same of its arguments; the one way to a text for floating-point numbers with printf's formats.
[[gnu::format(printf, 1, 2)]] std::string format_text(const char* format, ...);
/// Prints as std::fprintf does, with what plain_lines() makes of it. False: the file took it not.
[[gnu::format(printf, 2, 3)]] bool print_plain(std::FILE* file, const char* format, ...);

}  // namespace tactus::rtsync
