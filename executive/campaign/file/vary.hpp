// SPDX-License-Identifier: Apache-2.0
#pragma once
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
  config::Unit unit{};  ///< of the first value: all numbers are in it
  std::string unit_text{};
  std::vector<Value> list{};  ///< of list and discrete; else empty
  Distribution distribution{};

  /// The value at a share of the distribution, 0 < share < 1.
  Value at(double share) const;
  /// Values that the rig must understand: all of a list, both ends of a distribution.
  std::vector<Value> ends() const;
};

/// A condition over drawn values: cases for which it holds are left out.
struct Exclusion {
  std::string text;
  config::Expression condition{};
  config::Origin origin{};
};

}  // namespace tactus::campaign
