// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "executive/report/page.hpp"

namespace tactus::report {

/// The page as text, `width` columns wide (50 at least): tables that do not fit become lists, plots become
/// characters. @when service
std::string to_text(const Page& page, std::size_t width);

/// The text in lines of at most `width` columns, broken at blanks where there are some; each begins with `indent`.
std::string wrapped(std::string_view text, std::size_t width, const std::string& indent = "");

}  // namespace tactus::report
