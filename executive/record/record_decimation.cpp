// SPDX-License-Identifier: Apache-2.0
#include "executive/record/record_decimation.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "executive/model/with_type.hpp"

namespace tactus::executive {
namespace {

/// Puts the smaller and the larger one after each other; a NaN wins.
template <class T>
void spread(T value, std::byte* low_and_high) {
  T low, high;
  std::memcpy(&low, low_and_high, sizeof low);
  std::memcpy(&high, low_and_high + sizeof low, sizeof high);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(low)) return;
    if (std::isnan(value)) low = high = value;
  }
  if (value < low) low = value;
  if (value > high) high = value;
  std::memcpy(low_and_high, &low, sizeof low);
  std::memcpy(low_and_high + sizeof low, &high, sizeof high);
}

/// Number of the piece in which a time lies; pieces begin at the grid's times, cut to whole nanoseconds.
std::int64_t bucket_of(const rtsync::Period& to, std::int64_t time) {
  const std::int64_t at_or_before = to.whole_in(rtsync::Nanoseconds{time});
  return to.times(at_or_before + 1).count() <= time ? at_or_before + 1 : at_or_before;
}

}  // namespace

std::vector<RecordColumn> RecordDecimation::columns(std::vector<RecordColumn> before) {
  from_ = before;
  if (keep_ == Keep::last) return before;
  std::vector<RecordColumn> after;
  std::size_t offset = sizeof(std::int64_t);
  for (const RecordColumn& column : before)
    for (const char* const which : {".min", ".max"}) {
      RecordColumn& made = after.emplace_back(column);
      made.name += which;
      made.offset = offset;
      offset += size_of(column.type);
    }
  return after;
}

void RecordDecimation::take(const std::byte* record) {
  const std::int64_t time = record_time(record);
  const std::int64_t bucket = bucket_of(to_, time);
  if (any_ && (bucket != bucket_ || time < last_time_)) end();
  if (any_ && keep_ == Keep::min_max)
    extend(record);
  else
    begin(record);
  any_ = true;
  bucket_ = bucket;
  last_time_ = time;
}

void RecordDecimation::end() {
  if (std::exchange(any_, false)) pass(made_.data());
}

void RecordDecimation::begin(const std::byte* record) {
  made_.assign(record, record + sizeof(std::int64_t));
  for (const RecordColumn& column : from_) {
    const std::byte* const value = record + column.offset;
    for (int copies = keep_ == Keep::min_max ? 2 : 1; copies > 0; --copies)
      made_.insert(made_.end(), value, value + size_of(column.type));
  }
}

void RecordDecimation::extend(const std::byte* record) {
  std::size_t offset = sizeof(std::int64_t);
  for (const RecordColumn& column : from_) {
    with_type(column.type, [&](auto zero) {
      // A bool is a byte that may hold anything.
      using T = StoredAs<decltype(zero)>;
      spread<T>(static_cast<T>(load_element<decltype(zero)>(record + column.offset)), made_.data() + offset);
    });
    offset += 2 * size_of(column.type);
  }
}

}  // namespace tactus::executive
