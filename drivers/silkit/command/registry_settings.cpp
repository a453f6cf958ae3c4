// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/command/registry_settings.hpp"

#include <cstdio>
#include <vector>

#include "config/document.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/silkit/command/participant.hpp"

namespace tactus::silkit::command {
namespace {

using config::Node;

[[noreturn]] void refuse(const Node& node, const std::string& path, const std::string& words) {
  throw CommandError(kWrongInput, config::Problem{node.place(), path, words}.text());
}

void warn(const config::Place& place, const std::string& words) {
  std::fprintf(stderr, "tactus: warning: %s: %s\n", place.text().c_str(), words.c_str());
}

/// A registry has nobody to send lines to, and takes none.
void check_logging(const Node& logging) {
  if (const Node* const collect = logging.find("LogFromRemotes"); collect != nullptr)
    if (const auto on = config::parse_bool(collect->text()); !on || *on.value)
      refuse(*collect, "Logging.LogFromRemotes", "a registry takes no lines of others");
  const Node* const sinks = logging.find("Sinks");
  if (sinks == nullptr) return;
  for (const Node& sink : sinks->items()) {
    const Node* const type = sink.find("Type");
    if (type == nullptr || type->is_null() || type->text() == "Remote")
      refuse(sink, "Logging.Sinks",
             "a registry has no sinks of type Remote, which is what one without Type is");
  }
}

}  // namespace

RegistrySettings registry_settings(const std::string& file, const std::string& uri, const std::string& log) {
  RegistrySettings settings{uri, ""};
  std::string logging = "Logging: {Sinks: [{Type: Stdout, Level: " + level_key(log) + "}]}\n";
  std::string tactus = "LogToStderr: true";
  std::string middleware;
  try {
    const config::Document document =
        file.empty() ? config::Document::from_text("", "{}") : config::Document::from_file(file);
    for (const config::Repeated& twice : document.repeated())
      throw CommandError(
          kWrongInput, twice.place.text() + ": " + twice.key + ": is there already, " + twice.where_first());
    for (const auto& [key, place, value] : document.root().entries()) {
      if (value.is_null() || key == "Description" || key == "$schema") continue;
      if (key == "SchemaVersion") {
        if (value.text() != "1")
          refuse(value, key, config::show(value.text()) + " is not 1, the one there is");
      } else if (key == "ListenUri") {
        settings.uri = value.text();
      } else if (key == "EnableDomainSockets") {
        middleware = "Middleware: {EnableDomainSockets: " + config::to_flow(value) + "}\n";
      } else if (key == "Logging") {
        check_logging(value);
        const Node* const sinks = value.find("Sinks");
        if (sinks != nullptr && !sinks->items().empty())
          logging = "Logging: " + config::to_flow(value) + "\n";
      } else if (key == "Tactus") {
        for (const Node::Entry& entry : value.entries())
          if (entry.key != "LogToStderr") tactus += ", " + entry.key + ": " + config::to_flow(entry.value);
      } else if (key == "DashboardUri" || key == "Experimental") {
        warn(place, key + ": has no effect: this registry has no dashboard, and collects no metrics");
      } else {
        warn(place, key + ": unknown key of a registry's configuration, ignored; " +
                        config::hint(key, {"ListenUri", "EnableDomainSockets", "Logging", "DashboardUri"}));
      }
    }
  } catch (const config::ConfigError& error) {
    throw CommandError(kWrongInput, "--registry-configuration " + file + ": " + error.what());
  }
  settings.configuration = middleware + logging + "Tactus: {" + tactus + "}\n";
  return settings;
}

}  // namespace tactus::silkit::command
