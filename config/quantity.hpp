// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A number with its unit: "0.5 Ohm", "10 g cm^2".
///
/// Threads  pure functions.                                                                @when setup
#include <optional>
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "config/number.hpp"
#include "config/place.hpp"
#include "config/unit.hpp"

namespace tactus::config {

struct Quantity {
  double value = 0;
  Unit unit{};
};

/// Throws std::invalid_argument with the reason.
Quantity parse_quantity(std::string_view text);

/// The number that the text states, in the declared unit: "5 mm" for "m" is 0.005. A bare number is refused
/// where a unit is declared, and a wrong dimension names both units.
Parsed<double> to_unit(std::string_view text, const Unit& declared);

/// Throws std::invalid_argument naming both units when they are not compatible.
double to_unit(const Quantity& quantity, const Unit& declared);

/// The same for a value of a document. Nothing, and a problem, when it cannot be had.
std::optional<double> read_quantity(const Node& node, const std::string& path, const Unit& declared,
                                    Problems& problems);

/// "48 V": reads back to the same number in the same unit.
std::string print_quantity(double value, const Unit& unit);

}  // namespace tactus::config
