// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/description/attributes.hpp"

#include <algorithm>
#include <utility>

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {

namespace {
constexpr std::size_t kMostFindings = 100;
}

Findings::Findings(std::string_view text, std::vector<Finding>& to) : lines_{0}, to_(to) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines_.push_back(static_cast<std::ptrdiff_t>(i) + 1);
}

void Findings::add(std::ptrdiff_t offset, std::string where, std::string text, bool error) {
  if (to_.size() == kMostFindings)
    to_.push_back({0, 0, "", "more than 100 mistakes; the others are not listed", error});
  if (to_.size() > kMostFindings) {
    to_.back().error = to_.back().error || error;
    return;
  }
  const int line =
      offset < 0 ? 0 : static_cast<int>(std::ranges::upper_bound(lines_, offset) - lines_.begin());
  const int column =
      line == 0 ? 0 : static_cast<int>(offset - lines_[static_cast<std::size_t>(line) - 1]) + 1;
  to_.push_back({line, column, std::move(where), std::move(text), error});
}

std::string Attributes::required(const char* key) const {
  if (!has(key)) error(std::string("has no attribute ") + key);
  return text(key);
}

bool Attributes::flag(const char* key) const {
  if (!has(key)) return false;
  const std::string given = text(key);
  if (given == "true" || given == "1") return true;
  if (given != "false" && given != "0")
    error(std::string(key) + " is " + in_quotes(given) + "; true and false are possible");
  return false;
}

std::string Attributes::no_number(const char* key, bool whole) const {
  return std::string(key) + " is " + in_quotes(text(key)) + ", which is not " +
         (whole ? "a whole number that fits" : "a number");
}

std::string Attributes::no_word(const char* key, const std::string& given,
                                const std::vector<std::string>& all) {
  return std::string(key) + " is " + in_quotes(given) + "; " + listed(all) + " are possible" +
         nearest(given, all);
}

}  // namespace tactus::drivers::fmi
