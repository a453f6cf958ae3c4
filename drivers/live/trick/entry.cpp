// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/entry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "config/text.hpp"
#include "executive/capability/live/live_value.hpp"
#include "executive/model/variable.hpp"
#include "executive/model/variable_path.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::drivers::trick {
namespace {

using config::Unit;
using executive::Variable;

/// letters, digits and _ . - with an index or not: what the rig's own look-up may be bothered with.
bool is_name(std::string_view name) {
  if (name.size() > kLongestName) return false;
  const auto path = executive::VariablePath::parse(name);
  if (!path) return false;
  for (const char c : path->name) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                    c == '.' || c == '-' || c == ':' || c == '/';
    if (!ok) return false;
  }
  return !path->name.empty();
}

/// Symbols of Trick's (old and UDUNITS) for which the rig has another one.
std::string_view our_symbol(std::string_view symbol) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kSymbols{{
      {"r", "rad"},
      {"d", "deg"},
      {"degree", "deg"},
      {"degrees", "deg"},
      {"radian", "rad"},
      {"revolution", "rev"},
      {"M", "m"},
      {"mt", "t"},
      {"v", "V"},
      {"C", "degC"},
      {"one", "1"},
      {"percent", "%"},
      {"second", "s"},
      {"minute", "min"},
      {"hour", "h"},
      {"day", "d"},
      {"meter", "m"},
  }};
  for (const auto& [theirs, ours] : kSymbols)
    if (symbol == theirs) return ours;
  return symbol;
}

/// "kg*m2/s**2" as "kg*m^2/s^2": digits right after a symbol are its power. With `symbols`, those of Trick's
/// are replaced.
std::string translated(std::string_view text, bool symbols) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    if (letter(text[i])) {
      while (end < text.size() && letter(text[end])) ++end;
      const std::string_view symbol = text.substr(i, end - i);
      out += symbols ? our_symbol(symbol) : symbol;
      std::size_t power = end;
      if (power < text.size() && text[power] == '-') ++power;
      if (power < text.size() && digit(text[power])) out += '^';
    } else if (text.substr(i, 2) == "**") {
      out += '^';
      end = i + 2;
    } else {
      out += text[i];
      end = i + 1;
    }
    i = end;
  }
  return out;
}

bool is_bare(const Unit& unit) { return same(unit, Unit{}); }

/// A whole number that a variable of type T can hold, cut towards zero; nothing when it is outside.
template <class T>
std::optional<T> cut(double value) {
  const double whole = std::trunc(value);
  // 2^digits is exact as a double, unlike the largest T; so is the smallest T.
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (!(whole < above && whole >= static_cast<double>(std::numeric_limits<T>::min()))) return std::nullopt;
  return static_cast<T>(whole);
}

template <class T>
std::optional<T> exactly(const Integer& integer) {
  const rtsync::Wide magnitude = integer.magnitude;
  const rtsync::Wide whole = integer.negative ? -magnitude : magnitude;
  if (whole < std::numeric_limits<T>::min() || whole > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(whole);
}

template <class T>
std::vector<std::byte> raw(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

struct Given {
  const Variable& variable;
  const Value& value;
  const Unit* unit;  ///< nullptr: the variable's own
  std::string& problem;

  double real() const {
    const double plain =
        std::holds_alternative<Integer>(value) ? std::get<Integer>(value).real() : std::get<double>(value);
    return unit == nullptr ? plain : convert(plain, *unit, variable.unit);
  }

  template <class T>
  std::optional<std::vector<std::byte>> number() const {
    if constexpr (std::is_floating_point_v<T>) {
      const double plain = real();
      if (std::abs(plain) <= static_cast<double>(std::numeric_limits<T>::max()))
        return raw(static_cast<T>(plain));
    } else {
      const bool exact = std::holds_alternative<Integer>(value) && unit == nullptr;
      const std::optional<T> whole = exact ? exactly<T>(std::get<Integer>(value)) : cut<T>(real());
      if (whole) return raw(*whole);
    }
    problem = "does not fit into " + std::string(executive::name_of(variable.type));
    return std::nullopt;
  }

  std::optional<std::vector<std::byte>> of_type() const {
    return executive::with_type(variable.type, [&](auto zero) -> std::optional<std::vector<std::byte>> {
      if constexpr (!std::is_same_v<decltype(zero), bool>) return number<decltype(zero)>();
      problem = "is of a type that cannot be set";
      return std::nullopt;
    });
  }
};

}  // namespace

std::optional<executive::LiveRef> find(const executive::LiveRig& rig, std::string_view name,
                                       std::string& problem) {
  if (is_name(name)) return rig.find(name, problem);
  problem = "is not a name of a variable; write model.variable, or model.array[2]";
  return std::nullopt;
}

Entry look_up(const executive::LiveRig& rig, std::string name) {
  Entry entry{.name = std::move(name)};
  if (entry.name == "time") {
    entry.kind = Entry::Kind::time;
    entry.label = "s";
    return entry;
  }
  entry.own = find_own_variable(entry.name);
  if (entry.own != nullptr) {
    entry.kind = Entry::Kind::own;
    return entry;
  }
  std::string problem;
  if (const auto ref = find(rig, entry.name, problem)) {
    entry.kind = Entry::Kind::variable;
    entry.ref = *ref;
    entry.of = &rig.variables()[ref->variable];
  }
  return entry;
}

std::optional<Unit> unit_for(const Unit& own, const std::string& text) {
  constexpr std::size_t kLongest = 100;
  // The text is shown to clients as it is: nothing in it may end a field or a label.
  const auto breaks = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '{' || c == '}'; };
  if (text.size() > kLongest || std::ranges::any_of(text, breaks)) return std::nullopt;
  for (const std::string& spelling : {text, translated(text, false), translated(text, true)}) {
    std::optional<Unit> unit = Unit::find(spelling);
    if (unit && compatible(*unit, own)) return unit;
  }
  return std::nullopt;
}

std::string set_unit(Entry& entry, const std::string& text) {
  if (entry.kind == Entry::Kind::unknown) return "it is not a variable";
  const Unit own = entry.kind == Entry::Kind::time  ? Unit::parse("s")
                   : entry.kind == Entry::Kind::own ? Unit{}
                                                    : entry.of->variable->unit;
  const std::string& own_text = own.text();
  if (text == "--" || (text == "xx" && is_bare(own))) return "";
  if (text == "xx") {
    entry.unit.reset();
    entry.label = own_text;
    return "";
  }
  const std::optional<Unit> unit = unit_for(own, text);
  if (!unit)
    return "its unit " + config::show(own_text.empty() ? "--" : own_text) + " cannot be converted to " +
           config::show(text);
  entry.unit = *unit;
  if (same(*unit, own)) entry.unit.reset();
  entry.label = is_bare(*unit) ? "--" : text;
  return "";
}

std::optional<std::vector<std::byte>> bytes_of(const Variable& variable, const Value& value,
                                               const std::string& unit, std::string& problem) {
  const auto fail = [&problem](std::string why) {
    problem = std::move(why);
    return std::nullopt;
  };
  if (variable.type == TACTUS_BOOL) {
    const bool* const plain = std::get_if<bool>(&value);
    const Integer* const digit = std::get_if<Integer>(&value);
    if (plain != nullptr) return raw(static_cast<std::uint8_t>(*plain));
    if (digit != nullptr && digit->magnitude <= 1) return raw(static_cast<std::uint8_t>(digit->magnitude));
    return fail("is a bool; give 0, 1, True or False");
  }
  Value number = value;
  if (const bool* const plain = std::get_if<bool>(&value)) number = Integer{false, *plain ? 1U : 0U};
  if (const std::string* const label = std::get_if<std::string>(&value)) {
    for (const executive::VariableLabel& known : variable.labels)
      if (known.name == *label) {
        const std::uint64_t bits = static_cast<std::uint64_t>(known.value);
        number = Integer{known.value < 0, known.value < 0 ? 0 - bits : bits};
      }
    if (std::holds_alternative<std::string>(number))
      return fail("is a number, not the text " + config::show(*label));
  }
  std::optional<Unit> given;
  if (!unit.empty() && unit != "xx" && unit != "--") {
    given = unit_for(variable.unit, unit);
    if (!given)
      return fail("has the unit " + config::show(variable.unit_text.empty() ? "--" : variable.unit_text) +
                  ", to which " + config::show(unit) + " cannot be converted");
  }
  const bool converts = given && !same(*given, variable.unit);
  auto bytes = Given{variable, number, converts ? &*given : nullptr, problem}.of_type();
  if (bytes) problem = executive::value_problem(variable, bytes->data(), 1);
  if (!problem.empty()) bytes.reset();
  return bytes;
}

}  // namespace tactus::drivers::trick
