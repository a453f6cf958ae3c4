// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Variables that clients of Trick read by name in every simulation: its mode, its time, its overruns.
///
/// Units    tics: microseconds of simulated time, as Trick counts them by default.
/// Threads  pure functions.
#include <cstdint>
#include <string_view>
#include <variant>

#include "executive/driver/live.hpp"

namespace tactus::drivers::trick {

/// One snapshot, and what is known beside it.
struct Moment {
  const executive::LiveSnapshot& snapshot;
  const executive::LiveFacts& facts;
  double run_ratio = 1;  ///< simulated time per real time
};

using OwnValue = std::variant<std::int32_t, std::int64_t, double, bool>;

struct OwnVariable {
  std::string_view name;   ///< "trick_sys.sched.mode"
  std::int32_t type_code;  ///< code of Trick's binary messages
  OwnValue (*value)(const Moment& moment);
};

/// nullptr: there is none of that name.
const OwnVariable* find_own_variable(std::string_view name);

}  // namespace tactus::drivers::trick
