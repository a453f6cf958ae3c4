// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What a participant configuration says of services: of the one with this name, what is set wins over the call
/// that creates it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/silkit/wire/labels.hpp"

namespace tactus::silkit {

/// Of a publisher, subscriber, RPC server or client.
struct ServiceSettings {
  std::string name;
  std::optional<std::string> topic;  ///< of RPC: the name of the function
  std::optional<Labels> labels;
  std::optional<std::int64_t> history;  ///< publishers
};
/// Of a controller on a bus.
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

/// What is said of the service of this name, or null.
template <class Settings>
const Settings* settings_of(const std::vector<Settings>& services, std::string_view name) {
  for (const Settings& service : services)
    if (service.name == name) return &service;
  return nullptr;
}

}  // namespace tactus::silkit
