// SPDX-License-Identifier: Apache-2.0
#include "executive/model/variable_path.hpp"

#include "config/path.hpp"

namespace tactus::executive {
namespace {

/// Takes an index off the front: one that an element can have.
std::optional<std::uint32_t> take_index(std::string_view& text) {
  const auto index = config::take_index(text);
  return index && *index <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*index)) : std::nullopt;
}

std::string up_to(std::uint32_t count) { return "0 .. " + std::to_string(count - 1); }

}  // namespace

std::optional<VariablePath> VariablePath::parse(std::string_view text) {
  VariablePath path{config::without_indices(text)};
  text.remove_prefix(path.name.size());
  if (text.empty()) return path;
  path.index = take_index(text);
  if (path.index && !text.empty()) {
    path.column = take_index(text);
    if (!path.column) return std::nullopt;
  }
  return path.index && text.empty() ? std::optional(path) : std::nullopt;
}

std::optional<std::uint32_t> VariablePath::element_of(const Variable& variable, std::string& problem) const {
  if (!index) return 0;
  const std::uint32_t columns = variable.columns;
  if (variable.count == 0) {
    problem = "is not an array";
  } else if (columns > 0 && !column) {
    problem = "has two dimensions; one element is written [1][0]";
  } else if (columns == 0 && column) {
    problem = "has one dimension; one element is written [1]";
  } else if (*index >= (columns == 0 ? variable.count : variable.count / columns)) {
    problem = "has no such element; the index is one of " +
              up_to(columns == 0 ? variable.count : variable.count / columns);
  } else if (column && *column >= columns) {
    problem = "has no such element; the second index is one of " + up_to(columns);
  } else {
    return columns == 0 ? *index : *index * columns + *column;
  }
  return std::nullopt;
}

}  // namespace tactus::executive
