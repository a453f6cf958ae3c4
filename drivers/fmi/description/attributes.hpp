// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "drivers/fmi/description/description.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {

/// Collects findings with their places. @when setup
class Findings {
 public:
  Findings(std::string_view text, std::vector<Finding>& to);
  void add(std::ptrdiff_t offset, std::string where, std::string text, bool error = true);

 private:
  std::vector<std::ptrdiff_t> lines_;  // offset of each line's first byte
  std::vector<Finding>& to_;
};

/// Takes whole text as a number, xs:double or a whole one.
template <class T>
std::optional<T> xml_number(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n'))
    text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  return number_of<T>(text);
}

/// A word of an attribute, and what it stands for.
template <class E>
struct Word {
  const char* text;
  E value;
};

/// Attributes of one element, and what is wrong with them. @when setup
class Attributes {
 public:
  Attributes(pugi::xml_node node, std::string where, Findings& findings)
      : node_(node), where_(std::move(where)), findings_(findings) {}

  void name(std::string where) { where_ = std::move(where); }
  pugi::xml_node node() const { return node_; }
  bool has(const char* key) const { return !node_.attribute(key).empty(); }
  void error(std::string text) const { findings_.add(node_.offset_debug(), where_, std::move(text)); }
  void warn(std::string text) const { findings_.add(node_.offset_debug(), where_, std::move(text), false); }

  std::string text(const char* key) const { return node_.attribute(key).value(); }
  std::string required(const char* key) const;
  bool flag(const char* key) const;
  template <class T>
  std::optional<T> number(const char* key) const {
    if (!has(key)) return std::nullopt;
    const std::optional<T> value = xml_number<T>(node_.attribute(key).value());
    if (!value) error(no_number(key, std::is_integral_v<T>));
    return value;
  }
  template <class E>
  E word(const char* key, std::span<const Word<E>> words, E fallback) const {
    if (!has(key)) return fallback;
    const std::string given = text(key);
    std::vector<std::string> all;
    for (const Word<E>& each : words) {
      if (given == each.text) return each.value;
      all.emplace_back(each.text);
    }
    error(no_word(key, given, all));
    return fallback;
  }

 private:
  std::string no_number(const char* key, bool whole) const;
  static std::string no_word(const char* key, const std::string& given, const std::vector<std::string>& all);

  pugi::xml_node node_;
  std::string where_;
  Findings& findings_;
};

/// Reads the variables of either version into `description`, whose types and units were read. @when setup
void read_variables(pugi::xml_node root, Description& description, Findings& findings);
/// Attributes that TypeDefinitions and variables share.
void read_common(const Attributes& of, Type type, std::string& unit, bool& relative,
                 std::optional<double>& low, std::optional<double>& high);
std::vector<Item> read_items(pugi::xml_node node, const std::string& where, Findings& findings);
/// Type of an element: "Real" in 2.0, "Float64" or "Float64Type" in 3.0. Nothing: it is another element.
std::optional<Type> type_of_element(std::string_view name, Version version);

}  // namespace tactus::drivers::fmi
