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

bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

/// In UTF-8, by its first byte.
std::size_t length_of_character(unsigned char first) {
  if (first >= 0xF0U) return 4;
  if (first >= 0xE0U) return 3;
  return first >= 0xC0U ? 2 : 1;
}

std::string escaped(unsigned char control) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  return {'\\', 'u', '0', '0', kHex[control >> 4U], kHex[control & 15U]};
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::string_view character = text.substr(0, length_of_character(byte));
    const bool high_control =
        byte == 0xC2U && character.size() == 2 && static_cast<unsigned char>(character[1]) < 0xA0U;
    if (byte == '"' || byte == '\\') {
      out += {'\\', text.front()};
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20U || byte == 0x7FU) {
      out += escaped(byte);
    } else if (high_control) {
      out += escaped(static_cast<unsigned char>(character[1]));
    } else if (is_continuation(byte)) {
      // The YAML library makes one byte of the escapes \N (U+0085) and \_ (U+00A0).
      out += byte < 0xA0U ? escaped(byte) : std::string{'\xC2', text.front()};
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
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
