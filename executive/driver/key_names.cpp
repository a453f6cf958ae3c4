// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/key_names.hpp"

#include <set>
#include <utility>

namespace tactus::executive {
namespace {

using config::KeyShape;
using config::Section;
using config::Shape;
using SharedShape = std::shared_ptr<const Shape>;

constexpr const char* kOthers = "other keys";

/// Makes shapes of what names demand of values, beside those of their keys. Shapes of the same contents are one, so that they are
/// one definition of the schema.
class Narrowing {
 public:
  explicit Narrowing(const KeyNames& names) : names_(names) {}

  /// Returns nullptr where there are no names at the path, and none inside.
  SharedShape of(const Shape& shape, const std::string& path) {
    switch (shape.form) {
      case Shape::Form::scalar:
        return scalar(path);
      case Shape::Form::list: {
        SharedShape item = of(*shape.item, path);
        if (item == nullptr) return nullptr;
        const std::string text = "[" + text_of(item);
        return one(text, Shape{.form = Shape::Form::list, .type = "list", .item = std::move(item)});
      }
      case Shape::Form::section:
        return section(shape, path);
      case Shape::Form::map_of:
        return map(shape, path);
      case Shape::Form::anything:
        break;
    }
    return nullptr;
  }

 private:
  const NamesOfKey* at(const std::string& path) const {
    const auto found = names_.find(path);
    return found == names_.end() ? nullptr : &found->second;
  }
  bool has_inside(const std::string& path) const {
    const auto next = names_.lower_bound(path + ".");
    return next != names_.end() && next->first.starts_with(path + ".");
  }

  SharedShape scalar(const std::string& path) {
    const NamesOfKey* const names = at(path);
    if (names == nullptr) return nullptr;
    std::string text = names->only ? "=" : "~";
    for (const config::Word& each : names->names) text += each.word + "\n";
    return one(text, Shape{.type = "name", .words = names->names, .text = !names->only});
  }

  SharedShape section(const Shape& shape, const std::string& path) {
    if (!has_inside(path)) return nullptr;
    auto made = std::make_shared<Section>();
    made->rest = kOthers;
    std::string text = "{";
    std::vector<SharedShape> others = shape.others;
    for (const KeyShape& key : shape.section->keys) {
      SharedShape inside = of(*key.shape, path + "." + key.key);
      if (inside == nullptr) continue;
      text += key.key + text_of(inside);
      for (SharedShape& other : others)
        if (other == key.shape) other = inside;  // the short form
      made->keys.push_back({.key = key.key, .shape = std::move(inside)});
    }
    if (made->keys.empty()) return nullptr;
    return one(text, Shape{.form = Shape::Form::section, .type = "map", .section = made, .others = others});
  }

  SharedShape map(const Shape& shape, const std::string& path) {
    const NamesOfKey* const names = at(path);
    if (names == nullptr && !has_inside(path)) return nullptr;
    auto made = std::make_shared<Section>();
    std::string text = "<";
    std::set<std::string> seen;
    const auto add = [&](const std::string& name, const std::string& about) {
      if (!seen.insert(name).second) return;
      SharedShape inside = of(*shape.item, path + "." + name);
      if (inside == nullptr) inside = one("*", Shape{.form = Shape::Form::anything});
      text += name + "\t" + about + text_of(inside);
      made->keys.push_back({.key = name, .meaning = about, .shape = std::move(inside)});
    };
    if (names != nullptr)
      for (const config::Word& each : names->names) add(each.word, each.meaning);
    for (auto next = names_.lower_bound(path + ".");
         next != names_.end() && next->first.starts_with(path + "."); ++next) {
      const std::size_t begin = path.size() + 1;
      add(next->first.substr(begin, next->first.find('.', begin) - begin), "");
    }
    const bool only = names != nullptr && names->only;
    if (!only || !names->unless.empty()) made->rest = kOthers;
    if (only && !names->unless.empty()) {
      auto with_key = std::make_shared<Section>();
      with_key->rest = kOthers;
      with_key->keys.push_back(
          {.key = names->unless, .required = true, .shape = one("*", Shape{.form = Shape::Form::anything})});
      made->rest_shape =
          one("!" + names->unless, Shape{.form = Shape::Form::section, .type = "map", .section = with_key});
    }
    text += (only ? "!" : "+") + (names == nullptr ? "" : names->unless);
    return one(text, Shape{.form = Shape::Form::section, .type = "map", .section = made});
  }

  /// The shape with these contents.
  SharedShape one(const std::string& text, Shape shape) {
    const auto [at, added] = shapes_.try_emplace(text);
    if (added) {
      at->second = std::make_shared<const Shape>(std::move(shape));
      numbers_[at->second.get()] = numbers_.size();
    }
    return at->second;
  }
  std::string text_of(const SharedShape& shape) const {
    return "#" + std::to_string(numbers_.at(shape.get())) + ";";
  }

  const KeyNames& names_;
  std::map<std::string, SharedShape> shapes_;
  std::map<const Shape*, std::size_t> numbers_;
};

}  // namespace

std::shared_ptr<const Section> with_names(const std::shared_ptr<const Section>& section,
                                          const KeyNames& names) {
  if (section == nullptr || names.empty()) return section;
  Narrowing narrowing(names);
  auto made = std::make_shared<Section>(*section);
  for (KeyShape& key : made->keys) {
    const SharedShape also = narrowing.of(*key.shape, key.key);
    if (also == nullptr) continue;
    Shape shape = *key.shape;
    shape.also = also;
    key.shape = std::make_shared<const Shape>(std::move(shape));
  }
  return made;
}

}  // namespace tactus::executive
