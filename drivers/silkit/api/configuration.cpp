// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/silkit/api/configuration_reader.hpp"
#include "drivers/silkit/api/includes.hpp"
#include "drivers/silkit/api/json.hpp"
#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {
namespace {

using config::Node;
using Reader = ConfigurationReader;

constexpr std::int64_t kLongestTimeout = 86'400;           // seconds
constexpr std::int64_t kLongest = std::int64_t{1} << 40U;  // milliseconds, bytes: more is a mistake

/// Keys that no service here uses.
std::vector<Reader::Key> tracing_keys(Reader& reader) {
  return {{"UseTraceSinks", reader.without_effect(reader.list(Reader::anything()))},
          {"Replay", reader.without_effect(reader.map({{"UseTraceSource", Reader::anything()},
                                                       {"Direction", Reader::anything()},
                                                       {"MdfChannel", Reader::anything()}}))}};
}

/// Complains of a missing name; of one that is no text the reader of texts has complained.
void require_name(Reader& reader, const Node& node, const std::string& path, const std::string& name) {
  if (!node.is_map() || !name.empty()) return;
  const Node* const given = node.find("Name");
  if (given == nullptr || given->is_null() || given->is_scalar())
    reader.problems.add(node.place(), path, "Name is missing; add the name of the service or controller");
}

enum class Service : std::uint8_t { publisher, subscriber, rpc };

Reader::Take services(Reader& reader, std::vector<ServiceSettings>& into, Service kind) {
  return reader.list([&reader, &into, kind](const Node& node, const std::string& path) {
    ServiceSettings service;
    Labels labels;
    const auto label = [&](const Node& entry, const std::string& below) {
      Label made;  // each key may be left out
      made.kind = LabelKind::optional;
      reader.map({{"Key", reader.text_into(made.key)},
                  {"Value", reader.text_into(made.value)},
                  {"Kind", reader.choice<LabelKind>(made.kind, {{"Mandatory", LabelKind::mandatory},
                                                                {"Optional", LabelKind::optional}})}})(entry,
                                                                                                       below);
      labels.push_back(made);
    };
    const auto all_labels = [&](const Node& list, const std::string& below) {
      reader.list(label)(list, below);
      service.labels = labels;
    };
    std::vector<Reader::Key> keys = tracing_keys(reader);
    keys.push_back({"Name", reader.text_into(service.name)});
    keys.push_back({"Labels", all_labels});
    // Channel and RpcChannel: of old.
    for (const char* const key : {"FunctionName", "Channel", "RpcChannel"})
      if (kind == Service::rpc) keys.push_back({key, reader.text_into(service.topic)});
    if (kind != Service::rpc) keys.push_back({"Topic", reader.text_into(service.topic)});
    if (kind == Service::publisher)
      keys.push_back({"History", reader.integer(service.history, 0, std::numeric_limits<int>::max())});
    reader.map(std::move(keys))(node, path);
    if (kind == Service::rpc && (node.find("FunctionName") != nullptr) + (node.find("Channel") != nullptr) +
                                        (node.find("RpcChannel") != nullptr) >
                                    1)
      reader.problems.add(
          node.place(), path,
          "FunctionName and its old names Channel and RpcChannel mean the same; keep one of them");
    require_name(reader, node, path, service.name);
    into.push_back(std::move(service));
  });
}

Reader::Take controllers(Reader& reader, std::vector<ControllerSettings>& into, bool flexray = false) {
  return reader.list([&reader, &into, flexray](const Node& node, const std::string& path) {
    ControllerSettings controller;
    std::vector<Reader::Key> keys = tracing_keys(reader);
    keys.push_back({"Name", reader.text_into(controller.name)});
    keys.push_back({"Network", reader.text_into(controller.network)});
    for (const char* const key : {"ClusterParameters", "NodeParameters", "TxBufferConfigurations"})
      if (flexray) keys.push_back({key, Reader::anything()});
    reader.map(std::move(keys))(node, path);
    require_name(reader, node, path, controller.name);
    into.push_back(std::move(controller));
  });
}

Reader::Take topics(Reader& reader, std::vector<LogTopic>& into) {
  return reader.list(reader.text([&reader, &into](const Node& node, const std::string& path) {
    const std::optional<LogTopic> topic = log_topic(node.text());
    topic ? into.push_back(*topic)
          : reader.wrong(node, path, "a topic; there are User, LifeCycle, SystemState, TimeSync, Pubsub ...");
  }));
}

Reader::Take sinks(Reader& reader, LoggerSettings& logging) {
  const Reader::Take each = reader.list([&reader, &into = logging.sinks](const Node& node,
                                                                         const std::string& path) {
    using Type = SinkSettings::Type;
    SinkSettings sink{.type = Type::remote};
    std::optional<bool> json;
    reader.map(
        {{"Type", reader.choice<Type>(
                      sink.type,
                      {{"Stdout", Type::standard_output}, {"File", Type::file}, {"Remote", Type::remote}})},
         {"Level", reader.level(sink.level)},
         {"LogName", reader.text_into(sink.name)},
         {"Format", reader.choice<bool>(json, {{"Simple", false}, {"Json", true}})},
         {"Experimental", reader.map({{"EnabledTopics", topics(reader, sink.enabled)},
                                      {"DisabledTopics", topics(reader, sink.disabled)}})}})(node, path);
    if (node.is_map() && sink.type == Type::file && sink.name.empty())
      reader.problems.add(node.place(), path, "LogName is missing: a file needs one");
    sink.json = json.value_or(sink.type == Type::file);
    const auto twice = std::ranges::find_if(into, [&](const SinkSettings& other) {
      return other.type == sink.type && (sink.type != Type::file || other.name == sink.name);
    });
    if (twice != into.end())
      reader.problems.add(node.place(), path,
                          sink.type == Type::file ? "there is a file " + config::show(sink.name) + " already"
                                                  : "there is a sink of this type already");
    into.push_back(std::move(sink));
  });
  return [each, &logging](const Node& node, const std::string& path) {
    logging.silent = node.is_list() && node.items().empty();
    each(node, path);
  };
}

constexpr std::chrono::milliseconds kLeastMetricsInterval{10};  // 0 s is allowed

Reader::Take metrics(Reader& reader, MetricsSettings& into) {
  return [&reader, &into](const Node& node, const std::string& path) {
    const auto sink = [&](const Node& entry, const std::string& below) {
      enum class Type : std::uint8_t { file, remote };
      std::optional<Type> type;
      std::string name;
      reader.map({{"Type", reader.choice<Type>(type, {{"JsonFile", Type::file}, {"Remote", Type::remote}})},
                  {"Name", reader.text_into(name)}})(entry, below);
      if (!entry.is_map()) return;
      if (entry.find("Type") == nullptr)
        reader.problems.add(entry.place(), below, "Type is missing: JsonFile or Remote");
      if (type == Type::file) into.files.push_back(name);
      into.send = into.send || type == Type::remote;
    };
    std::int64_t seconds = 1;
    reader.map({{"Sinks", reader.list(sink)},
                {"CollectFromRemote", reader.flag(into.collect)},
                {"UpdateInterval", reader.integer(seconds, 0, std::numeric_limits<int>::max())}})(node, path);
    into.every = std::max<std::chrono::nanoseconds>(std::chrono::seconds(seconds), kLeastMetricsInterval);
    if (into.collect && into.send)
      reader.problems.add(node.place(), path,
                          "a sink of type Remote cannot be combined with CollectFromRemote");
  };
}

Reader::Take io_thread(Reader& reader, rtsync::ThreadSettings& thread) {
  return [&reader, &thread](const Node& node, const std::string& path) {
    using rtsync::SchedPolicy;
    const auto cpus = [&](const Node& value, const std::string& below) {
      const auto read = config::parse_cpus(value.text());
      read ? void(thread.cpus = rtsync::CpuSet(*read.value))
           : reader.wrong(value, below, "a set of CPUs: \"0-1,3\"");
    };
    reader.map({{"Cpus", reader.text(cpus)},
                {"Policy", reader.choice<SchedPolicy>(thread.policy, {{"other", SchedPolicy::other},
                                                                      {"fifo", SchedPolicy::fifo},
                                                                      {"rr", SchedPolicy::rr}})},
                {"Priority", reader.integer(thread.priority, 0, 99)}})(node, path);
    if ((thread.policy == SchedPolicy::other) != (thread.priority == 0))
      reader.problems.add(node.place(), path, "Priority is 1 .. 99 for fifo and rr, and 0 for other");
  };
}

Reader::Take version(Reader& reader) {
  return reader.text([&reader](const Node& node, const std::string& path) {
    if (!node.text().empty() && node.text() != "1") reader.wrong(node, path, "1, the only version");
  });
}

Reader::Take uri(Reader& reader, std::optional<std::string>& into) {
  return reader.text([&reader, &into](const Node& node, const std::string& path) {
    if (node.text().empty()) return;  // the caller's
    try {
      (void)parse_registry_uri(node.text());
      into = node.text();
    } catch (const std::invalid_argument& error) {
      reader.problems.add(node.place(), path, error.what());
    }
  });
}

/// The keys of Tactus that a registry has, too.
std::vector<Reader::Key> tactus_keys(Reader& reader, Configuration& to) {
  return {{"IoThread", io_thread(reader, to.mesh.io_thread)},
          {"MaxQueuedBytes", reader.integer(to.mesh.backlog.bytes, 1, kLongest)},
          {"HostTimeoutSeconds", reader.integer(to.mesh.sockets.host_timeout, 0, kLongestTimeout)},
          {"SharedMemory", reader.flag(to.mesh.shared_memory)}};
}

void add_repeated(Reader& reader, const std::vector<config::Repeated>& repeated) {
  for (const config::Repeated& twice : repeated)
    reader.problems.add(twice.place, twice.path.empty() ? twice.key : twice.path + '.' + twice.key,
                        "is given twice; " + twice.where_first());
}

/// Returns the path of the file that a text names: in the working folder, else beside the document that names it.
std::string file_named_by(const Node& node) {
  const std::filesystem::path beside =
      std::filesystem::path(node.place().file).parent_path() / std::filesystem::path(node.text());
  std::error_code error;
  const bool is_here = std::filesystem::exists(node.text(), error);
  return !is_here && std::filesystem::is_regular_file(beside, error) ? beside.string() : node.text();
}

/// The configuration of a registry, on top: what it says wins.
void read_registry(const std::string& path, Reader& reader, Configuration& to) {
  std::optional<config::Document> document;
  try {
    document = document_of(path);
  } catch (const config::ConfigError& error) {
    return reader.problems.add(error.problems());
  }
  if (!document) return;
  LoggerSettings logging;
  const auto own_sinks = [&](const Node& node, const std::string& below) {
    sinks(reader, logging)(node, below);
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      const Node* const type = node.items()[i].find("Type");
      if (node.items()[i].is_map() && (type == nullptr || type->is_null() || type->text() == "Remote"))
        reader.problems.add(
            node.items()[i].place(), below + '[' + std::to_string(i) + ']',
            "a registry has no sinks of type Remote, the type of a sink without Type; write Stdout or File");
    }
  };
  const auto no_collecting = [&](const Node& node, const std::string& below) {
    reader.flag(logging.from_remotes)(node, below);
    if (logging.from_remotes)
      reader.problems.add(node.place(), below,
                          "a registry does not collect log lines of participants; remove it");
  };
  std::vector<Reader::Key> own = tactus_keys(reader, to);
  own.push_back({"LogToStderr", Reader::anything()});  // who starts the registry says so
  std::optional<std::uint32_t> flush_level;
  for (const auto& [key, place, value] : document->root().entries())
    if (!value.is_null() && (key == "DashboardUri" || key == "Experimental"))
      reader.warnings.push_back(place.text() + ": " + key +
                                ": has no effect: this registry has no dashboard, and collects no metrics");
  reader.in_registry = true;
  reader.map({{"$schema", Reader::anything()},
              {"SchemaVersion", version(reader)},
              {"Description", Reader::anything()},
              {"ListenUri", uri(reader, to.registry_uri)},
              {"EnableDomainSockets", reader.flag(to.mesh.domain_sockets)},
              {"Logging", reader.map({{"Sinks", own_sinks},
                                      {"FlushLevel", reader.level(flush_level)},
                                      {"LogFromRemotes", no_collecting}})},
              {"Tactus", reader.map(std::move(own))},
              {"DashboardUri", Reader::anything()},
              {"Experimental", Reader::anything()}})(document->root(), "");
  add_repeated(reader, document->repeated());
  to.logging.silent = logging.silent || to.logging.silent;
  if (!logging.sinks.empty()) to.logging.sinks = std::move(logging.sinks);
  if (flush_level) to.logging.flush_level = *flush_level;
}

Configuration read(const config::Document& document, const std::string& folder = "") {
  Configuration to;
  Reader reader;
  MergedConfiguration merged = with_includes(document, folder);
  reader.warnings = std::move(merged.warnings);
  double connect_timeout = 5;
  std::uint32_t ignored_level = 0;
  std::optional<std::uint32_t> flush_level;
  std::int64_t soft = -1;
  std::int64_t hard = -1;
  std::string registry_file;
  constexpr std::int64_t kMostBuffer = std::numeric_limits<int>::max();

  // -1 stands for what the system has.
  const auto buffer = [&](std::optional<int>& into) {
    return [&](const Node& node, const std::string& path) {
      if (node.text() != "-1") reader.integer(into, 1, kMostBuffer)(node, path);
    };
  };
  const auto trace = reader.list(Reader::anything());
  std::vector<Reader::Key> tactus = tactus_keys(reader, to);
  tactus.push_back({"LogToStderr", reader.flag(to.logging.to_stderr)});
  tactus.push_back(
      {"RegistryConfiguration", reader.text([&registry_file](const Node& node, const std::string&) {
         registry_file = file_named_by(node);
       })});
  const auto flexray = controllers(reader, to.services.flexray, true);

  reader.map(
      {{"$schema", Reader::anything()},
       {"SchemaVersion", version(reader)},
       {"schemaVersion", version(reader)},
       {"Description", Reader::anything()},
       {"ParticipantName", reader.text_into(to.participant)},
       {"Middleware",
        reader.map({{"RegistryUri", uri(reader, to.registry_uri)},
                    {"ConnectAttempts", reader.integer(to.mesh.connect_attempts, 1, kMostBuffer)},
                    {"ConnectTimeoutSeconds", reader.real(connect_timeout, 0, kLongestTimeout)},
                    {"EnableDomainSockets", reader.flag(to.mesh.domain_sockets)},
                    {"AcceptorUris", reader.list(reader.text([&](const Node& node, const std::string&) {
                       to.mesh.acceptors.push_back(
                           node.text());  // whether they can be used: see Mesh::join()
                     }))},
                    {"TcpNoDelay", reader.flag(to.mesh.sockets.no_delay)},
                    {"TcpQuickAck", reader.flag(to.mesh.sockets.quick_ack)},
                    {"TcpSendBufferSize", buffer(to.mesh.sockets.send_buffer)},
                    {"TcpReceiveBufferSize", buffer(to.mesh.sockets.receive_buffer)},
                    {"RegistryAsFallbackProxy", reader.flag(to.mesh.registry_relays)},
                    {"ExperimentalRemoteParticipantConnection", reader.flag(to.mesh.remote_connect)}})},
       {"Logging", reader.map({{"Sinks", sinks(reader, to.logging)},
                               {"FlushLevel", reader.level(flush_level)},
                               {"LogFromRemotes", reader.flag(to.logging.from_remotes)}})},
       {"HealthCheck", reader.map({{"SoftResponseTimeout", reader.integer(soft, 1, kLongest)},
                                   {"HardResponseTimeout", reader.integer(hard, 1, kLongest)}})},
       {"DataPublishers", services(reader, to.publishers, Service::publisher)},
       {"DataSubscribers", services(reader, to.subscribers, Service::subscriber)},
       {"RpcServers", services(reader, to.services.rpc_servers, Service::rpc)},
       {"RpcClients", services(reader, to.services.rpc_clients, Service::rpc)},
       {"CanControllers", controllers(reader, to.services.can)},
       {"EthernetControllers", controllers(reader, to.services.ethernet)},
       {"LinControllers", controllers(reader, to.services.lin)},
       {"FlexrayControllers", reader.without_effect(flexray)},
       {"FlexRayControllers", reader.without_effect(flexray)},  // of old
       {"Tracing", reader.without_effect(reader.map({{"TraceSinks", trace}, {"TraceSources", trace}}))},
       {"Extensions",
        reader.without_effect(reader.map({{"SearchPathHints", reader.list(Reader::anything())}}))},
       {"Experimental",
        reader.map(
            {{"TimeSynchronization",
              reader.map({{"AnimationFactor", reader.real(to.animation_factor, 0, 1e9)},
                          {"EnableMessageAggregation",
                           reader.choice<std::uint32_t>(ignored_level, {{"Off", 0}, {"On", 1}, {"Auto", 2}})},
                          {"DynamicSimulationStep", reader.flag(to.dynamic_step)}})},
             {"Metrics", metrics(reader, to.metrics)}})},
       {"Tactus", reader.map(std::move(tactus))}})(merged.root, "");
  if (merged.root.find("FlexrayControllers") != nullptr && merged.root.find("FlexRayControllers") != nullptr)
    reader.problems.add(merged.root.place(), "FlexRayControllers",
                        "is the old name of FlexrayControllers; keep one of the two");

  add_repeated(reader, merged.repeated);
  if (flush_level) to.logging.flush_level = *flush_level;
  if (!registry_file.empty()) read_registry(registry_file, reader, to);
  if (!reader.problems.empty()) throw config::ConfigError(std::move(reader.problems));

  // A connect takes its time even on an idle machine: less than 100 ms is not meant.
  to.mesh.connect_timeout = std::chrono::nanoseconds(std::llround(std::max(connect_timeout, 0.1) * 1e9));
  if (soft > 0) to.soft_timeout = std::chrono::milliseconds(soft);
  if (hard > 0) to.hard_timeout = std::chrono::milliseconds(hard);
  to.json = to_json(merged.root);
  to.warnings = std::move(reader.warnings);
  return to;
}

}  // namespace

Configuration configuration_from_text(const std::string& text) {
  return is_blank(text) ? Configuration{} : read(config::Document::from_text("configuration", text));
}

Configuration configuration_from_file(const std::string& path) {
  const std::optional<config::Document> document = document_of(path);
  if (!document) return Configuration{};
  return read(*document, std::filesystem::path(path).parent_path().string());
}

}  // namespace tactus::silkit
