// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "executive/capability/judge/monitor.hpp"

namespace tactus::executive {

/// The verdict that an expectation, or a step of a sequence, would have if no frame followed, with its evidence.
struct Standing {
  TestVerdict verdict = TestVerdict::untested;
  bool failed = false;  ///< it stays failed, whatever follows
  bool no_value = false;
  std::int64_t frame = -1;  ///< frame of the failure
  double margin = std::numeric_limits<double>::quiet_NaN();
  std::int64_t late_frame = -1, late_frames = 0;  ///< frames in which the rig was late while a duty was open
  std::optional<std::int64_t> shift{};  ///< frames that a recording was shifted by; after the run only
  const char* why = "";                 ///< reason of an inconclusive verdict; a text that stays
  // Only a sequence has these:
  bool active = false;      ///< its step runs
  bool begun = false;       ///< its step has begun once
  bool needed = true;       ///< false: the sequence came to its end without this step, so it counts as a note
  std::int64_t since = -1;  ///< active: first frame of the step
  std::int64_t first = -1, last = -1;  ///< frames of the latest course of a step; last: -1 while it runs
};
static_assert(std::is_trivially_copyable_v<Standing>);

inline Standing standing_of(const Monitor& monitor) TACTUS_RT {
  const TestVerdict verdict = monitor.verdict();
  return Standing{.verdict = verdict,
                  .failed = monitor.failed(),
                  .no_value = verdict == TestVerdict::fail && monitor.no_value(),
                  .frame = monitor.frame(),
                  .margin = monitor.margin(),
                  .late_frame = monitor.late_frame(),
                  .late_frames = monitor.late_frames(),
                  .why = monitor.why()};
}

}  // namespace tactus::executive
