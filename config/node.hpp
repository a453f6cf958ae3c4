// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A value as it is in the document: nothing, text, a list or a map, and where.
///
/// Units    none: a scalar is text until a field says what it means.
/// Threads  immutable; copies share. Safe to read from many threads.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/place.hpp"

namespace tactus::config {

enum class Kind {
  null,    ///< `key:` with nothing, `~` or `null`
  scalar,  ///< one piece of text
  list,
  map,
};

/// "nothing", "a value", "a list", "a map": for messages.
const char* kind_name(Kind kind);

/// Size of a value once every alias in it is written out.
struct Extent {
  std::size_t nodes = 1;
  std::size_t bytes = 0;   ///< bytes of all keys and scalars
  std::size_t height = 0;  ///< levels of nesting; a scalar has none
};

class Node {
 public:
  struct Entry;

  Node();  ///< null, nowhere
  static Node null(SourceLocation place);
  static Node scalar(std::string text, SourceLocation place = {}, bool quoted = false);
  static Node list(std::vector<Node> items, SourceLocation place = {});
  /// Keys in document order. The caller has made sure that no key is there twice.
  static Node map(std::vector<Entry> entries, SourceLocation place = {});

  Kind kind() const;
  bool is_null() const { return kind() == Kind::null; }
  bool is_scalar() const { return kind() == Kind::scalar; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_map() const { return kind() == Kind::map; }

  const std::string& text() const;  ///< text of a scalar; empty for every other kind
  bool quoted() const;              ///< 'text', "text" or a block scalar: never a number or a bool
  const SourceLocation& place() const;
  const Extent& extent() const;
  const std::vector<Node>& items() const;        ///< items of a list; empty for every other kind
  const std::vector<Entry>& entries() const;     ///< entries of a map; empty for every other kind
  const Node* find(std::string_view key) const;  ///< the value of a map's key, or nullptr

  Node at(SourceLocation place) const;  ///< the same value, said to be elsewhere

  /// The same kinds, keys in the same order, and texts. Places and quotes do not count.
  friend bool operator==(const Node& a, const Node& b);

 private:
  struct Data;
  explicit Node(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

struct Node::Entry {
  std::string key;
  SourceLocation place;  ///< place of the key
  Node value;
};

/// Block style YAML that reads back to an equal node. Ends with a newline.
std::string to_yaml(const Node& node);

/// The same on one line, in flow style, without a newline: for messages and tables.
std::string to_flow(const Node& node);

}  // namespace tactus::config
