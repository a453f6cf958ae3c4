// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>

namespace tactus::config {

/// Returns the end of the unit that stands at `at` of an expression, behind a number; `at`: there is none. Symbols with
/// blanks between them belong to it, as nothing else can stand there.                                @when setup
std::size_t unit_end(std::string_view text, std::size_t at);

}  // namespace tactus::config
