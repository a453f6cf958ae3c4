// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/command/registry_settings.hpp"

#include <optional>

#include "config/document.hpp"
#include "config/json.hpp"
#include "drivers/silkit/command/participant.hpp"

namespace tactus::silkit::command {
namespace {

/// ListenUri of a file that the library has read; nothing when it has none, or is empty.
std::optional<config::Node::Entry> listen_uri(const std::string& file) try {
  const config::Document document = config::Document::from_file(file);
  for (const config::Node::Entry& entry : document.root().entries())
    if (entry.key == "ListenUri" && !entry.value.text().empty()) return entry;
  return std::nullopt;
} catch (const config::ConfigError&) {
  return std::nullopt;
}

}  // namespace

RegistrySettings registry_settings(const std::string& file, const std::string& uri, const std::string& log) {
  config::Json text{{"Logging", {{"Sinks", {{{"Type", "Stdout"}, {"Level", level_key(log)}}}}}},
                    {"Tactus", {{"LogToStderr", true}}}};
  if (!file.empty()) text["Tactus"]["RegistryConfiguration"] = file;
  SilKit_ParticipantConfiguration* made = nullptr;
  must(SilKit_ParticipantConfiguration_FromString(&made, text.dump().c_str()),
       file.empty() ? "--log" : "--registry-configuration " + file);
  RegistrySettings settings{uri, "--listen-uri", {}};
  settings.configuration.reset(made);
  if (file.empty()) return settings;
  if (const std::optional<config::Node::Entry> said = listen_uri(file)) {
    settings.uri = said->value.text();
    settings.uri_from = said->place.text() + ": ListenUri";
  }
  return settings;
}

}  // namespace tactus::silkit::command
