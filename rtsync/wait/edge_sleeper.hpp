// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "rtsync/clock/edge_clock.hpp"
#include "rtsync/clock/edge_source.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::rtsync {

/// Calls of EdgeSource::wait() as a thread sees them that watches whether they return.
///
/// Threads  one writer; any reader.
struct SourceCalls {
  std::atomic<std::uint64_t> returned{0};
  std::atomic<bool> is_in_call{false};
};

/// Waits for slots of an EdgeClock. It reads the edges that have come, feeds the clock, and then
///
///   discipline pll   lets the inner sleeper wake at the predicted edge;
///   discipline edge  waits for the edge itself (poll with a deadline), and for slots between two edges, or
///                    while the clock is not locked, lets the inner sleeper wait.
///
/// A wait ends at its slot whatever the edges do; a fault whose policy requires that appears in the status of
/// the wait that noticed it, and in failure().
///
/// An edge is missing when a reading that began late enough did not find it: how long this thread stands
/// still after a reading does not matter.
///
/// A line that was not read for longer than a second and 12 edge periods (real time was off) was not watched:
/// the stale edges in the kernel's buffer are dropped, and none counts as missing.
///
/// Threads, RT as Sleeper; system calls are those of the source and of the inner sleeper. A line that
///              oscillates costs a wait at most 16 full buffers.
class EdgeSleeper final : public Sleeper {
 public:
  /// Edges that are read in one go.
  static constexpr std::size_t kBatch = 64;
  /// Longest time from a call of the source's wait() to its deadline, so that interrupt() is noticed.
  static constexpr Nanoseconds kLongestWait{100'000'000};

  /// `inner` waits on `clock`. All three must outlive it.
  EdgeSleeper(EdgeClock& clock, EdgeSource& source, Sleeper& inner);

  static constexpr Nanoseconds kBeginWait{10'000'000};

  void prepare(Period period) override;
  /// Drops stale edges, then waits until the clock is settled: locked, or given up with the policy free_run.
  /// A clock that is settled already (another start) only catches up. Waits for kBeginWait at a time.
  WaitResult begin() TACTUS_RT override;
  /// A clock that is not settled yet (real time was switched on later, or resumed after a fault at the start)
  /// runs on the internal clock from here on, and is slewed to the edges.
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override;
  /// Follows the edges too, so that the clock locks again while the rig is frozen. A fault that says freeze
  /// says nothing new here and is forgotten; one that says terminate is reported.
  WaitResult follow(TimePoint<RigTime> slot) TACTUS_RT override { return wait_until(slot); }
  WaitResult rest_until(TimePoint<RigTime> slot) TACTUS_RT override;
  void interrupt() TACTUS_RT override;
  const char* name() const TACTUS_RT override;  ///< name of the inner sleeper, or "edge"
  std::string remark() const override;
  double share_spun(Period period) const override;
  /// The fault that made it return WaitStatus::fault_freeze or fault_terminate last.
  std::optional<EdgeFaults::Reaction> last_fault() const TACTUS_RT override { return reaction_; }
  /// "the clock line is lost: 10 edges in a row are missing (gpiochip0 line 3, rising)". @when service
  std::string text_of(const EdgeFaults::Reaction& r) const override;
  /// Calls of the source's wait(), which must have returned soon after kLongestWait.                 @when any
  const SourceCalls& source_calls() const TACTUS_RT { return calls_; }
  const EdgeSource& source() const { return source_; }

 private:
  std::string sentence(const EdgeFaults::Reaction& r) const;
  void sync_interrupt() TACTUS_RT;
  EdgeRead read_line(TimePoint<MonotonicTime> deadline) TACTUS_RT;
  EdgeStatus take(TimePoint<MonotonicTime> now, TimePoint<MonotonicTime> deadline, bool feed) TACTUS_RT;
  void catch_up() TACTUS_RT;
  WaitResult approach(TimePoint<RigTime> slot, std::int64_t edges_before) TACTUS_RT;
  WaitResult wait_for_edge(std::int64_t n, TimePoint<RigTime> slot) TACTUS_RT;
  void forget_late_edge() TACTUS_RT;
  void note_late_edge(std::int64_t n, TimePoint<RigTime> slot, TimePoint<MonotonicTime> deadline) TACTUS_RT;
  WaitResult wait_for_slot(TimePoint<RigTime> slot) TACTUS_RT;
  bool react(WaitResult& result, bool frozen) TACTUS_RT;

  EdgeClock& edges_;
  EdgeSource& source_;
  Sleeper& inner_;
  const Nanoseconds edge_period_;
  SourceCalls calls_;
  std::array<TimePoint<MonotonicTime>, kBatch> buffer_{};
  bool gone_ = false;
  bool rested_ = false;
  bool beginning_ = false;             // begin() answered not_yet
  TimePoint<MonotonicTime> newest_{};  // while beginning: when edges were read last
  bool read_before_ = false;
  TimePoint<MonotonicTime> read_until_{};  // all edges until here were read, or dropped
  TimePoint<MonotonicTime> newest_edge_{};
  std::optional<EdgeClock::Reaction> reaction_;
  std::atomic<bool> is_injected_{false};  // reaction_ may come of a fault of the rig
  std::int64_t disturbed_before_ = 0;     // edges disturbed before the wait
};

}  // namespace tactus::rtsync
