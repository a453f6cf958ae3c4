// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/capability/fault/fault_place.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::executive {
namespace {

/// Adds a name once.
void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

std::string amount_text(const OfferedFault& offer) {
  return config::print_real(offer.least) + " .. " + config::print_real(offer.most) +
         (offer.unit.empty() ? "" : " " + offer.unit);
}

std::string find_offered(const Draft& draft, const std::string& name, const std::string& kind,
                         OfferedPlace& to) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos)
    return config::show(name) + " names nothing of a device; write 'on: MODEL.TARGET'";
  const std::string model = name.substr(0, dot), target = name.substr(dot + 1);
  if (draft.rig.isolation != nullptr)
    for (const IsolatedModel& isolated : draft.rig.isolation->models())
      if (isolated.name() == model)
        return "model '" + model +
               "' runs in a process of its own (isolated: yes), where its device has no " +
               "faults; remove 'isolated', or the fault";
  std::vector<std::string> models;
  for (const DriverModel& each : draft.rig.driver_models) {
    if (each.name != model) {
      models.push_back(each.name);
      continue;
    }
    try {
      const std::vector<OfferedFault> offered = each.model->faults();
      if (offered.empty()) return "model '" + model + "' (driver " + each.driver + ") offers no faults";
      std::vector<std::string> targets, kinds;
      for (std::size_t i = 0; i < offered.size(); ++i) {
        add_once(targets, offered[i].target);
        if (offered[i].target != target) continue;
        kinds.push_back(offered[i].kind);
        if (offered[i].kind != kind) continue;
        to.is_kind = true;
        to.model = each.model.get();
        to.number = static_cast<std::uint32_t>(i);
        to.offer = offered[i];
        return offered[i].refused;
      }
      if (kinds.empty())
        return "model '" + model + "' has nothing of the name " + config::show(target) +
               " that can be disturbed" + did_you_mean(target, targets);
      to.is_kind = true;
      return config::show(name) + " has no fault " + config::show(kind) + did_you_mean(kind, kinds);
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  return "there is no model of a driver " + config::show(model) + did_you_mean(model, models);
}

}  // namespace tactus::executive
