// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What a model counts of its unit for people: summary.json, report, page.
///
/// Threads  each distribution: that of the job that adds to it, and readers.
#include <cstddef>
#include <memory>

#include "drivers/fmi/model/distribution.hpp"
#include "drivers/fmi/unit/life_cycle.hpp"
#include "drivers/fmi/unit/preemption.hpp"

namespace tactus::drivers::fmi {

struct UnitTimes {
  struct OfClock {
    Distribution late;  ///< from a tick to what served it
    Distribution wait;  ///< of scheduled execution: for other partitions
  };
  /// Causes of a lag, and of a wait, in the order of Distribution.
  enum Lag : std::size_t { kOwnStep, kDiscard, kError, kEnd };
  static constexpr std::size_t kFailed = 3;

  Distribution lag{};
  std::unique_ptr<OfClock[]> clocks{};
};

}  // namespace tactus::drivers::fmi
