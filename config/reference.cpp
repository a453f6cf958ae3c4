// SPDX-License-Identifier: Apache-2.0
// The reference page of a table, in Markdown.
#include <string>

#include "config/shape.hpp"

namespace tactus::config {
namespace {

/// A cell must not end early, nor hold a line end.
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string type_text(const Shape& shape) {
  switch (shape.form) {
    case Shape::Form::section:
      return "section";
    case Shape::Form::list:
      return "list of " + type_text(*shape.item) + (shape.item->form == Shape::Form::section ? "s" : "");
    case Shape::Form::map_of:
      return "map: " + shape.noun + " → " + type_text(*shape.item);
    case Shape::Form::anything:
    case Shape::Form::scalar:
      break;
  }
  return shape.type;
}

std::string allowed_text(const Shape& shape) {
  std::string result = shape.words.empty() || shape.type != "word" ? shape.allowed : "";
  for (const Word& word : shape.words) {
    if (!result.empty()) result += "; ";
    result += code(word.word);
    if (!word.meaning.empty()) result += ": " + word.meaning;
  }
  if (shape.item && (shape.form == Shape::Form::list || shape.form == Shape::Form::map_of))
    result += allowed_text(*shape.item);
  if (shape.at_least > 0)
    result += (result.empty() ? "" : "; ") + ("at least " + std::to_string(shape.at_least));
  return result;
}

/// The section somewhere inside a shape, and what its path adds: "[]" or ".<model>".
const Section* inner_section(const Shape& shape, std::string& path) {
  switch (shape.form) {
    case Shape::Form::section:
      return shape.section.get();
    case Shape::Form::list:
      path += "[]";
      return inner_section(*shape.item, path);
    case Shape::Form::map_of:
      path += ".<" + shape.noun + ">";
      return inner_section(*shape.item, path);
    case Shape::Form::anything:
    case Shape::Form::scalar:
      break;
  }
  return nullptr;
}

void page(const Section& section, const std::string& heading, const std::string& path, std::string& out) {
  out += heading + "\n\n";
  if (!section.about.empty()) out += section.about + "\n\n";
  if (!section.keys.empty() || !section.rest.empty()) {
    out += "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n";
    for (const KeyShape& key : section.keys) {
      // A section's default would repeat the section's own table.
      std::string ignored;
      const bool is_section = inner_section(*key.shape, ignored) != nullptr;
      const std::string standard = key.required ? "required" : is_section ? "" : code(key.default_text);
      out += "| " + code(key.key) + " | " + cell(type_text(*key.shape)) + " | " + cell(standard) + " | " +
             cell(allowed_text(*key.shape)) + " | " + cell(key.meaning) + " |\n";
    }
    if (!section.rest.empty()) out += "| *other keys* | | | | " + cell(section.rest) + " |\n";
    out += "\n";
  }
  for (const KeyShape& key : section.keys) {
    std::string inner_path = (path.empty() ? "" : path + ".") + key.key;
    const Section* inner = inner_section(*key.shape, inner_path);
    if (inner != nullptr) page(*inner, "## " + code(inner_path), inner_path, out);
  }
}

}  // namespace

std::string reference_page(const Section& section, const std::string& title) {
  std::string out;
  page(section, "# " + title, {}, out);
  out.pop_back();  // the blank line behind the last table
  return out;
}

}  // namespace tactus::config
