// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Characters that look like those of a number and are others: they come from word processors and web pages.
///
/// Threads  pure functions.
#include <string>
#include <string_view>

namespace tactus::config {

/// Names the first such character: " holds a no-break space (U+00A0); write a plain space". Empty: there is none.
std::string lookalike_problem(std::string_view text);

/// The same text with each of them shown by its code: `5\u00a0ms`.
std::string show_lookalikes(std::string_view text);

/// The same of a text that begins with a number, and of a comma in that: " has a decimal comma; the decimal sign is a
/// point: '1.5 ms'".
std::string number_problem(std::string_view text);

}  // namespace tactus::config
