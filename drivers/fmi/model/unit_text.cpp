// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/unit_text.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tactus::drivers::fmi {
namespace {

/// A unit that tactus knows (docs/units.md): x of it is factor * x + offset in base units.
struct Known {
  std::string_view symbol;
  Exponents exponents;  // kg m s A K mol cd rad
  double factor = 1;
  bool prefixes = false;
  double offset = 0;
};

constexpr double kPi = 3.14159265358979323846;
constexpr Known kKnown[] = {
    {"kg", {1}},
    {"g", {1}, 1e-3, true},
    {"t", {1}, 1e3},
    {"m", {0, 1}, 1, true},
    {"s", {0, 0, 1}, 1, true},
    {"A", {0, 0, 0, 1}, 1, true},
    {"K", {0, 0, 0, 0, 1}, 1, true},
    {"mol", {0, 0, 0, 0, 0, 1}, 1, true},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, 1, true},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}, 1, true},
    {"deg", {0, 0, 0, 0, 0, 0, 0, 1}, kPi / 180},
    {"rev", {0, 0, 0, 0, 0, 0, 0, 1}, 2 * kPi},
    {"rpm", {0, 0, -1, 0, 0, 0, 0, 1}, 2 * kPi / 60},
    {"Hz", {0, 0, -1}, 1, true},
    {"N", {1, 1, -2}, 1, true},
    {"Nm", {1, 2, -2}, 1, true},
    {"J", {1, 2, -2}, 1, true},
    {"Wh", {1, 2, -2}, 3600, true},
    {"W", {1, 2, -3}, 1, true},
    {"V", {1, 2, -3, -1}, 1, true},
    {"Ohm", {1, 2, -3, -2}, 1, true},
    {"ohm", {1, 2, -3, -2}, 1, true},
    {"S", {-1, -2, 3, 2}, 1, true},
    {"C", {0, 0, 1, 1}, 1, true},
    {"Ah", {0, 0, 1, 1}, 3600, true},
    {"F", {-1, -2, 4, 2}, 1, true},
    {"Wb", {1, 2, -2, -1}, 1, true},
    {"H", {1, 2, -2, -2}, 1, true},
    {"T", {1, 0, -2, -1}, 1, true},
    {"Pa", {1, -1, -2}, 1, true},
    {"bar", {1, -1, -2}, 1e5, true},
    {"L", {0, 3}, 1e-3, true},
    {"l", {0, 3}, 1e-3, true},
    {"min", {0, 0, 1}, 60},
    {"h", {0, 0, 1}, 3600},
    {"d", {0, 0, 1}, 86400},
    {"%", {}, 1e-2},
    {"ppm", {}, 1e-6},
    {"degC", {0, 0, 0, 0, 1}, 1, false, 273.15},
    {"degF", {0, 0, 0, 0, 1}, 5.0 / 9, false, 459.67 * 5 / 9},
    {"psi", {1, -1, -2}, 4.4482216152605 / 6.4516 * 1e4},
    {"atm", {1, -1, -2}, 101325},
    {"mph", {0, 1, -1}, 0.44704},
    {"in", {0, 1}, 0.0254},
    {"ft", {0, 1}, 0.3048},
    {"mi", {0, 1}, 1609.344},
    {"lb", {1}, 0.45359237},
    {"lbf", {1, 1, -2}, 4.4482216152605},
};
constexpr struct {
  std::string_view symbol;
  double factor;
} kPrefixes[] = {{"T", 1e12}, {"G", 1e9},  {"M", 1e6},  {"k", 1e3},  {"h", 1e2},  {"d", 1e-1},
                 {"c", 1e-2}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};

struct Value {
  Exponents exponents{};
  double factor = 1;
  double offset = 0;
};

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

std::optional<Value> value_of(std::string_view symbol) {
  for (const Known& known : kKnown)
    if (known.symbol == symbol) return Value{known.exponents, known.factor, known.offset};
  for (const auto& prefix : kPrefixes) {
    if (!symbol.starts_with(prefix.symbol)) continue;
    for (const Known& known : kKnown)
      if (known.prefixes && known.symbol == symbol.substr(prefix.symbol.size()))
        return Value{known.exponents, known.factor * prefix.factor, 0};
  }
  return std::nullopt;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

using Factors = std::vector<std::pair<std::string, int>>;

/// Takes names as tools write them: "N.m", "m/s2", "rad.s-1", "W/(m2.K)", "1/min".
class UnitName {
 public:
  explicit UnitName(std::string_view text) : left_(text) {}
  std::optional<Factors> parse() {
    product(1);
    if (bad_ || !left_.empty()) return std::nullopt;
    return factors_;
  }

 private:
  void product(int sign) {
    int one = sign;
    for (bool first = true; !bad_; first = false) {
      while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
      if (left_.empty() || left_.front() == ')') {
        bad_ = bad_ || first;
        return;
      }
      if (!first && (left_.front() == '.' || left_.front() == '*' || left_.front() == '/')) {
        one = left_.front() == '/' ? -sign : sign;
        left_.remove_prefix(1);
        while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
      } else {
        one = sign;
      }
      factor(one);
    }
  }
  void factor(int sign) {
    if (!left_.empty() && left_.front() == '(' && ++depth_ < 20) {
      left_.remove_prefix(1);
      product(sign);
      bad_ = bad_ || left_.empty();
      if (!bad_) left_.remove_prefix(1);
      return;
    }
    if (!left_.empty() && left_.front() == '1') {
      left_.remove_prefix(1);
      return;
    }
    std::size_t length = 0;
    while (length < left_.size() && is_letter(left_[length])) ++length;
    if (length == 0) {
      bad_ = true;
      return;
    }
    const std::string symbol(left_.substr(0, length));
    left_.remove_prefix(length);
    if (!left_.empty() && left_.front() == '^') left_.remove_prefix(1);
    int power_sign = 1, power = 0;
    if (left_.size() > 1 && left_.front() == '-' && is_digit(left_[1])) {
      power_sign = -1;
      left_.remove_prefix(1);
    }
    if (left_.empty() || !is_digit(left_.front())) {
      power = 1;
    } else {
      power = left_.front() - '0';
      left_.remove_prefix(1);
      bad_ = bad_ || power == 0 || (!left_.empty() && is_digit(left_.front()));
    }
    factors_.emplace_back(symbol, sign * power_sign * power);
  }

  std::string_view left_;
  Factors factors_;
  int depth_ = 0;
  bool bad_ = false;
};

/// "kg m^2/s^2", as tactus reads it.
std::string text_of(const Factors& factors) {
  std::string above, below;
  for (const auto& [symbol, power] : factors) {
    const int size = std::abs(power);
    if (size == 0) continue;
    const std::string one = symbol + (size == 1 ? "" : "^" + std::to_string(size));
    if (power > 0)
      above += (above.empty() ? "" : " ") + one;
    else
      below += "/" + one;
  }
  return above.empty() && !below.empty() ? "1" + below : above + below;
}

std::string text_of(const Exponents& exponents) {
  Factors factors;
  for (std::size_t i = 0; i < exponents.size(); ++i) factors.emplace_back(kBaseUnits[i], exponents[i]);
  return text_of(factors);
}

/// Returns the product of the factors; nothing: one of them is not known.
std::optional<Value> value_of(const Factors& factors) {
  Value all;
  for (const auto& [symbol, power] : factors) {
    const std::optional<Value> one = value_of(symbol);
    if (!one) return std::nullopt;
    for (std::size_t i = 0; i < all.exponents.size(); ++i) all.exponents[i] += power * one->exponents[i];
    all.factor *= std::pow(one->factor, power);
    if (factors.size() == 1 && power == 1) all.offset = one->offset;
  }
  return all;
}

/// A unit of its own, named by the letters of a text.
std::string own_unit(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (is_letter(c) && c != '%') letters += c;
  return letters;
}

RigUnit from_base(const UnitDefinition& unit, const std::optional<Factors>& factors) {
  const auto fits = [&](const Value& value) {
    Exponents exponents = value.exponents;
    if (unit.exponents[7] == 0) exponents[7] = 0;  // the standard allows to leave rad out
    return exponents == unit.exponents && near(value.factor, unit.factor) &&
           std::abs(value.offset - unit.offset) <= 1e-6;
  };
  if (factors)
    if (const std::optional<Value> value = value_of(*factors); value && fits(*value))
      return {text_of(*factors)};
  if (unit.factor == 1 && unit.offset == 0) return {text_of(unit.exponents)};
  for (const Known& known : kKnown)
    if (known.exponents == unit.exponents && fits({known.exponents, known.factor, known.offset}))
      return {std::string(known.symbol)};
  return {text_of(unit.exponents), unit.factor, unit.offset};
}

}  // namespace

RigUnit rig_unit(const Description& description, std::string_view name, bool relative) {
  if (name.empty() || name == "1" || name == "-") return {};
  const std::optional<Factors> factors = UnitName(name).parse();
  const UnitDefinition* const unit = description.find_unit(name);
  RigUnit found;
  if (unit != nullptr && unit->has_base)
    found = from_base(*unit, factors);
  else if (factors && value_of(*factors))
    found = {text_of(*factors)};
  else
    found = {own_unit(name)};
  if (!relative) return found;
  if (found.text == "degC") return {"K"};
  if (found.text == "degF") return {"K", 5.0 / 9, 0};
  found.offset = 0;
  return found;
}

}  // namespace tactus::drivers::fmi
