#include "drivers/silkit/api/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/silkit/api/json.hpp"
#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {
namespace {

using config::Node;

/// Takes the values of a document, and collects what is wrong with them.
class Reader {
 public:
  using Take = std::function<void(const Node&, const std::string& path)>;
  struct Key {
    std::string_view name;
    Take take;
  };
  template <class T>
  struct Choice {
    std::string_view name;
    T value;
  };

  /// Every key of a map by its taker; a key with nothing behind it is as good as none.
  Take map(std::vector<Key> keys) {
    return [this, keys = std::move(keys)](const Node& node, const std::string& path) {
      if (!node.is_map()) return wrong(node, path, "a map");
      for (const auto& [name, place, value] : node.entries()) {
        const std::string below = path.empty() ? name : path + '.' + name;
        const auto key =
            std::find_if(keys.begin(), keys.end(), [&name = name](const Key& k) { return k.name == name; });
        if (key == keys.end()) {
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
  /// A list; `item` is called for each of it.
  Take list(Take item) {
    return [this, item = std::move(item)](const Node& node, const std::string& path) {
      if (!node.is_list()) return wrong(node, path, "a list");
      for (std::size_t i = 0; i < node.items().size(); ++i)
        item(node.items()[i], path + '[' + std::to_string(i) + ']');
    };
  }
  Take text(std::function<void(const Node&, const std::string& path)> then) {
    return [this, then = std::move(then)](const Node& node, const std::string& path) {
      if (!node.is_scalar()) return wrong(node, path, "a text");
      then(node, path);
    };
  }
  template <class Text>
  Take text_into(Text& into) {
    return text([&into](const Node& node, const std::string&) { into = node.text(); });
  }
  template <class Bool>
  Take flag(Bool& into) {
    return text([this, &into](const Node& node, const std::string& path) {
      const auto read = config::parse_bool(node.text());
      read ? void(into = *read.value) : wrong(node, path, "true or false");
    });
  }
  template <class Number>
  Take integer(Number& into, std::int64_t least, std::int64_t most) {
    return text([this, &into, least, most](const Node& node, const std::string& path) {
      const auto read = config::parse_integer(node.text());
      if (!read || *read.value < least || *read.value > most)
        return wrong(node, path, "a whole number, " + std::to_string(least) + " .. " + std::to_string(most));
      using Value = std::remove_cvref_t<decltype(value_of(into))>;
      into = Value(*read.value);
    });
  }
  Take real(double& into, double least, double most) {
    return text([this, &into, least, most](const Node& node, const std::string& path) {
      const auto read = config::parse_real(node.text());
      if (!read || *read.value < least || *read.value > most)
        return wrong(node, path,
                     "a number, " + config::print_real(least) + " .. " + config::print_real(most));
      into = *read.value;
    });
  }
  template <class T, class Into>
  Take choice(Into& into, std::vector<Choice<T>> choices) {
    return text([this, &into, choices = std::move(choices)](const Node& node, const std::string& path) {
      std::string names;
      for (const Choice<T>& choice : choices) {
        if (choice.name == node.text()) return void(into = choice.value);
        names += (names.empty() ? "" : ", ") + std::string(choice.name);
      }
      wrong(node, path, "one of " + names);
    });
  }
  Take level(std::uint32_t& into) {
    return choice<std::uint32_t>(into, {{"Trace", 0},
                                        {"Debug", 1},
                                        {"Info", 2},
                                        {"Warn", 3},
                                        {"Error", 4},
                                        {"Critical", 5},
                                        {"Off", kLevelOff}});
  }
  /// Known, and of no consequence.
  static Take anything() {
    return [](const Node&, const std::string&) {};
  }
  /// Known, and not done here.
  Take without_effect() {
    return [this](const Node& node, const std::string& path) {
      warnings.push_back(node.place().text() + ": " + path + ": has no effect with this library");
    };
  }

  void wrong(const Node& node, const std::string& path, const std::string& allowed) {
    problems.add(
        node.place(), path,
        (node.is_scalar() ? config::show(node.text()) : std::string(config::kind_name(node.kind()))) +
            " is not " + allowed);
  }

  config::Problems problems;
  std::vector<std::string> warnings;

 private:
  template <class T>
  static T& value_of(T& value) {
    return value;
  }
  template <class T>
  static T& value_of(std::optional<T>& value) {
    return *value;
  }
};

Reader::Take services(Reader& reader, std::vector<ServiceSettings>& into, bool publishers) {
  return reader.list([&reader, &into, publishers](const Node& node, const std::string& path) {
    ServiceSettings service;
    Labels labels;
    std::int64_t history = -1;
    const auto label = [&](const Node& entry, const std::string& below) {
      Label made;
      reader.map({{"Key", reader.text_into(made.key)},
                  {"Value", reader.text_into(made.value)},
                  {"Kind", reader.choice<LabelKind>(made.kind, {{"Mandatory", LabelKind::mandatory},
                                                                {"Optional", LabelKind::optional}})}})(entry,
                                                                                                       below);
      const auto has = [&entry](const char* key) {
        return std::any_of(entry.entries().begin(), entry.entries().end(),
                           [key](const auto& e) { return e.key == key; });
      };
      if (entry.is_map() && (made.key.empty() || !has("Kind")))
        reader.problems.add(entry.place(), below,
                            "a label needs Key, Value, and Kind: Mandatory or Optional");
      labels.push_back(made);
    };
    const auto all_labels = [&](const Node& list, const std::string& below) {
      reader.list(label)(list, below);
      service.labels = labels;
    };
    std::vector<Reader::Key> keys{{"Name", reader.text_into(service.name)},
                                  {"Topic", reader.text_into(service.topic)},
                                  {"Labels", all_labels}};
    if (publishers) keys.push_back({"History", reader.integer(history, 0, 1)});
    reader.map(std::move(keys))(node, path);
    if (history >= 0) service.history = history == 1;
    if (node.is_map() && service.name.empty())
      reader.problems.add(node.place(), path, "Name is missing: whose settings are these?");
    into.push_back(std::move(service));
  });
}

Reader::Take sinks(Reader& reader, std::vector<SinkSettings>& into) {
  return reader.list([&reader, &into](const Node& node, const std::string& path) {
    enum class Type { standard_output, file, remote };
    SinkSettings sink;
    Type type = Type::standard_output;
    reader.map({{"Type", reader.choice<Type>(type, {{"Stdout", Type::standard_output},
                                                    {"File", Type::file},
                                                    {"Remote", Type::remote}})},
                {"Level", reader.level(sink.level)},
                {"LogName", reader.text_into(sink.name)},
                {"Format", reader.choice<bool>(sink.json, {{"Simple", false}, {"Json", true}})},
                {"EnabledTopics", reader.without_effect()},
                {"DisabledTopics", reader.without_effect()}})(node, path);
    if (type == Type::remote) return reader.without_effect()(node, path);
    sink.type = type == Type::file ? SinkSettings::Type::file : SinkSettings::Type::standard_output;
    if (node.is_map() && type == Type::file && sink.name.empty())
      reader.problems.add(node.place(), path, "LogName is missing: a file needs one");
    into.push_back(std::move(sink));
  });
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

Configuration read(const config::Document& document) {
  Configuration to;
  Reader reader;
  double connect_timeout = 5;
  bool ignored = false;
  std::uint32_t ignored_level = 0;
  std::int64_t soft = -1;
  std::int64_t hard = -1;
  constexpr std::int64_t kLongest = std::int64_t{1} << 40U;  // milliseconds, bytes: more is a mistake
  constexpr std::int64_t kMostBuffer = std::numeric_limits<int>::max();

  const auto uri = [&](const Node& node, const std::string& path) {
    try {
      (void)parse_registry_uri(node.text());
      to.registry_uri = node.text();
    } catch (const std::invalid_argument& error) {
      reader.problems.add(node.place(), path, error.what());
    }
  };
  const auto acceptor = [&](const Node& node, const std::string& path) {
    try {
      if (parse_uri(node.text()).scheme == Uri::Scheme::silkit)
        reader.wrong(node, path, "a tcp:// or local:// URI");
      to.mesh.acceptors.push_back(node.text());
    } catch (const std::invalid_argument& error) {
      reader.problems.add(node.place(), path, error.what());
    }
  };
  const auto remotes = [&](const Node& node, const std::string& path) {
    bool wanted = false;
    reader.flag(wanted)(node, path);
    if (wanted) reader.without_effect()(node, path);
  };

  reader.map(
      {{"$schema", Reader::anything()},
       {"SchemaVersion", Reader::anything()},
       {"schemaVersion", Reader::anything()},
       {"Description", Reader::anything()},
       {"ParticipantName", reader.text_into(to.participant)},
       {"Middleware",
        reader.map({{"RegistryUri", reader.text(uri)},
                    {"ConnectAttempts", reader.integer(to.mesh.connect_attempts, 1, kMostBuffer)},
                    {"ConnectTimeoutSeconds", reader.real(connect_timeout, 0, 86'400)},
                    {"EnableDomainSockets", reader.flag(to.mesh.domain_sockets)},
                    {"AcceptorUris", reader.list(reader.text(acceptor))},
                    {"TcpNoDelay", reader.flag(to.mesh.tcp_no_delay)},
                    {"TcpQuickAck", reader.flag(to.mesh.tcp_quick_ack)},
                    {"TcpSendBufferSize", reader.integer(to.mesh.send_buffer, 1, kMostBuffer)},
                    {"TcpReceiveBufferSize", reader.integer(to.mesh.receive_buffer, 1, kMostBuffer)},
                    {"RegistryAsFallbackProxy", reader.flag(ignored)},
                    {"ExperimentalRemoteParticipantConnection", reader.flag(ignored)}})},
       {"Logging", reader.map({{"Sinks", sinks(reader, to.logging.sinks)},
                               {"FlushLevel", reader.level(to.logging.flush_level)},
                               {"LogFromRemotes", remotes}})},
       {"HealthCheck", reader.map({{"SoftResponseTimeout", reader.integer(soft, 1, kLongest)},
                                   {"HardResponseTimeout", reader.integer(hard, 1, kLongest)}})},
       {"DataPublishers", services(reader, to.publishers, true)},
       {"DataSubscribers", services(reader, to.subscribers, false)},
       {"Experimental",
        reader.map(
            {{"TimeSynchronization",
              reader.map({{"AnimationFactor", reader.real(to.animation_factor, 0, 1e9)},
                          {"EnableMessageAggregation",
                           reader.choice<std::uint32_t>(ignored_level, {{"Off", 0}, {"On", 1}, {"Auto", 2}})},
                          {"DynamicSimulationStep", reader.flag(to.dynamic_step)}})},
             {"Metrics", reader.map({{"Sinks", reader.list(reader.without_effect())},
                                     {"CollectFromRemote", remotes},
                                     {"UpdateInterval", reader.integer(ignored_level, 0, kMostBuffer)}})}})},
       {"Tactus", reader.map({{"IoThread", io_thread(reader, to.mesh.io_thread)},
                              {"LogToStderr", reader.flag(to.logging.to_stderr)},
                              {"MaxQueuedBytes", reader.integer(to.mesh.most_queued, 1, kLongest)}})}})(
      document.root(), "");

  for (const config::Repeated& twice : document.repeated())
    reader.problems.add(twice.place, twice.path.empty() ? twice.key : twice.path + '.' + twice.key,
                        "is there already, " + twice.where_first());
  if (!reader.problems.empty()) throw config::ConfigError(std::move(reader.problems));

  // A connect takes its time even on an idle machine: less than 100 ms is not meant.
  to.mesh.connect_timeout = std::chrono::nanoseconds(std::llround(std::max(connect_timeout, 0.1) * 1e9));
  if (soft > 0) to.soft_timeout = std::chrono::milliseconds(soft);
  if (hard > 0) to.hard_timeout = std::chrono::milliseconds(hard);
  to.json = to_json(document.root());
  to.warnings = std::move(reader.warnings);
  return to;
}

/// Nothing but blanks and comments.
bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t first = text.substr(0, end).find_first_not_of(" \t\r");
    if (first != std::string_view::npos && text[first] != '#') return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

Configuration read_text(const std::string& name, const std::string& text) {
  return is_blank(text) ? Configuration{} : read(config::Document::from_text(name, text));
}

}  // namespace

Configuration configuration_from_text(const std::string& text) { return read_text("configuration", text); }

Configuration configuration_from_file(const std::string& path) {
  std::error_code error;
  const bool readable = std::filesystem::is_regular_file(path, error) &&
                        std::filesystem::file_size(path, error) <= config::Limits::kFileBytes;
  std::ifstream file(path, std::ios::binary);
  if (!readable || !file) return read(config::Document::from_file(path));  // which says what is wrong
  return read_text(path, {std::istreambuf_iterator<char>(file), {}});
}

}  // namespace tactus::silkit
