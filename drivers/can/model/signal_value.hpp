// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/can/codec/field.hpp"

namespace tactus::drivers::can {

/// A signal as a variable of the model. Signals with names of values and without a unit are whole numbers with labels, those
/// of one bit bools, those of more than 53 bits whole numbers; all others are doubles.
///
/// RT  all but the constructor and what makes texts.
class SignalValue {
 public:
  enum class Type : std::uint8_t { number, word, whole, natural, yes };

  /// @when setup
  explicit SignalValue(const Signal& signal);

  Type type() const TACTUS_RT { return type_; }
  tactus_type rig_type() const TACTUS_RT;
  void* data() TACTUS_RT;
  /// Names of values; their numbers are those that the variable has. @when setup
  std::vector<tactus_label> labels(const Signal& signal) const;

  /// Takes a physical value. NaN leaves what is not a double.
  void set(double value) TACTUS_RT;
  /// Takes the value in a frame. `value` is its physical one.
  void set(const Field& field, const std::uint8_t* bytes, double value) TACTUS_RT;
  double get() const TACTUS_RT;
  /// Returns true if a double may lose bits of it: put() is needed.
  bool is_wide(const Field& field) const TACTUS_RT {
    return field.length() > 53 && (type_ == Type::natural || type_ == Type::whole);
  }
  /// Writes it into a frame, where a double would lose bits. False: put get().
  bool put(const Field& field, std::uint8_t* bytes) const TACTUS_RT;
  /// The same for all values that are the same.
  std::uint64_t identity() const TACTUS_RT;

 private:
  Type type_ = Type::number;
  double number_ = 0;
  std::int64_t whole_ = 0;
  std::uint64_t natural_ = 0;
  std::int32_t word_ = 0;
  bool yes_ = false;
};

inline SignalValue::SignalValue(const Signal& signal) {
  const bool is_plain = signal.kind == ValueKind::whole && signal.factor == 1 && signal.offset == 0;
  const bool is_whole = signal.kind == ValueKind::whole && std::abs(signal.factor) < 1e6 &&
                        std::abs(signal.offset) < 1e6 && std::nearbyint(signal.factor) == signal.factor &&
                        std::nearbyint(signal.offset) == signal.offset;
  if (is_whole && !signal.names.empty() && signal.unit.empty() && signal.length <= 40)
    type_ = is_plain && signal.length <= 31 ? Type::word : Type::whole;
  else if (is_plain && signal.length == 1 && !signal.is_signed && signal.unit.empty())
    type_ = Type::yes;
  else if (is_plain && signal.length > 53)
    type_ = signal.is_signed ? Type::whole : Type::natural;
}

inline tactus_type SignalValue::rig_type() const TACTUS_RT {
  constexpr tactus_type kTypes[] = {TACTUS_DOUBLE, TACTUS_INT32, TACTUS_INT64, TACTUS_UINT64, TACTUS_BOOL};
  return kTypes[static_cast<std::size_t>(type_)];
}

inline void* SignalValue::data() TACTUS_RT {
  switch (type_) {
    case Type::word:
      return &word_;
    case Type::whole:
      return &whole_;
    case Type::natural:
      return &natural_;
    case Type::yes:
      return &yes_;
    default:
      return &number_;
  }
}

inline std::vector<tactus_label> SignalValue::labels(const Signal& signal) const {
  std::vector<tactus_label> all;
  if (signal.names.empty() || (type_ != Type::word && type_ != Type::whole)) return all;
  for (const ValueName& each : signal.names) {
    const double value = signal.physical(static_cast<double>(each.value));
    if (std::abs(value) < (type_ == Type::word ? 2147483648.0 : 9e15))
      all.push_back({each.name.c_str(), static_cast<std::int64_t>(value)});
  }
  return all;
}

inline void SignalValue::set(double value) TACTUS_RT {
  if (type_ == Type::number) {
    number_ = value;
    return;
  }
  if (!(value >= -9.2e18 && value <= 1.8446e19)) return;
  word_ = static_cast<std::int32_t>(value < -2147483648.0  ? -2147483648.0
                                    : value > 2147483647.0 ? 2147483647.0
                                                           : value);
  whole_ = static_cast<std::int64_t>(value > 9.2e18 ? 9.2e18 : value);
  natural_ = value < 0 ? 0 : static_cast<std::uint64_t>(value);
  yes_ = value != 0;
}

inline void SignalValue::set(const Field& field, const std::uint8_t* bytes, double value) TACTUS_RT {
  if (type_ == Type::natural)
    natural_ = field.bits(bytes);
  else if (type_ == Type::whole && field.factor() == 1 && field.offset() == 0)
    whole_ = field.raw(bytes);
  else
    set(value);
}

inline double SignalValue::get() const TACTUS_RT {
  switch (type_) {
    case Type::word:
      return word_;
    case Type::whole:
      return static_cast<double>(whole_);
    case Type::natural:
      return static_cast<double>(natural_);
    case Type::yes:
      return yes_ ? 1 : 0;
    default:
      return number_;
  }
}

inline bool SignalValue::put(const Field& field, std::uint8_t* bytes) const TACTUS_RT {
  if (!is_wide(field)) return false;
  const std::uint64_t bits = type_ == Type::natural ? natural_ : static_cast<std::uint64_t>(whole_);
  if (field.length() < 64) {  // beyond its bits: get() is clipped
    const std::uint64_t most = std::uint64_t{1} << (field.length() - (type_ == Type::natural ? 0 : 1));
    if (type_ == Type::natural
            ? bits >= most
            : whole_ >= static_cast<std::int64_t>(most) || whole_ < -static_cast<std::int64_t>(most))
      return false;
  }
  field.put_bits(bytes, bits);
  return true;
}

inline std::uint64_t SignalValue::identity() const TACTUS_RT {
  switch (type_) {
    case Type::number:
      return std::bit_cast<std::uint64_t>(number_);
    case Type::natural:
      return natural_;
    case Type::whole:
      return static_cast<std::uint64_t>(whole_);
    case Type::word:
      return static_cast<std::uint64_t>(word_);
    default:
      return yes_ ? 1 : 0;
  }
}

}  // namespace tactus::drivers::can
