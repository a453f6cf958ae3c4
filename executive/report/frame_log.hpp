// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executive/driver/record_formats.hpp"
#include "executive/frame/cause_shares.hpp"
#include "executive/plan/frame_record.hpp"
#include "executive/report/recorded_values.hpp"
#include "rtsync/evidence/cause.hpp"

namespace tactus::report {

/// A row of frames.csv: a frame that was paced.
struct FrameRow : executive::FrameRecord {
  std::int64_t time_ns = 0;  ///< simulated

  rtsync::Cause why() const { return static_cast<rtsync::Cause>(cause); }
  /// Cause that had a part of the lateness beside `cause`.
  executive::CauseShare share() const {
    return {static_cast<rtsync::Cause>(beside), rtsync::Nanoseconds{beside_time}};
  }
  bool overran() const { return slack < 0; }
  std::int64_t lateness_ns() const { return overran() ? -slack : late; }
};

/// Reads frames.csv. Columns that it does not have stay 0, and the frame then counts rows; one without times
/// is none of ours. A row with a time beyond 11 days counts as damaged.
class FrameLog {
 public:
  /// Throws std::runtime_error with path and reason: it cannot be read, or is not a recording. @when service
  explicit FrameLog(const std::filesystem::path& file);

  bool has_times() const { return has("rt.late") && has("rt.work") && has("rt.slack"); }
  bool has_causes() const { return has("rt.cause"); }
  bool next(FrameRow& row);
  const RecordedValues& values() const { return values_; }

 private:
  bool has(const char* column) const { return values_.find(column).has_value(); }
  bool read(FrameRow& row);
  rtsync::Cause cause_in(std::size_t column) const;

  const executive::RecordFormat csv_{"csv"};
  RecordedValues values_;
  std::vector<std::optional<std::size_t>> columns_;  // of the fields of a FrameRecord
  const bool has_times_;
  std::int64_t next_ = 0;
};

/// "preempted"; of two causes "preempted 98 %, computed 2 %".
std::string causes_text(const FrameRow& row);

/// The cause with this name; nothing: none has it.
std::optional<rtsync::Cause> cause_named(std::string_view word);

}  // namespace tactus::report
