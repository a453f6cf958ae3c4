// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "executive/record/record_changes.hpp"
#include "executive/record/record_filter.hpp"

namespace tactus::executive {

std::int64_t record_time(const std::byte* record) {
  std::int64_t time = 0;
  std::memcpy(&time, record, sizeof time);
  return time;
}

std::vector<RecordColumn> RecordChanges::columns(std::vector<RecordColumn> before) {
  bytes_ = 0;
  for (const RecordColumn& column : before) bytes_ += size_of(column.type);
  return before;
}

void RecordChanges::take(const std::byte* record) {
  const std::byte* const values = record + sizeof(std::int64_t);
  if (!last_.empty() && std::equal(last_.begin(), last_.end(), values)) return;
  last_.assign(values, values + bytes_);
  pass(record);
}

}  // namespace tactus::executive
