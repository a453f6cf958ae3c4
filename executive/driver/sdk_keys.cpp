// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/sdk_keys.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "config/rules.hpp"
#include "config/text.hpp"
#include "executive/driver/whole_paths.hpp"

namespace tactus::executive {
namespace {

using config::AnyType;
using config::Context;
using config::Node;
using config::Row;
using config::Shape;

KeptValue& kept(void* at) { return *static_cast<KeptValue*>(at); }
const KeptValue& kept(const void* at) { return *static_cast<const KeptValue*>(at); }

[[noreturn]] void refuse_key(const std::string& key, const std::string& why) {
  throw std::invalid_argument("key " + config::show(key) + ": " + why);
}

/// A scalar: `get` and `set` lead to the part of a KeptValue that holds it.
template <class V, class Get, class Set>
AnyType scalar(const config::Type<V>& type, Get get, Set set) {
  AnyType any;
  any.shape = type.shape;
  any.read_at = [type, set](const Node& node, const Context& context, void* at) {
    V value{};
    if (!type.read(node, context, value)) return false;
    set(kept(at), value);
    kept(at).known = kept(at).given = true;
    return true;
  };
  any.write_at = [type, get](const void* at) { return kept(at).known ? type.write(get(kept(at))) : Node{}; };
  return any;
}

std::int64_t whole_limit(double limit) {
  if (limit >= 9.2e18) return std::numeric_limits<std::int64_t>::max();
  if (limit <= -9.2e18) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(limit);
}

AnyType word_of(const tactus_key& key) {
  std::vector<config::NumberedWord> words;
  for (std::uint32_t i = 0; i < key.word_count && key.words != nullptr; ++i)
    words.push_back({sdk_text(key.words[i].word), key.words[i].value, sdk_text(key.words[i].meaning)});
  if (words.empty()) refuse_key(key.name, "it has no words");
  for (const config::NumberedWord& word : words)
    if (word.word.empty()) refuse_key(key.name, "a word of it is empty");
  return scalar<std::int64_t>(
      config::word_type(words), [](const KeptValue& value) { return value.whole; },
      [words](KeptValue& value, std::int64_t number) {
        value.whole = number;
        for (const config::NumberedWord& word : words)
          if (word.number == number) value.text = word.word;
      });
}

AnyType scalar_of(const tactus_key& key) {
  const bool limited = key.low != 0 || key.high != 0;
  if (limited && !(key.low <= key.high)) refuse_key(key.name, "its lower limit is above its upper one");
  const auto whole = [](const KeptValue& value) { return value.whole; };
  const auto set_whole = [](KeptValue& value, std::int64_t number) { value.whole = number; };
  switch (key.type) {
    case TACTUS_KEY_YES_NO:
      return scalar<bool>(
          config::bool_type(), [](const KeptValue& value) { return value.whole != 0; },
          [](KeptValue& value, bool yes) { value.whole = yes ? 1 : 0; });
    case TACTUS_KEY_WHOLE: {
      config::IntegerRange range;
      if (limited) range = {whole_limit(key.low), whole_limit(key.high)};
      return scalar<std::int64_t>(range.base(), whole, set_whole);
    }
    case TACTUS_KEY_NUMBER: {
      config::RealRange range;
      if (limited) range = config::range(key.low, key.high);
      const std::string unit = sdk_text(key.unit);
      try {
        if (!unit.empty() && unit != "1") range = config::quantity(unit, range.low, range.high);
      } catch (const std::invalid_argument& error) {
        refuse_key(key.name, error.what());
      }
      return scalar<double>(
          range.base(), [](const KeptValue& value) { return value.number; },
          [](KeptValue& value, double number) { value.number = number; });
    }
    case TACTUS_KEY_TIME: {
      config::DurationRange range;
      if (limited)
        range = {rtsync::Nanoseconds{whole_limit(key.low)}, rtsync::Nanoseconds{whole_limit(key.high)}};
      return scalar<rtsync::Nanoseconds>(
          range.base(), [](const KeptValue& value) { return rtsync::Nanoseconds{value.whole}; },
          [](KeptValue& value, rtsync::Nanoseconds time) { value.whole = time.count(); });
    }
    case TACTUS_KEY_TEXT: {
      config::TextRule rule;
      if (limited)
        rule = config::length(static_cast<std::size_t>(std::max(0.0, key.low)),
                              static_cast<std::size_t>(std::max(0.0, key.high)));
      AnyType any = scalar<std::string>(
          rule.base(), [](const KeptValue& value) { return value.text; },
          [](KeptValue& value, const std::string& text) { value.text = text; });
      if (std::string_view(sdk_text(key.unit)) == kFileType) {
        Shape shape = *any.shape;
        shape.type = kFileType;
        any.shape = std::make_shared<const Shape>(std::move(shape));
      }
      return any;
    }
    case TACTUS_KEY_WORD:
      return word_of(key);
    default:
      refuse_key(key.name, "its type is not a tactus_key_type");
  }
}

/// Short forms of an entry written out: 4 as { line: 4 }.
Node written_out(const Node& entry, const std::string& value, const std::string& list) {
  const std::string& key = entry.is_scalar() ? value : list;
  if ((!entry.is_scalar() && !entry.is_list()) || key.empty()) return entry;
  return Node::map({{key, entry.place(), entry}}, entry.place());
}

}  // namespace

/// The rows of one section. A section's value is the array of its keys' values.
class SdkKeys::Keys : public config::Table {
 public:
  Keys(std::string about, std::vector<Row> rows, std::vector<KeptValue> defaults,
       std::vector<config::Word> refused)
      : Table(std::move(about), std::move(rows), defaults.data()), defaults_(std::move(defaults)) {
    refuse(std::move(refused));
  }

  static std::shared_ptr<const Keys> make(std::string about, std::span<const tactus_key* const> keys,
                                          int depth) {
    constexpr int kDeepest = 8;
    constexpr std::size_t kMost = 1000;
    if (depth > kDeepest) throw std::invalid_argument("its keys are nested more than 8 deep");
    if (keys.size() > kMost) throw std::invalid_argument("it has more than 1000 keys");
    std::vector<Row> rows;
    std::vector<KeptValue> defaults;
    std::vector<config::Word> refused;
    std::set<std::string> seen;
    for (const tactus_key* const given : keys) {
      if (given == nullptr) throw std::invalid_argument("a key is a null pointer");
      constexpr std::size_t kFirst = offsetof(tactus_key, refused);  // of the first headers with version 1
      const auto key = known_part<std::invalid_argument, tactus_key>(given, kFirst, "a key has");
      const std::string name = sdk_text(key.name);
      if (!config::is_name(name))
        refuse_key(name, "its name is not letters, digits, '_' and '-', 1 to 64 of them");
      if (!seen.insert(name).second) refuse_key(name, "it is described twice");
      if (key.refused != nullptr) {
        refused.push_back({name, config::one_line(key.refused)});
        continue;
      }
      const auto number = std::bit_cast<std::uint32_t>(key.type);  // which may be none
      if (number < TACTUS_KEY_YES_NO || number > TACTUS_KEY_NAMED)
        refuse_key(name, "its type is not a tactus_key_type");
      KeptValue& value = defaults.emplace_back();
      value.type = key.type;
      value.name = name;
      AnyType type = type_of(key, value, depth);
      if (key.at_least > 0) {
        Shape shape = *type.shape;
        shape.at_least = key.at_least;
        type.shape = std::make_shared<const Shape>(std::move(shape));
      }
      type.read_at = [read = std::move(type.read_at)](const Node& node, const Context& context, void* at) {
        kept(at).origin = {node.place(), context.path()};
        return read(node, context, at);
      };
      type.absent_at = [](const config::SourceLocation& place, const std::string& path, void* at) {
        kept(at).origin = {place, path};
      };
      Row row = config::key_row(name, sdk_text(key.meaning), (defaults.size() - 1) * sizeof(KeptValue),
                                std::move(type));
      row.required = key.required != 0 || key.at_least > 0;
      rows.push_back(std::move(row));
    }
    return std::make_shared<const Keys>(std::move(about), std::move(rows), std::move(defaults),
                                        std::move(refused));
  }

  std::vector<KeptValue> defaults() const { return defaults_; }
  bool read_values(const Node& node, const Context& context, std::vector<KeptValue>& values) const {
    values = defaults_;
    return Table::read(node, context, values.data());
  }
  Node write(const std::vector<KeptValue>& values) const { return Table::to_node(values.data()); }

 private:
  static AnyType type_of(const tactus_key& key, KeptValue& value, int depth) {
    AnyType type;
    if (key.type == TACTUS_KEY_SECTION || key.type == TACTUS_KEY_NAMED) {
      if (key.keys == nullptr && key.key_count > 0) refuse_key(key.name, "its keys are a null pointer");
      const auto inner = make(sdk_text(key.about), {key.keys, key.key_count}, depth + 1);
      if (key.type == TACTUS_KEY_NAMED) {
        if (key.list != 0) refuse_key(key.name, "a map of names is not a list");
        return named(key, inner);
      }
      type = section_of(inner, sdk_text(key.short_value), sdk_text(key.short_list));
      value.values = inner->defaults();
    } else {
      type = scalar_of(key);
      read_default(key, type, value);
    }
    if (key.list == 0) return type;
    value.values.clear();
    return list(type, key.type);
  }

  /// The default is read as if it were in a rig file.
  static void read_default(const tactus_key& key, const AnyType& type, KeptValue& value) {
    if (key.fallback == nullptr || key.list != 0) return;
    config::Problems problems;
    const bool read = type.read_at(Node::scalar(key.fallback), Context(problems, key.name), &value);
    value.given = false;
    if (read || key.required != 0) return;  // of a required key no default holds
    refuse_key(key.name, "its default " + config::show(key.fallback) +
                             " is none of its values: " + problems.sorted().front().message);
  }

  static AnyType section_of(const std::shared_ptr<const Keys>& inner, const std::string& value_key = "",
                            const std::string& list_key = "") {
    AnyType type;
    Shape shape{.form = Shape::Form::section, .type = "map", .section = inner->shared_section()};
    for (const config::KeyShape& each : shape.section->keys)
      if (each.key == value_key || each.key == list_key) shape.others.push_back(each.shape);
    type.shape = std::make_shared<const Shape>(std::move(shape));
    type.read_at = [inner, value_key, list_key](const Node& node, const Context& context, void* at) {
      (void)inner->read_values(written_out(node, value_key, list_key), context, kept(at).values);
      kept(at).known = kept(at).given = true;
      return true;  // what was right in it may be checked further
    };
    type.write_at = [inner](const void* at) { return inner->write(kept(at).values); };
    return type;
  }

  static AnyType list(const AnyType& item, tactus_key_type kind) {
    AnyType type;
    type.shape =
        std::make_shared<const Shape>(Shape{.form = Shape::Form::list, .type = "list", .item = item.shape});
    type.read_at = [item, kind, shape = type.shape](const Node& node, const Context& context, void* at) {
      if (!config::expect(config::Kind::list, node, context, *shape)) return false;
      std::vector<KeptValue> values;
      bool good = true;
      for (std::size_t i = 0; i < node.items().size(); ++i) {
        const Context inside = context.index(i);
        KeptValue& value = values.emplace_back();
        value.type = kind;
        value.origin = {node.items()[i].place(), inside.path()};
        good = item.read_at(node.items()[i], inside, &value) && good;
      }
      if (good) kept(at).values = std::move(values);
      kept(at).known = kept(at).given = good;
      return good;
    };
    type.write_at = [item](const void* at) {
      std::vector<Node> items;
      for (const KeptValue& value : kept(at).values) items.push_back(item.write_at(&value));
      return Node::list(std::move(items));
    };
    return type;
  }

  static AnyType named(const tactus_key& key, const std::shared_ptr<const Keys>& inner) {
    const AnyType entry_type = section_of(inner, sdk_text(key.short_value), sdk_text(key.short_list));
    const std::string noun = key.noun == nullptr ? "name" : key.noun;
    AnyType type;
    type.shape = std::make_shared<const Shape>(
        Shape{.form = Shape::Form::map_of, .type = "map", .noun = noun, .item = entry_type.shape});
    type.read_at = [entry_type, noun, shape = type.shape](const Node& node, const Context& context,
                                                          void* at) {
      if (!config::expect(config::Kind::map, node, context, *shape)) return false;
      kept(at).values.clear();
      for (const Node::Entry& entry : node.entries()) {
        const Context inside = context.key(entry.key);
        (void)config::expect_name(entry, inside, noun);
        KeptValue& value = kept(at).values.emplace_back();
        value.name = entry.key;
        value.origin = {entry.place, inside.path()};
        (void)entry_type.read_at(entry.value, inside, &value);
      }
      kept(at).known = kept(at).given = true;
      return true;
    };
    type.write_at = [entry_type](const void* at) {
      std::vector<Node::Entry> entries;
      for (const KeptValue& value : kept(at).values)
        entries.push_back({value.name, {}, entry_type.write_at(&value)});
      return Node::map(std::move(entries));
    };
    return type;
  }

  std::vector<KeptValue> defaults_;
};

SdkKeys::SdkKeys(std::string about, std::span<const tactus_key* const> keys)
    : table_(Keys::make(std::move(about), keys, 0)) {}

std::shared_ptr<const config::Section> SdkKeys::section() const { return table_->shared_section(); }

KeptValue SdkKeys::defaults() const { return KeptValue{.values = table_->defaults()}; }

KeptValue SdkKeys::load(const Node& settings, const std::string& path, config::Problems& problems) const {
  KeptValue section;
  section.known = section.given = true;
  section.origin = {settings.place(), path};
  (void)table_->read_values(settings, Context(problems, path), section.values);
  return section;
}

Node SdkKeys::to_node(const KeptValue& section) const { return table_->write(section.values); }

const tactus_value* SdkValues::add(const KeptValue& value) {
  std::vector<const tactus_value*>& inner = pointers_.emplace_back();
  for (const KeptValue& each : value.values) inner.push_back(add(each));
  return &values_.emplace_back(tactus_value{sizeof(tactus_value), value.type, value.name.c_str(),
                                            value.given ? 1U : 0U, static_cast<std::uint32_t>(inner.size()),
                                            value.whole, value.number, value.text.c_str(), inner.data()});
}

void add_problem(const KeptValue& section, const std::string& path, const std::string& message,
                 config::Problems& problems) {
  const std::string whole =
      section.origin.path + (path.empty() || section.origin.path.empty() ? "" : ".") + path;
  const KeptValue* nearest = &section;
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const KeptValue& inner : nearest->values) {
      const std::string& at = inner.origin.path;
      if (at.empty() || !whole.starts_with(at)) continue;
      if (whole.size() > at.size() && whole[at.size()] != '.' && whole[at.size()] != '[') continue;
      nearest = &inner;
      deeper = true;
      break;
    }
  }
  problems.add(nearest->origin.place, whole, message);
}

}  // namespace tactus::executive
