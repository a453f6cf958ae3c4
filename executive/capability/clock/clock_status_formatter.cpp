// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/clock/clock_status_formatter.hpp"

#include "rtsync/host/plain_text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

using rtsync::ClockFault;
using rtsync::EdgeClockStatus;

std::vector<std::string> ClockStatusFormatter::take_log_lines(const EdgeClockStatus& now) {
  std::vector<std::string> lines;
  std::string happened;
  const auto add = [&happened](std::int64_t more, const std::string& what) {
    if (more > 0) happened += (happened.empty() ? "" : ", ") + std::to_string(more) + " " + what;
  };
  add(now.missing - told_.missing, "missing");
  for (std::size_t i = 0; i < rtsync::kClockFaults; ++i) {
    const auto fault = static_cast<ClockFault>(i);
    if (fault != ClockFault::missing) add(now.faults[i] - told_.faults[i], std::string(name_of(fault)));
  }
  add(now.injected - told_.injected, "disturbed by faults of the rig (injected)");
  add(now.relocks - told_.relocks, "times locked again");
  if (!happened.empty() || now.state != told_.state) {
    std::string line = "external clock ";
    if (now.state != told_.state) line += std::string(name_of(told_.state)) + " -> ";
    line += clock_text(now);
    if (!happened.empty()) line += "; edges since the last report: " + happened;
    lines.push_back(std::move(line));
  }
  told_ = now;
  return lines;
}

std::string clock_text(const EdgeClockStatus& clock) {
  const std::string frequency = rtsync::format_text("%+.3g ppm", clock.frequency_ppm);
  std::string text(name_of(clock.state));
  if (clock.edges > 0) text += ", phase " + rtsync::duration_text(clock.phase_error_ns) + ", " + frequency;
  if (clock.consecutive_missing > 0) text += ", " + std::to_string(clock.consecutive_missing) + " missing";
  return text;
}

}  // namespace tactus::executive
