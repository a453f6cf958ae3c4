// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executive/driver/record_sink.hpp"

namespace tactus::report {

/// Reads a recording of any format as numbers, record by record, in memory that does not grow with it. Records that are
/// damaged are left out, and counted.
///
/// Threads  one.
class RecordedValues {
 public:
  /// The driver must outlive it. Throws std::runtime_error with path and reason: nothing of the file can be read.
  /// @when service
  RecordedValues(const executive::RecordDriver& driver, const std::filesystem::path& file);

  /// Columns without the time.
  const std::vector<executive::RecordColumn>& columns() const { return source_->head().columns; }
  /// The place of a column in columns(); nothing: there is none of that name.
  std::optional<std::size_t> find(std::string_view name) const;

  /// Reads the next whole record. False: there is none, or none that can be read.
  bool next();
  std::int64_t time_ns() const { return time_ns_; }
  double value(std::size_t column) const;
  /// The value without a fraction; nothing: it is no finite number, or beyond 9e17.
  std::optional<std::int64_t> integer(std::size_t column) const;
  /// The label of the value; empty: it has none.
  std::string_view label(std::size_t column) const;
  /// The record just read turns out to be damaged.
  void discard() {
    ++damaged_;
    --records_;
  }

  std::uint64_t damaged() const { return damaged_; }
  /// Problems of the file, each as a sentence; complete at the end.
  std::vector<std::string> remarks() const;

 private:
  std::string name_;
  std::unique_ptr<executive::RecordSource> source_;
  std::vector<std::byte> record_;
  std::int64_t time_ns_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t damaged_ = 0;
  std::vector<std::string> remarks_;
};

}  // namespace tactus::report
