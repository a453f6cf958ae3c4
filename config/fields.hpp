// SPDX-License-Identifier: Apache-2.0
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
#include <cstddef>
#include <functional>
#include <memory>
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

/// One row of a table, whatever struct it is of.
struct Row {
  enum class Role { key, rest, origin };

  Role role = Role::key;
  std::string key{};
  std::string meaning{};
  bool required = false;
  std::size_t offset = 0;  ///< offset of the value in its struct
  AnyType value{};
};

/// The row of a key that may be absent.
Row key_row(const std::string& key, const std::string& meaning, std::size_t offset, AnyType value);

/// One row of the table of a T; made by the functions below.
template <class T>
struct Field : Row {
  /// Requires at least this many entries of a list or map.
  Field at_least(std::size_t entries) const {
    Field result = *this;
    Shape changed = *value.shape;
    changed.at_least = entries;
    result.value.shape = std::make_shared<const Shape>(std::move(changed));
    result.required = entries > 0;
    return result;
  }
  /// The same row in the table of a struct derived from T.
  template <std::derived_from<T> D>
  operator Field<D>() const;
};

/// A table, whatever struct it is of; the struct is known by its address.
class Table {
 public:
  const Section& section() const { return *section_; }
  std::shared_ptr<const Section> shared_section() const { return section_; }
  /// Complains of a key; for entries of a rest() that no field takes.
  static void unknown_key(const Node::Entry& entry, const Context& context, const Section& section);

 protected:
  Table(std::string about, std::vector<Row> rows, const void* defaults);
  /// Names that are no keys, and the sentences that refuse them. Only while it is made.
  void refuse(std::vector<Word> names) { section_->refused = std::move(names); }
  void load(const Document& document, Problems& problems, void* value) const;
  bool read(const Node& node, const Context& context, void* value) const;
  void absent(const SourceLocation& place, const std::string& path, void* value) const;
  Node to_node(const void* value) const;

 private:
  std::shared_ptr<Section> section_;
  std::shared_ptr<const std::vector<Row>> rows_;
};

template <class T>
class Fields : private Table {
 public:
  using Table::section;
  using Table::shared_section;
  using Table::unknown_key;

  Fields(std::string about, const std::vector<Field<T>>& fields)
      : Table(std::move(about), {fields.begin(), fields.end()}, &static_cast<const T&>(T{})) {}

  /// Returns a T whatever the document holds; each mistake in it is added to `problems`. A field with a
  /// problem keeps its default.
  T load(const Document& document, Problems& problems) const {
    T value{};
    Table::load(document, problems, &value);
    return value;
  }
  /// The same for a part of a document, which is at `path`.
  T load(const Node& node, const std::string& path, Problems& problems) const {
    T value{};
    Table::read(node, Context{problems, path}, &value);
    return value;
  }

  /// Every field with its value, as a map that loads to an equal T.
  Node to_node(const T& value) const { return Table::to_node(&value); }
  std::string write(const T& value) const { return to_yaml(to_node(value)); }

  std::string reference(const std::string& title) const { return reference_page(section(), title); }
  std::string json_schema(const std::string& title) const { return json_schema_text(section(), title); }

  // As a rule: a section inside another. False when anything in it was wrong.
  bool read(const Node& node, const Context& context, T& value) const {
    return Table::read(node, context, &value);
  }
  void absent(const SourceLocation& place, const std::string& path, T& value) const {
    Table::absent(place, path, &value);
  }
  template <std::same_as<T> V>
  Type<V> type() const;
};

namespace detail {

/// A T to measure in: one for all its members, as making one is much code.
template <class T>
const T& blank() {
  static const T whole{};
  return whole;
}

/// Offset of the member that `get` returns in a T.
template <class T, class Get>
std::size_t offset_of(Get get) {
  const T& whole = blank<T>();
  return static_cast<std::size_t>(
      reinterpret_cast<const std::byte*>(std::addressof(std::invoke(get, whole))) -
      reinterpret_cast<const std::byte*>(std::addressof(whole)));
}

}  // namespace detail

template <class T>
template <std::derived_from<T> D>
Field<T>::operator Field<D>() const {
  Field<D> result{*this};
  result.offset += detail::offset_of<D>([](const D& whole) -> const T& { return whole; });
  return result;
}

/// A key that may be absent, of a value anywhere inside a T: `get` leads from const T& to const V&.
template <class T, class Get, class Rule>
Field<T> at(const std::string& key, Get get, const Rule& rule, const std::string& meaning) {
  using V = std::remove_cvref_t<std::invoke_result_t<Get, const T&>>;
  return {key_row(key, meaning, detail::offset_of<T>(get), type_of<V>(rule))};
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

/// A list of structs (or of anything a rule reads). Of a list with a wrong entry the others are taken.
template <class T, class V, class Rule>
Field<T> list(const std::string& key, std::vector<V> T::*member, const Rule& rule,
              const std::string& meaning) {
  return {key_row(key, meaning, detail::offset_of<T>(member), list_type(type_of<V>(rule), true))};
}

/// A map from names to structs, kept as a vector in document order. S::name (std::string or Located<
/// std::string>) gets the key. `noun` says what is named: "model".
template <class T, class S>
Field<T> named(const std::string& key, std::vector<S> T::*member, const Fields<S>& fields,
               const std::string& noun, const std::string& meaning);

/// All keys that no other field declares, as a map: the settings of a driver that is known only later.
template <class T>
Field<T> rest(Node T::*member, const std::string& meaning) {
  return {{.role = Row::Role::rest,
           .meaning = meaning,
           .offset = detail::offset_of<T>(member),
           .value = node_type()}};
}

/// Not a key: where the struct itself is.
template <class T>
Field<T> located(Origin T::*member) {
  Field<T> field{{.role = Row::Role::origin, .offset = detail::offset_of<T>(member)}};
  field.value.absent_at = [](const SourceLocation& place, const std::string& path, void* at) {
    *static_cast<Origin*>(at) = Origin{place, path};
  };
  return field;
}

template <class T>
template <std::same_as<T> V>
Type<V> Fields<T>::type() const {
  Type<V> type;
  type.shape = std::make_shared<const Shape>(
      Shape{.form = Shape::Form::section, .type = "map", .section = shared_section()});
  // A struct with a problem is still taken: what was right in it may be checked further.
  type.reads([self = *this](const Node& node, const Context& context, T& value) {
    self.read(node, context, value);
    return true;
  });
  type.writes([self = *this](const T& value) { return self.to_node(value); });
  type.absent_at = [self = *this](const SourceLocation& place, const std::string& path, void* value) {
    self.absent(place, path, *static_cast<T*>(value));
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
  Type<std::vector<S>> type;
  type.shape = std::make_shared<const Shape>(
      Shape{.form = Shape::Form::map_of, .type = "map", .noun = noun, .item = inner.shape});
  type.reads(
      [inner, shape = type.shape, noun](const Node& node, const Context& context, std::vector<S>& values) {
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
        values = std::move(read);
        return true;
      });
  type.writes([inner](const std::vector<S>& values) {
    std::vector<Node::Entry> entries;
    for (const S& value : values) entries.push_back({detail::get_name(value.name), {}, inner.write(value)});
    return Node::map(std::move(entries));
  });
  return {key_row(key, meaning, detail::offset_of<T>(member), std::move(type))};
}

}  // namespace tactus::config
