// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/statistics/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "executive/campaign/statistics/pass_rate.hpp"

namespace tactus::campaign {
namespace {

std::vector<std::size_t> without(const std::vector<std::size_t>& set, std::size_t from, std::size_t until) {
  std::vector<std::size_t> rest(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(from));
  rest.insert(rest.end(), set.begin() + static_cast<std::ptrdiff_t>(until), set.end());
  return rest;
}

}  // namespace

Bisection bisect(const BisectionChoices& choices, const std::function<bool(double, std::int64_t)>& passes) {
  Bisection result{.low = choices.low, .high = choices.high};
  const double halvings = std::log2(std::max(2.0, (choices.high - choices.low) / choices.tolerance));
  const double confidence = 1 - (1 - choices.confidence) / (std::ceil(halvings) + 2);
  // Runs one value until it is decided; nothing: it cannot be.
  const auto decide = [&](double value) -> std::optional<bool> {
    std::int64_t passed = 0;
    for (std::int64_t run = 0; run < (choices.noisy ? choices.most_runs : 1); ++run) {
      const bool good = passes(value, run);
      result.probes.push_back({value, run, good});
      passed += good ? 1 : 0;
      if (!choices.noisy) return good;
      const Interval rate = wilson(passed, run + 1, confidence);
      if (rate.low > 0.5) return true;
      if (rate.high < 0.5) return false;
    }
    return std::nullopt;
  };
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

Bisection bisect_many(const BisectionChoices& choices,
                      const std::function<std::vector<bool>(const std::vector<double>&)>& run) {
  Bisection result{.low = choices.low, .high = choices.high};
  const auto take = [&](const std::vector<double>& values) {
    const std::vector<bool> passed = run(values);
    for (std::size_t i = 0; i < values.size(); ++i) result.probes.push_back({values[i], 0, passed[i]});
    return passed;
  };
  const std::size_t width = std::max<std::size_t>(choices.at_a_time, 1);
  std::vector<bool> ends;
  if (width == 1)
    for (const double end : {choices.low, choices.high}) ends.push_back(take({end}).front());
  else
    ends = take({choices.low, choices.high});
  result.low_passes = ends[0];
  result.high_passes = ends[1];
  if (ends[0] == ends[1]) {
    result.end = Bisection::End::one_sided;
    return result;
  }
  while (result.high - result.low > choices.tolerance) {
    const double range = result.high - result.low;
    // No more values than the range at the end needs.
    const auto parts = std::min(static_cast<double>(width) + 1, std::ceil(range / choices.tolerance));
    std::vector<double> values;
    for (double part = 1; part < parts; ++part)
      if (const double value = result.low + range * (part / parts);
          value > (values.empty() ? result.low : values.back()) && value < result.high)
        values.push_back(value);
    if (values.empty()) break;  // there is no number between
    const std::vector<bool> passed = take(values);
    const auto border =
        static_cast<std::size_t>(std::ranges::find(passed, !result.low_passes) - passed.begin());
    if (border < values.size()) result.high = values[border];
    if (border > 0) result.low = values[border - 1];
  }
  return result;
}

Minimum minimise_many(
    std::size_t count, std::size_t at_a_time,
    const std::function<std::vector<bool>(const std::vector<std::vector<std::size_t>>&)>& run) {
  using Set = std::vector<std::size_t>;
  Minimum result;
  std::map<Set, bool> tried;
  // The first set that fails, in their order.
  const auto first_that_fails = [&](const std::vector<Set>& sets) -> std::optional<std::size_t> {
    for (std::size_t begin = 0; begin < sets.size();) {
      std::vector<Set> batch;
      std::size_t end = begin;
      for (; end < sets.size() && batch.size() < std::max<std::size_t>(at_a_time, 1); ++end)
        if (!tried.contains(sets[end]) && std::ranges::find(batch, sets[end]) == batch.end())
          batch.push_back(sets[end]);
        else if (tried.contains(sets[end]) && tried[sets[end]] && batch.empty())
          return end;
      const std::vector<bool> failed = batch.empty() ? std::vector<bool>{} : run(batch);
      result.runs += batch.size();
      for (std::size_t i = 0; i < batch.size(); ++i) tried[batch[i]] = failed[i];
      for (std::size_t i = begin; i < end; ++i)
        if (tried[sets[i]]) return i;
      begin = end;
    }
    return std::nullopt;
  };
  Set set(count);
  std::iota(set.begin(), set.end(), std::size_t{0});
  result.fails_at_all = first_that_fails({set}).has_value();
  if (!result.fails_at_all) return result;
  if (first_that_fails({Set{}})) return result;  // it fails without any of them
  std::size_t parts = 2;
  while (set.size() >= 2) {
    const auto edge = [&](std::size_t part) { return set.size() * part / parts; };
    std::vector<Set> candidates;
    for (std::size_t part = 0; part < parts; ++part)
      if (edge(part + 1) - edge(part) < set.size())
        candidates.emplace_back(set.begin() + static_cast<std::ptrdiff_t>(edge(part)),
                                set.begin() + static_cast<std::ptrdiff_t>(edge(part + 1)));
    const std::size_t alone = candidates.size();
    for (std::size_t part = 0; part < parts && parts > 2; ++part)
      candidates.push_back(without(set, edge(part), edge(part + 1)));
    if (const auto found = first_that_fails(candidates)) {
      set = candidates[*found];
      parts = *found < alone ? 2 : std::max<std::size_t>(parts - 1, 2);
      continue;
    }
    if (parts >= set.size()) break;
    parts = std::min(parts * 2, set.size());
  }
  result.set = set;
  return result;
}

}  // namespace tactus::campaign
