// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "executive/plan/escalation.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Decides whether a step of an escalation is to be taken: the last `after` events lie within a number of
/// frames. An event leaves the window when these have passed; all leave it when the step is taken.
///
/// Threads  one.
/// RT       everything but the constructor.
class StepWindow {
 public:
  /// `frames`: how long the window is, at least 1. @when setup
  StepWindow(const EscalationStep& step, std::int64_t frames)
      : frames_(frames), events_(static_cast<std::size_t>(step.after)) {}

  /// Adds events of frame k, which is not before the last one. True: the step is taken.             @when rt
  bool add(std::int64_t k, std::int64_t events) TACTUS_RT {
    const auto most = static_cast<std::int64_t>(events_.size());
    for (std::int64_t i = std::min(events, most); i > 0; --i) {
      events_[next_] = k;
      next_ = next_ + 1 == events_.size() ? 0 : next_ + 1;
      count_ = std::min(count_ + 1, most);
    }
    if (events == 0 || count_ < most || k - events_[next_] >= frames_) return false;
    clear();
    return true;
  }
  void clear() TACTUS_RT { count_ = 0; }

 private:
  const std::int64_t frames_;
  std::vector<std::int64_t> events_;  // frames of the last ones, a ring
  std::size_t next_ = 0;              // the oldest, once the window is full
  std::int64_t count_ = 0;
};

}  // namespace tactus::executive
