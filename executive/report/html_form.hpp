// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "executive/report/page.hpp"

namespace tactus::report {

/// The page as one HTML file: no script, nothing loaded from elsewhere; light and dark as the reader's system,
/// and A4 when printed. Text that is no UTF-8 is escaped. @when service
std::string to_html(const Page& page);

/// Text as HTML shows it.
std::string escaped(std::string_view text);

/// The class of a colour in the style.
const char* class_of(Ink ink);
/// The plot as SVG.
std::string to_svg(const Plot& plot);

}  // namespace tactus::report
