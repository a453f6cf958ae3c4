// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "drivers/can/dbc/database.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// The bytes of a frame, with room behind them: a field is read by one load of eight bytes wherever it is.
struct FrameBytes {
  static constexpr std::size_t kRoom = kMostBytes + 8;
  alignas(8) std::uint8_t at[kRoom] = {};
};

/// The place of one signal in a frame, compiled to a load, a shift and a mask.
///
///     raw = (load(first) >> shift) & mask           and one byte more where 64 bits do not hold it all
///
/// Units    physical = raw * factor + offset.
/// Threads  immutable after construction.
/// RT       all but the constructor.
class Field {
 public:
  enum class Kind : std::uint8_t { whole, unsigned64, float32, float64 };

  /// `signal` lies in the 64 bytes of a frame, as those of a Database do. @when setup
  explicit Field(const Signal& signal);

  /// The bits of the signal, without a sign. `bytes` has FrameBytes::kRoom of them. @when rt
  std::uint64_t bits(const std::uint8_t* bytes) const TACTUS_RT {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + first_, sizeof word);
    if (is_big_) word = swapped(word);
    if (extra_ != 0) [[unlikely]]
      return wide_bits(bytes, word);
    return (word >> shift_) & mask_;
  }
  /// Its raw value; of 64 bits without a sign as two's complement. @when rt
  std::int64_t raw(const std::uint8_t* bytes) const TACTUS_RT {
    return static_cast<std::int64_t>((bits(bytes) ^ sign_) - sign_);
  }
  /// Its physical value. @when rt
  double value(const std::uint8_t* bytes) const TACTUS_RT {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + first_, sizeof word);
    if (path_ != Path::little) {
      if (path_ == Path::other) [[unlikely]]
        return other_value(bytes);
      word = swapped(word);
    }
    const std::uint64_t found = (word >> shift_) & mask_;
    return static_cast<double>(static_cast<std::int64_t>((found ^ sign_) - sign_)) * factor_ + offset_;
  }

  enum class Put : std::uint8_t {
    ok,
    clipped,  ///< the nearest value that its bits can hold was written
    nan       ///< not a number: nothing was written, unless it is a float
  };
  /// Writes bits. Those beyond its length do not count. @when rt
  void put_bits(std::uint8_t* bytes, std::uint64_t bits) const TACTUS_RT {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + first_, sizeof word);
    if (extra_ != 0) [[unlikely]]
      return put_wide_bits(bytes, bits);
    if (is_big_) word = swapped(word);
    word = (word & ~(mask_ << shift_)) | (bits & mask_) << shift_;
    if (is_big_) word = swapped(word);
    std::memcpy(bytes + first_, &word, sizeof word);
  }
  /// Writes a physical value, as the nearest raw one. @when rt
  Put put(std::uint8_t* bytes, double value) const TACTUS_RT {
    if (kind_ != Kind::whole) [[unlikely]]
      return put_other(bytes, value);
    const double raw = (value - offset_) * inverse_;
    if (!(raw >= least_ && raw <= most_)) [[unlikely]]
      return put_beyond(bytes, value, raw);
    put_bits(bytes, static_cast<std::uint64_t>(nearest(raw)));
    return Put::ok;
  }

  /// Bytes of a frame that hold it: a shorter frame does not have it.
  unsigned end() const TACTUS_RT { return end_; }
  unsigned length() const TACTUS_RT { return length_; }
  double factor() const TACTUS_RT { return factor_; }
  double offset() const TACTUS_RT { return offset_; }
  double inverse() const TACTUS_RT { return inverse_; }  ///< 1 / factor

  /// The nearest whole number; of two, the even one.
  static std::int64_t nearest(double raw) TACTUS_RT;

 private:
  /// The way to a physical value: one word, of either order, or something else.
  enum class Path : std::uint8_t { little, big, other };

  static std::uint64_t swapped(std::uint64_t word) TACTUS_RT { return __builtin_bswap64(word); }
  std::uint64_t wide_bits(const std::uint8_t* bytes, std::uint64_t word) const TACTUS_RT;
  void put_wide_bits(std::uint8_t* bytes, std::uint64_t bits) const TACTUS_RT;
  double other_value(const std::uint8_t* bytes) const TACTUS_RT;
  Put put_other(std::uint8_t* bytes, double value) const TACTUS_RT;
  Put put_beyond(std::uint8_t* bytes, double value, double raw) const TACTUS_RT;

  std::uint8_t first_ = 0;  // byte of the load
  std::uint8_t shift_ = 0;  // of the loaded word
  std::uint8_t extra_ = 0;  // bits in the ninth byte
  bool is_big_ = false;
  Path path_ = Path::little;
  Kind kind_ = Kind::whole;
  std::uint8_t end_ = 0;
  std::uint8_t length_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t sign_ = 0;  // its highest bit, if it has a sign
  double factor_ = 1;
  double offset_ = 0;
  double inverse_ = 1;  // 1 / factor
  double least_ = 0;    // raw
  double most_ = 0;     // raw
};

inline std::int64_t Field::nearest(double raw) TACTUS_RT {
  // Below 2^51 the sum has no room for a fraction, so that the addition rounds.
  constexpr double kRound = 6755399441055744.0;
  if (raw > -1e15 && raw < 1e15) [[likely]] {
    const double sum = raw + kRound;
    return std::bit_cast<std::int64_t>(sum) - std::bit_cast<std::int64_t>(kRound);
  }
  return static_cast<std::int64_t>(__builtin_nearbyint(raw));
}

}  // namespace tactus::drivers::can
