// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/includes.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/silkit/core/log_topic.hpp"
#include "rtsync/joined.hpp"

namespace tactus::silkit {
namespace {

using config::Node;
namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000;

/// A single value of which only one document may say something else than this.
struct Single {
  std::string_view path;
  std::string_view initial;
};
constexpr Single kSingles[] = {
    {"Middleware.RegistryUri", ""},
    {"Middleware.ConnectAttempts", "1"},
    {"Middleware.ConnectTimeoutSeconds", "5"},
    {"Middleware.EnableDomainSockets", "true"},
    {"Middleware.TcpNoDelay", "true"},
    {"Middleware.TcpQuickAck", "false"},
    {"Middleware.TcpSendBufferSize", "-1"},
    {"Middleware.TcpReceiveBufferSize", "-1"},
    {"Middleware.RegistryAsFallbackProxy", "true"},
    {"Middleware.ExperimentalRemoteParticipantConnection", "true"},
    {"Logging.FlushLevel", "Off"},
    {"Logging.LogFromRemotes", "false"},
    {"Experimental.TimeSynchronization.AnimationFactor", "0"},
    {"Experimental.TimeSynchronization.EnableMessageAggregation", "Off"},
    {"Experimental.Metrics.CollectFromRemote", "false"},
};
// Lists that come together; entries of the others, and other values, may stand in one document alone.
constexpr std::string_view kLists[] = {"Logging.Sinks", "Experimental.Metrics.Sinks",
                                       "Extensions.SearchPathHints"};
constexpr std::string_view kNamedLists[] = {
    "CanControllers",     "LinControllers",     "EthernetControllers", "FlexrayControllers",
    "FlexRayControllers", "DataPublishers",     "DataSubscribers",     "RpcServers",
    "RpcClients",         "Tracing.TraceSinks", "Tracing.TraceSources"};
constexpr std::string_view kLastCounts[] = {"HealthCheck.SoftResponseTimeout",
                                            "HealthCheck.HardResponseTimeout"};
constexpr std::string_view kFirstCounts[] = {"Description", "SchemaVersion", "schemaVersion", "$schema"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

bool same_value(std::string_view a, std::string_view b) {
  if (same_word(a, b)) return true;
  const auto x = config::parse_real(a);
  const auto y = config::parse_real(b);
  return x && y && *x.value >= *y.value && *x.value <= *y.value;
}

class Merger {
 public:
  explicit Merger(const std::string& folder) { come_to(folder); }

  MergedConfiguration merge(const config::Document& root) {
    std::deque<Wanted> wanted;
    add(root, wanted);
    for (std::size_t files = 0; !wanted.empty(); ++files, wanted.pop_front()) {
      const auto& [name, place] = wanted.front();
      if (!seen_.insert(name).second) {
        result_.warnings.push_back(place.text() + ": Includes.Files: " + config::show(name) +
                                   " is included already");
        continue;
      }
      if (files == kMostFiles) {
        problems_.add(place, "Includes.Files",
                      "there are more than " + std::to_string(kMostFiles) + " files");
        break;
      }
      const std::string path = find(name);
      if (path.empty()) {
        problems_.add(place, "Includes.Files",
                      config::show(name) + " is in none of these folders: " + searched());
        continue;
      }
      try {
        const std::optional<config::Document> document = document_of(path);
        if (!document) continue;
        come_to(fs::path(path).parent_path().string());
        add(*document, wanted);
      } catch (const config::ConfigError& error) {
        problems_.add(error.problems());
      }
    }
    if (!problems_.empty()) throw config::ConfigError(std::move(problems_));
    result_.root = std::move(merged_);
    return std::move(result_);
  }

 private:
  struct Wanted {
    std::string name;
    config::SourceLocation place;
  };

  void add(const config::Document& document, std::deque<Wanted>& wanted) {
    result_.repeated.insert(result_.repeated.end(), document.repeated().begin(), document.repeated().end());
    std::vector<Node::Entry> entries;
    for (const Node::Entry& entry : document.root().entries()) {
      if (entry.key == "Includes")
        collect(entry.value, wanted);
      else
        entries.push_back(entry);
    }
    merged_ = merge_maps("", merged_, Node::map(std::move(entries), document.root().place()));
  }

  void collect(const Node& includes, std::deque<Wanted>& wanted) {
    if (includes.is_null()) return;
    if (!includes.is_map()) return wrong(includes, "Includes", "a map");
    for (const Node::Entry& entry : includes.entries()) {
      const std::string path = "Includes." + entry.key;
      if (entry.key != "Files" && entry.key != "SearchPathHints") {
        result_.warnings.push_back(entry.place.text() + ": " + path + ": unknown key, ignored; " +
                                   config::hint(entry.key, {"Files", "SearchPathHints"}));
        continue;
      }
      if (entry.value.is_null()) continue;
      if (!entry.value.is_list()) {
        wrong(entry.value, path, "a list");
        continue;
      }
      for (const Node& item : entry.value.items()) {
        if (!item.is_scalar() || item.text().empty())
          wrong(item, path, "a path");
        else if (entry.key == "Files")
          wanted.push_back({item.text(), item.place()});
        else
          hints_.push_back(item.text());
      }
    }
  }

  void wrong(const Node& node, const std::string& path, const char* allowed) {
    problems_.add(
        node.place(), path,
        (node.is_scalar() ? config::show(node.text()) : std::string(config::kind_name(node.kind()))) +
            " is not " + allowed);
  }

  /// Files may be beside one that includes them.
  void come_to(const std::string& folder) {
    if (!folder.empty() && std::ranges::find(beside_, folder) == beside_.end()) beside_.push_back(folder);
  }
  std::vector<std::string> folders() const {
    std::vector<std::string> all{""};
    all.insert(all.end(), hints_.begin(), hints_.end());
    for (const std::string& folder : beside_) {
      for (const std::string& hint : hints_)
        if (fs::path(hint).is_relative()) all.push_back((fs::path(folder) / hint).string());
      all.push_back(folder);
    }
    return all;
  }
  std::string find(const std::string& name) const {
    for (const std::string& folder : folders()) {
      std::error_code error;
      const fs::path path = fs::path(folder) / name;
      if (fs::is_regular_file(path, error)) return path.string();
    }
    return "";
  }
  std::string searched() const {
    return rtsync::joined(folders(), ", ", [&](const std::string& folder) {
      return (folder.empty() ? std::string("the working folder") : folder);
    });
  }

  Node merge_maps(const std::string& path, const Node& a, const Node& b) {
    std::vector<Node::Entry> entries = a.entries();
    for (const Node::Entry& entry : b.entries()) {
      const std::string below = path.empty() ? entry.key : path + '.' + entry.key;
      const auto found = std::ranges::find(entries, entry.key, &Node::Entry::key);
      Node first = found == entries.end() ? Node::null(entry.place) : found->value;
      Node merged = merge_values(below, first, entry.value);
      if (found == entries.end())
        entries.push_back({entry.key, entry.place, std::move(merged)});
      else
        found->value = std::move(merged);
    }
    return Node::map(std::move(entries), a.is_null() ? b.place() : a.place());
  }

  Node merge_values(const std::string& path, const Node& a, const Node& b) {
    const bool named = is_one_of(kNamedLists, path);
    if (b.is_null()) return a;
    if (named && b.is_list() && (a.is_null() || a.is_list())) return merge_named(path, a, b);
    if (a.is_null()) return b;
    if (a.is_map() && b.is_map()) return merge_maps(path, a, b);
    if (is_one_of(kLists, path) && a.is_list() && b.is_list()) {
      std::vector<Node> items = a.items();
      items.insert(items.end(), b.items().begin(), b.items().end());
      return Node::list(std::move(items), a.place());
    }
    if (is_one_of(kFirstCounts, path)) return a;
    if (is_one_of(kLastCounts, path)) return b;
    const auto* const single = std::ranges::find(kSingles, path, &Single::path);
    if (a.is_scalar() && b.is_scalar() && path != "ParticipantName") {
      if (same_value(a.text(), b.text())) return a;
      if (single != std::end(kSingles) && same_value(b.text(), single->initial)) return a;
      if (single != std::end(kSingles) && same_value(a.text(), single->initial)) return b;
    }
    if (a.is_list() && b.is_list() && a.items().empty()) return b;
    if (a.is_list() && b.is_list() && b.items().empty()) return a;
    if (path == "ParticipantName" && (a.text().empty() || b.text().empty())) return a.text().empty() ? b : a;
    problems_.add(b.place(), path,
                  (b.is_scalar() ? config::show(b.text()) : std::string("this")) +
                      " contradicts what is said at " + a.place().text() +
                      (a.is_scalar() ? ", " + config::show(a.text()) : std::string()));
    return a;
  }

  Node merge_named(const std::string& path, const Node& a, const Node& b) {
    std::vector<Node> items = a.items();
    for (const Node& item : b.items()) {
      const Node* const name = item.find("Name");
      const auto same = std::ranges::find_if(items, [&](const Node& known) {
        const Node* const its = known.find("Name");
        return name != nullptr && its != nullptr && its->text() == name->text();
      });
      if (same == items.end()) {
        items.push_back(item);
      } else if (*same == item) {
        result_.warnings.push_back(item.place().text() + ": " + path + ": " + config::show(name->text()) +
                                   " is given twice with the same settings; first at " +
                                   same->place().text());
      } else {
        problems_.add(item.place(), path,
                      config::show(name->text()) + " is given twice with different settings; first at " +
                          same->place().text());
      }
    }
    return Node::list(std::move(items), a.is_null() ? b.place() : a.place());
  }

  std::vector<std::string> hints_;
  std::vector<std::string> beside_;  // folders of the documents
  std::set<std::string> seen_;
  config::Problems problems_;
  MergedConfiguration result_;
  Node merged_;
};

}  // namespace

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t first = text.substr(0, end).find_first_not_of(" \t\r");
    if (first != std::string_view::npos && text[first] != '#') return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

std::optional<config::Document> document_of(const std::string& path) {
  std::error_code error;
  const bool readable = std::filesystem::is_regular_file(path, error) &&
                        std::filesystem::file_size(path, error) <= config::Limits::kFileBytes;
  std::ifstream file(path, std::ios::binary);
  if (!readable || !file) return config::Document::from_file(path);  // which says what is wrong
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return is_blank(text) ? std::nullopt : std::optional(config::Document::from_text(path, text));
}

MergedConfiguration with_includes(const config::Document& root, const std::string& folder) {
  return Merger(folder).merge(root);
}

}  // namespace tactus::silkit
