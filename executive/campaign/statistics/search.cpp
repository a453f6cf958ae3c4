// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/statistics/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

namespace tactus::campaign {
namespace {

/// Runs one value until it is decided; nothing: it cannot be.
class Decider {
 public:
  Decider(const BisectionChoices& choices, const std::function<bool(double, std::int64_t)>& passes,
          std::vector<Probe>& probes)
      : choices_(choices), passes_(passes), probes_(probes) {
    const double halvings = std::log2(std::max(2.0, (choices.high - choices.low) / choices.tolerance));
    confidence_ = 1 - (1 - choices.confidence) / (std::ceil(halvings) + 2);
  }

  std::optional<bool> operator()(double value) const {
    std::int64_t passed = 0;
    for (std::int64_t run = 0; run < (choices_.noisy ? choices_.most_runs : 1); ++run) {
      const bool good = passes_(value, run);
      probes_.push_back({value, run, good});
      passed += good ? 1 : 0;
      if (!choices_.noisy) return good;
      const Interval rate = wilson(passed, run + 1, confidence_);
      if (rate.low > 0.5) return true;
      if (rate.high < 0.5) return false;
    }
    return std::nullopt;
  }

 private:
  const BisectionChoices& choices_;
  const std::function<bool(double, std::int64_t)>& passes_;
  std::vector<Probe>& probes_;
  double confidence_;
};

std::vector<std::size_t> without(const std::vector<std::size_t>& set, std::size_t from, std::size_t until) {
  std::vector<std::size_t> rest(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(from));
  rest.insert(rest.end(), set.begin() + static_cast<std::ptrdiff_t>(until), set.end());
  return rest;
}

}  // namespace

Bisection bisect(const BisectionChoices& choices, const std::function<bool(double, std::int64_t)>& passes) {
  Bisection result{.low = choices.low, .high = choices.high};
  const Decider decide(choices, passes, result.probes);
  const auto at = [&](double value) {
    result.low = result.high = value;
    result.end = Bisection::End::undecided;
  };
  const std::optional<bool> first = decide(choices.low), last = decide(choices.high);
  result.low_passes = first.value_or(false);
  result.high_passes = last.value_or(false);
  if (!first || !last) {
    at(first ? choices.high : choices.low);
    return result;
  }
  if (*first == *last) {
    result.end = Bisection::End::one_sided;
    return result;
  }
  while (result.high - result.low > choices.tolerance) {
    const double middle = result.low + (result.high - result.low) / 2;
    if (middle <= result.low || middle >= result.high) break;  // there is no number between
    const std::optional<bool> good = decide(middle);
    if (!good) {
      at(middle);
      return result;
    }
    (*good == *first ? result.low : result.high) = middle;
  }
  return result;
}

Minimum minimise(std::size_t count, const std::function<bool(const std::vector<std::size_t>&)>& fails) {
  Minimum result;
  std::map<std::vector<std::size_t>, bool> tried;
  const auto still_fails = [&](const std::vector<std::size_t>& set) {
    const auto [place, is_new] = tried.try_emplace(set, false);
    if (is_new) {
      ++result.runs;
      place->second = fails(set);
    }
    return place->second;
  };
  std::vector<std::size_t> set(count);
  std::iota(set.begin(), set.end(), std::size_t{0});
  result.fails_at_all = still_fails(set);
  if (!result.fails_at_all) return result;
  if (still_fails({})) return result;  // it fails without any of them
  std::size_t parts = 2;
  while (set.size() >= 2) {
    bool smaller = false;
    const auto edge = [&](std::size_t part) { return set.size() * part / parts; };
    for (std::size_t part = 0; part < parts && !smaller; ++part) {
      const std::vector<std::size_t> alone(set.begin() + static_cast<std::ptrdiff_t>(edge(part)),
                                           set.begin() + static_cast<std::ptrdiff_t>(edge(part + 1)));
      if (alone.size() < set.size() && still_fails(alone)) {
        set = alone;
        parts = 2;
        smaller = true;
      }
    }
    for (std::size_t part = 0; part < parts && !smaller && parts > 2; ++part) {
      const std::vector<std::size_t> rest = without(set, edge(part), edge(part + 1));
      if (still_fails(rest)) {
        set = rest;
        parts = std::max<std::size_t>(parts - 1, 2);
        smaller = true;
      }
    }
    if (smaller) continue;
    if (parts >= set.size()) break;
    parts = std::min(parts * 2, set.size());
  }
  result.set = set;
  return result;
}

}  // namespace tactus::campaign
