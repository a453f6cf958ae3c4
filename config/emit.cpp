// SPDX-License-Identifier: Apache-2.0
// How nodes become YAML text again.
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::config {
namespace {

/// Returns true if the text, unquoted, reads back as itself: also inside [..] and {..}, and for every reader
/// of YAML. In doubt it is quoted.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL" || text == "<<")
    return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (std::string_view{"?:,[]{}#&*!|>'\"%@`<="}.find(text.front()) != std::string_view::npos) return false;
  if (text.front() == '-' && (text.size() == 1 || text[1] == ' ' || text[1] == '-')) return false;
  if (text.starts_with("...")) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20U || code == 0x7FU) return false;
    if (std::string_view{",[]{}?\""}.find(c) != std::string_view::npos) return false;
    if (c == ':' && (text[i + 1] == ' ' || text[i + 1] == ':')) return false;  // not the last: see above
    if (c == '#' && text[i - 1] == ' ') return false;                          // not the first: see above
    // Everything up to U+07FF but the C1 controls and NBSP, and the superscripts and signs of units, is
    // common text; line separators and byte order marks are three bytes long.
    if (code >= 0xE0U && !text.substr(i).starts_with("Ω")) return false;
    if (code == 0xC2U && static_cast<unsigned char>(text[i + 1]) <= 0xA0U) return false;
  }
  return true;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (code < 0x20U || code == 0x7FU) {
      result += rtsync::format_text("\\x%02x", code);
    } else if (code == 0xC2U && static_cast<unsigned char>(text[i + 1]) < 0xA0U) {
      result += rtsync::format_text("\\x%02x", static_cast<unsigned char>(text[++i]));
    } else if (text.substr(i).starts_with("\xE2\x80\xA8") || text.substr(i).starts_with("\xE2\x80\xA9")) {
      result += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (text.substr(i).starts_with("\xEF\xBB\xBF")) {
      result += "\\ufeff";
      i += 2;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string scalar_text(std::string_view text, bool quoted) {
  return !quoted && is_plain(text) ? std::string{text} : in_quotes(text);
}

void emit(const Node& node, std::size_t indent, bool inline_first, std::string& out);

/// Writes what follows "key:" or "-", with the line end.
void emit_value(const Node& node, std::size_t indent, bool in_list, std::string& out) {
  const bool nested = (node.is_map() && !node.entries().empty()) || (node.is_list() && !node.items().empty());
  if (!nested) {
    out.append(" ").append(to_flow(node)).append("\n");
  } else if (in_list) {
    out += " ";
    emit(node, indent + 2, true, out);
  } else {
    out += "\n";
    emit(node, indent + 2, false, out);
  }
}

/// `inline_first`: the first line stands after a "- ", so it is indented already.
void emit(const Node& node, std::size_t indent, bool inline_first, std::string& out) {
  const std::string margin(indent, ' ');
  bool first = inline_first;
  for (const Node& item : node.items()) {
    out += (first ? "" : margin) + "-";
    emit_value(item, indent, true, out);
    first = false;
  }
  for (const Node::Entry& entry : node.entries()) {
    out += (first ? "" : margin) + scalar_text(entry.key, false) + ":";
    emit_value(entry.value, indent, false, out);
    first = false;
  }
}

}  // namespace

std::string to_yaml(const Node& node) {
  if (node.entries().empty() && node.items().empty()) return to_flow(node) + "\n";
  std::string out;
  emit(node, 0, false, out);
  return out;
}

std::string to_flow(const Node& node) {
  std::string out;
  switch (node.kind()) {
    case Kind::null:
      return "~";
    case Kind::scalar:
      return scalar_text(node.text(), node.quoted());
    case Kind::list:
      for (const Node& item : node.items()) out += (out.empty() ? "" : ", ") + to_flow(item);
      return "[" + out + "]";
    case Kind::map:
      for (const Node::Entry& entry : node.entries())
        out += (out.empty() ? "" : ", ") + scalar_text(entry.key, false) + ": " + to_flow(entry.value);
      return "{" + out + "}";
  }
  return out;
}

}  // namespace tactus::config
