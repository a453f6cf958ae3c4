// SPDX-License-Identifier: Apache-2.0
#include "executive/model/variable.hpp"

#include <array>
#include <charconv>

#include "executive/model/with_type.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::executive {
namespace {

template <class T>
void append_number(std::string& to, T value) {
  std::array<char, 40> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value);  // shortest that reads back exactly
  to.append(text.data(), end.ptr);
}

}  // namespace

std::size_t size_of(tactus_type type) {
  return with_type(type, [](auto zero) { return sizeof zero; });
}

std::string_view name_of(tactus_type type) {
  static constexpr rtsync::Worded<tactus_type> kWords[] = {
      {TACTUS_BOOL, "bool"},     {TACTUS_INT8, "int8"},   {TACTUS_UINT8, "uint8"},   {TACTUS_INT16, "int16"},
      {TACTUS_UINT16, "uint16"}, {TACTUS_INT32, "int32"}, {TACTUS_UINT32, "uint32"}, {TACTUS_INT64, "int64"},
      {TACTUS_UINT64, "uint64"}, {TACTUS_FLOAT, "float"}, {TACTUS_DOUBLE, "double"}};
  return rtsync::word_of(kWords, type);
}

std::string_view name_of(tactus_role role) {
  static constexpr rtsync::Worded<tactus_role> kWords[] = {{TACTUS_PARAMETER, "parameter"},
                                                           {TACTUS_INPUT, "input"},
                                                           {TACTUS_OUTPUT, "output"},
                                                           {TACTUS_STATE, "state"}};
  return rtsync::word_of(kWords, role);
}

void* VariableRef::data() const {
  return static_cast<std::byte*>(variable->data) + first * size_of(variable->type);
}

std::string VariableRef::name() const {
  return indexed ? variable->name + index_text(*variable, first) : variable->name;
}

std::string index_text(const Variable& variable, std::size_t element) {
  const auto bracket = [](std::size_t number) { return "[" + std::to_string(number) + "]"; };
  if (variable.count == 0) return "";
  if (variable.columns == 0) return bracket(element);
  return bracket(element / variable.columns) + bracket(element % variable.columns);
}

std::string describe(const VariableRef& ref) {
  std::string text(name_of(ref.variable->type));
  const Variable& variable = *ref.variable;
  const std::uint32_t columns = variable.columns;
  if (variable.count > 0 && !ref.indexed) {
    text += "[" + std::to_string(columns == 0 ? variable.count : variable.count / columns) + "]";
    if (columns > 0) text += "[" + std::to_string(columns) + "]";
  }
  if (!ref.variable->unit_text.empty()) text += " in " + ref.variable->unit_text;
  return text;
}

void append_value(std::string& to, tactus_type type, const void* data) {
  with_type(type, [&](auto zero) {
    const auto value = load_element<decltype(zero)>(data);
    if constexpr (sizeof value == 1)
      append_number(to, static_cast<int>(value));
    else
      append_number(to, value);
  });
}

std::string range_problem(const Variable& variable, const void* data) {
  // A long double has an equal of every value.
  const long double value = with_type(variable.type, [&](auto zero) {
    return static_cast<long double>(load_element<StoredAs<decltype(zero)>>(data));
  });
  const bool inside =
      (!variable.low || value >= *variable.low) && (!variable.high || value <= *variable.high);
  if (inside) return "";
  const std::string low = variable.low ? format_value(TACTUS_DOUBLE, &*variable.low) : "";
  const std::string high = variable.high ? format_value(TACTUS_DOUBLE, &*variable.high) : "";
  return format_value(variable.type, data) + " is outside " + low + " .. " + high +
         (variable.unit_text.empty() || variable.unit_text == "1" ? "" : " " + variable.unit_text) +
         " (its declared range)";
}

std::string format_value(tactus_type type, const void* data) {
  std::string text;
  append_value(text, type, data);
  return text;
}

}  // namespace tactus::executive
