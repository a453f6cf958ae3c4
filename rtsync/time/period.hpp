// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A period as an exact fraction of nanoseconds, so that 60 Hz, 1/3 ms and 128 Hz never drift.
#include <compare>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

__extension__ typedef __int128 Wide;  ///< frame number times period: 64 bits are not enough

/// num / den nanoseconds, in lowest terms, den > 0. Zero is allowed (an offset of nothing); negative is not.
///
/// Threads  immutable; share it freely.
class Period {
 public:
  constexpr Period() = default;
  /// Throws std::invalid_argument when num < 0 or den <= 0. @when setup
  constexpr Period(std::int64_t num, std::int64_t den) {
    if (num < 0 || den <= 0)
      throw std::invalid_argument("a period is a fraction num/den with num >= 0, den > 0");
    const std::int64_t shared = std::gcd(num, den);
    num_ = shared == 0 ? 0 : num / shared;
    den_ = shared == 0 ? 1 : den / shared;
  }
  constexpr explicit Period(Nanoseconds whole) : Period(whole.count(), 1) {}

  constexpr std::int64_t num() const TACTUS_RT { return num_; }
  constexpr std::int64_t den() const TACTUS_RT { return den_; }
  constexpr bool is_zero() const TACTUS_RT { return num_ == 0; }
  constexpr bool is_whole() const TACTUS_RT { return den_ == 1; }  ///< a whole number of nanoseconds
  /// k periods, truncated to the nanosecond (towards minus infinity).                              @when any
  constexpr Nanoseconds times(std::int64_t k) const TACTUS_RT {
    const Wide product = static_cast<Wide>(k) * num_;
    if (den_ == 1)
      return Nanoseconds{static_cast<std::int64_t>(product)};  // a division of 128 bits takes 20 ns
    Wide quotient = product / den_;
    if (product % den_ < 0) --quotient;
    return Nanoseconds{static_cast<std::int64_t>(quotient)};
  }
  constexpr double seconds() const TACTUS_RT {
    return static_cast<double>(num_) / static_cast<double>(den_) * 1e-9;
  }
  constexpr Nanoseconds floor() const TACTUS_RT { return Nanoseconds{num_ / den_}; }
  /// Number of whole periods in a time, and the number of periods that begin before it. Not of a period of zero.  @when any
  constexpr std::int64_t whole_in(Nanoseconds time) const TACTUS_RT {
    return static_cast<std::int64_t>(static_cast<Wide>(time.count()) * den_ / num_);
  }
  constexpr std::int64_t begun_in(Nanoseconds time) const TACTUS_RT {
    return static_cast<std::int64_t>((static_cast<Wide>(time.count()) * den_ + num_ - 1) / num_);
  }

  friend constexpr bool operator==(const Period&, const Period&) = default;
  friend constexpr std::strong_ordering operator<=>(const Period& a, const Period& b) {
    const Wide left = static_cast<Wide>(a.num_) * b.den_;
    const Wide right = static_cast<Wide>(b.num_) * a.den_;
    return left < right ? std::strong_ordering::less
                        : (left > right ? std::strong_ordering::greater : std::strong_ordering::equal);
  }

 private:
  std::int64_t num_ = 0;
  std::int64_t den_ = 1;
};

}  // namespace tactus::rtsync
