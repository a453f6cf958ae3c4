// SPDX-License-Identifier: Apache-2.0
#include "config/place.hpp"

#include <algorithm>

#include "config/text.hpp"

namespace tactus::config {
namespace {

Problems only(SourceLocation place, std::string path, std::string message) {
  Problems problems;
  problems.add(std::move(place), std::move(path), std::move(message));
  return problems;
}

}  // namespace

std::string SourceLocation::text() const {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string Problem::text() const {
  // A key or a file name may hold a line end; a problem is one line.
  return one_line(place.text() + ": " + (path.empty() ? "" : path + ": ") + message);
}

void Problems::add(SourceLocation place, std::string path, std::string message) {
  problems_.push_back({std::move(place), std::move(path), std::move(message)});
}

void Problems::add(const Problems& other) {
  const std::vector<Problem> more = other.problems_;  // a copy: `other` may be this very object
  problems_.insert(problems_.end(), more.begin(), more.end());
}

std::vector<Problem> Problems::sorted() const {
  std::vector<Problem> result = problems_;
  std::ranges::stable_sort(result, [](const Problem& a, const Problem& b) { return a.place < b.place; });
  return result;
}

std::string Problems::text(std::size_t most) const {
  if (empty()) return {};
  const std::vector<Problem> all = sorted();
  std::string result;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) result += all[i].text() + "\n";
  if (all.size() > most) result += "... and " + std::to_string(all.size() - most) + " more\n";
  return result + std::to_string(count()) + (count() == 1 ? " problem" : " problems") +
         "; nothing was started.";
}

ConfigError::ConfigError(Problems problems)
    : std::runtime_error(problems.text()), problems_(std::move(problems)) {}

ConfigError::ConfigError(SourceLocation place, std::string path, std::string message)
    : ConfigError(only(std::move(place), std::move(path), std::move(message))) {}

}  // namespace tactus::config
