// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "drivers/can/port/shared_bus.hpp"
#include "drivers/link/can_rules.hpp"
#include "drivers/link/settings.hpp"

namespace tactus::drivers::link {

/// A virtual bus beside the bus of a model, with everything decided.
struct CanNetwork {
  std::string name;
  std::string network;     ///< name of the virtual bus
  std::string controller;  ///< name of the rig's controller on it
  std::string model;
  can::SharedBus* bus = nullptr;  ///< bus of the model
  CanRules to_virtual, to_real;
};

/// Names of the networks, in their order.
inline std::vector<std::string> names_of(const std::vector<CanNetwork>& networks) {
  std::vector<std::string> names;
  for (const CanNetwork& each : networks) names.push_back(each.name);
  return names;
}

/// Finds the models and their buses, and reads the rules. Complains of a model that is not there, is not of driver `can`,
/// of a rule that cannot be read, of a message that the database has not, of names that are there twice, and of entries
/// that join buses in a ring. @when setup
std::vector<CanNetwork> bind_can(const LinkSettings& settings, const std::string& path,
                                 const executive::LinkContext& context, config::Problems& problems);

}  // namespace tactus::drivers::link
