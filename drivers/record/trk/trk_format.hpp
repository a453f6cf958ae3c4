// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tactus/record_driver.hpp>
#include <tactus/record_file.hpp>
#include <vector>

#include "drivers/record/common/bytes.hpp"

namespace tactus::drivers::record {

/// Trick's name of the first column.
inline constexpr const char* kTrkTime = "sys.exec.out.time";

/// A recording as Trick's binary file of version 10, `log_<recording>.trk`, for trick-dp, trick-qp and koviz, with its
/// `log_<recording>.header`. Rows go to the file whole. Time is seconds as double: exact nanoseconds up to 52 days.
/// Reads versions 05, 07 and 10 in either byte order.
class __attribute__((visibility("hidden"))) TrkFormat final : public RecordDriver {
 public:
  void open(const std::string& file, const Recording& recording) override;
  void write(const std::byte* record) override;
  void flush() override;
  void close() override;
  Examined examine(const std::string& file) const override;
  std::unique_ptr<RecordReader> read(const std::string& file) const override;
  std::vector<std::string> omits(const Recording& recording) const override;

 private:
  RowPacker packer_;
  std::size_t row_bytes_ = 0;
  RecordFile file_;
  std::string rows_;  // not yet in the file
};

/// The time of a row, and back. @when any
double trk_seconds(std::int64_t ns);
std::int64_t trk_nanoseconds(double seconds);

/// Its entry, for the plug-in and for tests.
const tactus_driver* trk_entry();

}  // namespace tactus::drivers::record
