// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "executive/frame/call_pages.hpp"
#include "executive/frame/program.hpp"

namespace tactus::executive {

/// Counts the times of the calls that the lanes of frames have passed on.
///
/// Threads  constructor: setup, no frame runs. count(): one at a time. The rest: any.
class CallCounter {
 public:
  /// Makes the lanes pass their calls on from here on; it must outlive their frames. @when setup
  CallCounter(const JobClock& clock, JobTimes& times, const std::vector<Lane*>& lanes);
  /// Does the same for all lanes of a program.
  explicit CallCounter(Program& program);
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  /// Counts the page of each lane that waits longest. False: none waits. @when service
  bool count();
  /// Returns true once all is counted that was passed on when it began to look.                    @when any
  bool has_counted(const std::vector<std::uint64_t>& passed) const;
  /// Returns how many pages of each lane have been passed on.                                      @when any
  std::vector<std::uint64_t> passed() const;

 private:
  void count(const CallPages::Page& page, bool medians);

  const JobClock& clock_;
  JobTimes& times_;
  std::deque<CallPages> pages_;  // of each lane
};

}  // namespace tactus::executive
