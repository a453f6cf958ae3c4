// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace tactus::drivers::fmi {

/// Names of variables as a rig can have them: letters, digits, '_' and '.', each once. @when setup
class Names {
 public:
  /// A name that no variable of the unit may get.
  void reserve(const std::string& name) { used_.insert(name); }
  /// "der(x)" becomes "der_x", "a[2]" becomes "a_2"; a name that is taken gets a number: "a_2_2".
  std::string add(std::string_view name);

 private:
  std::set<std::string> used_;
};

}  // namespace tactus::drivers::fmi
