// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/json_text.hpp"

#include <functional>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "config/text.hpp"

namespace tactus::drivers::live_http {
namespace {

/// Watches what is open while a text is read; refuses what goes too far before it is stored.
class Watchman {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        element();
        open_.push_back({event == Json::parse_event_t::object_start, 0, {}});
        if (open_.size() > JsonLimits::kDepth)
          throw std::invalid_argument("is nested more than " + std::to_string(JsonLimits::kDepth) +
                                      " levels deep");
        break;
      case Json::parse_event_t::key: {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!open_.back().keys.insert(key).second)
          throw std::invalid_argument("has the key " + config::show(key) + " twice");
        if (open_.back().keys.size() > JsonLimits::kEntries)
          throw std::invalid_argument("has an object of more than " + std::to_string(JsonLimits::kEntries) +
                                      " entries");
        break;
      }
      case Json::parse_event_t::value:
        element();
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        open_.pop_back();
        break;
    }
    return true;
  }

 private:
  struct Open {
    bool object;
    std::size_t elements;
    std::unordered_set<std::string> keys;
  };
  void element() {
    if (open_.empty() || open_.back().object) return;
    if (++open_.back().elements > JsonLimits::kElements)
      throw std::invalid_argument("has a list of more than " + std::to_string(JsonLimits::kElements) +
                                  " elements");
  }

  std::vector<Open> open_;
};

/// Text that would have been right, by what the library was about to read.
std::string expected(std::string_view message) {
  if (message.ends_with("expected end of input")) return "the end of the text";
  const std::size_t at = message.find("while parsing ");
  const std::string_view context = at == std::string_view::npos ? "" : message.substr(at + 14);
  if (context.starts_with("object key")) return "a key in double quotes";
  if (context.starts_with("object separator")) return "':'";
  if (context.starts_with("object")) return "',' or '}'";
  return context.starts_with("array") ? "',' or ']'" : "a value";
}

/// Describes what was found where, and what is expected there.
std::string validate(std::string_view text, const Json::parse_error& broken) {
  const std::string_view message = broken.what();
  const std::size_t dash = message.find(" - ");
  std::string_view cause = dash == std::string_view::npos ? "" : message.substr(dash + 3);
  cause = cause.substr(0, cause.find(';'));
  if (broken.byte == 0 || broken.byte > text.size()) {
    if (cause.starts_with("invalid string")) return "the text ends in the middle of a text in quotes";
    if (cause.starts_with("invalid")) return "the text ends in the middle of a value";
    return "the text ends where " + expected(message) + " is expected";
  }
  const std::string found = cause == "unexpected number literal" ? "a number"
                            : cause == "unexpected string literal"
                                ? "a text in quotes"
                                : config::show(text.substr(broken.byte - 1, 1));
  const bool inside = cause.starts_with("invalid") && cause != "invalid literal";  // of a text or number
  return "byte " + std::to_string(broken.byte) + ": found " + found + "; " +
         (inside ? std::string(cause) : expected(message) + " is expected");
}

}  // namespace

std::optional<Json> parse_json(const std::string& text, std::string& problem) {
  Watchman watchman;
  try {
    return Json::parse(text, std::ref(watchman));
  } catch (const std::invalid_argument& beyond) {
    problem = std::string("the body ") + beyond.what();
  } catch (const Json::parse_error& broken) {
    problem = "the body is not JSON: " + validate(text, broken);
  } catch (const Json::exception&) {
    problem = "the body is not JSON: it holds a number beyond all ranges";
  }
  return std::nullopt;
}

}  // namespace tactus::drivers::live_http
