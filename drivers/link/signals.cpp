// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/signals.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "config/text.hpp"
#include "executive/model/parameter_value.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::drivers::link {
namespace {

using config::Located;
using config::Node;
using executive::VariableRef;

bool is_real(const Element& element) { return element.type == TACTUS_DOUBLE || element.type == TACTUS_FLOAT; }

void append(Layout& layout, const VariableRef& ref) {
  Element element{.name = ref.name(),
                  .type = ref.variable->type,
                  .elements = ref.elements,
                  .array = ref.variable->count > 0 && !ref.indexed,
                  .offset = layout.bytes,
                  .low = ref.variable->low,
                  .high = ref.variable->high};
  layout.bytes += size_of(element);
  layout.elements.push_back(std::move(element));
}

/// Both name elements of one variable that are the same.
bool overlap(const VariableRef& a, const VariableRef& b) {
  return a.variable == b.variable && a.first < b.first + b.elements && b.first < a.first + a.elements;
}

/// One entry of publish or subscribe while it becomes a signal.
class Binding {
 public:
  Binding(const SignalSettings& settings, std::string path, const executive::LinkContext& context,
          config::Problems& problems)
      : settings_(settings), path_(std::move(path)), context_(context), problems_(problems) {}

  /// Reads the common part of publications and subscriptions; without the variables that do not exist.
  /// `names`: those that do.
  void common(Signal& signal, std::vector<Located<std::string>>& names) const {
    signal.name = settings_.name;
    signal.topic = settings_.topic.value_or(settings_.name);
    signal.media_type = settings_.media_type.value_or(media_type_of(settings_.encoding));
    signal.labels = settings_.labels;
    signal.layout.encoding = settings_.encoding;
    signal.layout.group = !settings_.variable;
    if (settings_.variable.has_value() != settings_.variables.empty())
      complain(settings_.variable.has_value()
                   ? "has 'variable' and 'variables'; one is a value by itself, several are a group in one "
                     "message: remove one of the two"
                   : "has no variable; write 'variable: model.name', or 'variables: [model.name, ...]' for a "
                     "group in one message");
    std::vector<Located<std::string>> wanted = settings_.variables;
    if (settings_.variable) wanted = {*settings_.variable};
    std::set<std::string> once;
    for (const Located<std::string>& name : wanted) {
      const std::optional<VariableRef> ref = context_.find(name);
      if (!ref) continue;
      if (!once.insert(ref->name()).second) {
        problems_.add(name.place, name.path,
                      config::show(name.value) + " is in this message already; remove one of the two");
        continue;
      }
      append(signal.layout, *ref);
      signal.variables.push_back(*ref);
      names.push_back(name);
    }
  }

  Publication publication(const PublishSettings& settings) const {
    Publication made;
    std::vector<Located<std::string>> names;
    common(made, names);
    made.history = settings.history;
    for (const VariableRef& ref : made.variables) made.sources.push_back(ref.data());
    return made;
  }

  /// `writers`: the inputs of the subscriptions so far, each with the name of its subscription; grows.
  Subscription subscription(const SubscribeSettings& settings, OnLate on_late,
                            std::vector<std::pair<VariableRef, std::string>>& writers) const {
    Subscription made;
    std::vector<Located<std::string>> names;
    common(made, names);
    made.on_late = settings.on_late.value_or(on_late);
    made.max_age = settings.max_age;
    made.peer = settings.peer.value_or("");
    made.at_max_age = settings.at_max_age;
    for (std::size_t i = 0; i < names.size(); ++i) check_input(made.variables[i], names[i], writers);
    if (made.on_late == OnLate::extrapolate) check_extrapolation(made.layout, settings.on_late.has_value());
    if (!settings.default_values.is_null()) {
      made.default_block = default_block(made, settings.default_values);
    } else if (made.on_late == OnLate::default_value || made.at_max_age == AtMaxAge::default_value) {
      complain(std::string("has no 'default', which ") +
               (made.at_max_age == AtMaxAge::default_value ? "'at_max_age: default'" : "'on_late: default'") +
               " needs; write " + (made.layout.group ? "a map with a value for each variable" : "a value") +
               ", for example " + example(made));
    }
    return made;
  }

 private:
  void complain(const std::string& message) const { problems_.add(settings_.origin.place, path_, message); }

  void check_input(const VariableRef& ref, const Located<std::string>& name,
                   std::vector<std::pair<VariableRef, std::string>>& writers) const {
    const auto problem = [&](const std::string& message) {
      problems_.add(name.place, name.path, config::show(name.value) + " " + message);
    };
    if (ref.variable->role != TACTUS_INPUT) {
      const std::string role(executive::name_of(ref.variable->role));
      const bool vowel = role.find_first_of("aeiou") == 0;
      return problem((vowel ? "is an " : "is a ") + role +
                     "; a subscription writes inputs: name one, or publish this instead");
    }
    for (const auto& [other, writer] : writers)
      if (overlap(ref, other))
        return problem("is written by subscription " + config::show(writer) +
                       " already; an input has one writer: remove one of the two");
    writers.emplace_back(ref, settings_.name);
  }

  void check_extrapolation(const Layout& layout, bool own) const {
    for (const Element& element : layout.elements)
      if (!is_real(element))
        complain("'on_late: extrapolate'" + std::string(own ? "" : ", which is the link's,") +
                 " is for float and double; '" + element.name + "' is " +
                 std::string(executive::name_of(element.type)) +
                 ": write 'on_late: hold' or 'on_late: default' here");
  }

  std::vector<std::byte> default_block(const Subscription& signal, const Node& given) const {
    const std::string path = path_ + ".default";
    if (!signal.layout.group)
      return signal.variables.size() == 1 ? value_block(signal, {&given}, {path}) : std::vector<std::byte>{};
    if (!given.is_map()) {
      problems_.add(given.place(), path,
                    std::string("is ") + config::kind_name(given.kind()) +
                        "; with 'variables' a map with a value for each of them is expected, for example " +
                        example(signal));
      return {};
    }
    const std::vector<Element>& elements = signal.layout.elements;
    for (const Node::Entry& entry : given.entries()) {
      // One that is not there was complained of where it is named.
      const bool named =
          std::ranges::any_of(settings_.variables, [&](const auto& name) { return name.value == entry.key; });
      if (!named)
        problems_.add(
            entry.place, path + "." + entry.key,
            config::show(entry.key) + " is not one of 'variables'" +
                executive::did_you_mean(entry.key, elements, [](const Element& e) { return e.name; }));
    }
    std::vector<const Node*> values;
    std::vector<std::string> paths;
    for (const Element& element : elements) {
      const Node* const value = given.find(element.name);
      if (value == nullptr)
        problems_.add(given.place(), path,
                      "has no value for '" + element.name + "'; each variable needs one");
      values.push_back(value);
      paths.push_back(path + "." + element.name);
    }
    return value_block(signal, values, paths);
  }

  /// Empty when a value is missing or wrong.
  std::vector<std::byte> value_block(const Subscription& signal, const std::vector<const Node*>& values,
                                     const std::vector<std::string>& paths) const {
    std::vector<std::byte> block;
    bool good = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bytes = values[i] == nullptr ? std::nullopt : value_bytes(signal, i, *values[i], paths[i]);
      if (bytes) block.insert(block.end(), bytes->begin(), bytes->end());
      good = good && bytes.has_value();
    }
    return good ? block : std::vector<std::byte>{};
  }

  std::optional<std::vector<std::byte>> value_bytes(const Subscription& signal, std::size_t i,
                                                    const Node& node, const std::string& path) const {
    executive::Variable variable = *signal.variables[i].variable;
    if (signal.variables[i].indexed) variable.count = 0;
    auto bytes = executive::read_value(variable, node, path, problems_);
    if (!bytes) return std::nullopt;
    // A default has to pass what a message has to.
    Layout alone{Encoding::raw, false, {signal.layout.elements[i]}, bytes->size()};
    alone.elements[0].offset = 0;
    std::vector<std::uint8_t> message;
    encode(alone, bytes->data(), message);
    if (const std::string wrong = decode(alone, message, bytes->data()); !wrong.empty()) {
      problems_.add(node.place(), path, wrong);
      return std::nullopt;
    }
    return bytes;
  }

  /// 'default: 0 V'
  static std::string example(const Subscription& signal) {
    const auto value = [&](std::size_t i) {
      const executive::Variable& variable = *signal.variables[i].variable;
      if (signal.layout.elements[i].array) return std::string("[...]");
      if (variable.type == TACTUS_BOOL) return std::string("no");
      if (!variable.labels.empty()) return variable.labels.front().name;
      return "0" + (variable.unit_text.empty() ? "" : " " + variable.unit_text);
    };
    if (signal.variables.empty()) return "'default: 0'";
    if (!signal.layout.group) return "'default: " + value(0) + "'";
    std::string all;
    for (std::size_t i = 0; i < signal.variables.size() && i < 2; ++i)
      all += (i == 0 ? "" : ", ") + signal.layout.elements[i].name + ": " + value(i);
    return "'default: { " + all + (signal.variables.size() > 2 ? ", ..." : "") + " }'";
  }

  const SignalSettings& settings_;
  std::string path_;
  const executive::LinkContext& context_;
  config::Problems& problems_;
};

}  // namespace

std::vector<VariableRef> Signals::inputs() const {
  std::vector<VariableRef> all;
  for (const Subscription& subscription : subscriptions)
    all.insert(all.end(), subscription.variables.begin(), subscription.variables.end());
  return all;
}

std::vector<executive::LinkSignal> Signals::list() const {
  std::vector<executive::LinkSignal> all;
  for (const Publication& each : publications)
    all.push_back({each.name, true, all.size(), "", each.variables});
  for (std::size_t i = 0; i < subscriptions.size(); ++i)
    all.push_back({subscriptions[i].name, false, i, subscriptions[i].peer, subscriptions[i].variables});
  return all;
}

std::size_t Signals::bytes_out() const {
  std::size_t bytes = 0;
  for (const Publication& publication : publications) bytes += publication.layout.bytes;
  return bytes;
}

std::size_t Signals::largest_in() const {
  std::size_t bytes = 0;
  for (const Subscription& subscription : subscriptions) bytes = std::max(bytes, subscription.layout.bytes);
  return networks.empty() ? bytes : std::max(bytes, sizeof(can::CanFrame));
}

Signals bind(const LinkSettings& settings, const std::string& path, const executive::LinkContext& context,
             config::Problems& problems) {
  Signals signals;
  for (const PublishSettings& publish : settings.publish)
    signals.publications.push_back(
        Binding(publish, path + ".publish." + publish.name, context, problems).publication(publish));
  std::vector<std::pair<VariableRef, std::string>> writers;
  for (const SubscribeSettings& subscribe : settings.subscribe)
    signals.subscriptions.push_back(
        Binding(subscribe, path + ".subscribe." + subscribe.name, context, problems)
            .subscription(subscribe, settings.on_late, writers));
  signals.networks = bind_can(settings, path, context, problems);
  return signals;
}

}  // namespace tactus::drivers::link
