// SPDX-License-Identifier: Apache-2.0
#include "executive/record/record_trigger.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "executive/model/with_type.hpp"

namespace tactus::executive {

bool RecordCondition::holds(const std::byte* record, const std::byte* before) const {
  if (is == Is::changed)
    return before != nullptr && std::memcmp(record + offset, before + offset, size_of(type)) != 0;
  const long double value = with_type(type, [&](auto zero) {
    return static_cast<long double>(load_element<decltype(zero)>(record + offset));
  });
  switch (is) {
    case Is::above:
      return value > limit;
    case Is::at_least:
      return value >= limit;
    case Is::below:
      return value < limit;
    case Is::at_most:
      return value <= limit;
    case Is::equal:
      return value == limit;
    default:
      return value != limit;
  }
}

RecordTrigger::RecordTrigger(RecordCondition condition, rtsync::Nanoseconds before, rtsync::Nanoseconds after,
                             std::size_t bytes, std::size_t room)
    : condition_(condition),
      before_(before.count()),
      after_(after.count()),
      bytes_(bytes),
      room_(std::max<std::size_t>(room, 1)),
      waiting_(bytes_ * room_),
      last_(bytes) {}

void RecordTrigger::take(const std::byte* record) {
  const std::int64_t time = record_time(record);
  if (any_ && time < record_time(last_.data())) {
    first_ = end_;
    open_ = false;
  }
  const bool holds = condition_.holds(record, any_ ? last_.data() : nullptr);
  if (holds) {
    for (; first_ != end_; ++first_)
      if (record_time(at(first_)) >= time - before_) pass(at(first_));
    open_ = true;
    until_ = time > std::numeric_limits<std::int64_t>::max() - after_ ? time : time + after_;
  }
  open_ = open_ && time <= until_;
  if (open_)
    pass(record);
  else
    keep(record);
  std::memcpy(last_.data(), record, bytes_);
  any_ = true;
}

void RecordTrigger::keep(const std::byte* record) {
  if (before_ == 0) return;
  while (first_ != end_ &&
         (end_ - first_ == room_ || record_time(at(first_)) < record_time(record) - before_))
    ++first_;
  std::memcpy(at(end_++), record, bytes_);
}

}  // namespace tactus::executive
