// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A YAML file as a tree of nodes with places, read defensively: whatever the bytes are, the answer is a
/// document or a ConfigError, soon.
///
///     Document document = Document::from_file("rig.yaml");
///     document.set("realtime.max_overrun=1 ms", problems);
///
/// Understood: YAML 1.2 as yaml-cpp reads it, anchors and aliases, merge keys (`<<: *a`, `<<: [*a, *b]`; a
/// key of the map itself wins, then the earlier of the merged). Refused: several documents in one file, tags
/// of one's own, keys that are not plain text, a root that is not a map.
///
/// Threads  a Document belongs to one thread; the nodes it hands out are immutable.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"

namespace tactus::config {

/// Limits of a document; a larger one is refused with a message that names the limit.
struct Limits {
  static constexpr std::size_t kFileBytes = std::size_t{16} << 20U;  ///< largest text
  static constexpr std::size_t kLevels = 32;                         ///< deepest nesting, aliases written out
  static constexpr std::size_t kNodes = 1'000'000;                   ///< values, aliases written out
  static constexpr std::size_t kExpandedBytes = std::size_t{32} << 20U;  ///< text, aliases written out
  static constexpr std::size_t kKeyBytes = 256;
};

/// A key that occurs twice in one map; the first one counts.
struct Repeated {
  std::string path;  ///< path of the map
  std::string key;
  SourceLocation place;
  SourceLocation first;

  std::string where_first() const;  ///< "first at 5:3"
};

class Document {
 public:
  /// Throws ConfigError with every problem found. Only regular files are read.             @when setup
  static Document from_file(const std::string& path);
  /// The same from memory; `name` is the file name in places.                             @when setup
  static Document from_text(const std::string& name, std::string_view text);

  const Node& root() const { return root_; }  ///< a map

  /// Returns the map that was read, without what was set.
  const Node& written() const { return written_; }

  /// Keys that occur twice are kept for Fields::load, which reports them together with everything else and
  /// knows what the key names. Code that reads root() without Fields looks here.
  const std::vector<Repeated>& repeated() const { return repeated_; }

  /// Sets one value: "realtime.margin=5 us", "connect[2].delayed=yes", "record.variables=[a.b, c.d]". The
  /// value is YAML. Missing keys are made; list entries are not. Places of what was set have the file
  /// "--set path=value" and line 1, so that a later problem points there. On a problem nothing changes
  /// and the answer is false.                                                              @when setup
  bool set(std::string_view assignment, Problems& problems);
  /// The same of a path and a value of another document; the value keeps its places, and a problem with the path is
  /// at that of the entry.                                                                 @when setup
  bool set(const Node::Entry& entry, Problems& problems);
  /// Sets a key of the top; its value keeps its places.                                    @when setup
  void put(const Node::Entry& entry);

 private:
  bool replace(std::string_view path, const Node& value, const SourceLocation& place, Problems& problems);

  Node root_;
  Node written_;
  std::vector<Repeated> repeated_;
};

}  // namespace tactus::config
