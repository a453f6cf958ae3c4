// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executive/report/line_reader.hpp"

namespace tactus::report {

/// A column of a recording: "motor.speed {rad/s}".
struct RecordedColumn {
  std::string name;
  std::string unit;  ///< empty: a pure number
};

/// A recording in CSV with Trick's header, row by row. A row that is not whole, as a kill or a damaged disk
/// leaves it, is skipped and counted.
///
/// Threads  one.
class RecordedTable {
 public:
  /// Reads the header. When it is not one, `is_recording` is false and there are no rows.
  explicit RecordedTable(LineReader lines);

  bool is_recording() const { return !columns_.empty(); }
  /// Without the time, which is the first of a row.
  const std::vector<RecordedColumn>& columns() const { return columns_; }
  /// The place of a column in columns(), or nothing.
  std::optional<std::size_t> find(std::string_view name) const;

  /// The next whole row: its time, and its cells in the order of columns(). False: there is none.
  bool next();
  std::int64_t time_ns() const { return time_ns_; }
  std::string_view cell(std::size_t column) const { return cells_[column + 1]; }
  /// The row just given turns out to be damaged.
  void discard() {
    ++damaged_;
    --rows_;
  }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t damaged() const { return damaged_ + lines_.too_long(); }
  std::uint64_t torn_bytes() const { return lines_.torn_bytes(); }
  const std::string& problem() const { return lines_.problem(); }

 private:
  LineReader lines_;
  char separator_ = ',';
  std::vector<RecordedColumn> columns_;
  std::vector<std::string_view> cells_;
  std::int64_t time_ns_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t damaged_ = 0;
};

/// "12.5" seconds in nanoseconds, exactly; nothing: it is no time from -9e8 s to 9e8 s.
std::optional<std::int64_t> seconds_cell(std::string_view text);
/// A whole number; one with a fraction or an exponent loses the fraction. Nothing: no finite number, or one
/// beyond 9e17.
std::optional<std::int64_t> integer_cell(std::string_view text);
/// Any number, "nan" and "inf" too. Nothing: it is none.
std::optional<double> real_cell(std::string_view text);

}  // namespace tactus::report
