// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/known_keys.hpp"

#include <algorithm>
#include <iterator>

namespace tactus::silkit {
namespace {

constexpr std::string_view kTop = "the top";
constexpr std::string_view kServices = "an entry of a service";
constexpr std::string_view kLabel = "Labels[]";
constexpr std::string_view kChannel = "Replay.MdfChannel";

struct KnownKey {
  std::string_view name;
  std::string_view section;
};
constexpr KnownKey kKeys[] = {
    {"SchemaVersion", kTop},
    {"schemaVersion", kTop},
    {"Description", kTop},
    {"ParticipantName", kTop},
    {"Middleware", kTop},
    {"Logging", kTop},
    {"HealthCheck", kTop},
    {"Tracing", kTop},
    {"Extensions", kTop},
    {"Includes", kTop},
    {"Experimental", "the top or Logging.Sinks[]"},
    {"CanControllers", kTop},
    {"LinControllers", kTop},
    {"EthernetControllers", kTop},
    {"FlexrayControllers", kTop},
    {"FlexRayControllers", kTop},
    {"DataPublishers", kTop},
    {"DataSubscribers", kTop},
    {"RpcServers", kTop},
    {"RpcClients", kTop},
    {"RegistryUri", "Middleware"},
    {"ConnectAttempts", "Middleware"},
    {"ConnectTimeoutSeconds", "Middleware"},
    {"EnableDomainSockets", "Middleware"},
    {"AcceptorUris", "Middleware"},
    {"TcpNoDelay", "Middleware"},
    {"TcpQuickAck", "Middleware"},
    {"TcpSendBufferSize", "Middleware"},
    {"TcpReceiveBufferSize", "Middleware"},
    {"RegistryAsFallbackProxy", "Middleware"},
    {"ExperimentalRemoteParticipantConnection", "Middleware"},
    {"Sinks", "Logging or Experimental.Metrics"},
    {"FlushLevel", "Logging"},
    {"LogFromRemotes", "Logging"},
    {"Type", "an entry of Sinks, TraceSinks or TraceSources"},
    {"Level", "Logging.Sinks[]"},
    {"LogName", "Logging.Sinks[]"},
    {"Format", "Logging.Sinks[]"},
    {"EnabledTopics", "Logging.Sinks[].Experimental"},
    {"DisabledTopics", "Logging.Sinks[].Experimental"},
    {"SoftResponseTimeout", "HealthCheck"},
    {"HardResponseTimeout", "HealthCheck"},
    {"TraceSinks", "Tracing"},
    {"TraceSources", "Tracing"},
    {"OutputPath", "Tracing.TraceSinks[]"},
    {"InputPath", "Tracing.TraceSources[]"},
    {"SearchPathHints", "Includes or Extensions"},
    {"Files", "Includes"},
    {"TimeSynchronization", "Experimental"},
    {"Metrics", "Experimental"},
    {"AnimationFactor", "Experimental.TimeSynchronization"},
    {"EnableMessageAggregation", "Experimental.TimeSynchronization"},
    {"DynamicSimulationStep", "Experimental.TimeSynchronization"},
    {"CollectFromRemote", "Experimental.Metrics"},
    {"UpdateInterval", "Experimental.Metrics"},
    {"Name", kServices},
    {"Network", kServices},
    {"UseTraceSinks", kServices},
    {"Replay", kServices},
    {"UseTraceSource", "Replay"},
    {"Direction", "Replay"},
    {"MdfChannel", "Replay"},
    {"ChannelName", kChannel},
    {"ChannelPath", kChannel},
    {"ChannelSource", kChannel},
    {"GroupName", kChannel},
    {"GroupPath", kChannel},
    {"GroupSource", kChannel},
    {"Topic", "DataPublishers[] or DataSubscribers[]"},
    {"History", "DataPublishers[]"},
    {"FunctionName", "RpcServers[] or RpcClients[]"},
    {"Channel", "RpcServers[] or RpcClients[]"},
    {"RpcChannel", "RpcServers[] or RpcClients[]"},
    {"Labels", "DataPublishers[], DataSubscribers[], RpcServers[] or RpcClients[]"},
    {"Key", kLabel},
    {"Value", kLabel},
    {"Kind", kLabel},
    {"ClusterParameters", "FlexrayControllers[]"},
    {"NodeParameters", "FlexrayControllers[]"},
    {"TxBufferConfigurations", "FlexrayControllers[]"},
};

}  // namespace

std::string_view section_of(std::string_view key) {
  const auto* const found = std::find_if(std::begin(kKeys), std::end(kKeys),
                                         [&](const KnownKey& known) { return known.name == key; });
  return found == std::end(kKeys) ? std::string_view{} : found->section;
}

}  // namespace tactus::silkit
