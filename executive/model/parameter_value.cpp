// SPDX-License-Identifier: Apache-2.0
#include "executive/model/parameter_value.hpp"

#include <cmath>
#include <cstring>
#include <exception>

#include "config/number.hpp"
#include "config/quantity.hpp"
#include "executive/model/suggest.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(T value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// The whole text as an integer of a type; nothing when it is none, or does not fit.
template <class T>
std::optional<Bytes> integer_bytes(const std::string& text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const auto value = rtsync::read_number<T>(std::string_view(text).substr(plus ? 1 : 0));
  return value ? std::optional(bytes_of(*value)) : std::nullopt;
}

std::optional<Bytes> integer_bytes(tactus_type type, const std::string& text) {
  return with_type(type, [&](auto zero) -> std::optional<Bytes> {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return integer_bytes<T>(text);
    return std::nullopt;
  });
}

/// One value of a file and where to complain about it.
struct Reader {
  const Variable& variable;
  const config::Node& node;
  const std::string& path;
  config::Problems& problems;

  std::nullopt_t complain(const std::string& message) const {
    problems.add(node.place(), path, message);
    return std::nullopt;
  }
  std::string quoted() const { return "'" + node.text() + "'"; }

  std::optional<Bytes> array() const {
    const bool rows = variable.columns > 0;  // a list of lists
    const std::size_t size = rows ? variable.count / variable.columns : variable.count;
    if (!node.is_list() || node.items().size() != size)
      return complain("is an array of " + std::to_string(size) + (rows ? " rows" : "") + "; a list of " +
                      std::to_string(size) + (rows ? " lists is expected" : " values is expected"));
    Bytes all;
    Variable element = variable;
    element.count = variable.columns;
    element.columns = 0;
    bool good = true;
    for (std::size_t i = 0; i < size; ++i) {
      const auto one = read_value(element, node.items()[i], path + "[" + std::to_string(i) + "]", problems);
      if (one) all.insert(all.end(), one->begin(), one->end());
      good = good && one;
    }
    return good ? std::optional(std::move(all)) : std::nullopt;
  }

  std::optional<Bytes> scalar() const {
    if (is_real(variable.type)) return real();
    if (!node.is_scalar())
      return complain(std::string("is ") + (node.is_null() ? "empty" : config::kind_name(node.kind())) +
                      "; one value is expected");
    if (variable.type == TACTUS_BOOL) return boolean();
    return variable.labels.empty() ? integer() : label();
  }

  std::optional<Bytes> real() const {
    const auto number = config::read_quantity(node, path, variable.unit, problems);
    if (!number) return std::nullopt;
    if (variable.type == TACTUS_DOUBLE) return bytes_of(*number);
    const auto rounded = static_cast<float>(*number);
    if (!std::isfinite(rounded)) return complain(quoted() + " is beyond the range of a float");
    if (rounded == 0 && *number != 0)
      return complain(quoted() + " is too close to 0 for a float (smallest 1.4e-45)");
    return bytes_of(rounded);
  }

  std::optional<Bytes> boolean() const {
    const std::string& text = node.text();
    if (text == "yes" || text == "on" || text == "true") return Bytes{std::byte{1}};
    if (text == "no" || text == "off" || text == "false") return Bytes{std::byte{0}};
    return complain(quoted() + " is not one of yes, no, on, off, true, false");
  }

  std::optional<Bytes> label() const {
    for (const VariableLabel& label : variable.labels)
      if (label.name == node.text())
        return variable.type == TACTUS_UINT64 ? bytes_of(label.value)  // all 64 bits, as an enum has them
                                              : integer_bytes(variable.type, std::to_string(label.value));
    return complain(quoted() + " is not one of its values" +
                    did_you_mean(node.text(), variable.labels, &VariableLabel::name));
  }

  /// "12" or "12 counts": an integer takes exactly its unit, for nothing is rounded.
  std::optional<Bytes> integer() const {
    const config::NumberAndRest split = config::split_number(node.text());
    const std::string number(split.number), unit(split.rest);
    try {
      if (const auto written = config::Unit::parse(unit);
          !number.empty() && !config::same(written, variable.unit))
        return complain(quoted() + (unit.empty() ? " has no unit" : " has unit '" + unit + "'") +
                        mend_unit(number, written));
      if (auto bytes = integer_bytes(variable.type, number)) return bytes;
    } catch (const std::exception& error) {
      const bool is_apart = split.rest.data() > split.number.data() + split.number.size();  // unlike in 0x10
      if (is_apart && !number.empty()) return complain(quoted() + ": " + error.what());
    }
    return complain(quoted() + " is not a whole number in the range of " +
                    std::string(name_of(variable.type)));
  }

  /// Says how to write a number in the unit of the variable. The same number would be another value in a unit that only
  /// converts.
  std::string mend_unit(const std::string& number, const config::Unit& written) const {
    const std::string& own = variable.unit_text;
    if (config::compatible(written, variable.unit))
      return "; a whole number is not converted, so write it " +
             (own.empty() ? "without a unit" : "in '" + own + "'");
    return "; write for example '" + number + (own.empty() ? "" : " " + own) + "'";
  }
};

}  // namespace

std::optional<std::vector<std::byte>> read_value(const Variable& variable, const config::Node& node,
                                                 const std::string& path, config::Problems& problems) {
  const Reader reader{variable, node, path, problems};
  if (variable.count > 0) return reader.array();
  auto bytes = reader.scalar();
  if (!bytes) return bytes;
  if (const std::string outside = range_problem(variable, bytes->data()); !outside.empty())
    return reader.complain(outside);
  return bytes;
}

}  // namespace tactus::executive
