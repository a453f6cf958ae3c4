// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Settings of a participant configuration, read and checked.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "drivers/silkit/api/logger.hpp"
#include "drivers/silkit/api/metrics.hpp"
#include "drivers/silkit/api/service_settings.hpp"
#include "drivers/silkit/net/mesh.hpp"

namespace tactus::silkit {

/// A value; made by the two functions below.
struct Configuration {
  std::string participant;                  ///< wins over the argument, unless empty
  std::optional<std::string> registry_uri;  ///< registry URI; wins over the argument, unless empty
  MeshSettings mesh;                        ///< all but registry_uri and the thread's name
  LoggerSettings logging;
  std::optional<std::chrono::milliseconds> soft_timeout;  ///< limit of a step: a warning
  std::optional<std::chrono::milliseconds> hard_timeout;  ///< limit of a step: state Error
  std::vector<ServiceSettings> publishers;
  std::vector<ServiceSettings> subscribers;
  ServicesSettings services;  ///< RPC and bus controllers
  MetricsSettings metrics;
  double animation_factor = 0;
  std::optional<bool> dynamic_step;

  std::string json = "{}";            ///< configuration as it was written, with what it includes, as JSON
  std::vector<std::string> warnings;  ///< one line each: keys that are unknown, or without effect here
};

/// Reads what it includes, too. Throws config::ConfigError with every problem found. "" is an empty
/// configuration.                                                                              @when setup
Configuration configuration_from_text(const std::string& text);
/// The same; only regular files are read. What it includes may be beside it.                    @when setup
Configuration configuration_from_file(const std::string& path);

}  // namespace tactus::silkit
