// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::drivers::can {

/// Cuts the text of a DBC file into words, numbers, strings and marks, and counts its lines.
///
/// Threads  one. All views are parts of the text that it was made of.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Skips blanks, line ends and comments. Returns false at the end of the text.
  bool skip_blanks();
  /// Skips blanks on this line. Returns false at its end.
  bool skip_blanks_of_line();
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  /// Returns true at the first character of a line.
  bool at_front() const { return at_ == 0 || text_[at_ - 1] == '\n'; }
  std::uint32_t line() const { return line_; }
  std::size_t position() const { return at_; }
  void go_to(std::size_t position, std::uint32_t line) { at_ = position, line_ = line; }

  /// Letters, digits, '_' and bytes above ASCII; empty: something else comes.
  std::string_view word();
  /// All up to a blank or one of `ends`.
  std::string_view name(std::string_view ends);
  /// Takes the mark if it comes next, after blanks.
  bool take(char mark);
  /// A number as C writes it; nullopt: something else comes.
  std::optional<double> number();
  /// A whole number without a sign below 2^64.
  std::optional<std::uint64_t> whole();
  /// A string; may run over lines. Its text is what stands between its quotes, escapes as they are.
  struct Quoted {
    std::string_view text;
    bool ended = true;  ///< false: no quote ends it; it is taken to end with its line
  };
  std::optional<Quoted> string();
  void skip_line();
  /// Skips to behind the next ';' that is not in a string. Stops before a line that begins with one of the words that
  /// `is_keyword` knows. Returns false if it found no ';'.
  bool skip_statement(bool (*is_keyword)(std::string_view));
  /// Returns what comes next, for messages: at most 20 characters of this line.
  std::string coming() const;

 private:
  void step();

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

bool is_word(char c);
/// The text of a string in UTF-8: as it is, or from Windows' code page 1252 if it is not UTF-8. Escaped quotes are resolved.
/// `converted` becomes true in the latter case.
std::string readable(std::string_view text, bool& converted);
inline std::string readable(std::string_view text) {
  bool converted = false;
  return readable(text, converted);
}

}  // namespace tactus::drivers::can
