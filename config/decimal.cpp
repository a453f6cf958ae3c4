// SPDX-License-Identifier: Apache-2.0
#include "config/decimal.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "config/text.hpp"

namespace tactus::config {

using Integer = boost::multiprecision::cpp_int;

std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  const auto skip_digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - begin;
  };
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  std::size_t digits = skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits += skip_digits();
  }
  if (digits == 0) return 0;
  const std::size_t mantissa_end = at;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (skip_digits() == 0) return mantissa_end;  // "5 eV", "5e": the e belongs to what follows
  }
  return at;
}

Decimal to_decimal(std::string_view text) {
  constexpr std::int64_t kFar = 1'000'000'000;  // far beyond anything that ends up representable
  Decimal result;
  std::size_t at = 0;
  if (text[at] == '+' || text[at] == '-') result.negative = text[at++] == '-';
  bool behind_point = false;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.') {
      behind_point = true;
      continue;
    }
    if (behind_point) --result.exponent;
    if (!result.digits.empty() || text[at] != '0') result.digits += text[at];
  }
  if (at < text.size()) {
    ++at;
    const bool down = text[at] == '-';
    if (text[at] == '+' || text[at] == '-') ++at;
    std::int64_t exponent = 0;
    for (; at < text.size(); ++at) exponent = std::min(kFar, exponent * 10 + (text[at] - '0'));
    result.exponent += down ? -exponent : exponent;
  }
  while (!result.digits.empty() && result.digits.back() == '0') {
    result.digits.pop_back();
    ++result.exponent;
  }
  return result;
}

Rational exact(const Decimal& decimal) {
  Integer digits{decimal.is_zero() ? "0" : decimal.digits};  // decimal, as it does not begin with 0
  if (decimal.negative) digits = -digits;
  const Integer shift =
      boost::multiprecision::pow(Integer{10}, static_cast<unsigned>(std::abs(decimal.exponent)));
  return decimal.exponent < 0 ? Rational{digits, shift} : Rational{digits * shift};
}

Exactness times_whole(const Decimal& decimal, std::int64_t scale, std::int64_t& result) {
  result = 0;
  if (decimal.is_zero()) return Exactness::exact;
  if (static_cast<std::int64_t>(decimal.digits.size()) + decimal.exponent > 20) return Exactness::too_large;
  // The digits do not end in 0, so a whole product absorbs no more powers of ten than the scale has factors of
  // 2 (when the digits bring the fives) or 5 (when they bring the twos).
  if (decimal.exponent < -40) return Exactness::not_whole;
  const Rational product = exact(decimal) * scale;
  if (denominator(product) != 1) return Exactness::not_whole;
  if (product > std::numeric_limits<std::int64_t>::max() ||
      product < std::numeric_limits<std::int64_t>::min())
    return Exactness::too_large;
  result = static_cast<std::int64_t>(numerator(product));
  return Exactness::exact;
}

}  // namespace tactus::config
