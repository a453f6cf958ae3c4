// SPDX-License-Identifier: Apache-2.0
#include "executive/report/frame_log.hpp"

#include <algorithm>

namespace tactus::report {
namespace {

constexpr std::int64_t kLongestTime = 1'000'000'000'000'000;  // 11.6 days

bool read_time(const std::optional<std::int64_t>& value, std::int64_t& to) {
  if (!value || *value > kLongestTime || *value < -kLongestTime) return false;
  to = *value;
  return true;
}

}  // namespace

std::optional<rtsync::Cause> cause_named(std::string_view word) {
  for (std::size_t i = 0; i < rtsync::kCauses; ++i)
    if (name_of(static_cast<rtsync::Cause>(i)) == word) return static_cast<rtsync::Cause>(i);
  return std::nullopt;
}

std::string causes_text(const FrameRow& row) {
  const std::string named(name_of(row.cause));
  if (row.beside.cause == rtsync::Cause::none || row.lateness_ns() <= 0) return named;
  const auto percent = static_cast<std::int64_t>(
      100.0 * static_cast<double>(row.beside.time.count()) / static_cast<double>(row.lateness_ns()) + 0.5);
  return named + " " + std::to_string(100 - percent) + " %, " + std::string(name_of(row.beside.cause)) + " " +
         std::to_string(percent) + " %";
}

FrameLog::FrameLog(const std::filesystem::path& file)
    : values_(*csv_.driver, file),
      frame_(values_.find("rt.frame")),
      late_(values_.find("rt.late")),
      work_(values_.find("rt.work")),
      slack_(values_.find("rt.slack")),
      lost_(values_.find("rt.lost")),
      late_wakes_(values_.find("rt.late_wakes")),
      cause_(values_.find("rt.cause")),
      beside_(values_.find("rt.beside")),
      beside_time_(values_.find("rt.beside_time")) {}

bool FrameLog::next(FrameRow& row) {
  if (!has_times()) return false;
  while (values_.next()) {
    if (read(row)) return true;
    values_.discard();
  }
  return false;
}

rtsync::Cause FrameLog::cause_in(const std::optional<std::size_t>& column) const {
  if (!column) return rtsync::Cause::none;
  if (values_.columns()[*column].labels.empty()) return rtsync::Cause::none;
  return cause_named(values_.label(*column)).value_or(rtsync::Cause::unknown);
}

bool FrameLog::read(FrameRow& row) {
  row.time_ns = values_.time_ns();
  if (!read_time(values_.integer(*late_), row.late_ns) || !read_time(values_.integer(*work_), row.work_ns) ||
      !read_time(values_.integer(*slack_), row.slack_ns))
    return false;
  row.frame = next_;
  if (frame_) {
    const auto frame = values_.integer(*frame_);
    if (!frame || *frame < 0) return false;
    row.frame = *frame;
  }
  if (lost_) row.lost = values_.integer(*lost_).value_or(0);
  if (late_wakes_) row.late_wakes = values_.integer(*late_wakes_).value_or(0);
  row.cause = cause_in(cause_);
  row.beside = {};
  if (beside_ && beside_time_) {
    const auto time = values_.integer(*beside_time_);
    if (!time || *time < 0 || *time > std::max<std::int64_t>(0, row.lateness_ns())) return false;
    row.beside = {cause_in(beside_), rtsync::Nanoseconds{*time}};
  }
  next_ = row.frame + 1;
  return true;
}

}  // namespace tactus::report
