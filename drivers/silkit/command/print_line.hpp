// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

namespace tactus::silkit::command {

/// "Address already in use".
std::string error_text(int error);
/// Puts a line out at once. Returns what errno says when stdout cannot be written, else 0.
int print_line(const std::string& line);
/// Reads from a pipe until its end, and closes it. Calls `said` for each line; returns what came after the last one.
std::string read_lines(int from, const std::function<void(const std::string&)>& said);

}  // namespace tactus::silkit::command
