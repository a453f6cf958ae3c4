#pragma once
/// A settings struct's fields, declared once: the table loads, checks, writes back and documents them.
///
///     struct SleeperSettings { Nanoseconds margin{0}; int priority = 0; };
///
///     const Fields<SleeperSettings>& sleeper_fields() {
///       static const Fields<SleeperSettings> fields{
///           "How a thread waits for its slot",
///           {
///               optional("margin", &SleeperSettings::margin, range(0us, 1ms), "spun instead of slept"),
///               required("priority", &SleeperSettings::priority, range(1, 99), "SCHED_FIFO priority"),
///           }};
///       return fields;
///     }
///
///     Problems problems;
///     SleeperSettings settings = sleeper_fields().load(document, problems);
///     if (!problems.empty()) throw ConfigError(problems);
///
/// Defaults are those of the default-constructed struct. rules.hpp lists the member types and rules.
///
/// Threads  immutable once built; share it freely. Copies are cheap.                         @when setup
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/document.hpp"
#include "config/node.hpp"
#include "config/place.hpp"
#include "config/rules.hpp"
#include "config/shape.hpp"
#include "config/type.hpp"

namespace tactus::config {

/// What a row of the table stands for.
enum class Row { key, rest, origin };

/// One row of the table; made by the functions below.
template <class T>
struct Field {
  Row role = Row::key;
  std::string key{};
  std::string meaning{};
  bool required = false;
  std::shared_ptr<const Shape> shape{};
  std::function<bool(const Node&, const Context&, T&)> read{};
  std::function<Node(const T&)> write{};
  std::function<void(const Place&, const std::string& path, T&)> absent{};

  /// At least this many entries: of a list or map.
  Field at_least(std::size_t entries) const {
    Field result = *this;
    Shape changed = *shape;
    changed.at_least = entries;
    result.shape = std::make_shared<const Shape>(std::move(changed));
    result.required = entries > 0;
    return result;
  }
  /// The same row in the table of a struct derived from T.
  template <std::derived_from<T> D>
  operator Field<D>() const {
    return {role, key, meaning, required, shape, read, write, absent};
  }
};

/// The part of a table that does not depend on the struct.
class TableBase {
 public:
  explicit TableBase(std::string about) : section_(std::make_shared<Section>()) {
    section_->about = std::move(about);
  }

  const Section& section() const { return *section_; }
  std::shared_ptr<const Section> shared_section() const { return section_; }
  static void unknown_key(const Node::Entry& entry, const Context& context, const Section& section);

 protected:
  static void missing_key(const Node& node, const Context& context, const KeyShape& key);
  static bool too_few(const Node& node, const Context& context, const Shape& shape);
  static void repeated_keys(const Document& document, const Section& section, Problems& problems);
  static std::string default_text(const Node& node);

  std::shared_ptr<Section> section_;
};

template <class T>
class Fields : private TableBase {
 public:
  using TableBase::section;
  using TableBase::shared_section;
  using TableBase::unknown_key;  ///< complains of a key; for entries of a rest() that nobody takes

  Fields(std::string about, std::vector<Field<T>> fields);

  /// Whatever the document holds, the answer is a T; what is wrong with it is added to `problems`.
  /// A field with a problem keeps its default.
  T load(const Document& document, Problems& problems) const;
  /// The same for a part of a document, which stands at `path`.
  T load(const Node& node, const std::string& path, Problems& problems) const;

  /// Every field with its value, as a map that loads to an equal T.
  Node to_node(const T& value) const;
  std::string write(const T& value) const { return to_yaml(to_node(value)); }

  std::string reference(const std::string& title) const { return reference_page(section(), title); }
  std::string json_schema(const std::string& title) const { return json_schema_text(section(), title); }

  // As a rule: a section inside another. False when anything in it was wrong.
  bool read(const Node& node, const Context& context, T& value) const;
  void absent(const Place& place, const std::string& path, T& value) const;
  template <class V>
  requires std::same_as<V, T> Type<V> type()
  const;

 private:
  std::shared_ptr<const std::vector<Field<T>>> fields_;
};

/// A key that may be absent, of a value anywhere in a T: `get` leads from T& to V&, and from const T& to
/// const V&.
template <class T, class Get, class Rule>
Field<T> at(const std::string& key, Get get, const Rule& rule, const std::string& meaning) {
  using V = std::remove_cvref_t<std::invoke_result_t<Get, T&>>;
  const Type<V> type = type_of<V>(rule);
  Field<T> field{.key = key, .meaning = meaning, .shape = type.shape};
  field.read = [type, get](const Node& node, const Context& context, T& out) {
    V value = std::invoke(get, out);
    if (type.read(node, context, value)) {
      std::invoke(get, out) = std::move(value);
      return true;
    }
    if (type.absent) type.absent(node.place(), context.path(), std::invoke(get, out));
    return false;
  };
  field.write = [type, get](const T& in) { return type.write(std::invoke(get, in)); };
  if (type.absent) {
    field.absent = [type, get](const Place& place, const std::string& path, T& out) {
      type.absent(place, path, std::invoke(get, out));
    };
  }
  return field;
}

/// A key that may be absent. Without a rule the member's type decides.
template <class T, class V, class Rule>
Field<T> optional(const std::string& key, V T::*member, const Rule& rule, const std::string& meaning) {
  return config::at<T>(key, member, rule, meaning);
}
template <class T, class V>
Field<T> optional(const std::string& key, V T::*member, const std::string& meaning) {
  return config::at<T>(key, member, Plain{}, meaning);
}

/// A key that must be there.
template <class T, class V, class Rule>
Field<T> required(const std::string& key, V T::*member, const Rule& rule, const std::string& meaning) {
  Field<T> field = config::at<T>(key, member, rule, meaning);
  field.required = true;
  return field;
}
template <class T, class V>
Field<T> required(const std::string& key, V T::*member, const std::string& meaning) {
  return config::required(key, member, Plain{}, meaning);
}

/// A list of structs (or of anything a rule reads).
template <class T, class V, class Rule>
Field<T> list(const std::string& key, std::vector<V> T::*member, const Rule& rule,
              const std::string& meaning) {
  const Type<std::vector<V>> type = list_type(type_of<V>(rule));
  Field<T> field{.key = key, .meaning = meaning, .shape = type.shape};
  field.read = [type, member](const Node& node, const Context& context, T& out) {
    return type.read(node, context, out.*member);
  };
  field.write = [type, member](const T& in) { return type.write(in.*member); };
  return field;
}

/// A map from names to structs, kept as a vector in document order. S::name (std::string or Located<
/// std::string>) gets the key. `noun` says what is named: "model".
template <class T, class S>
Field<T> named(const std::string& key, std::vector<S> T::*member, const Fields<S>& fields,
               const std::string& noun, const std::string& meaning);

/// All keys that no other field declares, as a map: the settings of a driver that is known only later.
template <class T>
Field<T> rest(Node T::*member, const std::string& meaning) {
  Field<T> field{.role = Row::rest, .meaning = meaning};
  field.read = [member](const Node& node, const Context&, T& out) {
    out.*member = node;
    return true;
  };
  field.write = [member](const T& in) { return in.*member; };
  return field;
}

/// Not a key: where the struct itself stands.
template <class T>
Field<T> located(Origin T::*member) {
  Field<T> field{.role = Row::origin};
  field.absent = [member](const Place& place, const std::string& path, T& out) {
    out.*member = Origin{place, path};
  };
  return field;
}
template <class T>
Fields<T>::Fields(std::string about, std::vector<Field<T>> fields) : TableBase(std::move(about)) {
  const T defaults{};
  for (const Field<T>& field : fields) {
    if (field.role == Row::rest) section_->rest = field.meaning;
    if (field.role != Row::key) continue;
    section_->keys.push_back({field.key, field.required,
                              field.required ? "" : default_text(field.write(defaults)), field.meaning,
                              field.shape});
  }
  fields_ = std::make_shared<const std::vector<Field<T>>>(std::move(fields));
}

template <class T>
T Fields<T>::load(const Document& document, Problems& problems) const {
  repeated_keys(document, section(), problems);
  return load(document.root(), {}, problems);
}

template <class T>
T Fields<T>::load(const Node& node, const std::string& path, Problems& problems) const {
  T value{};
  read(node, Context{problems, path}, value);
  return value;
}

template <class T>
bool Fields<T>::read(const Node& node, const Context& context, T& value) const {
  static const Shape as_section{.form = Shape::Form::section, .type = "map"};
  absent(node.place(), context.path(), value);
  if (!expect(Kind::map, node, context, as_section)) return false;
  const std::size_t before = context.problems().count();
  const Field<T>* rest = nullptr;
  std::size_t row = 0;
  for (const Field<T>& field : *fields_) {
    if (field.role == Row::rest) rest = &field;
    if (field.role != Row::key) continue;
    const KeyShape& key = section_->keys[row++];
    const Node* found = node.find(field.key);
    if (found == nullptr) {
      if (field.required) missing_key(node, context, key);
      continue;
    }
    const Context inside = context.key(field.key, field.meaning);
    if (field.read(*found, inside, value)) too_few(*found, inside, *field.shape);
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
  if (rest != nullptr) rest->read(Node::map(std::move(others), node.place()), context, value);
  return context.problems().count() == before;
}

template <class T>
void Fields<T>::absent(const Place& place, const std::string& path, T& value) const {
  for (const Field<T>& field : *fields_) {
    if (!field.absent) continue;
    const bool own = field.role == Row::origin;
    field.absent(place, own ? path : (path.empty() ? "" : path + ".") + field.key, value);
  }
}

template <class T>
Node Fields<T>::to_node(const T& value) const {
  std::vector<Node::Entry> entries;
  for (const Field<T>& field : *fields_) {
    if (field.role == Row::origin) continue;
    Node node = field.write(value);
    if (field.role == Row::rest) {
      entries.insert(entries.end(), node.entries().begin(), node.entries().end());
    } else if (!node.is_null()) {
      entries.push_back({field.key, {}, std::move(node)});
    }
  }
  return Node::map(std::move(entries));
}

template <class T>
template <class V>
requires std::same_as<V, T> Type<V> Fields<T>::type()
const {
  Type<V> type;
  type.shape = std::make_shared<const Shape>(
      Shape{.form = Shape::Form::section, .type = "map", .section = shared_section()});
  // A struct with a problem is still taken: what was right in it may be checked further.
  type.read = [self = *this](const Node& node, const Context& context, T& value) {
    self.read(node, context, value);
    return true;
  };
  type.write = [self = *this](const T& value) { return self.to_node(value); };
  type.absent = [self = *this](const Place& place, const std::string& path, T& value) {
    self.absent(place, path, value);
  };
  return type;
}

namespace detail {

inline void set_name(std::string& name, const Node::Entry& entry, const std::string&) { name = entry.key; }
inline void set_name(Located<std::string>& name, const Node::Entry& entry, const std::string& path) {
  name = {entry.key, entry.place, path};
}
inline const std::string& get_name(const std::string& name) { return name; }
inline const std::string& get_name(const Located<std::string>& name) { return name.value; }

}  // namespace detail

template <class T, class S>
Field<T> named(const std::string& key, std::vector<S> T::*member, const Fields<S>& fields,
               const std::string& noun, const std::string& meaning) {
  const Type<S> inner = fields.template type<S>();
  const auto shape = std::make_shared<const Shape>(
      Shape{.form = Shape::Form::map_of, .type = "map", .noun = noun, .item = inner.shape});
  Field<T> field{.key = key, .meaning = meaning, .shape = shape};
  field.read = [inner, shape, noun, member](const Node& node, const Context& context, T& out) {
    if (!expect(Kind::map, node, context, *shape)) return false;
    std::vector<S> read;
    for (const Node::Entry& entry : node.entries()) {
      const Context inside = context.key(entry.key);
      expect_name(entry, inside, noun);
      S value{};
      inner.read(entry.value, inside, value);
      detail::set_name(value.name, entry, inside.path());
      read.push_back(std::move(value));
    }
    out.*member = std::move(read);
    return true;
  };
  field.write = [inner, member](const T& in) {
    std::vector<Node::Entry> entries;
    for (const S& value : in.*member)
      entries.push_back({detail::get_name(value.name), {}, inner.write(value)});
    return Node::map(std::move(entries));
  };
  return field;
}

}  // namespace tactus::config
