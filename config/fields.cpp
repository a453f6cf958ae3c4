#include "config/fields.hpp"

#include "config/text.hpp"

namespace tactus::config {
namespace {

std::vector<std::string> key_names(const Section& section) {
  std::vector<std::string> names;
  for (const KeyShape& key : section.keys) names.push_back(key.key);
  return names;
}

/// What stands at a path like "models.motor.jobs[2]", or nullptr when the table does not know.
std::shared_ptr<const Shape> shape_at(const Section& root, std::string_view path) {
  Shape top;
  top.form = Shape::Form::section;
  top.section = std::shared_ptr<const Section>(std::shared_ptr<const Section>{}, &root);  // not owned
  auto shape = std::make_shared<const Shape>(std::move(top));
  while (!path.empty() && shape) {
    if (path.front() == '[') {
      const std::size_t close = path.find(']');
      path.remove_prefix(close == std::string_view::npos ? path.size() : close + 1);
      shape = shape->form == Shape::Form::list ? shape->item : nullptr;
      continue;
    }
    if (path.front() == '.') path.remove_prefix(1);
    const std::string_view key = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(key.size());
    if (shape->form == Shape::Form::map_of) {
      shape = shape->item;
    } else if (shape->form == Shape::Form::section) {
      std::shared_ptr<const Shape> next;
      for (const KeyShape& known : shape->section->keys)
        if (known.key == key) next = known.shape;
      shape = next;
    } else {
      shape = nullptr;
    }
  }
  return shape;
}

std::string plural(const std::string& noun) {
  return noun + (noun.ends_with("s") || noun.ends_with("h") ? "es" : "s");
}

}  // namespace

void TableBase::unknown_key(const Node::Entry& entry, const Context& context, const Section& section) {
  constexpr std::size_t kMostHints = 100;  // guessing costs time; after so many problems nobody reads on
  const bool guess = context.problems().count() < kMostHints;
  context.key(entry.key).fail(entry.place,
                              "unknown key" + (guess ? "; " + hint(entry.key, key_names(section)) : ""));
}

void TableBase::missing_key(const Node& node, const Context& context, const KeyShape& key) {
  context.fail(node.place(),
               "missing key " + show(key.key) + (key.meaning.empty() ? "" : " (" + key.meaning + ")"));
}

bool TableBase::too_few(const Node& node, const Context& context, const Shape& shape) {
  const std::size_t entries = node.is_list() ? node.items().size() : node.entries().size();
  if (entries >= shape.at_least) return false;
  context.fail(node.place(), "has " + std::to_string(entries) + " entries; at least " +
                                 std::to_string(shape.at_least) + " needed");
  return true;
}

void TableBase::repeated_keys(const Document& document, const Section& section, Problems& problems) {
  for (const Repeated& repeated : document.repeated()) {
    const std::shared_ptr<const Shape> shape = shape_at(section, repeated.path);
    const bool is_named = shape && shape->form == Shape::Form::map_of;
    const std::string what =
        is_named ? "two " + plural(shape->noun) + " of one name: " : "the same key twice: ";
    problems.add(repeated.place, (repeated.path.empty() ? "" : repeated.path + ".") + repeated.key,
                 what + show(repeated.key) + "; " + repeated.where_first());
  }
}

std::string TableBase::default_text(const Node& node) { return node.is_null() ? "" : to_flow(node); }

}  // namespace tactus::config
