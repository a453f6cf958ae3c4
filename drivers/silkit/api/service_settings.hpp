// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Settings of services in a participant configuration: what is set for this name wins over the call that
/// creates the service.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/silkit/wire/labels.hpp"

namespace tactus::silkit {

/// Settings of a publisher, subscriber, RPC server or client.
struct ServiceSettings {
  std::string name;
  std::optional<std::string> topic;  ///< topic; of RPC: the name of the function
  std::optional<Labels> labels;
  std::optional<std::int64_t> history;  ///< publishers
};
/// Settings of a controller on a bus.
struct ControllerSettings {
  std::string name;
  std::optional<std::string> network;
};

/// RPC and bus controllers.
struct ServicesSettings {
  std::vector<ServiceSettings> rpc_clients;
  std::vector<ServiceSettings> rpc_servers;
  std::vector<ControllerSettings> can, ethernet, flexray, lin;
};

/// Settings of the service of this name, or null.
template <class Settings>
const Settings* settings_of(const std::vector<Settings>& services, std::string_view name) {
  for (const Settings& service : services)
    if (service.name == name) return &service;
  return nullptr;
}

}  // namespace tactus::silkit
