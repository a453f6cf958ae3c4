// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Parser of the lines of a client: calls of commands, assignments of values, and nothing else of Python.
///
///     line  = statement { ";" statement } [ "#" anything ]
///     statement = "" | "trick." name "(" [ value { "," value } ] ")" | variable "=" value
///     value = "text" | 'text' | integer | float | True | False
///
/// `a.b[2] = 3` is the call var_set("a.b[2]", 3).
///
/// Texts know the escapes \\ \' \" \a \b \f \n \r \t \v and \xHH. A line that begins with a blank belongs to
/// a Python block and is refused; so is the rest of a line from the first statement on that is none.
///
/// Threads  pure functions.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tactus::drivers::trick {

/// Wide enough for all of int64 and uint64.
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;

  double real() const { return (negative ? -1.0 : 1.0) * static_cast<double>(magnitude); }
  bool operator==(const Integer&) const = default;
};

using Value = std::variant<bool, Integer, double, std::string>;

struct Call {
  std::string name;  ///< name without "trick."
  std::vector<Value> values;
  std::string text;     ///< text as it was written
  std::string problem;  ///< reason why it is not a call; then name and values mean nothing
};

/// The calls of one line (without its end), in order; the last one may be a problem.
std::vector<Call> parse_line(std::string_view line);

}  // namespace tactus::drivers::trick
