// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/text.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <numeric>

namespace tactus::drivers::fmi {
namespace {

/// Number of letters to change, add or leave out to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

Line::Line(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(text_.data(), text_.size(), format, arguments);
  va_end(arguments);
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  for (const char c : text) {
    if (line.size() >= most) return line + "...";
    const bool control = static_cast<unsigned char>(c) < 32 || c == 127;
    if (control && (line.empty() || line.back() == ' ')) continue;
    line += control ? ' ' : c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, 120)) shown += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return shown + (text.size() > 120 ? "...'" : "'");
}

std::string nearest(std::string_view wrong, const std::vector<std::string>& names) {
  std::size_t best = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& name : names) {
    const std::size_t far = wrong.size() > 200 || name.size() > 200 ? best : distance(wrong, name);
    if (far < best) {
      best = far;
      found = &name;
    }
  }
  return found == nullptr ? "" : "; did you mean " + in_quotes(*found) + "?";
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all += (i == 0 ? "" : (i + 1 == names.size() ? " and " : ", ")) + names[i];
  return all;
}

}  // namespace tactus::drivers::fmi
