// SPDX-License-Identifier: Apache-2.0
#include "executive/record/record_trigger.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "executive/expression/variable_inputs.hpp"

namespace tactus::executive {

bool RecordTrigger::holds(const std::byte* record) {
  for (const RecordCondition::Input& input : inputs_)
    expression_.cell(input.cell) = load_cell(input.type, record + input.offset);
  expression_.run();
  return expression_.cell(result_).real == 1;
}

RecordTrigger::RecordTrigger(RecordCondition condition, rtsync::Nanoseconds before, rtsync::Nanoseconds after,
                             std::size_t bytes, std::size_t room)
    : inputs_(std::move(condition.inputs)),
      result_(condition.result),
      expression_(std::move(condition.program)),
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
    expression_.begin_anew();
  }
  if (holds(record)) {
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
