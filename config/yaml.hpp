// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The one place that knows the YAML library. Not for outside of config/.
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/node.hpp"
#include "config/place.hpp"

namespace tactus::config {

struct YamlTree {
  Node root;
  bool empty = true;  ///< there is nothing but blanks and comments
  std::vector<Repeated> repeated;
};

/// Adds the first bad byte to `problems`: invalid UTF-8, control characters, lone carriage returns. `column`
/// is where the first line begins, from 1.                                                      @when setup
bool check_characters(const std::string& name, std::string_view text, int column, Problems& problems);

/// `text` has passed check_characters(). Every problem found is added; the tree is what could be read. @when
/// setup
YamlTree parse_yaml(const std::string& name, std::string_view text, int column, Problems& problems);

}  // namespace tactus::config
