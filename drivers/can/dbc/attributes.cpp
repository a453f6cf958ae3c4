// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "drivers/can/dbc/parser.hpp"

namespace tactus::drivers::can {
namespace {

/// Letters and digits alone, in lower case: labels differ in both from file to file.
std::string folded(std::string_view text) {
  std::string made;
  for (const char c : text)
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      made += c;
    else if (c >= 'A' && c <= 'Z')
      made += static_cast<char>(c - 'A' + 'a');
  return made;
}

SendType send_type(const std::string& label) {
  SendType made;
  const std::string word = folded(label);
  const auto has = [&](const char* part) { return word.find(part) != std::string::npos; };
  if (has("nomsgsend") || has("nosigsend") || has("notused")) return {label};
  made.label = label;
  made.if_active = has("ifactive");
  made.on_change = has("onchange");
  made.on_event = has("spontan") || has("event") || has("onwrite") || has("trigger") || made.on_change;
  made.cyclic = has("cyclic") && !has("notcyclic") && (!made.if_active || has("and"));
  return made;
}

/// Gives written values their meaning, by the definition of their attribute.
class Values {
 public:
  Values(const Statements& all, Notes& notes) : all_(all), notes_(notes) {}

  AttributeValue of(std::string_view attribute, const WrittenValue& written, std::uint32_t line) {
    AttributeValue made;
    const auto at = all_.definitions.find(attribute);
    if (at == all_.definitions.end()) {
      notes_.warn(line, "BA_: attribute '" + readable(attribute) + "' is not defined (BA_DEF_)");
    } else if (at->second.type == Definition::Type::enumeration) {
      made.text = label(attribute, at->second, written, line);
      return made;
    }
    made.number = written.number;
    made.is_number = written.is_number;
    made.text = readable(written.text);
    if (!made.is_number && at != all_.definitions.end() && at->second.type == Definition::Type::number) {
      Scanner number(written.text);  // a number in quotes
      if (const auto found = number.number(); found && number.at_end()) {
        made.number = *found;
        made.is_number = true;
      } else if (!written.text.empty()) {
        notes_.warn(line, "attribute '" + readable(attribute) + "': '" + made.text + "' is not a number");
      }
    }
    return made;
  }

  /// BA_DEF_DEF_ of the attribute, if the file has one.
  std::optional<AttributeValue> standard(const char* attribute) {
    const auto at = all_.definitions.find(attribute);
    if (at == all_.definitions.end() || !at->second.value) return std::nullopt;
    return of(attribute, *at->second.value, 0);
  }

 private:
  std::string label(std::string_view attribute, const Definition& definition, const WrittenValue& written,
                    std::uint32_t line) {
    if (!written.is_number) {
      const bool known = written.text.empty() ||
                         std::ranges::find(definition.labels, written.text) != definition.labels.end();
      if (!known)
        notes_.warn(line, "attribute '" + readable(attribute) + "': '" + readable(written.text) +
                              "' is not one of its labels");
      return readable(written.text);
    }
    if (written.number >= 0 && written.number < static_cast<double>(definition.labels.size()))
      return readable(definition.labels[static_cast<std::size_t>(written.number)]);
    notes_.warn(line, "attribute '" + readable(attribute) + "': its enumeration has no entry " +
                          std::to_string(static_cast<long long>(std::clamp(written.number, -1e15, 1e15))) +
                          ", but " + std::to_string(definition.labels.size()) + " from 0");
    return "";
  }

  const Statements& all_;
  Notes& notes_;
};

const AttributeValue* find(const std::vector<Attribute>& attributes, const char* name) {
  for (auto at = attributes.rbegin(); at != attributes.rend(); ++at)
    if (at->name == name) return &at->value;
  return nullptr;
}

/// The attributes that a rest bus needs.
constexpr const char* kNeeded[] = {"GenMsgCycleTime",      "GenMsgCycleTimeFast", "GenMsgSendType",
                                   "GenMsgStartDelayTime", "GenMsgDelayTime",     "GenMsgNrOfRepetition",
                                   "GenMsgILSupport",      "VFrameFormat",        "CANFD_BRS",
                                   "GenSigStartValue",     "GenSigInactiveValue", "GenSigSendType"};
/// Their defaults of the file.
using Standard = std::map<std::string_view, AttributeValue>;

const AttributeValue* value_of(const std::vector<Attribute>& attributes, const char* name,
                               const Standard& standard) {
  if (const AttributeValue* const found = find(attributes, name)) return found;
  const auto at = standard.find(name);
  return at == standard.end() ? nullptr : &at->second;
}

std::optional<double> number_of(const AttributeValue* value) {
  if (value == nullptr || !value->is_number || !std::isfinite(value->number)) return std::nullopt;
  return value->number;
}

void set_format(Message& message, const AttributeValue* format, Notes& notes) {
  if (format == nullptr) return;
  std::string word = folded(format->text);
  if (format->is_number) {
    const auto code = static_cast<int>(std::clamp(format->number, -1.0, 1e6));
    word = code == 14 ? "standardcanfd" : code == 15 ? "extendedcanfd" : code == 3 ? "j1939pg" : "";
  }
  if (word.ends_with("canfd")) message.fd = true;
  const bool extended = word.starts_with("extended") || word.starts_with("j1939");
  if (!word.empty() && (extended || word.starts_with("standard")) && extended != message.extended)
    notes.warn(message.line, "message " + message.name + ": VFrameFormat says " + (extended ? "29" : "11") +
                                 " bits, its number " + (message.extended ? "29" : "11") +
                                 "; the number counts");
}

void resolve(Message& message, const Standard& standard, Notes& notes) {
  const auto value = [&](const char* name) { return value_of(message.attributes, name, standard); };
  const auto positive = [&](const char* name) -> std::optional<double> {
    const auto number = number_of(value(name));
    if (number && *number < 0)
      notes.warn(message.line, "message " + message.name + ": " + name + " is negative");
    return number && *number > 0 ? number : std::nullopt;
  };
  message.cycle = positive("GenMsgCycleTime");
  message.cycle_fast = positive("GenMsgCycleTimeFast");
  message.start_delay = positive("GenMsgStartDelayTime").value_or(0);
  message.least_distance = positive("GenMsgDelayTime").value_or(0);
  message.repetitions = static_cast<unsigned>(std::min(positive("GenMsgNrOfRepetition").value_or(0), 1e6));
  if (const AttributeValue* const send = value("GenMsgSendType")) message.send = send_type(send->text);
  if (const AttributeValue* const layer = value("GenMsgILSupport"))
    message.interaction_layer = layer->is_number ? layer->number != 0 : folded(layer->text) != "no";
  set_format(message, value("VFrameFormat"), notes);
  if (message.length > 8) message.fd = true;
  if (const AttributeValue* const brs = value("CANFD_BRS"))
    message.bit_rate_switch = message.fd && (brs->is_number ? brs->number != 0 : brs->text == "1");
  for (Signal& signal : message.signals) {
    const auto of = [&](const char* name) { return value_of(signal.attributes, name, standard); };
    signal.start_raw = number_of(of("GenSigStartValue"));
    signal.inactive_raw = number_of(of("GenSigInactiveValue"));
    if (const AttributeValue* const send = of("GenSigSendType")) signal.send = send_type(send->text);
  }
}

}  // namespace

void resolve_attributes(Statements& all, Notes& notes) {
  Values values(all, notes);
  for (const SetAttribute& each : all.attributes) {
    auto* const to = part_of(all, each.target, "BA_", notes, [](auto& object) { return &object.attributes; });
    if (to != nullptr)
      to->push_back({readable(each.attribute), values.of(each.attribute, each.value, each.target.line)});
  }
  Standard standard;
  for (const char* const name : kNeeded)
    if (auto value = values.standard(name)) standard.emplace(name, std::move(*value));
  for (Message& message : all.database.messages) resolve(message, standard, notes);
  const auto rate = [&](const char* name) -> std::optional<double> {
    const AttributeValue* const given = find(all.database.attributes, name);
    const std::optional<AttributeValue> usual = given == nullptr ? values.standard(name) : std::nullopt;
    const auto number = number_of(usual ? &*usual : given);
    if (!number || *number <= 0) return std::nullopt;
    const double found = *number < 10'000 ? *number * 1000 : *number;  // some files have kbit/s
    constexpr double kLeast = 5000;  // a default below it is no rate: a rig would be refused
    return usual && found < kLeast ? std::nullopt : std::optional(found);
  };
  all.database.bit_rate = rate("Baudrate");
  all.database.data_bit_rate = rate("BaudrateCANFD");
}

}  // namespace tactus::drivers::can
