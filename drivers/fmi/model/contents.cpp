// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/contents.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

/// Names of variables as a rig can have them: letters, digits, '_' and '.', each once. @when setup
class Names {
 public:
  /// A name that no variable of the unit may get.
  void reserve(const std::string& name) { used_.insert(name); }
  /// "der(x)" becomes "der_x", "a[2]" becomes "a_2"; a name that is taken gets a number: "a_2_2".
  std::string add(std::string_view name);

 private:
  std::set<std::string> used_;
};

std::string Names::add(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (made.empty() && (digit || c == '.')) made += '_';
    made += letter || digit || c == '.' ? c : '_';
  }
  while (made.size() > 1 && (made.back() == '_' || made.back() == '.') && name.back() != made.back())
    made.pop_back();
  if (made.empty()) made = "_";
  std::string unique = made;
  for (int i = 2; !used_.insert(unique).second; ++i) unique = made + "_" + std::to_string(i);
  return unique;
}

bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t from = star; from <= text.size(); ++from)
    if (matches(rest, text.substr(from))) return true;
  return false;
}

/// A start value: a String in quotes, a Binary in hexadecimal digits.
std::string text_of(Type type, const std::string& value) {
  if (type == Type::string) return in_quotes(value);
  constexpr const char* kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : value.substr(0, 60)) {
    digits += kDigits[static_cast<unsigned char>(c) / 16];
    digits += kDigits[static_cast<unsigned char>(c) % 16];
  }
  return digits + (value.size() > 60 ? "..." : "");
}

/// A time as a rig file writes it.
std::string seconds(double value) {
  if (value >= 1) return Line("%.9g s", value).str();
  if (const double ms = value * 1e3; ms >= 1) return Line("%.9g ms", ms).str();
  return Line("%.9g us", value * 1e6).str();
}

class Sorter {
 public:
  Sorter(const Description& description, const Wishes& wishes, std::vector<WishProblem>& problems)
      : description_(description), wishes_(wishes), problems_(problems), matched_(wishes.locals.size()) {
    for (const char* const name : kOwnNames) names_.reserve(name);
  }

  Contents sort() {
    read_structure();
    for (const Variable& variable : description_.variables) sort(variable);
    for (std::size_t i = 0; i < matched_.size(); ++i) {
      if (matched_[i]) continue;
      std::vector<std::string> locals;
      for (const Variable& variable : description_.variables)
        if (variable.causality == Causality::local) locals.push_back(variable.name);
      problems_.push_back({"locals[" + std::to_string(i) + "]", in_quotes(wishes_.locals[i]) +
                                                                    " names no local variable of the unit" +
                                                                    nearest(wishes_.locals[i], locals)});
    }
    return std::move(made_);
  }

 private:
  void read_structure() {
    for (const Variable& variable : description_.variables) {
      if (variable.causality != Causality::structural_parameter) continue;
      if (variable.type != Type::uint64 || !variable.dimensions.empty()) {
        leave_out(variable, "a structural parameter that is not a UInt64");
        continue;
      }
      StructureVariable one{.of = &variable, .name = names_.add(variable.name)};
      if (!variable.start.wholes.empty()) one.size = static_cast<std::uint64_t>(variable.start.wholes[0]);
      if (const auto given = wishes_.parameters.find(one.name); given != wishes_.parameters.end())
        take_size(one, given->second);
      one.memory = one.size;
      sizes_[variable.reference] = static_cast<std::int64_t>(one.size);
      made_.structure.push_back(std::move(one));
    }
  }
  /// Takes a size. A text that is no whole number is reported where parameters are read.
  void take_size(StructureVariable& one, const std::string& text) {
    const auto value = number_of<std::uint64_t>(text);
    if (!value) return;
    const Variable& of = *one.of;
    const auto number = static_cast<double>(*value);
    constexpr std::uint64_t kMost = 100'000'000;
    if ((of.low && number < *of.low) || (of.high && number > *of.high) || *value > kMost)
      problems_.push_back({"parameters." + one.name, text + " is outside of the unit's limits, " +
                                                         limit(of.low) + " .. " + limit(of.high)});
    else
      one.size = *value;
  }
  static std::string limit(const std::optional<double>& value) {
    return value ? std::to_string(static_cast<long long>(*value)) : "any";
  }

  bool wanted(const Variable& variable) {
    bool any = false;
    for (std::size_t i = 0; i < wishes_.locals.size(); ++i)
      if (matches(wishes_.locals[i], variable.name)) any = matched_[i] = true;
    return any;
  }

  void leave_out(const Variable& variable, std::string why) {
    made_.left_out.push_back({&variable, std::move(why)});
  }

  void sort(const Variable& variable) {
    if (variable.causality == Causality::independent || variable.causality == Causality::structural_parameter)
      return;
    if (variable.causality == Causality::local && !wanted(variable)) return;
    if (variable.type == Type::clock) return sort_clock(variable);
    if (!variable.clocks.empty() && wishes_.execution == Execution::co_simulation && !wishes_.event_mode)
      return leave_out(variable, "belongs to a clock, and no clock ticks without 'event_mode: yes'");
    if (const std::string clock = missing_clock(variable); !clock.empty())
      return leave_out(variable,
                       "belongs to clock " + in_quotes(clock) + ", which is not there, so it never ticks");
    if (variable.type == Type::string || variable.type == Type::binary) {
      if (variable.causality == Causality::parameter)
        made_.texts.push_back(&variable);
      else if (variable.variability == Variability::constant)
        leave_out(variable,
                  std::string(name_of(variable.type)) + ", a constant: " +
                      (variable.start.texts.empty() ? "its description gives no value"
                                                    : text_of(variable.type, variable.start.texts[0])));
      else
        leave_out(variable,
                  std::string(name_of(variable.type)) +
                      ": a rig has no variables of changing size; parameters of this type can be set "
                      "by 'texts'");
      return;
    }
    RigVariable one{.of = &variable, .array = !variable.dimensions.empty()};
    std::uint64_t count = 1, last = 1;
    for (const Dimension& dimension : variable.dimensions) {
      last = dimension.size;
      if (dimension.parameter)
        if (const auto size = sizes_.find(*dimension.parameter); size != sizes_.end())
          last = static_cast<std::uint64_t>(size->second);
      count = last == 0 ? 0 : (count > 100'000'000 / last ? 100'000'001 : count * last);
    }
    if (count == 0) return leave_out(variable, "an array without elements");
    if (count > 100'000'000) return leave_out(variable, "an array of more than 100000000 elements");
    one.elements = static_cast<std::uint32_t>(count);
    if (variable.dimensions.size() == 2) one.columns = static_cast<std::uint32_t>(last);
    one.name = names_.add(variable.name);
    if (is_float(variable.type)) one.unit = rig_unit(description_, variable.unit, variable.relative);
    list_of(variable).push_back(std::move(one));
  }

  /// Returns why a clock is not in the rig; empty: it is.
  std::string clock_refusal(const Variable& clock) const {
    const bool co_simulation = wishes_.execution == Execution::co_simulation;
    if (co_simulation && !wishes_.event_mode)
      return "a Clock: the unit runs without event mode, so no clock ticks";
    if (clock.causality != Causality::input && clock.causality != Causality::output)
      return "a Clock that is neither input nor output";
    return "";
  }

  /// Returns the name of a clock of a variable if none of its clocks is in the rig; empty: one is, or it has none.
  std::string missing_clock(const Variable& variable) const {
    std::string missing;
    for (const std::uint32_t reference : variable.clocks) {
      const Variable* const clock = description_.find_reference(reference);
      if (clock == nullptr || clock_refusal(*clock).empty()) return "";
      missing = clock->name;
    }
    return missing;
  }

  void sort_clock(const Variable& variable) {
    if (std::string why = clock_refusal(variable); !why.empty()) return leave_out(variable, std::move(why));
    ClockVariable clock{.of = &variable, .name = names_.add(variable.name)};
    if (variable.causality == Causality::output) {
      made_.output_clocks.push_back(std::move(clock));
      return;
    }
    clock.ticks = names_.add(clock.name + "_ticks");
    clock.next = names_.add(clock.name + "_next");
    clock.late = names_.add(clock.name + "_late");
    clock.interval = names_.add(clock.name + "_interval");
    clock.served = names_.add(clock.name + "_served");
    clock.news = names_.add(clock.name + "_news");
    clock.due = names_.add(clock.name + "_due");
    clock.seen = names_.add(clock.name + "_news_seen");
    clock.told = names_.add(clock.name + "_interval_of_unit");
    clock.from = names_.add(clock.name + "_from");
    clock.before = names_.add(clock.name + "_ticks_before");
    made_.partitions.push_back(std::move(clock));
  }

  std::vector<RigVariable>& list_of(const Variable& variable) {
    if (variable.variability == Variability::constant ||
        variable.causality == Causality::calculated_parameter)
      return made_.constants;
    if (variable.causality == Causality::input) return made_.inputs;
    if (variable.causality == Causality::parameter)
      return variable.variability == Variability::tunable ? made_.tunables : made_.parameters;
    return made_.outputs;
  }

  const Description& description_;
  const Wishes& wishes_;
  std::vector<WishProblem>& problems_;
  std::vector<bool> matched_;
  std::map<std::uint32_t, std::int64_t> sizes_;
  Names names_;
  Contents made_;
};

}  // namespace

Contents contents_of(const Description& description, const Wishes& wishes,
                     std::vector<WishProblem>& problems) {
  return Sorter(description, wishes, problems).sort();
}

Execution usual_execution(const Description& description) {
  return !description.co_simulation && description.scheduled_execution ? Execution::scheduled
                                                                       : Execution::co_simulation;
}

std::vector<std::string> refusals(const Description& description, Execution execution) {
  const std::optional<Interface>& interface = description.interface(execution);
  if (!interface) {
    if (!description.co_simulation && !description.scheduled_execution)
      return {
          "offers model exchange alone; tactus runs co-simulation and scheduled execution: export the unit "
          "for co-simulation (fmi2CoSimulation, fmi3CoSimulation)"};
    return {execution == Execution::scheduled
                ? "offers no scheduled execution; leave the key 'execution' out, or write 'co_simulation'"
                : "offers no co-simulation; leave the key 'execution' out, or write 'scheduled'"};
  }
  if (execution == Execution::scheduled) {
    std::size_t clocks = 0;
    for (const Variable& variable : description.variables)
      clocks += variable.type == Type::clock && variable.causality == Causality::input ? 1U : 0U;
    if (clocks == 0) return {"has no input clock, so it has no partition that a rig could call"};
    if (clocks > kMostPartitions)
      return {"has " + std::to_string(clocks) + " input clocks, and a rig calls at most " +
              std::to_string(kMostPartitions) + " partitions of a unit"};
  }
  if (interface->needs_execution_tool)
    return {
        "needs the tool that exported it while it runs (needsExecutionTool), and such a tool cannot keep to "
        "the frames; export it as a stand-alone unit"};
  return {};
}

std::string step_refusal(const Description& description, double step) {
  const std::optional<double> fixed = description.co_simulation->fixed_step;
  if (!fixed) return "";
  const double ratio = step / *fixed;
  const double whole = std::max(1.0, std::round(ratio));
  if (std::abs(ratio - whole) <= 1e-9 * whole) return "";
  const double below = std::floor(ratio), above = std::ceil(ratio);
  std::string fit = seconds(whole * *fixed) + " is the nearest that fits";
  if (below >= 1 && above != below)
    fit = seconds(below * *fixed) + " and " + seconds(above * *fixed) + " fit, the nearest is " +
          seconds(whole * *fixed);
  return "the step is " + seconds(step) + ", and the unit has a fixed step of " + seconds(*fixed) +
         " inside (fixedInternalStepSize): " + fit +
         ", as 'cycle' of job 'step'. If the description is wrong, 'ignore_fixed_step: yes' runs it all the "
         "same";
}

}  // namespace tactus::drivers::fmi
