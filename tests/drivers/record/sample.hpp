// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A recording of any size whose values are known beforehand: of each type, the worst ones among them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "executive/driver/record_sink.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::test {

class RecordSample {
 public:
  RecordSample(std::uint64_t seed, std::size_t columns) : seed_(seed) {
    head.name = "tape";
    head.epoch_ns = 1'108'425'600'123'456'789;
    std::size_t offset = sizeof(std::int64_t);
    for (std::size_t i = 0; i < columns; ++i) {
      const auto type = static_cast<tactus_type>(TACTUS_BOOL + i % 11);
      executive::RecordColumn column{name(i, type), units(i), type, offset};
      if (i % 3 == 0) column.about = "column " + std::to_string(i) + " \xc2\xb5 <&>\"";
      if (type == TACTUS_INT32 || type == TACTUS_UINT8)
        column.labels = {{"idle", 0}, {"run fast", 1}, {"fault", type == TACTUS_INT32 ? -7 : 200}};
      if (type == TACTUS_UINT64) column.labels = {{"none", 0}, {"all bits", -1}};
      offset += executive::size_of(type);
      head.columns.push_back(std::move(column));
    }
  }

  /// Record number `row`.
  std::vector<std::byte> record(std::uint64_t row) const {
    std::vector<std::byte> bytes(executive::record_bytes(head));
    const auto time = static_cast<std::int64_t>(row * 1'000'000 + mixed(row, 1 << 20) % 1000);
    std::memcpy(bytes.data(), &time, sizeof time);
    for (std::size_t i = 0; i < head.columns.size(); ++i)
      executive::with_type(head.columns[i].type, [&](auto zero) {
        const auto value = this->value<executive::StoredAs<decltype(zero)>>(row, i, head.columns[i].type);
        std::memcpy(bytes.data() + head.columns[i].offset, &value, sizeof value);
      });
    return bytes;
  }

  executive::RecordingHead head;

 private:
  static std::string name(std::size_t i, tactus_type type) {
    const std::string model = i % 5 == 0 ? "motor.inner" : i % 5 == 1 ? "motor" : "m" + std::to_string(i % 7);
    const std::string base =
        model + "." + std::string(executive::name_of(type)) + "_" + std::to_string(i / 11);
    return i % 4 == 3 ? base + "[1][" + std::to_string(i) + "]" : base;
  }
  static std::string units(std::size_t i) {
    static const char* const kUnits[] = {"", "rad/s", "1", "N m", "K\xc2\xb5", "Ohm"};
    return kUnits[i % 6];
  }
  std::uint64_t mixed(std::uint64_t row, std::uint64_t column) const {
    std::uint64_t x = seed_ * 0x9e3779b97f4a7c15U + row * 0xbf58476d1ce4e5b9U + column * 0x94d049bb133111ebU;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
  }

  template <class T>
  T value(std::uint64_t row, std::size_t column, tactus_type type) const {
    using Limits = std::numeric_limits<T>;
    const std::uint64_t bits = mixed(row, column);
    if (type == TACTUS_BOOL) return static_cast<T>(bits & 1U);
    const T special[] = {Limits::lowest(),
                         Limits::max(),
                         Limits::quiet_NaN(),
                         Limits::infinity(),
                         static_cast<T>(-0.0),
                         Limits::denorm_min(),
                         T{1},
                         T{0}};
    if (bits % 3 == 0) return special[bits / 3 % 8];
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  std::uint64_t seed_;
};

}  // namespace tactus::test
