// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "drivers/can/dbc/database.hpp"

namespace tactus::drivers::can {

/// The bits of a frame that a signal has, bit 8 * byte + bit.
using FrameBits = std::array<std::uint64_t, kMostBytes / 8>;

/// Returns the bits that a signal has. @when setup
inline FrameBits bits_of(const Signal& signal) {
  FrameBits bits{};
  unsigned at = signal.start;
  for (unsigned i = 0; i < signal.length && at < 8 * kMostBytes; ++i) {
    bits[at / 64] |= std::uint64_t{1} << at % 64;
    at = signal.order == ByteOrder::little ? at + 1 : at % 8 != 0 ? at - 1 : at + 15;
  }
  return bits;
}

inline bool share(const FrameBits& a, const FrameBits& b) {
  std::uint64_t both = 0;
  for (std::size_t i = 0; i < a.size(); ++i) both |= a[i] & b[i];
  return both != 0;
}

/// The number of bytes up to the last one with a bit of the signal.
inline unsigned bytes_of(const Signal& signal) {
  const unsigned first =
      signal.order == ByteOrder::little ? signal.start : signal.start / 8 * 8 + 7 - signal.start % 8;
  return (first + signal.length + 7) / 8;
}

}  // namespace tactus::drivers::can
