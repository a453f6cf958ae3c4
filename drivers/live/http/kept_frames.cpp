// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/kept_frames.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tactus::drivers::live_http {
namespace {

struct RowMark {
  std::int64_t frame = 0;
  std::uint64_t number = 0;
};

std::size_t rows_kept(std::size_t row, std::int64_t frame_ns) {
  const auto wanted = static_cast<std::size_t>(KeptFrames::kKeptNs / std::max<std::int64_t>(frame_ns, 1));
  return std::max(KeptFrames::kLeastRows, std::min(wanted, KeptFrames::kMostBytes / row));
}

}  // namespace

KeptFrames::KeptFrames(std::unique_ptr<executive::LiveFrames> from, std::size_t row_bytes,
                       std::int64_t frame_ns)
    : from_(std::move(from)),
      row_bytes_(sizeof(RowMark) + row_bytes),
      most_(rows_kept(row_bytes_, frame_ns)) {}

executive::LiveFrames::Row KeptFrames::at(std::uint64_t place) const {
  const std::byte* const row = rows_.data() + static_cast<std::size_t>(place % most_) * row_bytes_;
  RowMark mark;
  std::memcpy(&mark, row, sizeof mark);
  return {mark.frame, mark.number, row + sizeof mark};
}

bool KeptFrames::take_one() {
  const auto row = from_->front();
  if (!row) return false;
  const auto place = static_cast<std::size_t>(end_ % most_) * row_bytes_;
  if (rows_.size() < place + row_bytes_)  // it grows to its size once
    rows_.resize(std::min(most_ * row_bytes_, std::max(place + row_bytes_, 2 * rows_.size())));
  const RowMark mark{row->frame, row->number};
  std::memcpy(rows_.data() + place, &mark, sizeof mark);
  std::memcpy(rows_.data() + place + sizeof mark, row->values, row_bytes_ - sizeof mark);
  from_->release();
  ++end_;
  begin_ = end_ > most_ ? end_ - most_ : 0;
  next_ = std::max(next_, begin_);
  return true;
}

std::optional<executive::LiveFrames::Row> KeptFrames::front() {
  if (next_ == end_ && !take_one()) return std::nullopt;
  return at(next_);
}

void KeptFrames::take_all() {
  while (take_one()) continue;
}

void KeptFrames::skip_all() {
  take_all();
  next_ = end_;
}

void KeptFrames::each_before(std::int64_t most, const std::function<void(const Row&)>& take) const {
  std::uint64_t from = next_;
  for (; from > begin_ && static_cast<std::int64_t>(next_ - from) < most; --from) {
    if (from == next_) continue;
    const Row before = at(from - 1), behind = at(from);
    if (before.frame + 1 != behind.frame || before.number + 1 != behind.number) break;
  }
  for (; from < next_; ++from) take(at(from));
}

std::optional<executive::LiveFrames::Row> KeptFrames::rewind(std::int64_t frame) {
  take_all();
  std::optional<std::uint64_t> itself;
  for (std::uint64_t place = end_; place-- > begin_;) {
    const std::int64_t found = at(place).frame;
    if (found == frame - 1) {
      next_ = place + 1;
      return at(place);
    }
    if (found == frame && !itself) itself = place;
  }
  // Of those since the last time that the rig went back, the first one behind it.
  std::uint64_t first = end_;
  while (first > begin_ && at(first - 1).frame > frame &&
         (first == end_ || at(first - 1).frame < at(first).frame))
    --first;
  next_ = itself.value_or(first);
  return std::nullopt;
}

}  // namespace tactus::drivers::live_http
