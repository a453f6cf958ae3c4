// SPDX-License-Identifier: Apache-2.0
#include "config/fields.hpp"

#include "config/lookalike.hpp"
#include "config/path.hpp"
#include "config/shared_parts.hpp"
#include "config/text.hpp"

namespace tactus::config {

Row key_row(const std::string& key, const std::string& meaning, std::size_t offset, AnyType value) {
  return {.key = key, .meaning = meaning, .offset = offset, .value = std::move(value)};
}

namespace {

std::vector<std::string> key_names(const Section& section) {
  std::vector<std::string> names;
  for (const KeyShape& key : section.keys) names.push_back(key.key);
  return names;
}

/// Finds the shape at a path like "models.motor.jobs[2]"; nullptr if the table has none.
const Shape* shape_at(const Section& root, std::string_view path) {
  const Section* section = &root;
  const Shape* shape = nullptr;  // that of the root: `section` alone
  while (!path.empty()) {
    const Shape* next = nullptr;
    if (path.front() == '[') {
      if (take_index(path) && shape != nullptr && shape->form == Shape::Form::list) next = shape->item.get();
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::string_view key = take_key(path);
      if (shape != nullptr && shape->form == Shape::Form::map_of) next = shape->item.get();
      for (std::size_t i = 0; section != nullptr && i < section->keys.size(); ++i)
        if (section->keys[i].key == key) next = section->keys[i].shape.get();
    }
    if (next == nullptr) return nullptr;
    shape = next;
    section = shape->section.get();
  }
  return shape;
}

std::string plural(const std::string& noun) {
  return noun + (noun.ends_with("s") || noun.ends_with("h") ? "es" : "s");
}

void missing_key(const Node& node, const Context& context, const KeyShape& key) {
  context.fail(node.place(),
               "missing key " + show(key.key) + (key.meaning.empty() ? "" : " (" + key.meaning + ")"));
}

void expect_enough(const Node& node, const Context& context, const Shape& shape) {
  const std::size_t entries = node.is_list() ? node.items().size() : node.entries().size();
  if (entries >= shape.at_least) return;
  context.fail(node.place(), "has " + std::to_string(entries) + " entries; at least " +
                                 std::to_string(shape.at_least) + " needed");
}

void repeated_keys(const Document& document, const Section& section, Problems& problems) {
  for (const Repeated& repeated : document.repeated()) {
    const Shape* const shape = shape_at(section, repeated.path);
    const bool is_named = shape != nullptr && shape->form == Shape::Form::map_of;
    std::string what = "the same key twice: ";
    if (is_named)
      what = shape->noun.find(" of ") == std::string::npos ? "two " + plural(shape->noun) + " named "
                                                           : "the same " + shape->noun + " twice: ";
    problems.add(repeated.place, (repeated.path.empty() ? "" : repeated.path + ".") + repeated.key,
                 what + show(repeated.key) + "; " + repeated.where_first());
  }
}

std::string default_text(const Node& node) { return node.is_null() ? "" : to_flow(node); }

/// Says what to write where a map or a list at the top may be meant as a part for aliases.
std::string shared_hint(const std::string& key) {
  const bool nearly = key.starts_with("x_") || key.starts_with("X-") || key.starts_with("X_");
  return "; parts of your own, for aliases, begin with x-: '" + (kSharedPrefix + key.substr(nearly ? 2 : 0)) +
         "'";
}

void* in(void* value, const Row& row) { return static_cast<std::byte*>(value) + row.offset; }
const void* in(const void* value, const Row& row) {
  return static_cast<const std::byte*>(value) + row.offset;
}

}  // namespace

void Table::unknown_key(const Node::Entry& entry, const Context& context, const Section& section) {
  constexpr std::size_t kMostHints =
      100;  // guessing takes time, and is of no use after as many problems as this
  const bool guess = context.problems().count() < kMostHints;
  const Context inside = context.key(entry.key);
  if (const std::string odd = lookalike_problem(entry.key); !odd.empty())
    return inside.fail(entry.place, "unknown key: " + show(entry.key) + odd);
  if (entry.value.is_null() && is_digit(entry.key.front()))  // { period: 1,5 ms }
    return inside.fail(entry.place,
                       "unknown key; if " + show(entry.key) +
                           " belongs to the number before it, write that with a point as the decimal sign, "
                           "without a comma");
  for (const Word& each : section.refused)
    if (each.word == entry.key) return inside.fail(entry.place, each.meaning);
  std::string text = "unknown key" + (guess ? "; " + hint(entry.key, key_names(section)) : "");
  const bool is_part = entry.value.is_map() || entry.value.is_list();
  if (guess && context.path().empty() && is_part && text.find("did you mean") == std::string::npos)
    text += shared_hint(entry.key);
  inside.fail(entry.place, text);
}

Table::Table(std::string about, std::vector<Row> rows, const void* defaults)
    : section_(std::make_shared<Section>()) {
  section_->about = std::move(about);
  for (const Row& row : rows) {
    if (row.role == Row::Role::rest) section_->rest = row.meaning;
    if (row.role != Row::Role::key) continue;
    section_->keys.push_back({row.key, row.required,
                              row.required ? "" : default_text(row.value.write_at(in(defaults, row))),
                              row.meaning, row.value.shape});
  }
  rows_ = std::make_shared<const std::vector<Row>>(std::move(rows));
}

void Table::load(const Document& document, Problems& problems, void* value) const {
  repeated_keys(document, section(), problems);
  read(without_shared_parts(document.root(), document.written(), problems), Context{problems, {}}, value);
}

bool Table::read(const Node& node, const Context& context, void* value) const {
  static const Shape as_section{.form = Shape::Form::section, .type = "map"};
  absent(node.place(), context.path(), value);
  if (!expect(Kind::map, node, context, as_section)) return false;
  const std::size_t before = context.problems().count();
  const Row* rest = nullptr;
  std::size_t next = 0;
  for (const Row& row : *rows_) {
    if (row.role == Row::Role::rest) rest = &row;
    if (row.role != Row::Role::key) continue;
    const KeyShape& key = section_->keys[next++];
    const Node* found = node.find(row.key);
    if (found == nullptr) {
      if (row.required) missing_key(node, context, key);
      continue;
    }
    const Context inside = context.key(row.key, row.meaning);
    if (row.value.read_at(*found, inside, in(value, row))) expect_enough(*found, inside, *row.value.shape);
  }
  std::vector<Node::Entry> others;
  for (const Node::Entry& entry : node.entries()) {
    bool known = false;
    for (const KeyShape& key : section_->keys) known = known || key.key == entry.key;
    if (known) continue;
    if (rest == nullptr) {
      unknown_key(entry, context, *section_);
    } else {
      others.push_back(entry);
    }
  }
  if (rest != nullptr)
    rest->value.read_at(Node::map(std::move(others), node.place()), context, in(value, *rest));
  return context.problems().count() == before;
}

void Table::absent(const SourceLocation& place, const std::string& path, void* value) const {
  for (const Row& row : *rows_) {
    if (!row.value.absent_at) continue;
    const bool own = row.role == Row::Role::origin;
    row.value.absent_at(place, own ? path : (path.empty() ? "" : path + ".") + row.key, in(value, row));
  }
}

Node Table::to_node(const void* value) const {
  std::vector<Node::Entry> entries;
  for (const Row& row : *rows_) {
    if (row.role == Row::Role::origin) continue;
    Node node = row.value.write_at(in(value, row));
    if (row.role == Row::Role::rest) {
      entries.insert(entries.end(), node.entries().begin(), node.entries().end());
    } else if (!node.is_null()) {
      entries.push_back({row.key, {}, std::move(node)});
    }
  }
  return Node::map(std::move(entries));
}

}  // namespace tactus::config
