// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "drivers/can/codec/field.hpp"
#include "drivers/can/codec/one_word.hpp"

namespace tactus::drivers::can {

/// All signals of a message, compiled.
///
/// Threads  immutable after construction.
/// RT       all but the constructor.
class alignas(64) MessageCodec {
 public:
  /// `message` is of a Database without errors. @when setup
  explicit MessageCodec(const Message& message);

  std::size_t size() const TACTUS_RT { return fields_.size(); }
  const Field& field(std::size_t signal) const TACTUS_RT { return fields_[signal]; }

  struct Decoded {
    std::size_t present = 0;         ///< signals that were in the frame
    bool is_unknown_switch = false;  ///< a switch had a raw value that selects no signal
  };
  /// Decodes a frame of `length` bytes, 0 to 64. Signals that are not in it, as it is too short or a switch does not
  /// select them, keep their values, and `present` says 0. Both have room for all signals. @when rt
  Decoded decode(const std::uint8_t* bytes, unsigned length, std::span<double> values,
                 std::span<std::uint8_t> present) const TACTUS_RT {
    if (length < one_word_.needs()) return decode_each(bytes, length, values, present);
    one_word_.decode(bytes, values.data());
    mark_all(present.data(), one_word_.size());
    return {one_word_.size(), false};
  }

  /// Returns true if the switches in these bytes select the signal. @when rt
  bool is_selected(const std::uint8_t* bytes, std::size_t signal) const TACTUS_RT;
  /// Writes the physical values of all signals that the switches among them select, switches first. Returns the number of
  /// values that were clipped or not numbers. @when rt
  std::size_t encode(std::uint8_t* bytes, std::span<const double> values) const TACTUS_RT {
    return one_word_.encodes() ? one_word_.encode(bytes, values.data(), fields_.data())
                               : encode_each(bytes, values);
  }

 private:
  /// Says that all are present. A call of memset() would cost as much as the values of a message.
  static void mark_all(std::uint8_t* present, std::size_t size) TACTUS_RT {
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
    std::size_t s = 0;
    for (; s + sizeof kOnes <= size; s += sizeof kOnes) std::memcpy(present + s, &kOnes, sizeof kOnes);
    for (; s < size; ++s) present[s] = 1;
  }
  Decoded decode_each(const std::uint8_t* bytes, unsigned length, std::span<double> values,
                      std::span<std::uint8_t> present) const TACTUS_RT;
  std::size_t encode_each(std::uint8_t* bytes, std::span<const double> values) const TACTUS_RT;
  struct Selection {
    std::int32_t by = -1;  // signal; -1: always there
    std::uint32_t first_range = 0;
    std::uint32_t end_range = 0;
  };
  bool matches(const Selection& selection, std::uint64_t raw) const TACTUS_RT;

  OneWord one_word_{{}, {}};  // first: it is all that most messages need
  std::vector<Field> fields_;
  std::vector<Selection> selections_;
  std::vector<SwitchRange> ranges_;
  std::vector<std::uint32_t> order_;     // of the signals: each comes after its switch
  std::vector<std::uint32_t> switches_;  // those that select any signal
  std::size_t plain_ = 0;                // signals at the front of `order_` without a switch
};

}  // namespace tactus::drivers::can
