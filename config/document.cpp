// SPDX-License-Identifier: Apache-2.0
#include "config/document.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "config/path.hpp"
#include "config/text.hpp"
#include "config/yaml.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw ConfigError(SourceLocation{path}, {}, why);
}

std::string error_text(int error) { return std::generic_category().message(error); }

std::string too_large(std::size_t bytes) {
  return "has " + std::to_string(bytes) + " bytes; at most " + std::to_string(Limits::kFileBytes) + " (" +
         std::to_string(Limits::kFileBytes >> 20U) + " MiB) are read";
}

std::string read_file(const std::string& path) {
  if (path.find('\0') != std::string::npos) refuse(path, "a file name must not hold a NUL character");
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const rtsync::Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
  if (file.get() < 0) refuse(path, "cannot be opened: " + error_text(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) refuse(path, "cannot be examined: " + error_text(errno));
  if (S_ISDIR(status.st_mode)) refuse(path, "is a directory; name the file in it");
  if (!S_ISREG(status.st_mode)) refuse(path, "is a device, pipe or socket; only regular files are read");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > Limits::kFileBytes) refuse(path, too_large(size));
  std::string text;
  // The size is only a hint: files of /proc have none, and a file may grow while it is read.
  if (const int error = rtsync::read_rest(file.get(), text, Limits::kFileBytes + 1); error != 0)
    refuse(path, "cannot be read: " + error_text(error));
  if (text.size() > Limits::kFileBytes) refuse(path, too_large(text.size()));
  return text;
}

/// A step of a --set path: a key, or the index of a list entry.
struct Step {
  std::string key{};
  std::optional<std::size_t> index{};
};

/// Returns the key at the front of a path. One with dots of its own may stand between quotation marks.
std::string_view take_step(std::string_view& path) {
  if (!path.starts_with('"')) return take_key(path);
  const std::size_t end = path.find('"', 1);
  if (end == std::string_view::npos) return {};
  const std::string_view key = path.substr(1, end - 1);
  path.remove_prefix(end + 1);
  return key;
}

/// "a.b[2].c" and "a.\"b.c\"" in steps; nothing and a reason when it is malformed.
std::optional<std::vector<Step>> steps_of(std::string_view path, std::string& why) {
  const auto fail = [&why](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  std::vector<Step> steps;
  while (true) {
    const std::string_view whole = path;
    const std::string_view key = take_step(path);
    if (key.empty())
      return fail("a key is missing in the path " + show(whole.empty() ? std::string_view{"."} : whole));
    if (key.size() > Limits::kKeyBytes)
      return fail("the key " + show(key) + " is longer than " + std::to_string(Limits::kKeyBytes) + " bytes");
    steps.push_back({std::string{key}, std::nullopt});
    while (path.starts_with('[')) {
      const std::optional<std::size_t> index = take_index(path);
      if (!index) return fail("'[' needs a number from 0 and a ']', as in connect[2]");
      steps.push_back({{}, index});
    }
    if (steps.size() > Limits::kLevels)
      return fail("the path has more than " + std::to_string(Limits::kLevels) + " steps");
    if (path.empty()) return steps;
    if (path.front() != '.') return fail("the path is not understood at " + show(path));
    path.remove_prefix(1);
  }
}

/// An entry of a map that a path leads to, and the number of steps that its key takes: `stimuli.motor.load` is the entry
/// `motor.load` of `stimuli` if there is one.
struct Reached {
  std::size_t entry = 0, steps = 1;
};

/// Returns the entry with the longest key that the path names from `at` on; nothing if there is none.
std::optional<Reached> reached(const std::vector<Node::Entry>& entries, const std::vector<Step>& steps,
                               std::size_t at) {
  std::optional<Reached> found;
  std::string key;
  for (std::size_t n = at; n < steps.size() && !steps[n].index; ++n) {
    key += (key.empty() ? "" : ".") + steps[n].key;
    const auto entry = std::ranges::find(entries, key, &Node::Entry::key);
    if (entry != entries.end())
      found = Reached{static_cast<std::size_t>(entry - entries.begin()), n + 1 - at};
  }
  return found;
}

/// The tree with one value replaced; shares everything else. `why` explains what prevents it.
std::optional<Node> replaced(const Node& node, const std::vector<Step>& steps, std::size_t at,
                             const Node& value, const SourceLocation& place, std::string& why,
                             std::string& where) {
  if (at == steps.size()) return value;
  const auto fail = [&](const std::string& reason) {
    why = show(where) + reason;
    return std::nullopt;
  };
  const Step& step = steps[at];
  if (step.index) {
    if (!node.is_list()) return fail(std::string(" is ") + kind_name(node.kind()) + ", not a list");
    if (*step.index >= node.items().size())
      return fail(" has " + std::to_string(node.items().size()) + " entries, so there is no [" +
                  std::to_string(*step.index) + "]; entries count from 0");
    where.append("[").append(std::to_string(*step.index)).append("]");
    std::vector<Node> items = node.items();
    std::optional<Node> inside = replaced(items[*step.index], steps, at + 1, value, place, why, where);
    if (!inside) return std::nullopt;
    items[*step.index] = std::move(*inside);
    return Node::list(std::move(items), node.place());
  }
  if (!node.is_map() && !node.is_null())
    return fail(std::string(" is ") + kind_name(node.kind()) + ", which has no key " + show(step.key));
  std::vector<Node::Entry> entries = node.entries();
  std::optional<Reached> next = reached(entries, steps, at);
  if (!next) {
    next = Reached{entries.size(), 1};
    entries.push_back({step.key, place, Node::null(place)});
  }
  Node::Entry& entry = entries[next->entry];
  where += (where.empty() ? "" : ".") + entry.key;
  std::optional<Node> inside = replaced(entry.value, steps, at + next->steps, value, place, why, where);
  if (!inside) return std::nullopt;
  entry.value = std::move(*inside);
  return Node::map(std::move(entries), node.is_null() ? place : node.place());
}

}  // namespace

std::string Repeated::where_first() const {
  return "first at " + (first.file == place.file ? "" : first.file + ":") + std::to_string(first.line) + ":" +
         std::to_string(first.column);
}

Document Document::from_file(const std::string& path) { return from_text(path, read_file(path)); }

Document Document::from_text(const std::string& name, std::string_view text) {
  if (text.size() > Limits::kFileBytes) refuse(name, too_large(text.size()));
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Problems problems;
  if (!check_characters(name, text, 1, problems)) throw ConfigError(std::move(problems));
  YamlTree tree = parse_yaml(name, text, 1, problems);
  if (problems.empty() && (tree.empty || tree.root.is_null()))
    problems.add(SourceLocation{name}, {}, "is empty; expected a map (key: value)");
  if (problems.empty() && !tree.root.is_map())
    problems.add(tree.root.place(), {},
                 std::string{"expected a map (key: value), found "} + kind_name(tree.root.kind()));
  if (!problems.empty()) {
    for (const Repeated& repeated : tree.repeated)
      problems.add(repeated.place, (repeated.path.empty() ? "" : repeated.path + ".") + repeated.key,
                   "the same key twice: " + show(repeated.key) + "; " + repeated.where_first());
    throw ConfigError(std::move(problems));
  }
  Document document;
  document.root_ = document.written_ = std::move(tree.root);
  document.repeated_ = std::move(tree.repeated);
  return document;
}

bool Document::set(std::string_view assignment, Problems& problems) {
  const std::string shown = show(assignment);
  const std::string name = "--set " + shown.substr(1, shown.size() - 2);
  const SourceLocation place{name, 1, 1};
  const auto fail = [&](const std::string& why) {
    problems.add(place, {}, why);
    return false;
  };
  const std::size_t equals = assignment.find('=');
  const std::string_view path = trimmed(assignment.substr(0, equals));
  if (equals == std::string_view::npos || path.empty())
    return fail("expected path=value, as in realtime.margin=5 us");
  if (assignment.size() > Limits::kFileBytes) return fail(too_large(assignment.size()));
  Problems found;
  if (!check_characters(name, assignment, 1, found)) {
    problems.add(found);
    return false;
  }
  std::string why;
  if (!steps_of(path, why)) return fail(why);
  YamlTree tree = parse_yaml(name, assignment.substr(equals + 1), static_cast<int>(equals) + 2, found);
  const auto full_path = [path](const std::string& inside) {
    return std::string{path} + (inside.empty() || inside.front() == '[' ? "" : ".") + inside;
  };
  if (!found.empty()) {
    for (const Problem& problem : found.sorted())
      problems.add(problem.place, full_path(problem.path), problem.message);
    return false;
  }
  if (tree.root.is_null()) tree.root = tree.root.at(place);
  if (!replace(path, tree.root, place, problems)) return false;
  for (Repeated& repeated : tree.repeated) {
    repeated.path = full_path(repeated.path);
    repeated_.push_back(std::move(repeated));
  }
  return true;
}

bool Document::set(const Node::Entry& entry, Problems& problems) {
  return replace(trimmed(entry.key), entry.value, entry.place, problems);
}

/// Sets the value of a path; `place`: that of the path.
bool Document::replace(std::string_view path, const Node& value, const SourceLocation& place,
                       Problems& problems) {
  std::string why, where;
  const std::optional<std::vector<Step>> steps = steps_of(path, why);
  std::optional<Node> root;
  if (steps) root = replaced(root_, *steps, 0, value, place, why, where);
  if (root && (root->extent().nodes > Limits::kNodes || root->extent().bytes > Limits::kExpandedBytes ||
               root->extent().height > Limits::kLevels))
    why = "makes the document larger or more deeply nested than is allowed";
  if (!why.empty()) {
    problems.add(place, std::string{path}, why);
    return false;
  }
  root_ = std::move(*root);
  return true;
}

void Document::put(const Node::Entry& entry) {
  std::vector<Node::Entry> entries = root_.entries();
  std::erase_if(entries, [&](const Node::Entry& each) { return each.key == entry.key; });
  entries.push_back(entry);
  root_ = Node::map(std::move(entries), root_.place());
}

}  // namespace tactus::config
