// SPDX-License-Identifier: Apache-2.0
#include "executive/model/variable.hpp"

#include <array>
#include <charconv>

#include "executive/model/with_type.hpp"

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
  switch (type) {
    case TACTUS_BOOL:
      return "bool";
    case TACTUS_INT8:
      return "int8";
    case TACTUS_UINT8:
      return "uint8";
    case TACTUS_INT16:
      return "int16";
    case TACTUS_UINT16:
      return "uint16";
    case TACTUS_INT32:
      return "int32";
    case TACTUS_UINT32:
      return "uint32";
    case TACTUS_INT64:
      return "int64";
    case TACTUS_UINT64:
      return "uint64";
    case TACTUS_FLOAT:
      return "float";
    case TACTUS_DOUBLE:
      return "double";
  }
  return "unknown";
}

std::string_view name_of(tactus_role role) {
  switch (role) {
    case TACTUS_PARAMETER:
      return "parameter";
    case TACTUS_INPUT:
      return "input";
    case TACTUS_OUTPUT:
      return "output";
    case TACTUS_STATE:
      return "state";
  }
  return "unknown";
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
