// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_value.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "config/node.hpp"
#include "executive/model/parameter_value.hpp"
#include "executive/model/suggest.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/joined.hpp"

namespace tactus::executive {
namespace {

using Bytes = std::vector<std::byte>;

Json element_json(tactus_type type, const std::byte* data) {
  return with_type(type, [&](auto zero) -> Json {
    const auto value = load_element<decltype(zero)>(data);
    if constexpr (std::is_floating_point_v<decltype(zero)>) {
      if (std::isnan(value)) return "nan";
      if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
      return static_cast<double>(value);
    }
    return value;
  });
}

std::string kind_of(const Json& json) {
  if (json.is_number_integer()) return "a whole number";
  if (json.is_number()) return "a number";
  if (json.is_boolean()) return "a bool";
  if (json.is_string()) return "text";
  if (json.is_array()) return "a list";
  return json.is_null() ? "nothing" : "an object";
}

/// A number as it was written, as far as JSON keeps that: one beyond 64 bits is read as a double.
std::string number_text(const Json& number) {
  const double value = number.is_number_float() ? number.get<double>() : 0;
  if (!number.is_number_float() || std::trunc(value) != value || std::abs(value) >= 1e21)
    return number.dump();
  return rtsync::format_text("%.0f", value);
}

/// "park (0), drive (3)".
std::string labels_of(const Variable& variable) {
  return rtsync::joined(variable.labels, ", ", [&](const VariableLabel& label) {
    return label.name + " (" + std::to_string(label.value) + ")";
  });
}

template <class T>
bool whole_fits(const Json& json) {
  if (json.is_number_unsigned())
    return json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  constexpr double k2To63 = 9223372036854775808.0;
  if (json.is_number_float() && std::abs(json.get<double>()) >= k2To63) return false;
  const std::int64_t value = json.get<std::int64_t>();
  if constexpr (std::is_unsigned_v<T>)
    return value >= 0;
  else
    return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

/// Text is read as in a rig file: with its unit, or a label.
std::optional<Bytes> from_text(const Variable& variable, const std::string& text, std::string& problem) {
  Variable element = variable;
  element.count = element.columns = 0;
  config::Problems problems;
  auto bytes = read_value(element, config::Node::scalar(text), "", problems);
  if (!bytes && !problems.empty()) problem = problems.sorted().front().message;
  return bytes;
}

std::optional<Bytes> element_bytes(const Variable& variable, const Json& json, std::string& problem) {
  return with_type(variable.type, [&](auto zero) -> std::optional<Bytes> {
    using T = decltype(zero);
    const auto refuse = [&](const char* wanted) {
      problem = "is " + kind_of(json) + "; " + wanted + " is expected";
      return std::nullopt;
    };
    T value{};
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return refuse("true or false");
      value = json.get<bool>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (json.is_string()) return from_text(variable, json.get<std::string>(), problem);
      if (!json.is_number()) return refuse("a number");
      const double number = json.get<double>();
      if (std::abs(number) > static_cast<double>(std::numeric_limits<T>::max())) {
        problem = number_text(json) + " is beyond the range of " + std::string(name_of(variable.type));
        return std::nullopt;
      }
      value = static_cast<T>(number);
    } else {
      if (json.is_string()) return from_text(variable, json.get<std::string>(), problem);
      if (!json.is_number() || std::trunc(json.get<double>()) != json.get<double>())
        return refuse("a whole number");
      if (!whole_fits<T>(json)) {
        problem = number_text(json) + " is outside of the range of " + std::string(name_of(variable.type)) +
                  ", " + std::to_string(std::numeric_limits<T>::min()) + " .. " +
                  std::to_string(std::numeric_limits<T>::max());
        return std::nullopt;
      }
      value = json.get<T>();
    }
    Bytes bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  });
}

/// A list of `count` items, each of which `read` takes. `item`: what each is, "row".
template <class Read>
std::optional<Bytes> from_list(const Json& json, std::uint32_t count, const std::string& item,
                               const char* items, std::string& problem, Read read) {
  if (!json.is_array() || json.size() != count) {
    problem = "is " + kind_of(json) + (json.is_array() ? " of " + std::to_string(json.size()) : "") +
              "; a list of " + std::to_string(count) + " " + items + " is expected";
    return std::nullopt;
  }
  Bytes all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::optional<Bytes> bytes = read(json[i]);
    if (!bytes) {
      problem = item + " " + std::to_string(i) + ": " + problem;
      return std::nullopt;
    }
    all.insert(all.end(), bytes->begin(), bytes->end());
  }
  return all;
}

/// An array of two dimensions: a list of its rows.
std::optional<Bytes> from_rows(const Variable& variable, std::uint32_t elements, const Json& json,
                               std::string& problem) {
  Variable row = variable;
  row.columns = 0;
  return from_list(json, elements / variable.columns, "row", "rows", problem,
                   [&](const Json& one) { return from_json(row, variable.columns, true, one, problem); });
}

}  // namespace

Json to_json(const Variable& variable, const std::byte* data, std::uint32_t elements, bool list) {
  if (!list) return element_json(variable.type, data);
  Json values = Json::array();
  for (std::uint32_t i = 0; i < elements; ++i) {
    Json value = element_json(variable.type, data + i * size_of(variable.type));
    if (variable.columns > 0 && i % variable.columns == 0) values.push_back(Json::array());
    (variable.columns > 0 ? values.back() : values).push_back(std::move(value));
  }
  return values;
}

std::optional<Bytes> from_json(const Variable& variable, std::uint32_t elements, bool list, const Json& json,
                               std::string& problem) {
  if (list && variable.columns > 0) return from_rows(variable, elements, json, problem);
  const auto element = [&](const Json& one) { return element_bytes(variable, one, problem); };
  const std::optional<Bytes> all =
      list ? from_list(json, elements, "element", "values", problem, element) : element(json);
  if (!all) return std::nullopt;
  problem = value_problem(variable, all->data(), elements);
  return problem.empty() ? all : std::nullopt;
}

std::string value_problem(const Variable& variable, const std::byte* data, std::uint32_t elements) {
  const std::size_t size = size_of(variable.type);
  for (std::uint32_t i = 0; i < elements; ++i) {
    const std::byte* const at = data + i * size;
    const std::string which = elements > 1 ? "element " + std::to_string(i) + " " : "";
    if (variable.type == TACTUS_BOOL) {
      if (*at != std::byte{0} && *at != std::byte{1}) return which + "is not a bool: neither 0 nor 1";
      continue;
    }
    const std::string problem = with_type(variable.type, [&](auto zero) -> std::string {
      const auto value = load_element<decltype(zero)>(at);
      if constexpr (std::is_floating_point_v<decltype(zero)>) {
        if (!std::isfinite(value)) return which + "is not finite";
      }
      if constexpr (std::is_integral_v<decltype(zero)>) {
        const bool known =
            variable.labels.empty() || std::ranges::any_of(variable.labels, [&](const VariableLabel& label) {
              return static_cast<decltype(zero)>(label.value) == value;
            });
        if (!known)
          return which + format_value(variable.type, at) + " is none of its values: " + labels_of(variable);
      }
      const std::string outside = range_problem(variable, at);
      return outside.empty() ? "" : which + outside;
    });
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace tactus::executive
