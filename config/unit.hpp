// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Units of measure: which of them are the same, and how values pass between them.
///
///     unit    = "" | "1" | "--" | product          all three are a pure number
///     product = factor { (" " | "*" | "·" | "." | "/") factor }
///     factor  = symbol [ "^" ["-"] digits | "²" | "³" ] | "1" | "(" product ")" [power]
///
/// A slash divides by the one factor after it and by nothing more: "J/kg K" is (J/kg) K, and heat capacity is
/// "J/kg/K" or "J/(kg K)". "m2" is refused: it could be meant as m^2 or as a name.
///
/// Known: what unit_table.hpp lists (docs/units.md), with SI prefixes where they are usual. rad is a base of
/// its own, so that Hz and rad/s never meet, and so is a symbol that is not known ("counts", "teeth"). degC
/// and degF have their zero points only when they are alone; in "W/degC" it is a difference, like K.
///
/// Threads  immutable; share it freely.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::config {

class Unit {
 public:
  Unit() = default;  ///< a pure number
  /// Throws std::invalid_argument with the reason when the text is malformed.              @when setup
  static Unit parse(std::string_view text);
  /// The same; nothing where the text is malformed.                                           @when setup
  static std::optional<Unit> find(std::string_view text);
  /// Returns true for a character that a symbol may have: also letters beyond ASCII, of which · ² ³ are none.
  static bool in_symbol(char c);

  bool is_number() const { return bases_.empty(); }
  /// Returns true for a pure number without a factor: neither "m" nor "%".
  bool is_one() const;
  /// Returns true for a unit whose 0 is not that of its base units: degC.
  bool has_zero_point() const { return offset_ != 0; }
  /// The unit of differences: of "degC" it is "K".
  Unit without_zero_point() const;
  /// Text as it was written.
  const std::string& text() const { return text_; }
  /// Unit in base units, sorted: "kg m^2/s^2", "0.001 kg", "1".
  std::string canonical() const;
  /// Names the unit in a message, as it was written, and its dimension where that is another text: "'V' (kg m^2/A/s^3)",
  /// "'A'", "a pure number".
  std::string named() const;

  /// Its symbols that are not known: units of their own.
  std::vector<std::string> unlisted() const;

  /// The same dimensions, factor and zero point: values pass unchanged. "N m" and "J" are the same.
  friend bool same(const Unit& a, const Unit& b);
  /// The same dimensions: values can be converted.
  friend bool compatible(const Unit& a, const Unit& b);
  /// Throws std::invalid_argument naming both units when they are not compatible.          @when setup
  friend double convert(double value, const Unit& from, const Unit& to);
  /// The power of ten between two compatible units; nothing: they differ by more.            @when setup
  friend std::optional<int> decimal_power(const Unit& from, const Unit& to);

  friend bool operator==(const Unit& a, const Unit& b) { return same(a, b); }

  /// The unit of the product of two quantities. Throws std::invalid_argument when it is beyond all units.  @when setup
  friend Unit product(const Unit& a, const Unit& b);
  /// The unit of a power, from -9 to 9. Throws as product() does.                           @when setup
  friend Unit power(const Unit& unit, int exponent);
  /// The unit of the square root; nothing: it has an odd exponent.                          @when setup
  friend std::optional<Unit> square_root(const Unit& unit);

 private:
  friend class UnitParser;

  std::string text_{};
  std::map<std::string, int> bases_{};  // exponents of base units; never 0
  // A value x in this unit is x * rest_ * 10^power_ + offset_ in base units. The power stands apart so that
  // converting between decimal multiples rounds once: 5 mm is exactly the double 0.005.
  double rest_ = 1;
  int power_ = 0;
  double offset_ = 0;
};

bool same(const Unit& a, const Unit& b);
bool compatible(const Unit& a, const Unit& b);
double convert(double value, const Unit& from, const Unit& to);
std::optional<int> decimal_power(const Unit& from, const Unit& to);
Unit product(const Unit& a, const Unit& b);
Unit power(const Unit& unit, int exponent);
std::optional<Unit> square_root(const Unit& unit);

}  // namespace tactus::config
