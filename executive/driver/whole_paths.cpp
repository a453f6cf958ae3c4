// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/whole_paths.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace tactus::executive {
namespace {

using config::Node;
using config::Shape;

Node with_whole_path(const Shape& shape, const Node& node, const std::filesystem::path& folder) {
  using Form = Shape::Form;
  if (node.is_scalar() && shape.form == Form::scalar && shape.type == kFileType) {
    std::error_code error;
    const std::filesystem::path file = folder / node.text();
    if (node.text().empty() || !std::filesystem::is_regular_file(file, error)) return node;
    std::filesystem::path whole = std::filesystem::absolute(file, error);
    // Behind a symbolic link "x/.." is another folder than the one that has x.
    if (const auto normal = whole.lexically_normal(); std::filesystem::equivalent(normal, file, error))
      whole = normal;
    return Node::scalar(whole.string(), node.place(), true);
  }
  if (node.is_list() && shape.form == Form::list) {
    std::vector<Node> items;
    for (const Node& item : node.items()) items.push_back(with_whole_path(*shape.item, item, folder));
    return Node::list(std::move(items), node.place());
  }
  if (node.is_map() && shape.form == Form::map_of) {
    std::vector<Node::Entry> entries = node.entries();
    for (Node::Entry& entry : entries) entry.value = with_whole_path(*shape.item, entry.value, folder);
    return Node::map(std::move(entries), node.place());
  }
  if (shape.form != Form::section) return node;
  if (node.is_map()) return with_whole_paths(*shape.section, node, folder);
  for (const config::KeyShape& key : shape.section->keys)  // one text may stand for the section
    if (std::ranges::find(shape.others, key.shape) != shape.others.end())
      if (Node made = with_whole_path(*key.shape, node, folder); made.text() != node.text()) return made;
  return node;
}

}  // namespace

Node with_whole_paths(const config::Section& section, const Node& settings,
                      const std::filesystem::path& folder) {
  if (!settings.is_map()) return settings;
  std::vector<Node::Entry> entries = settings.entries();
  for (Node::Entry& entry : entries) {
    const auto key = std::ranges::find(section.keys, entry.key, &config::KeyShape::key);
    if (key != section.keys.end()) entry.value = with_whole_path(*key->shape, entry.value, folder);
  }
  return Node::map(std::move(entries), settings.place());
}

}  // namespace tactus::executive
