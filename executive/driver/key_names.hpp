// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/shape.hpp"

namespace tactus::executive {

/// Names that one key can have.
struct NamesOfKey {
  std::vector<config::Word> names{};
  bool only = false;     ///< no others
  std::string unless{};  ///< key with which an entry of a map may have any name; empty: there is none
};

/// Names that keys of a driver's section can have, by the path of the key: "receive", "receive.EngineData.counter".
using KeyNames = std::map<std::string, NamesOfKey>;

/// Returns a section in whose JSON Schema keys have these names. @when setup
std::shared_ptr<const config::Section> with_names(const std::shared_ptr<const config::Section>& section,
                                                  const KeyNames& names);

}  // namespace tactus::executive
