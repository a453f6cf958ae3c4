// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// The rule of a CRC, by the parameters that catalogues name.
struct CrcRule {
  unsigned width = 8;  ///< bits, 8 .. 64
  std::uint64_t polynomial = 0;
  std::uint64_t first = 0;    ///< initial value, highest bit first also where `is_reflected`
  bool is_reflected = false;  ///< lowest bit first, in and out
  std::uint64_t last = 0;     ///< is combined with the result by exclusive or
};

/// A CRC with its table.
///
/// Threads  immutable after construction.
/// RT       all but the constructor.
class Crc {
 public:
  /// @when setup
  constexpr explicit Crc(const CrcRule& rule) : rule_(rule) {
    mask_ = ~std::uint64_t{0} >> (64 - rule.width);
    begin_ = rule.is_reflected ? mirrored(rule.first) : rule.first;
    for (unsigned i = 0; i < 256; ++i) {
      std::uint64_t value = rule.is_reflected ? i : std::uint64_t{i} << (rule.width - 8);
      for (int bit = 0; bit < 8; ++bit)
        value = rule.is_reflected ? shifted_right(value) : shifted_left(value);
      table_[i] = value & mask_;
    }
  }

  constexpr std::uint64_t begin() const TACTUS_RT { return begin_; }
  /// Goes on with one byte.
  constexpr std::uint64_t add(std::uint64_t crc, std::uint8_t byte) const TACTUS_RT {
    if (rule_.is_reflected) return table_[(crc ^ byte) & 0xFFU] ^ crc >> 8U;
    return (table_[(crc >> (rule_.width - 8) ^ byte) & 0xFFU] ^ (rule_.width == 8 ? 0 : crc << 8U)) & mask_;
  }
  constexpr std::uint64_t add(std::uint64_t crc, std::span<const std::uint8_t> bytes) const TACTUS_RT {
    for (const std::uint8_t byte : bytes) crc = add(crc, byte);
    return crc;
  }
  constexpr std::uint64_t end(std::uint64_t crc) const TACTUS_RT { return crc ^ rule_.last; }
  constexpr std::uint64_t of(std::span<const std::uint8_t> bytes) const TACTUS_RT {
    return end(add(begin(), bytes));
  }

 private:
  constexpr std::uint64_t shifted_left(std::uint64_t value) const {
    const bool top = (value >> (rule_.width - 1) & 1U) != 0;
    return (value << 1U ^ (top ? rule_.polynomial : 0)) & mask_;
  }
  constexpr std::uint64_t shifted_right(std::uint64_t value) const {
    return value >> 1U ^ ((value & 1U) != 0 ? mirrored(rule_.polynomial) : 0);
  }
  constexpr std::uint64_t mirrored(std::uint64_t value) const {
    std::uint64_t made = 0;
    for (unsigned i = 0; i < rule_.width; ++i)
      if ((value >> i & 1U) != 0) made |= std::uint64_t{1} << (rule_.width - 1 - i);
    return made;
  }

  CrcRule rule_;
  std::uint64_t mask_ = 0, begin_ = 0;
  std::array<std::uint64_t, 256> table_{};
};

}  // namespace tactus::drivers::can
