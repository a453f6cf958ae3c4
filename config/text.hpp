// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Words for messages: how a value is shown, and which word was meant.
///
/// Threads  pure functions.
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/host/plain_text.hpp"
#include "rtsync/text.hpp"

namespace tactus::config {

/// 'text' in quotes, on one line, control characters and lookalikes (lookalike.hpp) escaped, cut after 60 characters.
std::string show(std::string_view text);

/// Returns the text on one line, as valid UTF-8: control characters, marks that change the direction of a text, and
/// bytes that are not UTF-8 are escaped (\n, \x1b).
inline std::string one_line(std::string_view text) { return rtsync::plain_line(text); }

/// Returns the text as one_line() does, but with its line ends and tabs: all that goes to a terminal passes here. `kept`:
/// escape sequences of our own, for colours.
using rtsync::plain_lines;

/// 'a', 'b', 'c'
std::string show_all(const std::vector<std::string>& words);

/// The letters that were left out, added, replaced or swapped between two words.
std::size_t edits(std::string_view a, std::string_view b);

/// The word of `known` that `word` is most likely a typing error of, or "" when none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean 'priority'?", or "" when no known word is close: the end of a complaint about a word. All that is
/// ever proposed comes from here. `known` are names that exist, as they would be written: nothing put together.
std::string meant(std::string_view word, const std::vector<std::string>& known);

/// "did you mean 'priority'?", or "known are 'a', 'b', 'c'" when nothing is close, or "none is known".
std::string hint(std::string_view word, const std::vector<std::string>& known);

/// Removes blanks and tabs at both ends.
inline std::string_view trimmed(std::string_view text) { return rtsync::trimmed(text, " \t"); }

/// 0 to 9, whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns true if the text is a name: letters, digits, _ and -, 1 to 64 of them.
bool is_name(std::string_view text);

}  // namespace tactus::config
