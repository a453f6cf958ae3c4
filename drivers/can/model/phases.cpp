// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/phases.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tactus::drivers::can {

std::vector<std::int64_t> spread(const std::vector<Cyclic>& messages, std::int64_t slot) {
  constexpr std::int64_t kMostSlots = 2000;  // a cycle is spread over its first ones
  std::vector<std::int64_t> phases(messages.size());
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return messages[a].cycle < messages[b].cycle; });
  const auto slots_of = [&](const Cyclic& each) {
    return std::clamp<std::int64_t>(each.cycle / slot, 1, kMostSlots);
  };
  std::vector<std::int64_t> load(static_cast<std::size_t>(kMostSlots));
  for (const std::size_t m : order) {
    const std::int64_t step = slots_of(messages[m]);
    std::int64_t best = 0, best_fullest = INT64_MAX, best_sum = INT64_MAX;
    for (std::int64_t phase = 0; phase < step; ++phase) {
      std::int64_t fullest = 0, sum = 0;
      for (std::int64_t at = phase; at < kMostSlots; at += step) {
        fullest = std::max(fullest, load[static_cast<std::size_t>(at)]);
        sum += load[static_cast<std::size_t>(at)];
      }
      // A phase late in the grid is there less often: compare what one sending costs.
      sum = sum * 1000 / ((kMostSlots - phase + step - 1) / step);
      if (fullest < best_fullest || (fullest == best_fullest && sum < best_sum)) {
        best = phase;
        best_fullest = fullest;
        best_sum = sum;
      }
      if (fullest == 0) break;
    }
    for (std::int64_t at = best; at < kMostSlots; at += step)
      load[static_cast<std::size_t>(at)] += messages[m].duration;
    phases[m] = best * slot;
  }
  return phases;
}

}  // namespace tactus::drivers::can
