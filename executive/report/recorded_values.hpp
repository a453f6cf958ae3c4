// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executive/driver/record_sink.hpp"
#include "executive/report/recorded_table.hpp"

namespace tactus::report {

/// A recording of any format as numbers, record by record.
///
/// Threads  one.
class RecordedValues {
 public:
  RecordedValues() = default;
  RecordedValues(const RecordedValues&) = delete;
  RecordedValues& operator=(const RecordedValues&) = delete;
  virtual ~RecordedValues() = default;

  /// Without the time.
  virtual const std::vector<RecordedColumn>& columns() const = 0;
  /// The next whole record. False: there is none, or none that can be read.
  virtual bool next() = 0;
  virtual std::int64_t time_ns() const = 0;
  /// Of the record just read, by its place in columns(). Nothing: it is no number.
  virtual std::optional<double> value(std::size_t column) const = 0;
  /// What is wrong with the file, each in a sentence; known at the end.
  virtual std::vector<std::string> remarks() const = 0;
};

/// A CSV file, of which rows that are damaged are left out. nullptr: it is no recording. Throws
/// std::runtime_error with path and reason. @when service
std::unique_ptr<RecordedValues> read_csv_values(const std::filesystem::path& file);

/// A file of any format, as far as its driver reads it; the driver must outlive it. Throws std::runtime_error
/// with path and reason. @when service
std::unique_ptr<RecordedValues> read_values(const executive::RecordDriver& driver,
                                            const std::filesystem::path& file);

}  // namespace tactus::report
