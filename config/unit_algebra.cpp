// SPDX-License-Identifier: Apache-2.0
// Units of products, quotients, powers and roots of quantities.
#include <cmath>
#include <optional>
#include <stdexcept>

#include "config/unit.hpp"

namespace tactus::config {
Unit product(const Unit& a, const Unit& b) {
  if (a.is_one()) return b.without_zero_point();
  if (b.is_one()) return a.without_zero_point();
  Unit result;
  result.bases_ = a.bases_;
  for (const auto& [base, exponent] : b.bases_) {
    int& sum = result.bases_[base];
    sum += exponent;
    if (std::abs(sum) > 99) throw std::invalid_argument("its unit has an exponent beyond 99");
    if (sum == 0) result.bases_.erase(base);
  }
  result.rest_ = a.rest_ * b.rest_;
  result.power_ = a.power_ + b.power_;
  if (!std::isnormal(result.rest_) || std::abs(result.power_) > 300)
    throw std::invalid_argument("its unit is too large or too small");
  result.text_ = result.is_one() ? "" : result.canonical();
  return result;
}

Unit power(const Unit& unit, int exponent) {
  Unit result;
  for (int i = 0; i < std::abs(exponent); ++i) result = product(result, unit);
  if (exponent >= 0) return result;
  for (auto& [base, count] : result.bases_) count = -count;
  result.rest_ = 1 / result.rest_;
  result.power_ = -result.power_;
  result.text_ = result.is_one() ? "" : result.canonical();
  return result;
}

std::optional<Unit> square_root(const Unit& unit) {
  Unit result;
  for (const auto& [base, exponent] : unit.bases_) {
    if (exponent % 2 != 0) return std::nullopt;
    result.bases_[base] = exponent / 2;
  }
  const bool odd = unit.power_ % 2 != 0;
  result.rest_ = std::sqrt(odd ? unit.rest_ * 10 : unit.rest_);
  result.power_ = (odd ? unit.power_ - 1 : unit.power_) / 2;
  result.text_ = result.is_one() ? "" : result.canonical();
  return result;
}

bool Unit::is_one() const { return bases_.empty() && rest_ == 1 && power_ == 0; }

Unit Unit::without_zero_point() const {
  Unit result = *this;
  result.offset_ = 0;
  if (has_zero_point()) result.text_ = result.canonical();
  return result;
}

}  // namespace tactus::config
