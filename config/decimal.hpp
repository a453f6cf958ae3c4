// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Decimal numbers in texts, exactly.
///
/// Threads  any, at setup and in services.
namespace tactus::config {

using Rational = boost::multiprecision::cpp_rational;

/// (-1)^negative * digits * 10^exponent; digits neither begin nor end with 0, and are empty for zero.
struct Decimal {
  bool negative = false;
  std::string digits{};
  std::int64_t exponent = 0;

  bool is_zero() const { return digits.empty(); }
};

/// Length of the decimal number that `text` begins with; 0 when it does not.
std::size_t number_length(std::string_view text);
/// `text` is a number as number_length() measured it.
Decimal to_decimal(std::string_view text);
/// Its exact value. At most 60 digits, and an exponent of at most 40.
Rational exact(const Decimal& decimal);

enum class Exactness { exact, not_whole, too_large };

/// decimal * scale as a whole number; scale is at most 2^40 or 5^40.
Exactness times_whole(const Decimal& decimal, std::int64_t scale, std::int64_t& result);

}  // namespace tactus::config
