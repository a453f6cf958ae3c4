// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "executive/frame/executive.hpp"
#include "executive/run_base/rig_threads.hpp"

namespace tactus::executive {

/// Watches over a stop or an abort that a job does not let happen: drives the outputs safe after a while, and
/// says when to wait no longer.
///
/// Threads  the service thread.
class EndWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `frame`: of real time. Both must outlive it.
  EndWatch(Executive& executive, const RigThreads& threads, rtsync::Nanoseconds frame)
      : executive_(executive), threads_(threads), frame_(frame) {}

  /// A new wait for something begins now. `ending`: the frames have ended.
  /// `what`: "the join of the federation", where no job runs. `starting`: the frames have not begun.
  void begin(Clock::time_point now = Clock::now(), bool ending = false, std::string what = "",
             bool starting = false);
  /// Again and again while waiting. True: a second after an abort, or ten minutes after the beginning of
  /// an end, a job still has not returned, or for a second an output's driver from driving it safe; the process has to
  /// be ended with rtsync::end_process.
  bool overdue(Clock::time_point now = Clock::now());

  /// A second after a stop, or of a start or an end, a job still has not returned: what to say of it, once a wait; empty: nothing.
  std::string take_note();

  // After overdue(); the outputs are then driven safe.
  std::string reason() const;
  /// Returns whether a driver has not returned from driving its outputs safe.
  bool drives_outputs() const;
  /// Lateness of the frame that ends the rig at the moment when the wait for it ended.
  rtsync::Nanoseconds overran() const { return looked_ - beat_at_ - frame_; }
  /// `in_frame`: the frame that ends the rig is an overrun, too: by its work, of at least the time that it was
  /// waited for.
  rtsync::RealtimeTotals totals(bool in_frame) const;

 private:
  using Time = Clock::time_point;

  std::string awaited() const;

  Executive& executive_;
  const RigThreads& threads_;
  const rtsync::Nanoseconds frame_;
  std::chrono::nanoseconds aborted_{0};  // for how long
  Time looked_;
  Time beat_at_;  // when a frame or freeze frame was seen to have ended
  std::int64_t beats_ = -1;
  std::chrono::nanoseconds waited_{0};  // since begin()
  bool ending_ = false;
  bool starting_ = false;
  std::string what_;
  bool noted_ = false;
  const SafeOutput* output_ = nullptr;   // that was being driven safe at the latest look
  std::chrono::nanoseconds driving_{0};  // for how long
  std::optional<Time> stopping_;
  std::optional<std::size_t> stuck_;
};

}  // namespace tactus::executive
