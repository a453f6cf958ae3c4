// SPDX-License-Identifier: Apache-2.0
/// Start values of outputs and local variables, which the standard lets an importer set before initialization alone.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

template <class T>
void put(std::array<std::byte, 8>& to, T value) {
  std::memcpy(to.data(), &value, sizeof value);
}

std::string items_of(const Variable& of) {
  std::string all;
  for (const Item& item : of.items)
    all += (all.empty() ? "" : ", ") + item.name + " (" + std::to_string(item.value) + ")";
  return all;
}

std::string text_of(double value) { return Line("%.9g", value).str(); }

/// Returns what is wrong with a value beside its type; empty: nothing. `unit`: that of the rig, in which limits are said.
std::string beyond_limits(const Variable& of, double value, const std::string& text, const RigUnit& unit) {
  if ((!of.low || value >= *of.low) && (!of.high || value <= *of.high)) return "";
  const auto limit = [&](const std::optional<double>& of_unit) {
    if (!of_unit) return std::string("any");
    return text_of(unit.converts() ? unit.factor * *of_unit + unit.offset : *of_unit);
  };
  return text + " is outside of the unit's limits, " + limit(of.low) + " .. " + limit(of.high) +
         (unit.text.empty() ? "" : " " + unit.text);
}

/// Returns what is wrong with a whole number beside its type; empty: nothing.
std::string beyond_limits(const Variable& of, std::int64_t value, const std::string& text) {
  if (of.type != Type::enumeration || of.items.empty())
    return beyond_limits(of, static_cast<double>(value), text, RigUnit{});
  if (std::ranges::any_of(of.items, [&](const Item& item) { return item.value == value; }))
    return beyond_limits(of, static_cast<double>(value), text, RigUnit{});
  return text + " is not a value of the enumeration: " + items_of(of);
}

/// Returns element `k` of a number as the rig has it; of a text 0.
double number_at(Type type, Version version, const void* data, std::size_t k) {
  return with_type(
      type, version, [&]<class T>(T) { return static_cast<double>(static_cast<const T*>(data)[k]); }, 0.0);
}

/// Reads a value in the form of the unit. Returns what is wrong with it; empty: nothing.
std::string read_start(const Variable& of, const Description& description, const std::string& text,
                       std::array<std::byte, 8>& to) {
  if (of.type == Type::boolean) {
    const bool yes = text == "true" || text == "yes" || text == "1";
    if (!yes && text != "false" && text != "no" && text != "0") return "is a Boolean: true or false";
    if (description.version == Version::fmi2)
      put(to, yes ? 1 : 0);
    else
      put(to, yes);
    return "";
  }
  if (is_float(of.type)) {
    const RigUnit unit = rig_unit(description, of.unit, of.relative);
    const std::optional<double> number = number_of<double>(text);
    if (!number || !std::isfinite(*number))
      return "is " + in_quotes(text) + ", and a number" + (unit.text.empty() ? "" : " in " + unit.text) +
             " is expected";
    const double value = unit.converts() ? (*number - unit.offset) / unit.factor : *number;
    if (of.type == Type::float32 && std::abs(value) > std::numeric_limits<float>::max())
      return text + " does not fit its type, Float32";
    if (std::string wrong = beyond_limits(of, value, text, unit); !wrong.empty()) return wrong;
    if (of.type == Type::float32)
      put(to, static_cast<float>(value));
    else
      put(to, value);
    return "";
  }
  for (const Item& item : of.items)
    if (item.name == text) {
      put(to, item.value);
      return beyond_limits(of, item.value, text);
    }
  const std::optional<std::int64_t> number = number_of<std::int64_t>(text);
  const std::optional<std::uint64_t> large = number_of<std::uint64_t>(text);
  if (!number && of.type == Type::uint64 && large) {
    put(to, *large);
    return beyond_limits(of, static_cast<double>(*large), text, RigUnit{});
  }
  if (!number && !of.items.empty())
    return in_quotes(text) + " is not a value of the enumeration: " + items_of(of);
  if (!number && large) return text + " does not fit its type, " + std::string(name_of(of.type));
  if (!number) return "is " + in_quotes(text) + ", and a whole number is expected";
  const std::size_t bits = 8 * storage_of(of.type, description.version);
  const bool no_sign =
      of.type == Type::uint8 || of.type == Type::uint16 || of.type == Type::uint32 || of.type == Type::uint64;
  const std::int64_t most = bits == 64 ? INT64_MAX : (std::int64_t{1} << (bits - (no_sign ? 0 : 1))) - 1;
  if (*number > most || *number < (no_sign ? 0 : -most - 1))
    return text + " does not fit its type, " + std::string(name_of(of.type));
  put(to, *number);
  return beyond_limits(of, *number, text);
}

}  // namespace

void FmiModel::check_starts(const Problems& problems) {
  for (const Text& start : starts_) {
    const std::string path = "start." + start.name;
    const Variable* of = nullptr;
    std::vector<std::string> names;
    for (const auto* const list : {&contents_.inputs, &contents_.tunables, &contents_.parameters,
                                   &contents_.outputs, &contents_.constants})
      for (const RigVariable& each : *list) {
        names.push_back(each.name);
        if (each.name == start.name) of = each.of;
      }
    if (of == nullptr)
      for (const Variable& each : description_.variables)
        if (each.name == start.name && each.causality == Causality::local) of = &each;
    if (of == nullptr) {
      problems.add(path, "the unit has no such variable" + nearest(start.name, names));
    } else if (of->is_parameter() || of->causality == Causality::input) {
      problems.add(path, "is a parameter or an input: write its value under 'parameters'");
    } else if (of->variability == Variability::constant ||
               (of->initial != Initial::exact && of->initial != Initial::approx)) {
      problems.add(path, "cannot be set at any time: the unit computes it (its initial is " +
                             std::string(of->variability == Variability::constant ? "constant"
                                                                                  : name_of(of->initial)) +
                             "); only exact and approx can be set, before initialization");
    } else if (!of->dimensions.empty() || of->type == Type::string || of->type == Type::binary ||
               of->type == Type::clock) {
      problems.add(path, "is an array or a text; start values of numbers alone can be set");
    } else {
      GivenStart& made = given_starts_.emplace_back();
      made.of = of;
      if (const std::string wrong = read_start(*of, description_, start.value, made.value); !wrong.empty())
        problems.add(path, wrong);
    }
  }
}

/// Warns of parameters and inputs that the rig begins with beyond the unit's limits.
void FmiModel::say_beyond_limits(Values& group) {
  for (std::size_t i = 0; i < group.variables().size(); ++i) {
    const RigVariable& each = group.variables()[i];
    if (!each.of->low && !each.of->high) continue;
    // Part of a value by which it may have been rounded.
    const double part = group.type() == Type::float32 ? 1e-6 : each.unit.converts() ? 1e-12 : 0;
    for (std::uint32_t k = 0; k < each.elements; ++k) {
      const double shown = number_at(group.type(), description_.version, group.data(i), k);
      const double value = each.unit.converts() ? (shown - each.unit.offset) / each.unit.factor : shown;
      const auto rounds_to = [&](const std::optional<double>& limit) {
        return limit && std::abs(value - *limit) <= part * std::max(1.0, std::abs(*limit));
      };
      if (rounds_to(each.of->low) || rounds_to(each.of->high)) continue;
      const std::string wrong = beyond_limits(*each.of, value, text_of(shown), each.unit);
      if (wrong.empty()) continue;
      warn((in_quotes(each.name) + ": " + wrong).c_str());
      break;  // one element says it for all
    }
  }
}

int FmiModel::set_given_starts() {
  for (GivenStart& each : given_starts_)
    if (const int bad =
            take("Set of start values",
                 unit_->set(Call::set_start, {each.of->type, &each.of->reference, 1, each.value.data(), 1}));
        bad != 0)
      return bad;
  return 0;
}

}  // namespace tactus::drivers::fmi
