// SPDX-License-Identifier: Apache-2.0
#include "executive/report/frame_log.hpp"

#include <algorithm>
#include <type_traits>

namespace tactus::report {

std::optional<rtsync::Cause> cause_named(std::string_view word) {
  for (std::size_t i = 0; i < rtsync::kCauses; ++i)
    if (name_of(static_cast<rtsync::Cause>(i)) == word) return static_cast<rtsync::Cause>(i);
  return std::nullopt;
}

std::string causes_text(const FrameRow& row) {
  const std::string named(name_of(row.why()));
  if (row.share().cause == rtsync::Cause::none || row.lateness_ns() <= 0) return named;
  const auto percent = static_cast<std::int64_t>(
      100.0 * static_cast<double>(row.beside_time) / static_cast<double>(row.lateness_ns()) + 0.5);
  return named + " " + std::to_string(100 - percent) + " %, " + std::string(name_of(row.share().cause)) +
         " " + std::to_string(percent) + " %";
}

FrameLog::FrameLog(const std::filesystem::path& file) : values_(*csv_.driver, file), has_times_(has_times()) {
  executive::FrameRecord record;
  executive::visit_fields(record, [this](const executive::FrameField& field, auto&) {
    columns_.push_back(values_.find(std::string("rt.") + field.name));
  });
}

bool FrameLog::next(FrameRow& row) {
  if (!has_times_) return false;
  while (values_.next()) {
    if (read(row)) return true;
    values_.discard();
  }
  return false;
}

rtsync::Cause FrameLog::cause_in(std::size_t column) const {
  if (values_.columns()[column].labels.empty()) return rtsync::Cause::none;
  return cause_named(values_.label(column)).value_or(rtsync::Cause::unknown);
}

/// False: a value cannot be right.
bool FrameLog::read(FrameRow& row) {
  constexpr std::int64_t kLongestTime = 1'000'000'000'000'000;  // 11.6 days
  using Kind = executive::FrameField::Kind;
  row = {};
  row.time_ns = values_.time_ns();
  row.frame = next_;
  bool good = !columns_.front() || values_.integer(*columns_.front());  // the number of the frame
  auto column = columns_.begin();
  executive::visit_fields<executive::FrameRecord>(row, [&](const executive::FrameField& field, auto& to) {
    using To = std::remove_reference_t<decltype(to)>;
    const std::optional<std::size_t> from = *column++;
    if (!from || field.kind == Kind::overrun) return;
    if (field.kind == Kind::cause) {
      to = static_cast<To>(cause_in(*from));
      return;
    }
    const std::optional<std::int64_t> value = values_.integer(*from);
    if (field.kind == Kind::time) good = good && value && *value <= kLongestTime && *value >= -kLongestTime;
    to = static_cast<To>(value.value_or(0));
  });
  if (row.beside_time == 0) row.beside = 0;
  good = good && row.frame >= 0 && row.beside_time >= 0 &&
         row.beside_time <= std::max<std::int64_t>(0, row.lateness_ns());
  if (good) next_ = row.frame + 1;
  return good;
}

}  // namespace tactus::report
