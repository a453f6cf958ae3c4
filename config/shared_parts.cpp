// SPDX-License-Identifier: Apache-2.0
#include "config/shared_parts.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tactus::config {
namespace {

/// Holds what the file has outside its shared parts.
struct Used {
  std::set<SourceLocation> places{};
  std::set<std::string> keys{};
};

bool is_shared(const Node::Entry& entry) { return entry.key.starts_with(kSharedPrefix); }

/// An alias is the anchored value itself, with its place.
void collect(const Node& node, Used& used) {
  if (!used.places.insert(node.place()).second && !node.is_map() && !node.is_list()) return;
  for (const Node& item : node.items()) collect(item, used);
  for (const Node::Entry& entry : node.entries()) {
    used.keys.insert(entry.key);
    collect(entry.value, used);
  }
}

bool is_used(const Node& node, const Used& used) {
  const auto item_used = [&](const Node& item) { return is_used(item, used); };
  return used.places.contains(node.place()) || std::ranges::any_of(node.items(), item_used) ||
         std::ranges::any_of(node.entries(),
                             [&](const Node::Entry& entry) { return item_used(entry.value); });
}

/// Complains of the largest parts that nothing uses. A single value beside used ones, whose key the file has elsewhere,
/// is one that a merge replaced.
void complain_of_unused(const Node& node, const std::string& path, const Used& used, Problems& problems) {
  if (!is_used(node, used)) {
    problems.add(
        node.place(), path,
        "nothing in the file uses it, so it would not be checked; give it an anchor (&name) and use that "
        "elsewhere (*name), or remove it");
    return;
  }
  if (used.places.contains(node.place())) return;  // used as a whole
  for (std::size_t i = 0; i < node.items().size(); ++i)
    complain_of_unused(node.items()[i], path + "[" + std::to_string(i) + "]", used, problems);
  for (const Node::Entry& entry : node.entries()) {
    const bool single = !entry.value.is_map() && !entry.value.is_list();
    if (single && used.keys.contains(entry.key)) continue;
    complain_of_unused(entry.value, path + "." + entry.key, used, problems);
  }
}

}  // namespace

Node without_shared_parts(const Node& root, const Node& written, Problems& problems) {
  const std::vector<Node::Entry>& all = root.entries();
  if (std::ranges::none_of(all, is_shared)) return root;
  const auto own_of = [](const Node& whole) {
    std::vector<Node::Entry> own = whole.entries();
    std::erase_if(own, is_shared);
    return Node::map(std::move(own));  // at no place: an empty part may be where the whole is
  };
  const Node own = own_of(root);
  Used used;
  collect(own, used);
  collect(own_of(written), used);
  for (const Node::Entry& entry : all)
    if (is_shared(entry)) complain_of_unused(entry.value, entry.key, used, problems);
  return own.at(root.place());
}

}  // namespace tactus::config
