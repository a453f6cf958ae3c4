// SPDX-License-Identifier: Apache-2.0
#include "executive/report/recorded_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace tactus::report {
namespace {

constexpr std::string_view kTimeColumn = "sys.exec.out.time {s}";
constexpr std::size_t kMostColumns = 100'000;
constexpr std::int64_t kLargest = 900'000'000'000'000'000;

RecordedColumn column_of(std::string_view text) {
  const std::size_t brace = text.rfind(" {");
  if (brace == std::string_view::npos || !text.ends_with('}')) return {std::string(text), ""};
  const std::string_view unit = text.substr(brace + 2, text.size() - brace - 3);
  return {std::string(text.substr(0, brace)), unit == "--" || unit == "1" ? "" : std::string(unit)};
}

}  // namespace

RecordedTable::RecordedTable(LineReader lines) : lines_(std::move(lines)) {
  std::string_view header;
  if (!lines_.next(header) || !header.starts_with(kTimeColumn) || header.size() == kTimeColumn.size()) return;
  separator_ = header[kTimeColumn.size()];
  if (separator_ != ',' && separator_ != ';' && separator_ != '\t') return;
  split_cells(header, separator_, cells_);
  if (cells_.size() > kMostColumns) return;
  for (std::size_t i = 1; i < cells_.size(); ++i) columns_.push_back(column_of(cells_[i]));
}

std::optional<std::size_t> RecordedTable::find(std::string_view name) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [name](const RecordedColumn& column) { return column.name == name; });
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

bool RecordedTable::next() {
  if (!is_recording()) return false;
  for (std::string_view line; lines_.next(line);) {
    split_cells(line, separator_, cells_);
    const auto time = cells_.size() == columns_.size() + 1 ? seconds_cell(cells_[0]) : std::nullopt;
    if (!time) {
      ++damaged_;
      continue;
    }
    time_ns_ = *time;
    ++rows_;
    return true;
  }
  return false;
}

std::optional<std::int64_t> seconds_cell(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || seconds < 0 || seconds > 900'000'000) return std::nullopt;
  std::int64_t fraction = 0;
  const char* at = end;
  const char* const last = text.data() + text.size();
  if (at != last) {
    if (*at++ != '.' || at == last || last - at > 9) return std::nullopt;
    std::int64_t scale = 100'000'000;
    for (; at != last; ++at, scale /= 10) {
      if (*at < '0' || *at > '9') return std::nullopt;
      fraction += (*at - '0') * scale;
    }
  }
  const std::int64_t time = seconds * 1'000'000'000 + fraction;
  return negative ? -time : time;
}

std::optional<std::int64_t> integer_cell(std::string_view text) {
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc() && end == last)
    return value > kLargest || value < -kLargest ? std::nullopt : std::optional(value);
  const std::optional<double> real = real_cell(text);
  if (!real || !(std::abs(*real) < static_cast<double>(kLargest))) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

std::optional<double> real_cell(std::string_view text) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace tactus::report
