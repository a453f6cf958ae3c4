// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "drivers/fmi/description/attributes.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr Word<Causality> kCausalities[] = {{"parameter", Causality::parameter},
                                            {"calculatedParameter", Causality::calculated_parameter},
                                            {"structuralParameter", Causality::structural_parameter},
                                            {"input", Causality::input},
                                            {"output", Causality::output},
                                            {"local", Causality::local},
                                            {"independent", Causality::independent}};
constexpr Word<Variability> kVariabilities[] = {{"constant", Variability::constant},
                                                {"fixed", Variability::fixed},
                                                {"tunable", Variability::tunable},
                                                {"discrete", Variability::discrete},
                                                {"continuous", Variability::continuous}};
constexpr Word<Initial> kInitials[] = {
    {"exact", Initial::exact}, {"approx", Initial::approx}, {"calculated", Initial::calculated}};

template <class E>
std::string_view text_of(std::span<const Word<E>> words, E value) {
  for (const Word<E>& each : words)
    if (each.value == value) return each.text;
  return "none";
}

/// Returns the value that the standard takes where the attribute is absent.
Variability default_variability(Type type, Causality causality) {
  switch (causality) {
    case Causality::parameter:
    case Causality::structural_parameter:
    case Causality::calculated_parameter:
      return Variability::fixed;
    default:
      return is_float(type) ? Variability::continuous : Variability::discrete;
  }
}

Initial default_initial(Causality causality, Variability variability, Version version) {
  if (variability == Variability::constant) return Initial::exact;
  switch (causality) {
    case Causality::parameter:
    case Causality::structural_parameter:
      return Initial::exact;
    case Causality::calculated_parameter:
    case Causality::output:
    case Causality::local:
      return Initial::calculated;
    case Causality::input:
      return version == Version::fmi3 ? Initial::exact : Initial::none;
    case Causality::independent:
      break;
  }
  return Initial::none;
}

bool goes_together(Causality causality, Variability variability) {
  const bool still = variability == Variability::fixed || variability == Variability::tunable;
  switch (causality) {
    case Causality::parameter:
    case Causality::calculated_parameter:
    case Causality::structural_parameter:
      return still;
    case Causality::input:
      return variability == Variability::discrete || variability == Variability::continuous;
    case Causality::output:
      return !still;
    case Causality::independent:
      return variability == Variability::continuous;
    case Causality::local:
      break;
  }
  return true;
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::string_view> words;
  for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;
       begin = text.find_first_not_of(kSpace, begin)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

/// Takes a whole number of an integer type, or an enumeration; uint64 by its bits.
std::optional<std::int64_t> whole_of(std::string_view word, Type type) {
  return with_type(
      type, Version::fmi3,
      [&]<class T>(T) -> std::optional<std::int64_t> {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
          if (const std::optional<T> value = xml_number<T>(word)) return static_cast<std::int64_t>(*value);
        return std::nullopt;
      },
      std::optional<std::int64_t>());
}

/// Bytes of a start value in hexadecimal digits.
std::string bytes_of(const Attributes& of, std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = i + 1 < text.size() ? digit(text[i + 1]) : -1;
    if (high < 0 || low < 0) {
      of.error("start of a Binary is pairs of hexadecimal digits, not " + in_quotes(text));
      return bytes;
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

void read_start(const Attributes& of, Variable& made) {
  if (made.type == Type::string && of.node().child("Start")) {
    made.start.given = true;
    for (const pugi::xml_node node : of.node().children("Start"))
      made.start.texts.emplace_back(node.attribute("value").value());
    return;
  }
  if (made.type == Type::binary) {
    for (const pugi::xml_node node : of.node().children("Start")) {
      made.start.given = true;
      made.start.texts.push_back(bytes_of(of, node.attribute("value").value()));
    }
    return;
  }
  if (!of.has("start")) return;
  const std::string text = of.text("start");
  made.start.given = true;
  if (made.type == Type::string) return void(made.start.texts.push_back(text));
  for (const std::string_view word : words_of(text)) {
    if (is_float(made.type)) {
      const std::optional<double> value = xml_number<double>(word);
      if (!value) of.error("start is " + in_quotes(word) + ", which is not a number");
      made.start.numbers.push_back(value.value_or(0));
    } else if (made.type == Type::boolean) {
      const bool yes = word == "true" || word == "1";
      if (!yes && word != "false" && word != "0")
        of.error("start is " + in_quotes(word) + "; true and false are possible");
      made.start.wholes.push_back(yes ? 1 : 0);
    } else if (made.type != Type::clock) {
      const std::optional<std::int64_t> value = whole_of(word, made.type);
      if (!value)
        of.error("start is " + in_quotes(word) + ", which is not a whole number that fits the type");
      made.start.wholes.push_back(value.value_or(0));
    }
  }
}

void read_clock(const Attributes& of, Variable& made) {
  made.clock = {of.text("intervalVariability"),           of.number<double>("intervalDecimal"),
                of.number<double>("shiftDecimal"),        of.number<std::uint64_t>("intervalCounter"),
                of.number<std::uint64_t>("shiftCounter"), of.number<std::uint64_t>("resolution"),
                of.number<std::uint32_t>("priority")};
  const std::vector<std::string> words = {"constant", "fixed",     "calculated", "tunable",
                                          "changing", "countdown", "triggered"};
  if (!of.has("intervalVariability"))
    of.error("has no attribute intervalVariability");
  else if (std::ranges::find(words, made.clock.interval_variability) == words.end())
    of.error("intervalVariability is " + in_quotes(made.clock.interval_variability) + "; " + listed(words) +
             " are possible" + nearest(made.clock.interval_variability, words));
}

void check_start(const Attributes& of, const Variable& made) {
  const bool needed =
      made.initial == Initial::exact || made.initial == Initial::approx || made.causality == Causality::input;
  if (made.type == Type::clock || made.causality == Causality::independent) return;
  if (needed && !made.start.given)
    of.warn(std::string("has no start value, and needs one as its ") +
            (made.causality == Causality::input ? "causality is input"
                                                : "initial is " + std::string(name_of(made.initial))) +
            "; 0 is taken");
  if (made.start.given && made.initial == Initial::calculated && made.causality != Causality::input)
    of.warn("has a start value, and its initial is calculated: the value is not used");
  const auto outside = [&](double value) {
    return (made.low && value < *made.low) || (made.high && value > *made.high);
  };
  for (const double value : made.start.numbers)
    if (outside(value)) return of.warn("start is outside of min .. max");
  if (made.type != Type::enumeration) return;
  for (const std::int64_t value : made.start.wholes)
    if (!made.items.empty() &&
        std::ranges::none_of(made.items, [&](const Item& item) { return item.value == value; }))
      of.warn("start " + std::to_string(value) + " is none of its items");
}

class VariableReader {
 public:
  VariableReader(Description& description, Findings& findings) : to_(description), findings_(findings) {
    for (const TypeDefinition& type : to_.types) types_.emplace(type.name, &type);
    for (const UnitDefinition& unit : to_.units) units_.insert(unit.name);
  }

  /// `outer` has name and causality, `inner` type and start; in 3.0 both are one.
  void read(pugi::xml_node outer, pugi::xml_node inner, Type type) {
    Attributes of(outer, "a variable", findings_);
    Variable made{.name = of.required("name"), .type = type};
    of.name("variable " + in_quotes(made.name));
    Attributes in(inner, "variable " + in_quotes(made.name), findings_);
    if (of.has("name") && made.name.empty()) of.error("has an empty name");
    if (!names_.insert(made.name).second) of.error("is there twice");
    if (!of.has("valueReference")) of.error("has no attribute valueReference");
    made.reference = of.number<std::uint32_t>("valueReference").value_or(0);
    made.about = of.text("description");
    made.causality = of.word<Causality>("causality", kCausalities, Causality::local);
    made.variability =
        of.word<Variability>("variability", kVariabilities, default_variability(type, made.causality));
    made.initial = of.word<Initial>("initial", kInitials,
                                    default_initial(made.causality, made.variability, to_.version));
    if (type == Type::clock) {
      read_clock(of, made);
    } else {
      if (!goes_together(made.causality, made.variability))
        of.error("causality " + std::string(name_of(made.causality)) + " and variability " +
                 std::string(name_of(made.variability)) + " do not go together");
      if (made.variability == Variability::continuous && !is_float(type))
        of.error("is continuous, and only floating-point numbers are");
    }
    check_reference(of, made);
    inherit(in, made);
    read_common(in, type, made.unit, made.relative, made.low, made.high);
    if (!made.unit.empty() && !units_.empty() && units_.count(made.unit) == 0)
      of.warn("its unit " + in_quotes(made.unit) + " is not in UnitDefinitions" +
              nearest(made.unit, {units_.begin(), units_.end()}));
    const std::string clocks = of.text("clocks");
    for (const std::string_view word : words_of(clocks))
      if (const auto clock = xml_number<std::uint32_t>(word))
        made.clocks.push_back(*clock);
      else
        of.error("clocks has " + in_quotes(word) + ", which is not a value reference");
    if (type == Type::binary) (void)of.number<std::uint64_t>("maxSize");  // unused, but checked
    if (to_.version == Version::fmi3) read_dimensions(of, made);
    for (const pugi::xml_node alias : inner.children("Alias")) {
      const std::string name =
          Attributes(alias, "variable " + in_quotes(made.name), findings_).required("name");
      if (!names_.insert(name).second) of.error("alias " + in_quotes(name) + " is there twice");
    }
    read_start(in, made);
    check_start(of, made);
    to_.variables.push_back(std::move(made));
  }

  /// Resolves sizes, which may name parameters that come later.
  void finish(const std::vector<pugi::xml_node>& nodes) {
    for (std::size_t i = 0; i < to_.variables.size(); ++i) {
      Variable& variable = to_.variables[i];
      const Attributes of(nodes[i], "variable " + in_quotes(variable.name), findings_);
      std::uint64_t count = 1;
      for (Dimension& dimension : variable.dimensions) {
        if (dimension.parameter) resolve(of, dimension);
        if (dimension.size != 0 && count > kMostElements / dimension.size) {
          of.error("has more than " + std::to_string(kMostElements) + " elements");
          return;
        }
        count *= dimension.size;
      }
      const std::size_t given =
          variable.start.numbers.size() + variable.start.wholes.size() + variable.start.texts.size();
      if (variable.start.given && given != count && !(given == 1 && count > 0))
        of.error("has " + std::to_string(given) + " start values for " + std::to_string(count) + " elements");
      for (const std::uint32_t clock : variable.clocks) {
        const auto found = references_.find(clock);
        if (found == references_.end() || to_.variables[found->second].type != Type::clock)
          of.error("belongs to clock " + std::to_string(clock) + ", and there is no such Clock");
      }
    }
  }

 private:
  static constexpr std::uint64_t kMostElements = 10'000'000;

  void check_reference(const Attributes& of, const Variable& made) {
    const auto [at, fresh] = references_.emplace(made.reference, to_.variables.size());
    if (!fresh && to_.version == Version::fmi3)
      of.error("has value reference " + std::to_string(made.reference) + " of variable " +
               in_quotes(to_.variables[at->second].name) + "; in FMI 3.0 each variable has its own");
  }

  void inherit(const Attributes& of, Variable& made) {
    const std::string name = of.text("declaredType");
    if (name.empty()) {
      if (made.type == Type::enumeration) of.error("has no declaredType, and an enumeration needs one");
      return;
    }
    const auto at = types_.find(name);
    if (at == types_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, type] : types_) names.push_back(known);
      of.error("its declaredType " + in_quotes(name) + " is not in TypeDefinitions" + nearest(name, names));
      return;
    }
    const TypeDefinition& type = *at->second;
    if (type.type != made.type)
      of.error("its declaredType " + in_quotes(name) + " is of type " + std::string(name_of(type.type)) +
               ", the variable of type " + std::string(name_of(made.type)));
    made.unit = type.unit;
    made.relative = type.relative;
    made.low = type.low;
    made.high = type.high;
    made.items = type.items;
  }

  void read_dimensions(const Attributes& of, Variable& made) {
    for (const pugi::xml_node node : of.node().children("Dimension")) {
      const Attributes in(node, "variable " + in_quotes(made.name), findings_);
      Dimension& dimension = made.dimensions.emplace_back();
      dimension.parameter = in.number<std::uint32_t>("valueReference");
      if (in.has("start") == in.has("valueReference"))
        in.error("a Dimension has either start or valueReference");
      else if (const auto size = in.number<std::uint64_t>("start"))
        dimension.size = *size;
    }
  }

  void resolve(const Attributes& of, Dimension& dimension) {
    const auto at = references_.find(*dimension.parameter);
    const Variable* const found = at == references_.end() ? nullptr : &to_.variables[at->second];
    if (found == nullptr || found->type != Type::uint64 ||
        (found->causality != Causality::structural_parameter && found->variability != Variability::constant))
      of.error("a Dimension names value reference " + std::to_string(*dimension.parameter) +
               ", which is not a structural parameter of type UInt64");
    else if (found->start.wholes.size() == 1)
      dimension.size = static_cast<std::uint64_t>(found->start.wholes[0]);
  }

  Description& to_;
  Findings& findings_;
  std::map<std::string, const TypeDefinition*> types_;
  std::set<std::string> units_, names_;
  std::map<std::uint32_t, std::size_t> references_;
};

}  // namespace

std::string_view name_of(Causality causality) { return text_of<Causality>(kCausalities, causality); }
std::string_view name_of(Variability variability) {
  return text_of<Variability>(kVariabilities, variability);
}
std::string_view name_of(Initial initial) { return text_of<Initial>(kInitials, initial); }

void read_variables(pugi::xml_node root, Description& description, Findings& findings) {
  const pugi::xml_node list = root.child("ModelVariables");
  if (!list) findings.add(root.offset_debug(), "", "has no element ModelVariables");
  VariableReader reader(description, findings);
  std::vector<pugi::xml_node> nodes;
  for (const pugi::xml_node node : list.children()) {
    if (node.type() != pugi::node_element) continue;
    pugi::xml_node inner = node;
    if (description.version == Version::fmi2) {
      inner = pugi::xml_node();
      for (const pugi::xml_node each : node.children())
        if (!inner && type_of_element(each.name(), Version::fmi2)) inner = each;
    }
    const std::optional<Type> type = type_of_element(inner.name(), description.version);
    if (!type) {
      findings.add(node.offset_debug(), "variable " + in_quotes(node.attribute("name").value()),
                   description.version == Version::fmi2
                       ? "has no element Real, Integer, Boolean, String or Enumeration"
                       : "has type " + in_quotes(node.name()) + ", which FMI 3.0 does not know");
      continue;
    }
    reader.read(node, inner, *type);
    nodes.push_back(node);
  }
  reader.finish(nodes);
}

}  // namespace tactus::drivers::fmi
