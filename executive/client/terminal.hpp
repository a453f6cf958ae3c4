// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::client {

/// Escape sequences of our colours: none, good, warning, bad. No other ones of a text reach a terminal.
inline constexpr std::string_view kInks[] = {"\033[0m", "\033[32m", "\033[33m", "\033[31m"};

/// The terminal of a command that draws in place, and the signals that end it. Whatever ends the command, the
/// cursor is back.
///
/// Threads  one object at a time, on the process's first thread.
class Terminal {
 public:
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  /// stdout is one, and understands more than plain text.
  bool drawable() const { return drawable_; }
  static std::size_t columns();  ///< 50 at least; of a pipe as COLUMNS says, else 80
  std::size_t rows() const;
  /// Draws the lines over those of the last time; what does not fit the terminal is left out.
  void draw(const std::vector<std::string>& lines);
  /// SIGINT, SIGTERM or SIGHUP came. Also: stdout is gone.
  static bool stop_asked_for();
  /// Returns true if its characters can be braille: the locale is UTF-8.
  static bool speaks_utf8();

 private:
  bool drawable_;
  std::size_t drawn_ = 0;
};

}  // namespace tactus::client
