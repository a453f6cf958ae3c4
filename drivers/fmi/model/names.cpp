// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/names.hpp"

namespace tactus::drivers::fmi {

std::string Names::add(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (made.empty() && (digit || c == '.')) made += '_';
    made += letter || digit || c == '.' ? c : '_';
  }
  while (made.size() > 1 && (made.back() == '_' || made.back() == '.') && name.back() != made.back())
    made.pop_back();
  if (made.empty()) made = "_";
  std::string unique = made;
  for (int i = 2; !used_.insert(unique).second; ++i) unique = made + "_" + std::to_string(i);
  return unique;
}

}  // namespace tactus::drivers::fmi
