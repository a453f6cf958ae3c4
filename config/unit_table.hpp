// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The units that are known, and their prefixes; docs/units.md is made of it.
///
/// Threads  constant.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::config {

struct BaseUnit {
  const char* name;
  int exponent;
};

/// A value x of it is x * rest * 10^power + offset in base units.
struct KnownUnit {
  std::string_view symbol;
  std::string_view name;
  std::vector<BaseUnit> bases;
  double rest = 1;
  int power = 0;
  bool prefixes = false;  ///< may have one
  double offset = 0;
};

struct UnitPrefix {
  std::string_view symbol;
  int power;
};

const std::vector<KnownUnit>& known_units();
/// `da` before `d`.
std::span<const UnitPrefix> unit_prefixes();
/// nullptr: it is not known. Without prefixes.
const KnownUnit* find_unit(std::string_view symbol);
/// The page of docs/ in Markdown.
std::string units_page();

}  // namespace tactus::config
