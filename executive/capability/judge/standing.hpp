// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "executive/capability/judge/monitor.hpp"

namespace tactus::executive {

/// The verdict that an expectation would have if no frame followed, with its evidence.
struct Standing {
  TestVerdict verdict = TestVerdict::untested;
  bool failed = false;  ///< it stays failed, whatever follows
  bool no_value = false;
  std::int64_t frame = -1;  ///< frame of the failure
  double margin = std::numeric_limits<double>::quiet_NaN();
  const char* why = "";  ///< reason of an inconclusive verdict; a text that stays
};
static_assert(std::is_trivially_copyable_v<Standing>);

inline Standing standing_of(const Monitor& monitor) TACTUS_RT {
  const TestVerdict verdict = monitor.verdict();
  return {verdict,         monitor.failed(), verdict == TestVerdict::fail && monitor.no_value(),
          monitor.frame(), monitor.margin(), monitor.why()};
}

}  // namespace tactus::executive
