// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/overrun_policy.hpp"

#include <algorithm>

namespace tactus::rtsync {

GridMove after_overrun(const OverrunPolicy& policy, const FrameClock& grid, std::int64_t slot_index,
                       TimePoint<RigTime> done) TACTUS_RT {
  const std::int64_t passed =
      grid.first_at_or_after(done) - slot_index;  // slots already behind us, at least one
  switch (policy.on_overrun) {
    case OnOverrun::skip:
      return {passed, false};
    case OnOverrun::reanchor:
      return {passed - 1, true};
    case OnOverrun::catch_up:
      break;
  }
  return {std::max<std::int64_t>(0, passed - policy.max_catch_up.value_or(passed)), false};
}

}  // namespace tactus::rtsync
