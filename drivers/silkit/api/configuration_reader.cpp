// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/configuration_reader.hpp"

#include <algorithm>

#include "config/text.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::silkit {
namespace {

struct KnownKeys {
  std::string_view section;
  std::string_view names;  ///< the names, blanks between them
};
constexpr KnownKeys kKeys[] = {
    {"the top",
     "SchemaVersion schemaVersion Description ParticipantName Middleware Logging "
     "HealthCheck Tracing Extensions Includes CanControllers LinControllers "
     "EthernetControllers FlexrayControllers FlexRayControllers DataPublishers "
     "DataSubscribers RpcServers RpcClients"},
    {"the top or Logging.Sinks[]", "Experimental"},
    {"Middleware",
     "RegistryUri ConnectAttempts ConnectTimeoutSeconds EnableDomainSockets AcceptorUris "
     "TcpNoDelay TcpQuickAck TcpSendBufferSize TcpReceiveBufferSize "
     "RegistryAsFallbackProxy ExperimentalRemoteParticipantConnection"},
    {"Logging or Experimental.Metrics", "Sinks"},
    {"Logging", "FlushLevel LogFromRemotes"},
    {"an entry of Sinks, TraceSinks or TraceSources", "Type"},
    {"Logging.Sinks[]", "Level LogName Format"},
    {"Logging.Sinks[].Experimental", "EnabledTopics DisabledTopics"},
    {"HealthCheck", "SoftResponseTimeout HardResponseTimeout"},
    {"Tracing", "TraceSinks TraceSources"},
    {"Tracing.TraceSinks[]", "OutputPath"},
    {"Tracing.TraceSources[]", "InputPath"},
    {"Includes or Extensions", "SearchPathHints"},
    {"Includes", "Files"},
    {"Experimental", "TimeSynchronization Metrics"},
    {"Experimental.TimeSynchronization", "AnimationFactor EnableMessageAggregation DynamicSimulationStep"},
    {"Experimental.Metrics", "CollectFromRemote UpdateInterval"},
    {"an entry of a service", "Name Network UseTraceSinks Replay"},
    {"Replay", "UseTraceSource Direction MdfChannel"},
    {"Replay.MdfChannel", "ChannelName ChannelPath ChannelSource GroupName GroupPath GroupSource"},
    {"DataPublishers[] or DataSubscribers[]", "Topic"},
    {"DataPublishers[]", "History"},
    {"RpcServers[] or RpcClients[]", "FunctionName Channel RpcChannel"},
    {"DataPublishers[], DataSubscribers[], RpcServers[] or RpcClients[]", "Labels"},
    {"Labels[]", "Key Value Kind"},
    {"FlexrayControllers[]", "ClusterParameters NodeParameters TxBufferConfigurations"},
};

/// Section of a key in SIL Kit's configurations: "Logging.Sinks[]"; "the top" for those of the document
/// itself. Empty: there is no such key anywhere.
std::string_view section_of(std::string_view key) {
  for (const KnownKeys& known : kKeys) {
    const std::vector<std::string_view> names = rtsync::words_of(known.names);
    if (std::ranges::find(names, key) != names.end()) return known.section;
  }
  return {};
}

}  // namespace

using config::Node;

ConfigurationReader::Take ConfigurationReader::map(std::vector<Key> keys) {
  return [this, keys = std::move(keys)](const Node& node, const std::string& path) {
    if (!node.is_map()) return wrong(node, path, "a map");
    for (const auto& [name, place, value] : node.entries()) {
      const std::string below = path.empty() ? name : path + '.' + name;
      const auto key =
          std::ranges::find_if(keys, [&wanted = name](const Key& k) { return k.name == wanted; });
      if (key == keys.end()) {
        const std::string_view section = section_of(name);
        if (!section.empty() && (!in_registry || section.starts_with("Logging"))) {
          problems.add(place, below, "does not belong here, but in " + std::string(section));
          continue;
        }
        std::vector<std::string> known;
        for (const Key& k : keys) known.emplace_back(k.name);
        warnings.push_back(place.text() + ": " + below + ": unknown key, ignored; " +
                           config::hint(name, known));
      } else if (!value.is_null()) {
        key->take(value, below);
      }
    }
  };
}

ConfigurationReader::Take ConfigurationReader::list(Take item) {
  return [this, item = std::move(item)](const Node& node, const std::string& path) {
    if (!node.is_list()) return wrong(node, path, "a list");
    for (std::size_t i = 0; i < node.items().size(); ++i)
      item(node.items()[i], path + '[' + std::to_string(i) + ']');
  };
}

ConfigurationReader::Take ConfigurationReader::text(Take then) {
  return [this, then = std::move(then)](const Node& node, const std::string& path) {
    if (!node.is_scalar()) return wrong(node, path, "a text");
    then(node, path);
  };
}

ConfigurationReader::Take ConfigurationReader::real(double& into, double least, double most) {
  return text([this, &into, least, most](const Node& node, const std::string& path) {
    const auto read = config::parse_real(node.text());
    if (!read || *read.value < least || *read.value > most)
      return wrong(node, path, "a number, " + config::print_real(least) + " .. " + config::print_real(most));
    into = *read.value;
  });
}

ConfigurationReader::Take ConfigurationReader::without_effect(Take take) {
  return [this, take = std::move(take)](const Node& node, const std::string& path) {
    take(node, path);
    std::string kind;
    for (const char c : path)
      if (c < '0' || c > '9') kind += c;
    if (!without_effect_.insert(kind).second) return;
    warnings.push_back(node.place().text() + ": " + path + ": has no effect with this library");
  };
}

void ConfigurationReader::wrong(const Node& node, const std::string& path, const std::string& allowed) {
  problems.add(node.place(), path,
               node.is_scalar() ? config::show(node.text()) + " is not " + allowed
                                : "expected " + allowed + ", found " + config::kind_name(node.kind()));
}

std::optional<bool> ConfigurationReader::bool_of(const std::string& text) {
  if (text == "True" || text == "TRUE" || text == "1") return true;
  if (text == "False" || text == "FALSE" || text == "0") return false;
  const auto read = config::parse_bool(text);
  return read ? std::optional(*read.value) : std::nullopt;
}

}  // namespace tactus::silkit
