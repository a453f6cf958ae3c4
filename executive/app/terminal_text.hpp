// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace tactus::app {

/// Meaning of a colour; words beside it have the same meaning.
enum class Ink { plain, good, warning, bad };

/// "auto": where stdout or stderr is a terminal that has colours and NO_COLOR is not set; "always"; "never".
/// @when setup
void choose_color(std::string_view word);

/// Returns true if text on this file is coloured.
bool is_colored(std::FILE* file);
/// The text in its colour, or as it is.
std::string painted(Ink ink, const std::string& text, std::FILE* file = stdout);

/// Columns of the terminal that this file is; 0: it is none, and nothing is wrapped.
std::size_t columns_of(std::FILE* file);

/// Each line of the text, broken at blanks where it is wider than `columns`; what is broken off stands two columns
/// further to the right than its line began. Escapes of colours have no width. 0 columns: as it is.
std::string wrapped_lines(std::string_view text, std::size_t columns);

/// Prints as std::printf does, wrapped to the terminal. Control characters and marks of direction are
/// escaped, whatever their origin; line ends, tabs and our own colours are not. @when service
[[gnu::format(printf, 1, 2)]] void print(const char* format, ...);
/// The same on stderr. @when service
[[gnu::format(printf, 1, 2)]] void print_error(const char* format, ...);
/// Prints as print() does, not wrapped: tables. @when service
[[gnu::format(printf, 1, 2)]] void put(const char* format, ...);
/// Prints the whole text as put() does, and returns 0: the status of a command that is done with that. @when service
int put_whole(const std::string& text);
/// Prints the whole text as print() does, on any file.
void print_to(std::FILE* file, const std::string& text);

}  // namespace tactus::app
