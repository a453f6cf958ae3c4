// SPDX-License-Identifier: Apache-2.0
#include "config/type.hpp"

#include "config/text.hpp"

namespace tactus::config {
namespace {

std::string wanted(const Shape& shape) {
  switch (shape.form) {
    case Shape::Form::list:
      return "a list";
    case Shape::Form::section:
    case Shape::Form::map_of:
      return "a map (key: value)";
    case Shape::Form::anything:
      return "a value";
    case Shape::Form::scalar:
      break;
  }
  return "a " + shape.type;
}

std::string found(const Node& node) {
  if (node.is_scalar()) return "found the value " + show(node.text());
  return std::string{"found "} + kind_name(node.kind());
}

std::string example(const Shape& shape) {
  if (!shape.example.empty()) return "; write for example " + show(shape.example);
  if (!shape.allowed.empty()) return "; allowed: " + shape.allowed;
  return "; expected " + wanted(shape);
}

}  // namespace

Context Context::key(const std::string& key, const std::string& meaning) const {
  Context result = *this;
  result.path_ += (path_.empty() ? "" : ".") + key;
  result.also_.clear();
  result.meaning_ = meaning;
  return result;
}

Context Context::index(std::size_t index) const {
  Context result = *this;
  result.path_.append("[").append(std::to_string(index)).append("]");
  result.also_.clear();
  return result;
}

Context Context::also(const std::string& alternative) const {
  Context result = *this;
  result.also_ += alternative;
  return result;
}

bool expect(Kind kind, const Node& node, const Context& context, const Shape& shape) {
  if (node.kind() == kind) return true;
  if (node.is_null()) {
    context.fail(node.place(), "is empty" + example(shape));
  } else {
    context.fail(node.place(), "expected " + wanted(shape) + ", " + found(node));
  }
  return false;
}

const std::string* expect_text(const Node& node, const Context& context, const Shape& shape, bool quoted) {
  if (!expect(Kind::scalar, node, context, shape)) return nullptr;
  if (node.text().empty() && !shape.text) {
    context.fail(node.place(), "is empty" + example(shape));
    return nullptr;
  }
  const NumberAndRest split = split_number(node.text());
  if (node.quoted() && !quoted && !split.number.empty() && split.rest.empty()) {
    context.fail(node.place(),
                 show(node.text()) + " is in quotes, which make it text; write it without them");
    return nullptr;
  }
  return &node.text();
}

bool expect_name(const Node::Entry& entry, const Context& context, const std::string& noun) {
  if (is_name(entry.key)) return true;
  context.fail(entry.place, show(entry.key) + " is not a name for a " + noun +
                                ": letters, digits, '_' and '-', 1 to 64 of them");
  return false;
}

}  // namespace tactus::config
