#include "executive/model/variable.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tactus::executive {
namespace {

template <class T>
T load(const void* data) TACTUS_RT {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

template <class T>
void append_number(std::string& to, T value) {
  std::array<char, 40> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value);  // shortest that reads back exactly
  to.append(text.data(), end.ptr);
}

}  // namespace

std::size_t size_of(tactus_type type) {
  switch (type) {
    case TACTUS_BOOL:
    case TACTUS_INT8:
    case TACTUS_UINT8:
      return 1;
    case TACTUS_INT16:
    case TACTUS_UINT16:
      return 2;
    case TACTUS_INT32:
    case TACTUS_UINT32:
    case TACTUS_FLOAT:
      return 4;
    case TACTUS_INT64:
    case TACTUS_UINT64:
    case TACTUS_DOUBLE:
      return 8;
  }
  return 0;
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
  switch (type) {
    case TACTUS_BOOL:
      to += load<std::uint8_t>(data) != 0 ? '1' : '0';
      return;
    case TACTUS_INT8:
      return append_number(to, static_cast<int>(load<std::int8_t>(data)));
    case TACTUS_UINT8:
      return append_number(to, static_cast<int>(load<std::uint8_t>(data)));
    case TACTUS_INT16:
      return append_number(to, load<std::int16_t>(data));
    case TACTUS_UINT16:
      return append_number(to, load<std::uint16_t>(data));
    case TACTUS_INT32:
      return append_number(to, load<std::int32_t>(data));
    case TACTUS_UINT32:
      return append_number(to, load<std::uint32_t>(data));
    case TACTUS_INT64:
      return append_number(to, load<std::int64_t>(data));
    case TACTUS_UINT64:
      return append_number(to, load<std::uint64_t>(data));
    case TACTUS_FLOAT:
      return append_number(to, load<float>(data));
    case TACTUS_DOUBLE:
      return append_number(to, load<double>(data));
  }
}

long double as_real(tactus_type type, const void* data) TACTUS_RT {
  switch (type) {
    case TACTUS_BOOL:
    case TACTUS_UINT8:
      return load<std::uint8_t>(data);
    case TACTUS_INT8:
      return load<std::int8_t>(data);
    case TACTUS_INT16:
      return load<std::int16_t>(data);
    case TACTUS_UINT16:
      return load<std::uint16_t>(data);
    case TACTUS_INT32:
      return load<std::int32_t>(data);
    case TACTUS_UINT32:
      return load<std::uint32_t>(data);
    case TACTUS_INT64:
      return static_cast<long double>(load<std::int64_t>(data));
    case TACTUS_UINT64:
      return static_cast<long double>(load<std::uint64_t>(data));
    case TACTUS_FLOAT:
      return load<float>(data);
    case TACTUS_DOUBLE:
      break;
  }
  return load<double>(data);
}

std::string range_objection(const Variable& variable, const void* data) {
  const long double value = as_real(variable.type, data);
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
