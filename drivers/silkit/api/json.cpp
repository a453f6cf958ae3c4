// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/json.hpp"

#include "config/json.hpp"

namespace tactus::silkit {

std::string json_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::string json = config::Json(text).dump(-1, ' ', false, config::Json::error_handler_t::replace);
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const bool two_bytes = json[i] == '\xC2' && static_cast<unsigned char>(json[i + 1]) < 0xA0U;  // U+0080 ..
    if (two_bytes) ++i;
    const auto byte = static_cast<unsigned char>(json[i]);
    if (two_bytes || byte == 0x7FU)
      out += {'\\', 'u', '0', '0', kHex[byte >> 4U], kHex[byte & 15U]};
    else
      out += json[i];
  }
  return out;
}

std::string to_json(const config::Node& node) {
  std::string out;
  switch (node.kind()) {
    case config::Kind::null:
      return "null";
    case config::Kind::scalar:
      if (node.quoted()) return json_text(node.text());
      if (node.text() == "True" || node.text() == "TRUE") return "true";
      if (node.text() == "False" || node.text() == "FALSE") return "false";
      // As written: 1e2 stays 1e2, and a number of any length keeps its digits.
      return config::Json::accept(node.text()) ? node.text() : json_text(node.text());
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
