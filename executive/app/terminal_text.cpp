// SPDX-License-Identifier: Apache-2.0
#include "executive/app/terminal_text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <span>

#include "config/text.hpp"
#include "executive/client/terminal.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/text.hpp"

namespace tactus::app {
namespace {

enum class ColorChoice { automatic, always, never };
std::atomic<ColorChoice> g_color{ColorChoice::automatic};  // written at setup

using client::kInks;  // in the order of Ink

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets one
  return value == nullptr ? std::string_view() : value;
}

/// Columns that a line takes: escapes have none, and a character of several bytes one.
std::size_t columns_taken(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size() - 1);
    } else if (!rtsync::is_continuation(text[i])) {
      ++columns;
    }
  }
  return columns;
}

std::string wrapped_line(std::string_view line, std::size_t columns) {
  if (columns_taken(line) <= columns) return std::string(line);
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::string indent(std::min(begin + 2, columns / 2), ' ');
  std::string text(line.substr(0, begin));
  std::size_t taken = begin;
  bool first = true;
  for (std::size_t at = begin; at < line.size();) {
    const std::size_t blank = std::min(line.find(' ', at), line.size());
    const std::size_t next = std::min(line.find_first_not_of(' ', blank), line.size());
    const std::string_view word = line.substr(at, blank - at);
    const std::size_t width = columns_taken(word);
    if (!first && taken + width > columns) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n" + indent;
      taken = indent.size();
    }
    text += word;
    text += line.substr(blank, next - blank);
    taken += width + (next - blank);
    first = false;
    at = next;
  }
  return text;
}

/// The one way of text to a terminal: of what a model, a file or a server puts in, nothing is obeyed there.
std::string safe_text(std::FILE* file, const std::string& text) {
  return config::plain_lines(text, is_colored(file) ? std::span(kInks) : std::span<const std::string_view>());
}

}  // namespace

void choose_color(std::string_view word) {
  g_color = word == "always"  ? ColorChoice::always
            : word == "never" ? ColorChoice::never
                              : ColorChoice::automatic;
}

bool is_colored(std::FILE* file) {
  if (const ColorChoice chosen = g_color; chosen != ColorChoice::automatic)
    return chosen == ColorChoice::always;
  const std::string_view terminal = environment("TERM");
  return environment("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb" &&
         ::isatty(::fileno(file)) == 1;
}

std::string painted(Ink ink, const std::string& text, std::FILE* file) {
  if (ink == Ink::plain || text.empty() || !is_colored(file)) return text;
  return std::string(kInks[static_cast<std::size_t>(ink)]) + text + std::string(kInks[0]);
}

std::size_t columns_of(std::FILE* file) {
  winsize size{};
  if (::isatty(::fileno(file)) != 1) return 0;
  return ::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string wrapped_lines(std::string_view text, std::size_t columns) {
  if (columns == 0) return std::string(text);
  std::string wrapped;
  for (const std::string_view line : rtsync::parts_of(text, '\n'))
    wrapped += wrapped_line(line, columns) + '\n';
  wrapped.pop_back();
  return wrapped;
}

void print_to(std::FILE* file, const std::string& text) {
  std::fputs(wrapped_lines(safe_text(file, text), columns_of(file)).c_str(), file);
}

void put(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fputs(safe_text(stdout, rtsync::formatted(format, arguments)).c_str(), stdout);
  va_end(arguments);
}

int put_whole(const std::string& text) {
  put("%s", text.c_str());
  return 0;
}

void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_to(stdout, rtsync::formatted(format, arguments));
  va_end(arguments);
}

void print_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_to(stderr, rtsync::formatted(format, arguments));
  va_end(arguments);
}

}  // namespace tactus::app
