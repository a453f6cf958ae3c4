// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A text that lists items, each of which has members: the little of YAML and JSON that peers write into
/// attributes. In flow style, [{"key": "K","kind": 2}], or in block style:
///
///     - key: K
///       kind: 2
///
/// Threads  functions without state.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/silkit/wire/bytes.hpp"

namespace tactus::silkit {

/// Members in their order; none is there twice.
using Item = std::vector<std::pair<std::string, std::string>>;

/// Scalars may be plain, in single or in double quotes; a plain one stands for its own characters. An empty
/// text has no items. Throws WireError, naming the place, for what is not such a list.
std::vector<Item> read_items(std::string_view text);

/// The text in double quotes, as JSON escapes it.
std::string json_quoted(std::string_view text);

}  // namespace tactus::silkit
