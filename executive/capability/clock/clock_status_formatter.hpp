// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "rtsync/clock/edge_clock_settings.hpp"

namespace tactus::executive {

/// Puts into words what became of the external clock since the last time.
///
/// Threads  the service thread.
class ClockStatusFormatter {
 public:
  /// Lines for the log and the terminal; none when nothing happened. @when service
  std::vector<std::string> take_log_lines(const rtsync::EdgeClockStatus& now);

 private:
  rtsync::EdgeClockStatus told_;
};

/// "locked, phase error 12 ns, +3.2 ppm": for the status line. @when service
std::string clock_text(const rtsync::EdgeClockStatus& clock);

}  // namespace tactus::executive
