// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/field.hpp"

#include <cmath>

namespace tactus::drivers::can {

Field::Field(const Signal& signal) {
  is_big_ = signal.order == ByteOrder::big;
  // Where it begins when the bits of a frame are counted in the order of its bytes.
  const unsigned begin = is_big_ ? signal.start / 8 * 8 + 7 - signal.start % 8 : signal.start;
  const unsigned inside = begin % 8;
  const unsigned used = inside + signal.length;
  first_ = static_cast<std::uint8_t>(begin / 8);
  extra_ = static_cast<std::uint8_t>(used > 64 ? used - 64 : 0);
  shift_ = static_cast<std::uint8_t>(is_big_ && extra_ == 0 ? 64 - used : is_big_ ? 0 : inside);
  end_ = static_cast<std::uint8_t>((begin + signal.length + 7) / 8);
  length_ = static_cast<std::uint8_t>(signal.length);
  mask_ = ~std::uint64_t{0} >> (64 - signal.length);
  factor_ = signal.factor;
  offset_ = signal.offset;
  inverse_ = 1 / signal.factor;
  path_ = is_big_ ? Path::big : Path::little;
  if (extra_ != 0 || signal.kind != ValueKind::whole || (signal.length == 64 && !signal.is_signed))
    path_ = Path::other;
  if (signal.kind != ValueKind::whole) {
    kind_ = signal.kind == ValueKind::float32 ? Kind::float32 : Kind::float64;
    return;
  }
  if (signal.is_signed) sign_ = std::uint64_t{1} << (signal.length - 1);
  if (signal.length == 64 && !signal.is_signed) kind_ = Kind::unsigned64;
  const int magnitude = static_cast<int>(signal.length) - (signal.is_signed ? 1 : 0);
  least_ = signal.is_signed ? -std::ldexp(1.0, magnitude) : 0;
  most_ = std::ldexp(1.0, magnitude);
  // The largest double that is a raw value: beyond 53 bits not all of them are.
  most_ = magnitude <= 53 ? most_ - 1 : std::nextafter(most_, 0);
}

std::uint64_t Field::wide_bits(const std::uint8_t* bytes, std::uint64_t word) const TACTUS_RT {
  const std::uint64_t last = bytes[first_ + 8U];
  if (is_big_) return (word << extra_ | last >> (8U - extra_)) & mask_;
  return (word >> shift_ | last << (64U - shift_)) & mask_;
}

void Field::put_wide_bits(std::uint8_t* bytes, std::uint64_t bits) const TACTUS_RT {
  bits &= mask_;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + first_, sizeof word);
  std::uint8_t& last = bytes[first_ + 8U];
  if (is_big_) {
    word = swapped(word);
    word = (word & ~(mask_ >> extra_)) | bits >> extra_;
    word = swapped(word);
    const auto low = static_cast<std::uint8_t>(0xFFU << (8U - extra_));
    last =
        static_cast<std::uint8_t>((last & ~low) | (static_cast<std::uint8_t>(bits << (8U - extra_)) & low));
  } else {
    word = (word & ~(mask_ << shift_)) | bits << shift_;
    const auto low = static_cast<std::uint8_t>((1U << extra_) - 1U);
    last =
        static_cast<std::uint8_t>((last & ~low) | (static_cast<std::uint8_t>(bits >> (64U - shift_)) & low));
  }
  std::memcpy(bytes + first_, &word, sizeof word);
}

double Field::other_value(const std::uint8_t* bytes) const TACTUS_RT {
  const std::uint64_t all = bits(bytes);
  double raw = 0;
  if (kind_ == Kind::float32)
    raw = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(all)));
  else if (kind_ == Kind::float64)
    raw = std::bit_cast<double>(all);
  else if (kind_ == Kind::whole)
    raw = static_cast<double>(static_cast<std::int64_t>((all ^ sign_) - sign_));
  else
    raw = static_cast<double>(all);
  return raw * factor_ + offset_;
}

Field::Put Field::put_other(std::uint8_t* bytes, double value) const TACTUS_RT {
  const double raw = (value - offset_) / factor_;
  if (kind_ == Kind::float64) {
    put_bits(bytes, std::bit_cast<std::uint64_t>(raw));
    return Put::ok;
  }
  if (kind_ == Kind::float32) {
    // Beyond the largest float the conversion is not defined.
    const double most = static_cast<double>(std::numeric_limits<float>::max());
    const bool clipped = raw > most || raw < -most;
    const double kept = raw > most ? most : raw < -most ? -most : raw;
    put_bits(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(kept)));
    return clipped ? Put::clipped : Put::ok;
  }
  if (!(raw >= least_ && raw <= most_)) return put_beyond(bytes, value, raw);
  put_bits(bytes, static_cast<std::uint64_t>(__builtin_nearbyint(raw)));
  return Put::ok;
}

Field::Put Field::put_beyond(std::uint8_t* bytes, double value, double raw) const TACTUS_RT {
  if (raw != raw) raw = (value - offset_) / factor_;  // the inverse of a tiny factor is infinite
  if (raw != raw) return Put::nan;
  if (raw >= least_ && raw <= most_) {
    put_bits(bytes, static_cast<std::uint64_t>(nearest(raw)));
    return Put::ok;
  }
  const bool above = raw > most_;
  // A value that rounds to the last raw one is not beyond it.
  const bool rounds = above ? raw < most_ + 0.5 : raw >= least_ - 0.5;
  if (above)
    put_bits(bytes, sign_ != 0 ? mask_ >> 1U : mask_);
  else
    put_bits(bytes, sign_);
  return rounds ? Put::ok : Put::clipped;
}

}  // namespace tactus::drivers::can
