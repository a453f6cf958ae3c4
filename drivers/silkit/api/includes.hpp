// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A participant configuration and all those that it includes, as one.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/node.hpp"

namespace tactus::silkit {

struct MergedConfiguration {
  config::Node root;  ///< a map, without `Includes`
  std::vector<config::Repeated> repeated;
  std::vector<std::string> warnings;
};

/// Reads one; nothing when it is blank. Throws config::ConfigError.                               @when setup
std::optional<config::Document> document_of(const std::string& path);
/// Nothing but blanks and comments.
bool is_blank(std::string_view text);

/// Merged as SIL Kit does it: entries of lists come together, those of one name have to be alike; of single
/// values only one may differ from its default. A file is looked for in the working folder, then in the
/// folders of Includes.SearchPathHints, then in `folder` and beside the files that include, which the hints
/// may be relative to as well. Each is read once.
///
/// Throws config::ConfigError with every problem found: values that contradict each other, a file that is
/// missing or cannot be read.                                                                     @when setup
MergedConfiguration with_includes(const config::Document& root, const std::string& folder);

}  // namespace tactus::silkit
