// SPDX-License-Identifier: Apache-2.0
#include "config/node.hpp"

#include <algorithm>
#include <utility>

#include "rtsync/word_of.hpp"

namespace tactus::config {

struct Node::Data {
  Kind kind = Kind::null;
  std::string text{};
  bool quoted = false;
  SourceLocation place{};
  Extent extent{};
  std::vector<Node> items{};
  std::vector<Entry> entries{};

  /// Counts a value of the list or map.
  void hold(const Node& value) {
    extent.nodes += value.extent().nodes;
    extent.bytes += value.extent().bytes;
    extent.height = std::max(extent.height, value.extent().height + 1);
  }
};

const char* kind_name(Kind kind) {
  static constexpr rtsync::Worded<Kind> kWords[] = {
      {Kind::null, "nothing"}, {Kind::scalar, "a value"}, {Kind::list, "a list"}, {Kind::map, "a map"}};
  return rtsync::word_of(kWords, kind, "?");
}

Node::Node() {
  static const auto nothing = std::make_shared<const Data>();
  data_ = nothing;
}

Node Node::null(SourceLocation place) {
  return Node{std::make_shared<const Data>(Data{.place = std::move(place)})};
}

Node Node::scalar(std::string text, SourceLocation place, bool quoted) {
  auto data = std::make_shared<Data>(
      Data{.kind = Kind::scalar, .text = std::move(text), .quoted = quoted, .place = std::move(place)});
  data->extent.bytes = data->text.size();
  return Node{std::move(data)};
}

Node Node::list(std::vector<Node> items, SourceLocation place) {
  auto data = std::make_shared<Data>(Data{.kind = Kind::list, .place = std::move(place)});
  data->extent.height = 1;
  for (const Node& item : items) data->hold(item);
  data->items = std::move(items);
  return Node{std::move(data)};
}

Node Node::map(std::vector<Entry> entries, SourceLocation place) {
  auto data = std::make_shared<Data>(Data{.kind = Kind::map, .place = std::move(place)});
  data->extent.height = 1;
  for (const Entry& entry : entries) {
    data->hold(entry.value);
    data->extent.bytes += entry.key.size();
  }
  data->entries = std::move(entries);
  return Node{std::move(data)};
}

Kind Node::kind() const { return data_->kind; }
const std::string& Node::text() const { return data_->text; }
bool Node::quoted() const { return data_->quoted; }
const SourceLocation& Node::place() const { return data_->place; }
const Extent& Node::extent() const { return data_->extent; }
const std::vector<Node>& Node::items() const { return data_->items; }
const std::vector<Node::Entry>& Node::entries() const { return data_->entries; }

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries())
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Node Node::at(SourceLocation place) const {
  auto data = std::make_shared<Data>(*data_);
  data->place = std::move(place);
  return Node{std::move(data)};
}

bool operator==(const Node& a, const Node& b) {
  if (a.data_ == b.data_) return true;
  const auto same_entry = [](const Node::Entry& x, const Node::Entry& y) {
    return x.key == y.key && x.value == y.value;
  };
  return a.kind() == b.kind() && a.text() == b.text() && a.items() == b.items() &&
         std::equal(a.entries().begin(), a.entries().end(), b.entries().begin(), b.entries().end(),
                    same_entry);
}

}  // namespace tactus::config
