// SPDX-License-Identifier: Apache-2.0
#include "executive/app/campaign_words.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "rtsync/text.hpp"

namespace tactus::app {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  const auto value = rtsync::read_number<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// Nothing: the words are no numbers.
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> ranges(std::string_view words) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (;;) {
    const std::size_t comma = words.find(',');
    const std::string_view word = words.substr(0, comma);
    const std::size_t dash = word.find('-');
    const auto first = number(word.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(word.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    all.emplace_back(*first, *last);
    if (comma == std::string_view::npos) return all;
    words.remove_prefix(comma + 1);
  }
}

}  // namespace

std::function<bool(const campaign::Case&)> wanted_cases(const std::string& words) {
  if (const auto wanted = ranges(words))
    return [wanted = *wanted](const campaign::Case& one) {
      return std::ranges::any_of(
          wanted, [&](const auto& range) { return one.number >= range.first && one.number <= range.second; });
    };
  return [words](const campaign::Case& one) { return command_line(one).find(words) != std::string::npos; };
}

}  // namespace tactus::app
