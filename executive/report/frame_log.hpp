// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "executive/driver/record_formats.hpp"
#include "executive/frame/cause_shares.hpp"
#include "executive/report/recorded_values.hpp"
#include "rtsync/evidence/cause.hpp"

namespace tactus::report {

/// A row of frames.csv: a frame that was paced.
struct FrameRow {
  std::int64_t time_ns = 0;  ///< simulated
  std::int64_t frame = 0;
  std::int64_t late_ns = 0;
  std::int64_t work_ns = 0;
  std::int64_t slack_ns = 0;  ///< negative: an overrun
  std::int64_t lost = 0;      ///< slots lost so far
  std::int64_t late_wakes = 0;
  rtsync::Cause cause = rtsync::Cause::none;
  executive::CauseShare beside{};  ///< what had a part of the lateness beside it

  bool overran() const { return slack_ns < 0; }
  std::int64_t lateness_ns() const { return overran() ? -slack_ns : late_ns; }
};

/// Reads frames.csv. Columns that it does not have stay 0, and the frame then counts rows; one without times
/// is none of ours. A row with a time beyond 11 days counts as damaged.
class FrameLog {
 public:
  /// Throws std::runtime_error with path and reason: it cannot be read, or is no recording. @when service
  explicit FrameLog(const std::filesystem::path& file);

  bool has_times() const { return late_ && work_ && slack_; }
  bool has_causes() const { return cause_.has_value(); }
  bool next(FrameRow& row);
  const RecordedValues& values() const { return values_; }

 private:
  bool read(FrameRow& row);
  rtsync::Cause cause_in(const std::optional<std::size_t>& column) const;

  const executive::RecordFormat csv_{"csv"};
  RecordedValues values_;
  std::optional<std::size_t> frame_, late_, work_, slack_, lost_, late_wakes_, cause_, beside_, beside_time_;
  std::int64_t next_ = 0;
};

/// "preempted"; of two causes "preempted 98 %, computed 2 %".
std::string causes_text(const FrameRow& row);

/// The cause with this name; nothing: none has it.
std::optional<rtsync::Cause> cause_named(std::string_view word);

}  // namespace tactus::report
