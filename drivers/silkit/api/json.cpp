#include "drivers/silkit/api/json.hpp"

#include <cctype>

namespace tactus::silkit {
namespace {

std::string_view digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && std::isdigit(static_cast<unsigned char>(text[size])) != 0) ++size;
  const std::string_view found = text.substr(0, size);
  text.remove_prefix(size);
  return found;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool is_json_number(std::string_view text) {
  (void)take(text, "-");
  const std::string_view whole = digits(text);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
  if (take(text, ".") && digits(text).empty()) return false;
  if (take(text, "eE")) {
    (void)take(text, "+-");
    if (digits(text).empty()) return false;
  }
  return text.empty();
}

}  // namespace

std::string json_text(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      out += {'\\', 'u', '0', '0', kHex[byte >> 4U], kHex[byte & 15U]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string to_json(const config::Node& node) {
  std::string out;
  switch (node.kind()) {
    case config::Kind::null:
      return "null";
    case config::Kind::scalar:
      if (node.quoted()) return json_text(node.text());
      if (node.text() == "true" || node.text() == "false" || is_json_number(node.text())) return node.text();
      return json_text(node.text());
    case config::Kind::list:
      for (const config::Node& item : node.items()) out += (out.empty() ? "[" : ",") + to_json(item);
      return out.empty() ? "[]" : out + ']';
    case config::Kind::map:
      for (const auto& entry : node.entries())
        out += (out.empty() ? "{" : ",") + json_text(entry.key) + ':' + to_json(entry.value);
      return out.empty() ? "{}" : out + '}';
  }
  return out;
}

}  // namespace tactus::silkit
