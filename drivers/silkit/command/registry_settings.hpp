// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/silkit.h>

#include <memory>
#include <string>

namespace tactus::silkit::command {

struct DestroyConfiguration {
  void operator()(SilKit_ParticipantConfiguration* configuration) const {
    (void)SilKit_ParticipantConfiguration_Destroy(configuration);
  }
};

/// Settings of a registry: the command line, and the file of --registry-configuration, which wins.
struct RegistrySettings {
  std::string uri;
  std::string uri_from;  ///< source of the URI, for messages: "--listen-uri", "FILE:1:1: ListenUri"
  std::unique_ptr<SilKit_ParticipantConfiguration, DestroyConfiguration> configuration;
};

/// Reads `file` (YAML or JSON; empty: none), with ListenUri, EnableDomainSockets, Logging and Tactus. Warns on
/// stderr of keys that are unknown or have no effect. Throws CommandError for what cannot be.
RegistrySettings registry_settings(const std::string& file, const std::string& uri, const std::string& log);

}  // namespace tactus::silkit::command
