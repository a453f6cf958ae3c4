// SPDX-License-Identifier: Apache-2.0
#include "config/text.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "config/lookalike.hpp"

namespace tactus::config {
namespace {

constexpr std::size_t kLongestName = 64;

}  // namespace

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last.back();
}

std::string show(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!rtsync::is_continuation(text[i]) && ++shown > kMost)
      return std::string{"'"}.append(show_lookalikes(one_line(text.substr(0, i)))).append("...'");
  return std::string{"'"}.append(show_lookalikes(one_line(text))).append("'");
}

std::string show_all(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == kMost) return result + ", ...";
    result += (i == 0 ? "" : ", ") + show(words[i]);
  }
  return result;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kLongestName) return {};
  std::string best;
  std::size_t fewest = SIZE_MAX;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    // What both have before a point says nothing: motor.nope is not motor.angle.
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(word, candidate).in1 - word.begin());
    const std::size_t point = same == 0 ? std::string_view::npos : word.rfind('.', same - 1);
    const std::size_t common = point == std::string_view::npos ? 0 : point + 1;
    const std::size_t allowed =
        std::max<std::size_t>(1, std::min(word.size() / 3, (word.size() - common) / 2));
    const std::size_t count = edits(word, candidate);
    if (count > allowed || count >= candidate.size() || count >= fewest) continue;
    fewest = count;
    best = candidate;
  }
  return best;
}

std::string meant(std::string_view word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : "; did you mean '" + one_line(best) + "'?";
}

std::string hint(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return "none is known";
  if (const std::string best = meant(word, known); !best.empty()) return best.substr(2);
  return "known are " + show_all(known);
}

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, allowed);
}

}  // namespace tactus::config
