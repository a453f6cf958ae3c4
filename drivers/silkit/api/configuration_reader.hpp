// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/document.hpp"
#include "config/number.hpp"
#include "drivers/silkit/api/logger.hpp"

namespace tactus::silkit {

/// Takes the values of a document by tables of keys, and collects what is wrong with them.
class ConfigurationReader {
 public:
  using Take = std::function<void(const config::Node&, const std::string& path)>;
  struct Key {
    std::string_view name;
    Take take;
  };
  template <class T>
  struct Choice {
    std::string_view name;
    T value;
  };

  /// Takes every key of a map by its taker; a key without a value counts as missing.
  Take map(std::vector<Key> keys);
  /// Calls `item` for each item of a list.
  Take list(Take item);
  Take text(Take then);
  template <class Text>
  Take text_into(Text& into) {
    return text([&into](const config::Node& node, const std::string&) { into = node.text(); });
  }
  template <class Bool>
  Take flag(Bool& into) {
    return text([this, &into](const config::Node& node, const std::string& path) {
      const std::optional<bool> read = bool_of(node.text());
      read ? void(into = *read) : wrong(node, path, "true or false");
    });
  }
  template <class Number>
  Take integer(Number& into, std::int64_t least, std::int64_t most) {
    return text([this, &into, least, most](const config::Node& node, const std::string& path) {
      const auto read = config::parse_integer(node.text());
      if (!read || *read.value < least || *read.value > most)
        return wrong(node, path, "a whole number, " + std::to_string(least) + " .. " + std::to_string(most));
      if constexpr (requires { *into; })
        into = std::remove_cvref_t<decltype(*into)>(*read.value);
      else
        into = Number(*read.value);
    });
  }
  Take real(double& into, double least, double most);
  template <class T, class Into>
  Take choice(Into& into, std::vector<Choice<T>> choices) {
    return text(
        [this, &into, choices = std::move(choices)](const config::Node& node, const std::string& path) {
          std::string names;
          for (const Choice<T>& choice : choices) {
            if (choice.name == node.text()) return void(into = choice.value);
            names += (names.empty() ? "" : ", ") + std::string(choice.name);
          }
          wrong(node, path, "one of " + names);
        });
  }
  template <class Level>
  Take level(Level& into) {
    return choice<std::uint32_t>(into, {{"Trace", 0},
                                        {"Debug", 1},
                                        {"Info", 2},
                                        {"Warn", 3},
                                        {"Error", 4},
                                        {"Critical", 5},
                                        {"Off", kLevelOff}});
  }
  /// Takes a key that has no consequence.
  static Take anything() {
    return [](const config::Node&, const std::string&) {};
  }
  /// Warns as well of a key that this library does not act on; once for all items of a list.
  Take without_effect(Take take);

  void wrong(const config::Node& node, const std::string& path, const std::string& allowed);

  config::Problems problems;
  std::vector<std::string> warnings;
  bool in_registry = false;  ///< a registry's configuration, which has few of the sections

 private:
  std::set<std::string> without_effect_;

  static std::optional<bool> bool_of(const std::string& text);
};

}  // namespace tactus::silkit
