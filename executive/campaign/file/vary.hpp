// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/expression.hpp"
#include "config/place.hpp"
#include "config/unit.hpp"
#include "executive/campaign/draw/distribution.hpp"

namespace tactus::campaign {

/// A value as it is set, and as a number in the unit of its key.
struct Value {
  std::string text;
  double number = 0;
  bool is_word = false;
};

/// A key of the rig file, and the values that it takes.
struct Vary {
  std::string key;
  config::Origin origin{};
  config::Unit unit{};  ///< unit of the first value: all numbers are in it
  std::string unit_text{};
  std::vector<Value> list{};  ///< values of list and discrete; else empty
  Distribution distribution{};
  double round = 0;  ///< 0: not rounded

  /// The value at a share of the distribution, 0 < share < 1.
  Value at(double share) const;
  /// Values that the rig must understand: all of a list, both ends of a distribution.
  std::vector<Value> ends() const;
  /// The value that stands for a number of the distribution: ten digits, rounded, within its bounds.
  Value value_of(double number) const;
};

/// Returns true if `name` is the key or its last parts: "supply" of "models.motor.parameters.supply".
bool names(const std::string& key, const std::string& name);
/// The place of the key that is meant; nothing, and `why`: there is none, or there are several.
std::optional<std::size_t> find_key(const std::vector<Vary>& vary, const std::string& name, std::string& why);

/// A condition over drawn values: cases for which it holds are left out.
struct Exclusion {
  std::string text;
  config::Expression condition{};
  config::Origin origin{};

  /// Returns true if it holds for the values, one for each of `vary`. A key without a value here (nullptr) makes what asks for
  /// it false. Throws config::ExpressionError where names or units do not fit: the same for all values.
  bool holds(const std::vector<Vary>& vary, const std::vector<const Value*>& values) const;
};

}  // namespace tactus::campaign
