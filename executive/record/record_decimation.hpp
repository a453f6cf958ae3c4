// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/record/record_filter.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// One record of each bucket: a piece of simulated time as long as `to`, on a grid from 0.
///
/// min_max: the smallest and the largest value of each column, as `<column>.min` and `<column>.max`, at the
/// time of the bucket's first record; a NaN among the values makes both NaN, so that none is hidden.
/// last: the last record, as it is.
class RecordDecimation final : public RecordFilter {
 public:
  enum class Keep { min_max, last };

  RecordDecimation(rtsync::Period to, Keep keep) : to_(to), keep_(keep) {}
  std::vector<RecordColumn> columns(std::vector<RecordColumn> before) override;
  void take(const std::byte* record) override;
  void end() override;

 private:
  void begin(const std::byte* record);
  void extend(const std::byte* record);

  rtsync::Period to_;
  Keep keep_;
  std::vector<RecordColumn> from_;
  std::vector<std::byte> made_;  // of the bucket; empty: none yet
  bool any_ = false;
  std::int64_t bucket_ = 0, last_time_ = 0;
};

}  // namespace tactus::executive
