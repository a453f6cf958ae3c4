// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_network.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "config/text.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/model/model_library.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::drivers::link {
namespace {

using config::Located;

/// The library of driver `can`, which stays. Nullptr: it is not there.
can::FindBus* find_bus() {
  static const std::unique_ptr<executive::SharedLibrary> library = [] {
    try {
      return std::make_unique<executive::SharedLibrary>(executive::find_driver("model", "can"));
    } catch (const executive::LibraryError&) {
      return std::unique_ptr<executive::SharedLibrary>();
    }
  }();
  return library == nullptr ? nullptr : reinterpret_cast<can::FindBus*>(library->symbol(can::kFindBus));
}

can::SharedBus* bus_of(const Located<std::string>& model, const executive::LinkContext& context,
                       config::Problems& problems) {
  if (model.value.empty()) return nullptr;  // that was complained of
  const auto ref = context.find({model.value + ".bus.state", model.place, model.path});
  if (!ref) return nullptr;  // that was complained of
  can::FindBus* const find = find_bus();
  can::SharedBus* const bus = find == nullptr ? nullptr : find(ref->data());
  if (bus == nullptr)
    problems.add(model, config::show(model.value) +
                            " is not a model of 'driver: can' in the rig's own process; name one, without "
                            "'isolated'");
  return bus;
}

void read_rule(const Located<std::string>& rule, const can::SharedBus& bus, CanRules& to,
               config::Problems& problems) {
  std::string text = rule.value;
  const bool refuses = text.starts_with("not ");
  if (refuses) text.erase(0, std::string_view("not ").size());
  const auto apply = [&](const CanIds& ids) { refuses ? to.refuse(ids) : to.let(ids); };
  if (text == "all") return refuses ? to.refuse_all() : to.let_all();
  CanIds ids;
  if (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    if (const std::string wrong = read_can_ids(text, ids); !wrong.empty()) return problems.add(rule, wrong);
    return apply(ids);
  }
  const std::vector<can::BusMessage> messages = bus.messages(text);
  if (messages.empty()) {
    problems.add(rule, "the database has no message " + config::show(text) +
                           "; write an identifier (0x100), a range (0x100-0x1FF), a name or a pattern of "
                           "messages (of J1939 also EEC1@*, EEC1@0x21), all, or 'not ' before one of these" +
                           executive::did_you_mean(text, bus.messages("*"), &can::BusMessage::name));
    return;
  }
  for (const can::BusMessage& each : messages) {
    constexpr std::uint32_t kSource = 0xFF, kPriority = 7U << 26U;
    const std::uint32_t first = each.any_source ? each.id & ~kSource : each.id;
    const std::uint32_t last = each.any_source ? each.id | kSource : each.id;
    if (!each.any_priority) {
      apply({first, last, each.extended});
      continue;
    }
    for (std::uint32_t priority = 0; priority <= 7; ++priority)
      apply({(first & ~kPriority) | priority << 26U, (last & ~kPriority) | priority << 26U, each.extended});
  }
}

CanRules read_rules(const std::vector<Located<std::string>>& rules, const can::SharedBus& bus,
                    config::Problems& problems) {
  CanRules made;
  const bool only_refuses = !rules.empty() && std::ranges::all_of(rules, [](const auto& rule) {
    return rule.value.starts_with("not ");
  });
  if (only_refuses) made.let_all();
  for (const Located<std::string>& rule : rules) read_rule(rule, bus, made, problems);
  return made;
}

/// Sets of buses that are joined, so that an entry that joins one with itself is seen.
class Joined {
 public:
  /// Returns false if the two are joined already.
  bool join(const std::string& a, const std::string& b) {
    const std::string one = root(a), other = root(b);
    if (one == other) return false;
    above_[one] = other;
    return true;
  }

 private:
  std::string root(std::string of) {
    for (auto at = above_.find(of); at != above_.end(); at = above_.find(of)) of = at->second;
    return of;
  }
  std::map<std::string, std::string> above_;
};

}  // namespace

std::vector<CanNetwork> bind_can(const LinkSettings& settings, const std::string& path,
                                 const executive::LinkContext& context, config::Problems& problems) {
  std::vector<CanNetwork> made;
  Joined joined;
  for (const CanSettings& each : settings.can) {
    const auto complain = [&](const std::string& key, const std::string& message) {
      problems.add(each.origin.place, path + ".can." + each.name + key, message);
    };
    CanNetwork network;
    network.name = each.name;
    network.network = each.network.value_or(each.name);
    network.controller = each.controller.value_or(each.name);
    network.model = each.bus.value;
    if (std::ranges::any_of(settings.subscribe,
                            [&](const SubscribeSettings& other) { return other.name == each.name; }))
      complain("", "has the name of a subscription, and both have variables link." + each.name +
                       ".*; give one of them another name");
    if (std::ranges::any_of(made,
                            [&](const CanNetwork& other) { return other.controller == network.controller; }))
      complain(".controller", "the rig has a controller " + config::show(network.controller) +
                                  " already; give this one another name");
    network.bus = bus_of(each.bus, context, problems);
    if (network.bus != nullptr) {
      network.to_virtual = read_rules(each.forward.to_virtual, *network.bus, problems);
      network.to_real = read_rules(each.forward.to_real, *network.bus, problems);
      if (!joined.join("interface " + network.bus->interface(), "network " + network.network))
        complain("", "joins interface " + network.bus->interface() + " and network " +
                         config::show(network.network) +
                         ", which other entries have joined already: frames would go round for ever; write "
                         "their rules in one entry");
    }
    made.push_back(std::move(network));
  }
  return made;
}

}  // namespace tactus::drivers::link
