// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/request.hpp"

#include <algorithm>

#include "config/text.hpp"

namespace tactus::drivers::live_http {
namespace {

char low(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_word(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, low, low); }

}  // namespace

const std::string* Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (same_word(key, name)) return &value;
  return nullptr;
}

std::size_t Request::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(headers, [&](const auto& pair) { return same_word(pair.first, name); }));
}

void Respond::operator()(Reply reply) const {
  take_([kept = std::make_shared<Reply>(std::move(reply))] { return std::move(*kept); });
}

Reply refusal(int status, const std::string& error, const std::vector<std::string>& problems) {
  return Reply{.status = status,
               .body = {{"error", error},
                        {"problems", problems.empty() ? std::vector<std::string>{error} : problems}}};
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), low);
  return text;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool has_tag(std::string_view list, std::string_view tag) {
  return std::ranges::any_of(rtsync::parts_of(list, ','), [&](std::string_view part) {
    part = config::trimmed(part);
    if (part.starts_with("W/")) part.remove_prefix(2);
    return part == "*" || part == tag;
  });
}

std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto code = rtsync::read_number<unsigned char>(text.substr(i + 1, 2), 16);
      if (!code) return std::nullopt;
      c = static_cast<char>(*code);
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    plain.push_back(c);
  }
  return plain;
}

std::optional<Target> parse_target(const std::string& target, std::string& problem) {
  Target parts;
  const std::size_t mark = target.find('?');
  std::string_view path = std::string_view(target).substr(0, mark);
  if (!path.starts_with('/')) {
    problem =
        config::show(target) + " cannot be read: it has to begin with '/', as /v1 does; this is not a proxy";
    return std::nullopt;
  }
  path.remove_prefix(1);
  bool good = true;
  if (path.ends_with('/')) path.remove_suffix(1);
  for (const std::string_view segment : rtsync::parts_of(path, '/')) {
    const auto plain = decoded(segment, false);
    good = good && plain;
    if (plain) parts.path.push_back(*plain);
  }
  const std::string_view query =
      mark == std::string::npos ? std::string_view{} : std::string_view(target).substr(mark + 1);
  for (const std::string_view pair : rtsync::parts_of(query, '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const auto key = decoded(pair.substr(0, equals), true);
    const auto value =
        decoded(equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1), true);
    good = good && key && value;
    if (key && value) parts.query.emplace_back(*key, *value);
  }
  if (good) return parts;
  problem = config::show(target) +
            " cannot be read: a '%' is followed by two hexadecimal digits, and no character is "
            "below a blank";
  return std::nullopt;
}

}  // namespace tactus::drivers::live_http
