// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

namespace tactus::drivers::can {

/// The names of a model's variables: what a database has, with letters that a variable may have, each name once.
class Names {
 public:
  /// Returns the name of a variable for `name`; with a '_' behind it for each one that has it already.
  std::string add(const std::string& name);

 private:
  std::set<std::string> used_;
};

/// The unit of a variable for what a database writes: "km/h" for "kph", "rpm" for "U/min", "m/s^2" for "m/s2". Empty, a pure
/// number, for what is not a unit, as "0=off".
std::string rig_unit(const std::string& unit);

}  // namespace tactus::drivers::can
