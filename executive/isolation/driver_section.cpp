// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/driver_section.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "config/json.hpp"

namespace tactus::executive {
namespace {

using config::Node;
using config::SourceLocation;

Json json_of(const SourceLocation& place) { return Json::array({place.file, place.line, place.column}); }
SourceLocation place_of(const Json& json) {
  return SourceLocation(json.at(0).get<std::string>(), json.at(1).get<int>(), json.at(2).get<int>());
}

Json json_of(const Node& node) {
  Json json = Json::object();
  json["at"] = json_of(node.place());
  if (node.is_scalar()) {
    json["text"] = node.text();
    json["quoted"] = node.quoted();
  } else if (node.is_list()) {
    json["items"] = Json::array();
    for (const Node& item : node.items()) json["items"].push_back(json_of(item));
  } else if (node.is_map()) {
    json["entries"] = Json::array();
    for (const Node::Entry& entry : node.entries())
      json["entries"].push_back(Json::array({entry.key, json_of(entry.place), json_of(entry.value)}));
  }
  return json;
}

Node node_of(const Json& json) {
  SourceLocation place = place_of(json.at("at"));
  if (json.contains("text"))
    return Node::scalar(json.at("text").get<std::string>(), std::move(place), json.at("quoted").get<bool>());
  if (json.contains("items")) {
    std::vector<Node> items;
    for (const Json& item : json.at("items")) items.push_back(node_of(item));
    return Node::list(std::move(items), std::move(place));
  }
  if (!json.contains("entries")) return Node::null(std::move(place));
  std::vector<Node::Entry> entries;
  for (const Json& entry : json.at("entries"))
    entries.push_back({entry.at(0).get<std::string>(), place_of(entry.at(1)), node_of(entry.at(2))});
  return Node::map(std::move(entries), std::move(place));
}

template <class Read>
auto read(std::string_view text, Read take) {
  try {
    return take(Json::parse(text));
  } catch (const Json::exception&) {
    throw std::runtime_error("cannot be isolated: the messages between its process and the rig are damaged");
  }
}

}  // namespace

std::string encode(const DriverSection& section) {
  return Json{{"path", section.path}, {"folder", section.folder}, {"settings", json_of(section.settings)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

DriverSection decode_section(std::string_view text) {
  return read(text, [](const Json& json) {
    return DriverSection{node_of(json.at("settings")), json.at("path").get<std::string>(),
                         json.at("folder").get<std::string>()};
  });
}

std::string encode(const config::Problems& problems) {
  Json all = Json::array();
  for (const config::Problem& problem : problems.sorted())
    all.push_back(Json::array({json_of(problem.place), problem.path, problem.message}));
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

config::Problems decode_problems(std::string_view text) {
  return read(text, [](const Json& json) {
    config::Problems problems;
    for (const Json& each : json)
      problems.add(place_of(each.at(0)), each.at(1).get<std::string>(), each.at(2).get<std::string>());
    return problems;
  });
}

}  // namespace tactus::executive
