// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "drivers/can/codec/field.hpp"

namespace tactus::drivers::can {

/// The signals of a message as variables of the model. Signals with names of values and without a unit are whole numbers
/// with labels, those of one bit bools, those of more than 53 bits whole numbers; all others are doubles.
///
/// All values stand in one row, eight bytes each, so that a codec reads and writes those that are doubles where they are.
///
/// Threads  as the message.
/// RT       all but the constructor and what makes texts.
class SignalValues {
 public:
  enum class Type : std::uint8_t { number, word, whole, natural, yes };

  /// @when setup
  explicit SignalValues(const std::vector<Signal>& signals);
  SignalValues(const SignalValues&) = delete;  // variables are declared at its values
  SignalValues& operator=(const SignalValues&) = delete;

  std::size_t size() const TACTUS_RT { return row_.size(); }
  Type type(std::size_t signal) const TACTUS_RT { return types_[signal]; }
  tactus_type rig_type(std::size_t signal) const TACTUS_RT;
  void* data(std::size_t signal) TACTUS_RT { return &row_[signal]; }
  /// Names of values; their numbers are those that the variable has. @when setup
  std::vector<tactus_label> labels(std::size_t number, const Signal& signal) const;

  /// The row: what is not in others() is a double there.
  double* row() TACTUS_RT { return row_.data(); }
  const double* row() const TACTUS_RT { return row_.data(); }
  /// Signals that are not doubles, ascending.
  const std::vector<std::uint32_t>& others() const TACTUS_RT { return others_; }
  /// Makes the value of one of others() of the physical one that a codec has written into the row.
  void settle(std::size_t signal, const Field& field, const std::uint8_t* bytes) TACTUS_RT;

  /// Takes a physical value; one beyond its type as the nearest. NaN leaves what is not a double.
  void set(std::size_t signal, double value) TACTUS_RT;
  double get(std::size_t signal) const TACTUS_RT;
  /// Returns true if a double may lose bits of it: put() is needed.
  bool is_wide(std::size_t signal, const Field& field) const TACTUS_RT {
    return field.length() > 53 && (types_[signal] == Type::natural || types_[signal] == Type::whole);
  }
  /// Writes it into a frame, where a double would lose bits. False: put get().
  bool put(std::size_t signal, const Field& field, std::uint8_t* bytes) const TACTUS_RT;
  /// The same for all values that are the same.
  std::uint64_t identity(std::size_t signal) const TACTUS_RT;

 private:
  static Type type_of(const Signal& signal);
  template <class T>
  T load(std::size_t signal) const TACTUS_RT {
    T value{};
    std::memcpy(&value, &row_[signal], sizeof value);
    return value;
  }
  template <class T>
  void store(std::size_t signal, T value) TACTUS_RT {
    std::memcpy(&row_[signal], &value, sizeof value);
  }

  std::vector<double> row_;  // never grows
  std::vector<Type> types_;
  std::vector<std::uint32_t> others_;
};

inline SignalValues::Type SignalValues::type_of(const Signal& signal) {
  const bool is_plain = signal.kind == ValueKind::whole && signal.factor == 1 && signal.offset == 0;
  const bool is_whole = signal.kind == ValueKind::whole && std::abs(signal.factor) < 1e6 &&
                        std::abs(signal.offset) < 1e6 && std::nearbyint(signal.factor) == signal.factor &&
                        std::nearbyint(signal.offset) == signal.offset;
  if (is_whole && !signal.names.empty() && signal.unit.empty() && signal.length <= 40)
    return is_plain && signal.length <= 31 ? Type::word : Type::whole;
  if (is_plain && signal.length == 1 && !signal.is_signed && signal.unit.empty()) return Type::yes;
  if (is_plain && signal.length > 53) return signal.is_signed ? Type::whole : Type::natural;
  return Type::number;
}

inline SignalValues::SignalValues(const std::vector<Signal>& signals) : row_(signals.size()) {
  for (const Signal& each : signals) {
    types_.push_back(type_of(each));
    if (types_.back() != Type::number) others_.push_back(static_cast<std::uint32_t>(types_.size() - 1));
  }
}

inline tactus_type SignalValues::rig_type(std::size_t signal) const TACTUS_RT {
  constexpr tactus_type kTypes[] = {TACTUS_DOUBLE, TACTUS_INT32, TACTUS_INT64, TACTUS_UINT64, TACTUS_BOOL};
  return kTypes[static_cast<std::size_t>(types_[signal])];
}

inline std::vector<tactus_label> SignalValues::labels(std::size_t number, const Signal& signal) const {
  std::vector<tactus_label> all;
  const Type type = types_[number];
  if (signal.names.empty() || (type != Type::word && type != Type::whole)) return all;
  for (const ValueName& each : signal.names) {
    const double value = signal.physical(static_cast<double>(each.value));
    if (std::abs(value) < (type == Type::word ? 2147483648.0 : 9e15))
      all.push_back({each.name.c_str(), static_cast<std::int64_t>(value)});
  }
  return all;
}

inline void SignalValues::set(std::size_t signal, double value) TACTUS_RT {
  const Type type = types_[signal];
  if (type == Type::number) {
    row_[signal] = value;
    return;
  }
  if (value != value) return;
  if (type == Type::word)
    store(signal, static_cast<std::int32_t>(value < -2147483648.0  ? -2147483648.0
                                            : value > 2147483647.0 ? 2147483647.0
                                                                   : value));
  else if (type == Type::whole)
    store(signal, value >= 0x1p63   ? std::numeric_limits<std::int64_t>::max()
                  : value < -0x1p63 ? std::numeric_limits<std::int64_t>::min()
                                    : static_cast<std::int64_t>(value));
  else if (type == Type::natural)
    store(signal, value >= 0x1p64 ? std::numeric_limits<std::uint64_t>::max()
                  : value < 0     ? std::uint64_t{0}
                                  : static_cast<std::uint64_t>(value));
  else
    store(signal, value != 0);
}

inline void SignalValues::settle(std::size_t signal, const Field& field,
                                 const std::uint8_t* bytes) TACTUS_RT {
  const Type type = types_[signal];
  if (type == Type::natural)
    store(signal, field.bits(bytes));
  else if (type == Type::whole && field.factor() == 1 && field.offset() == 0)
    store(signal, field.raw(bytes));
  else
    set(signal, row_[signal]);
}

inline double SignalValues::get(std::size_t signal) const TACTUS_RT {
  switch (types_[signal]) {
    case Type::word:
      return load<std::int32_t>(signal);
    case Type::whole:
      return static_cast<double>(load<std::int64_t>(signal));
    case Type::natural:
      return static_cast<double>(load<std::uint64_t>(signal));
    case Type::yes:
      return load<std::uint8_t>(signal) != 0 ? 1 : 0;
    default:
      return row_[signal];
  }
}

inline bool SignalValues::put(std::size_t signal, const Field& field, std::uint8_t* bytes) const TACTUS_RT {
  if (!is_wide(signal, field)) return false;
  const bool is_natural = types_[signal] == Type::natural;
  const auto bits = load<std::uint64_t>(signal);
  if (field.length() < 64) {  // beyond its bits: get() is clipped
    const std::uint64_t most = std::uint64_t{1} << (field.length() - (is_natural ? 0 : 1));
    const auto whole = static_cast<std::int64_t>(bits);
    if (is_natural ? bits >= most
                   : whole >= static_cast<std::int64_t>(most) || whole < -static_cast<std::int64_t>(most))
      return false;
  }
  field.put_bits(bytes, bits);
  return true;
}

inline std::uint64_t SignalValues::identity(std::size_t signal) const TACTUS_RT {
  switch (types_[signal]) {
    case Type::word:
      return static_cast<std::uint64_t>(load<std::int32_t>(signal));
    case Type::yes:
      return load<std::uint8_t>(signal) != 0 ? 1 : 0;
    default:
      return load<std::uint64_t>(signal);
  }
}

}  // namespace tactus::drivers::can
