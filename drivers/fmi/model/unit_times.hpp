// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Counts of a unit for people: rows of summary.json, report and page.
///
/// Threads  each distribution: that of the job that adds to it, and readers.
#include <cstddef>
#include <memory>

#include "drivers/fmi/model/distribution.hpp"
#include "drivers/fmi/unit/life_cycle.hpp"

namespace tactus::drivers::fmi {

struct __attribute__((visibility("hidden"))) UnitTimes {
  struct OfClock {
    Distribution late;  ///< times from a tick to what served it
    Distribution wait;  ///< waits for other partitions, of scheduled execution
  };
  /// Causes of a lag, and of a wait, in the order of Distribution.
  enum Lag : std::size_t { kOwnStep, kDiscard, kError, kEnd };
  static constexpr std::size_t kFailed = 3;

  Distribution lag{};
  std::unique_ptr<OfClock[]> clocks{};
};

}  // namespace tactus::drivers::fmi
