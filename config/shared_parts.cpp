// SPDX-License-Identifier: Apache-2.0
#include "config/shared_parts.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tactus::config {
namespace {

constexpr const char* kSharedPrefix = "x-";

using UsedPlaces = std::set<SourceLocation>;

bool is_shared(const Node::Entry& entry) { return entry.key.starts_with(kSharedPrefix); }

/// An alias is the anchored value itself, with its place.
void collect_places(const Node& node, UsedPlaces& places) {
  if (!places.insert(node.place()).second && !node.is_map() && !node.is_list()) return;
  for (const Node& item : node.items()) collect_places(item, places);
  for (const Node::Entry& entry : node.entries()) collect_places(entry.value, places);
}

bool is_used(const Node& node, const UsedPlaces& places) {
  const auto item_used = [&](const Node& item) { return is_used(item, places); };
  return places.contains(node.place()) || std::any_of(node.items().begin(), node.items().end(), item_used) ||
         std::any_of(node.entries().begin(), node.entries().end(),
                     [&](const Node::Entry& entry) { return item_used(entry.value); });
}

/// Complains of the largest parts that nothing uses. A single value beside used ones is one that a merge replaced.
void complain_of_unused(const Node& node, const std::string& path, const UsedPlaces& places,
                        Problems& problems) {
  if (!is_used(node, places)) {
    problems.add(
        node.place(), path,
        "nothing in the file uses it, so it would not be checked; give it an anchor (&name) and use that "
        "elsewhere (*name), or remove it");
    return;
  }
  if (places.contains(node.place())) return;  // used as a whole
  const auto inside = [&](const Node& part, const std::string& where) {
    if (part.is_map() || part.is_list()) complain_of_unused(part, where, places, problems);
  };
  for (std::size_t i = 0; i < node.items().size(); ++i)
    inside(node.items()[i], path + "[" + std::to_string(i) + "]");
  for (const Node::Entry& entry : node.entries()) inside(entry.value, path + "." + entry.key);
}

}  // namespace

Node without_shared_parts(const Node& root, Problems& problems) {
  const std::vector<Node::Entry>& all = root.entries();
  if (std::none_of(all.begin(), all.end(), is_shared)) return root;
  std::vector<Node::Entry> own;
  UsedPlaces places;
  for (const Node::Entry& entry : all) {
    if (is_shared(entry)) continue;
    collect_places(entry.value, places);
    own.push_back(entry);
  }
  for (const Node::Entry& entry : all)
    if (is_shared(entry)) complain_of_unused(entry.value, entry.key, places, problems);
  return Node::map(std::move(own), root.place());
}

}  // namespace tactus::config
