// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/description/description.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "drivers/fmi/description/attributes.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr std::array<std::string_view, kTypes> kTypeNames = {
    "Float32", "Float64", "Int8",    "UInt8",  "Int16",  "UInt16",      "Int32", "UInt32",
    "Int64",   "UInt64",  "Boolean", "String", "Binary", "Enumeration", "Clock"};

bool is_identifier(const std::string& name) {
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

std::optional<Interface> read_interface(pugi::xml_node root, const char* kind, Version version,
                                        Findings& findings) {
  const pugi::xml_node node = root.child(kind);
  if (!node) return std::nullopt;
  const Attributes of(node, kind, findings);
  Interface made{.identifier = of.required("modelIdentifier")};
  if (of.has("modelIdentifier") && !is_identifier(made.identifier))
    of.error("modelIdentifier is " + in_quotes(made.identifier) +
             "; it is the name of the library: letters, digits and '_', no digit first");
  for (const Flag& flag : kFlags)
    made.*flag.member = of.flag(version == Version::fmi2 ? flag.name2 : flag.name);
  (void)of.number<unsigned>("maxOutputDerivativeOrder");  // unused, but checked
  made.fixed_step = of.number<double>("fixedInternalStepSize");
  if (made.fixed_step && !(*made.fixed_step > 0 && std::isfinite(*made.fixed_step))) {
    of.error("fixedInternalStepSize is " + in_quotes(of.text("fixedInternalStepSize")) +
             "; a time above 0 is possible");
    made.fixed_step.reset();
  }
  return made;
}

void read_units(pugi::xml_node root, Description& description, Findings& findings) {
  for (const pugi::xml_node node : root.child("UnitDefinitions").children("Unit")) {
    Attributes of(node, "a unit", findings);
    UnitDefinition made{.name = of.required("name")};
    of.name("unit " + in_quotes(made.name));
    if (description.find_unit(made.name) != nullptr) of.error("is defined twice");
    if (const pugi::xml_node base = node.child("BaseUnit")) {
      const Attributes in(base, "unit " + in_quotes(made.name), findings);
      made.has_base = true;
      for (std::size_t i = 0; i < made.exponents.size(); ++i)
        made.exponents[i] = in.number<int>(kBaseUnits[i]).value_or(0);
      made.factor = in.number<double>("factor").value_or(1);
      made.offset = in.number<double>("offset").value_or(0);
      if (made.factor == 0 || !std::isfinite(made.factor) || !std::isfinite(made.offset))
        in.error("factor and offset are finite numbers, and factor is not 0");
      if (std::ranges::any_of(made.exponents, [](int e) { return e < -99 || e > 99; }))
        in.error("an exponent is outside -99 .. 99");
    }
    description.units.push_back(std::move(made));
  }
}

void read_types(pugi::xml_node root, Description& description, Findings& findings) {
  for (const pugi::xml_node outer : root.child("TypeDefinitions").children()) {
    if (outer.type() != pugi::node_element) continue;
    const bool simple = description.version == Version::fmi2;
    pugi::xml_node node = outer;
    if (simple) {
      node = pugi::xml_node();
      for (const pugi::xml_node each : outer.children())
        if (type_of_element(each.name(), Version::fmi2)) node = each;
    }
    Attributes named(outer, "a type", findings);
    TypeDefinition made{.name = named.required("name")};
    const std::string where = "type " + in_quotes(made.name);
    named.name(where);
    std::string element = node.name();
    if (!simple && element.ends_with("Type")) element.resize(element.size() - 4);
    const std::optional<Type> type = type_of_element(element, description.version);
    if (!type) {
      named.error("is none of the types of FMI " + description.version_text + ": " +
                  in_quotes(node ? node.name() : ""));
      continue;
    }
    made.type = *type;
    if (std::ranges::any_of(description.types, [&](const TypeDefinition& t) { return t.name == made.name; }))
      named.error("is defined twice");
    read_common(Attributes(node, where, findings), made.type, made.unit, made.relative, made.low, made.high);
    if (made.type == Type::enumeration) {
      made.items = read_items(node, where, findings);
      if (made.items.empty()) named.error("is an enumeration without items");
    }
    description.types.push_back(std::move(made));
  }
}

void read_experiment(pugi::xml_node root, Description& description, Findings& findings) {
  const Attributes of(root.child("DefaultExperiment"), "DefaultExperiment", findings);
  if (!of.node()) return;
  description.experiment = {of.number<double>("startTime"), of.number<double>("stopTime"),
                            of.number<double>("tolerance"), of.number<double>("stepSize")};
}

void read_structure(pugi::xml_node root, Description& description, Findings& findings) {
  const pugi::xml_node structure = root.child("ModelStructure");
  if (!structure) {
    findings.add(root.offset_debug(), "", "has no element ModelStructure", false);
    return;
  }
  const bool two = description.version == Version::fmi2;
  const pugi::xml_node list = two ? structure.child("Outputs") : structure;
  std::unordered_map<std::uint32_t, std::size_t> by_reference;
  for (std::size_t i = 0; i < description.variables.size(); ++i)
    by_reference.emplace(description.variables[i].reference, i);
  for (const pugi::xml_node node : list.children(two ? "Unknown" : "Output")) {
    const Attributes of(node, "ModelStructure", findings);
    const std::optional<std::uint32_t> number = of.number<std::uint32_t>(two ? "index" : "valueReference");
    if (!number) continue;
    std::size_t at = description.variables.size();
    if (two)
      at = *number == 0 ? at : *number - 1;
    else if (const auto found = by_reference.find(*number); found != by_reference.end())
      at = found->second;
    if (at >= description.variables.size())
      of.error("names output " + std::to_string(*number) + ", and there is no such variable");
    else if (description.variables[at].causality != Causality::output)
      of.warn("names " + in_quotes(description.variables[at].name) + " as an output, which is none");
  }
}

std::string model_of_version(const std::string& text) {
  if (text.starts_with("1.")) return "FMI 1.0, which tactus does not run; export the unit for FMI 2.0 or 3.0";
  return in_quotes(text) + "; 2.0 and 3.0 are possible";
}

}  // namespace

std::string_view name_of(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<Type> type_of_element(std::string_view name, Version version) {
  if (version == Version::fmi2) {
    if (name == "Real") return Type::float64;
    if (name == "Integer") return Type::int32;
    if (name == "Boolean") return Type::boolean;
    if (name == "String") return Type::string;
    if (name == "Enumeration") return Type::enumeration;
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kTypes; ++i)
    if (name == kTypeNames[i]) return static_cast<Type>(i);
  return std::nullopt;
}

void read_common(const Attributes& of, Type type, std::string& unit, bool& relative,
                 std::optional<double>& low, std::optional<double>& high) {
  if (of.has("unit")) unit = of.text("unit");
  if (of.has("relativeQuantity")) relative = of.flag("relativeQuantity");
  if (!is_float(type) && !is_integer(type) && type != Type::enumeration) return;
  if (const auto value = of.number<double>("min")) low = value;
  if (const auto value = of.number<double>("max")) high = value;
  if (low && high && *low > *high) of.error("min is above max");
}

std::vector<Item> read_items(pugi::xml_node node, const std::string& where, Findings& findings) {
  std::vector<Item> items;
  std::int64_t next = 1;
  for (const pugi::xml_node each : node.children("Item")) {
    const Attributes of(each, where, findings);
    Item item{of.required("name"), of.number<std::int64_t>("value").value_or(next)};
    next = item.value < INT64_MAX ? item.value + 1 : item.value;
    for (const Item& other : items)
      if (other.name == item.name || other.value == item.value)
        of.error("item " + in_quotes(item.name) + " has the name or the value of item " +
                 in_quotes(other.name));
    items.push_back(std::move(item));
  }
  return items;
}

const UnitDefinition* Description::find_unit(std::string_view name) const {
  const auto at = std::ranges::find(units, name, &UnitDefinition::name);
  return at == units.end() ? nullptr : &*at;
}

const Variable* Description::find_reference(std::uint32_t reference) const {
  const auto at = std::ranges::find(variables, reference, &Variable::reference);
  return at == variables.end() ? nullptr : &*at;
}

std::string Finding::message() const {
  std::string text_ = "modelDescription.xml";
  if (line > 0) text_ += ":" + std::to_string(line) + ":" + std::to_string(column);
  return text_ + ": " + (where.empty() ? "" : where + ": ") + text;
}

bool has_error(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& f) { return f.error; });
}

Description read_description(std::string_view xml, std::vector<Finding>& to) {
  Findings findings(xml, to);
  Description made;
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) {
    findings.add(parsed.offset, "", std::string("is not XML that can be read: ") + parsed.description());
    return made;
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "fmiModelDescription") {
    findings.add(root.offset_debug(), "",
                 "its root element is " + in_quotes(root.name()) + "; fmiModelDescription is expected");
    return made;
  }
  const Attributes of(root, "", findings);
  made.version_text = of.required("fmiVersion");
  const bool two = made.version_text == "2.0" || made.version_text.starts_with("2.0.");
  const bool three = made.version_text == "3.0" || made.version_text.starts_with("3.0.");
  if (!two && !three) {
    if (of.has("fmiVersion")) of.error("fmiVersion is " + model_of_version(made.version_text));
    return made;
  }
  made.version = two ? Version::fmi2 : Version::fmi3;
  made.model = of.required("modelName");
  made.token = of.required(two ? "guid" : "instantiationToken");
  made.about = of.text("description");
  made.tool = of.text("generationTool");
  made.model_version = of.text("version");
  made.co_simulation = read_interface(root, "CoSimulation", made.version, findings);
  made.model_exchange = read_interface(root, "ModelExchange", made.version, findings);
  if (three) made.scheduled_execution = read_interface(root, "ScheduledExecution", made.version, findings);
  if (!made.co_simulation && !made.model_exchange && !made.scheduled_execution)
    of.error("has no element CoSimulation, ModelExchange or ScheduledExecution: nothing can be instantiated");
  read_units(root, made, findings);
  read_types(root, made, findings);
  for (const pugi::xml_node node : root.child("LogCategories").children("Category"))
    (void)Attributes(node, "LogCategories", findings).required("name");
  read_experiment(root, made, findings);
  read_variables(root, made, findings);
  read_structure(root, made, findings);
  return made;
}

}  // namespace tactus::drivers::fmi
