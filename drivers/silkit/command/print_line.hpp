// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tactus::silkit::command {

/// "Address already in use".
std::string error_text(int error);
/// Puts a line out at once. Returns what errno says when stdout cannot be written, else 0.
int print_line(const std::string& line);

}  // namespace tactus::silkit::command
