// SPDX-License-Identifier: Apache-2.0
#include "config/unit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "config/number.hpp"
#include "config/text.hpp"
#include "config/unit_table.hpp"

namespace tactus::config {
namespace {

constexpr int kLargestExponent = 99;

/// x * 10^power, rounded once as long as the power of ten is exact (up to 22).
double shift(double x, int power) {
  if (power == 0) return x;
  const double scale = std::pow(10.0, std::abs(power));
  return power > 0 ? x * scale : x / scale;
}

bool nearly(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text), left_(trimmed(text)) {}

  Unit parse() {
    Unit result;
    if (left_.size() > 200) fail("is longer than 200 characters");
    if (!left_.empty() && left_ != "--") {
      product(result, 1, 0);
      if (!left_.empty()) fail("has a ')' too many");
    }
    // A zero point means something only to a whole unit: K and degC differ by it, W/K and W/degC do not.
    if (factors_ != 1 || result.bases_ != std::map<std::string, int>{{"K", 1}}) result.offset_ = 0;
    if (!std::isnormal(result.rest_)) fail("is too large or too small");
    result.text_ = std::string{trimmed(text_)};
    if (result.text_ == "1" || result.text_ == "--") result.text_.clear();
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument("the unit " + show(text_) + " " + why);
  }

  bool take(std::string_view token) {
    if (!left_.starts_with(token)) return false;
    left_.remove_prefix(token.size());
    return true;
  }

  void skip_blanks() { left_ = trimmed(left_); }

  /// Ends at the end of the text or at a ')'.
  void product(Unit& result, int sign, int depth) {
    if (depth > 8) fail("has more than 8 brackets inside each other");
    skip_blanks();
    bool divide = false;
    for (bool first = true;; first = false) {
      if (left_.empty() || left_.front() == ')') {
        if (first) fail("has nothing between its brackets");
        fail("ends with a separator");
      }
      factor(result, divide ? -sign : sign, depth);
      const std::size_t before = left_.size();
      skip_blanks();
      if (left_.empty() || left_.front() == ')') return;
      divide = take("/");
      const bool separated =
          divide || take("*") || take("·") || take("⋅") || take(".") || left_.size() < before;
      if (!separated && left_.front() != '(') fail("is not understood at " + show(left_));
      skip_blanks();
    }
  }

  void factor(Unit& result, int sign, int depth) {
    ++factors_;
    Unit one;
    if (take("(")) {
      product(one, 1, depth + 1);
      if (!take(")")) fail("lacks a ')'");
    } else if (left_.front() == '1' && (left_.size() == 1 || !is_digit(left_[1]))) {
      take("1");
    } else {
      symbol(one);
    }
    const int exponent = power() * sign;
    if (exponent != 1) ++factors_;
    for (const auto& [base, count] : one.bases_) {
      int& sum = result.bases_[base];
      sum += count * exponent;
      if (std::abs(sum) > kLargestExponent) fail("has an exponent beyond 99");
      if (sum == 0) result.bases_.erase(base);
    }
    result.power_ += one.power_ * exponent;
    if (std::abs(result.power_) > 300) fail("is too large or too small");
    result.rest_ *= std::pow(one.rest_, exponent);
    result.offset_ += one.offset_;
  }

  void symbol(Unit& one) {
    std::size_t length = 0;
    while (length < left_.size() && Unit::in_symbol(left_[length]) && !at_special(length)) ++length;
    if (length == 0) {
      const char c = left_.front();
      if (is_digit(c)) fail("must not contain a number");
      if (c == '^') fail("has a '^' with nothing before it");
      if (c == '/' || c == '*' || c == '.') fail("has two separators in a row, or begins with one");
      fail("is not understood at " + show(left_));
    }
    const std::string_view symbol = left_.substr(0, length);
    left_.remove_prefix(length);
    if (!left_.empty() && is_digit(left_.front()))
      fail("is ambiguous at " + show(std::string{symbol} + std::string{left_}) + "; write a power as " +
           show(std::string{symbol} + "^" + left_.front()));
    if (const KnownUnit* exact = find_unit(symbol)) return set(one, *exact, 0);
    for (const UnitPrefix& prefix : unit_prefixes()) {
      if (!symbol.starts_with(prefix.symbol)) continue;
      const KnownUnit* base = find_unit(symbol.substr(prefix.symbol.size()));
      if (base != nullptr && base->prefixes) return set(one, *base, prefix.power);
    }
    one.bases_[std::string{symbol}] = 1;
  }

  /// Returns true if a multi-byte separator or power begins here.
  bool at_special(std::size_t at) const {
    const std::string_view here = left_.substr(at);
    for (const std::string_view special : {"·", "⋅", "²", "³"})
      if (here.starts_with(special)) return true;
    return false;
  }

  static void set(Unit& one, const KnownUnit& known, int power) {
    for (const BaseUnit& base : known.bases) one.bases_[base.name] = base.exponent;
    one.rest_ = known.rest;
    one.power_ = known.power + power;
    one.offset_ = known.offset;
  }

  int power() {
    if (take("²")) return 2;
    if (take("³")) return 3;
    if (!take("^")) return 1;
    const bool negative = take("-");
    int value = 0;
    std::size_t digits = 0;
    for (; digits < left_.size() && is_digit(left_[digits]) && value <= kLargestExponent; ++digits)
      value = value * 10 + (left_[digits] - '0');
    if (digits == 0) fail("needs a whole number after '^'");
    if (value > kLargestExponent) fail("has an exponent beyond 99");
    if (value == 0) fail("has an exponent of 0");
    left_.remove_prefix(digits);
    return negative ? -value : value;
  }

  std::string_view text_;
  std::string_view left_;
  int factors_ = 0;
};

Unit Unit::parse(std::string_view text) { return UnitParser{text}.parse(); }

std::optional<Unit> Unit::find(std::string_view text) try {
  return parse(text);
} catch (const std::invalid_argument&) {
  return std::nullopt;
}

bool Unit::in_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

namespace {

std::string product_of(const std::map<std::string, int>& bases) {
  const auto term = [](const std::string& base, int exponent) {
    return exponent == 1 ? base : base + "^" + std::to_string(exponent);
  };
  std::string over;
  std::string under;
  for (const auto& [base, exponent] : bases) {
    if (exponent > 0) over.append(over.empty() ? "" : " ").append(term(base, exponent));
    if (exponent < 0) under.append("/").append(term(base, -exponent));
  }
  return (over.empty() ? "1" : over) + under;
}

}  // namespace

std::string Unit::canonical() const {
  std::string result = product_of(bases_);
  const double factor = shift(rest_, power_);
  if (factor != 1) result = print_real(factor) + (result == "1" ? "" : " " + result);
  if (offset_ != 0) result += " + " + print_real(offset_);
  return result;
}

std::string Unit::named() const {
  if (text_.empty()) return "a pure number";
  const std::string dimension = product_of(bases_);
  return "'" + text_ + "'" +
         (dimension == text_ ? "" : " (" + (bases_.empty() ? "a number" : dimension) + ")");
}

std::vector<std::string> Unit::unlisted() const {
  std::vector<std::string> symbols;
  for (const auto& [base, exponent] : bases_)
    if (find_unit(base) == nullptr) symbols.push_back(base);
  return symbols;
}

bool compatible(const Unit& a, const Unit& b) { return a.bases_ == b.bases_; }

bool same(const Unit& a, const Unit& b) {
  if (!compatible(a, b) || !nearly(a.offset_, b.offset_)) return false;
  return nearly(shift(a.rest_ / b.rest_, a.power_ - b.power_), 1);
}

std::optional<int> decimal_power(const Unit& from, const Unit& to) {
  if (same(from, to)) return 0;
  if (from.offset_ != 0 || to.offset_ != 0 || from.rest_ != to.rest_) return std::nullopt;
  return from.power_ - to.power_;
}

double convert(double value, const Unit& from, const Unit& to) {
  if (!compatible(from, to)) throw std::invalid_argument(from.named() + " does not convert to " + to.named());
  if (const auto power = decimal_power(from, to)) return shift(value, *power);
  if (from.offset_ == 0 && to.offset_ == 0)
    return shift(value * (from.rest_ / to.rest_), from.power_ - to.power_);
  const double base = shift(value * from.rest_, from.power_) + from.offset_;
  return shift((base - to.offset_) / to.rest_, -to.power_);
}

}  // namespace tactus::config
