// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "rtsync/clock/clock.hpp"
#include "rtsync/clock/edge_faults.hpp"
#include "rtsync/clock/edge_grid.hpp"
#include "rtsync/clock/edge_intervals.hpp"
#include "rtsync/clock/edge_loop.hpp"
#include "rtsync/clock/edge_numbers.hpp"
#include "rtsync/clock/edge_rate_check.hpp"
#include "rtsync/clock/edge_window.hpp"
#include "rtsync/time/histogram.hpp"

namespace tactus::rtsync {

/// The rig's clock when frames are clocked from outside: CLOCK_MONOTONIC bent so that edge n falls on n *
/// edge_period exactly. A loop (EdgeLoop) follows the edges; now() follows the loop from advance() to
/// advance(), by changing the rate, so the clock is never stepped: its rate never differs from that of
/// CLOCK_MONOTONIC by more than slew plus rate_tolerance. With discipline `edge` and locked, it takes the
/// phase of each edge as it comes, by at most jitter_limit; now() still never goes back, it stops for the
/// moment.
///
/// The first time, before anything has begun, the clock is set to the edges, not slewed: forwards, by less
/// than an edge period. Rig times stay near CLOCK_MONOTONIC. While there are no edges it continues at the
/// rate it has learnt. After gone() no edge is taken any more.
///
///     state        on                                                          becomes
///     acquiring    lock_after edges of the right rate and within jitter_limit  locked
///     locked       an edge is missing or overdue                               holdover
///     locked       lock_after edges in a row elsewhere, at the right rate      acquiring
///     locked       the mean rate of the edges leaves the tolerance             acquiring
///     locked       edges come in equal intervals of another rate               acquiring
///     holdover     an edge where it was predicted                              locked
///     any          max_missing edges in a row are missing, gone(), no_edge()   lost
///     lost         any edge                                                    acquiring
///
/// Each edge fed is counted once: in edges (accepted), unsettled, or faults[glitch], [doubled] or [jitter]
/// ([late] are those of [jitter] that came too late). Those of the first acquisition are counted when it is
/// through with them.
///
/// Knows no file and no thread: tests feed it time stamps.
///
/// Threads  setup, then the paced thread alone. status(), phase_errors(): that thread, or any after the run.
/// RT       everything but the constructor: no lock, no allocation, no system call but reading the clock. An
///          edge costs some 100 ns; while acquiring, now and then one pass over 4 * lock_after edges.
class EdgeClock final : public PacedClock {
 public:
  /// Reads CLOCK_MONOTONIC through `monotonic` (tests bring their own). `status` must outlive the clock.
  /// Throws std::invalid_argument naming the field and its range. @when setup
  EdgeClock(const EdgeClockSettings& settings, EdgeClockStatus& status,
            TimePoint<MonotonicTime> (*monotonic)() = &monotonic_now);

  // PacedClock
  TimePoint<RigTime> now() TACTUS_RT override;
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override;
  /// The next multiple of the frame: frames begin on edges, or on the grid between them. A time that is
  /// within kOnGrid after a multiple counts as that multiple: slots of fractional periods are rounded.
  TimePoint<RigTime> frame_start(TimePoint<RigTime> t) TACTUS_RT override {
    return TimePoint<RigTime>{grid_.frame_start((t - kOnGrid).time_since_epoch().count())};
  }
  const char* name() const TACTUS_RT override { return "edges"; }
  /// Returns a time with from_monotonic(to_monotonic(t)) >= t, by less than 2 ns: a wait for to_monotonic(t)
  /// never ends early.
  TimePoint<RigTime> from_monotonic(TimePoint<MonotonicTime> t) const TACTUS_RT;
  /// CLOCK_MONOTONIC, as this clock reads it.                                                      @when rt
  TimePoint<MonotonicTime> kernel_now() const TACTUS_RT { return monotonic_(); }

  /// Feeds the time stamp of an edge, in order. Takes effect with advance().                       @when rt
  void edge(TimePoint<MonotonicTime> stamp) TACTUS_RT;
  /// Notes that all edges up to `now` were fed: finds those that are missing, and bends the clock from `now`
  /// on. @when rt
  void advance(TimePoint<MonotonicTime> now) TACTUS_RT;
  /// The kernel's buffer was full: what did not come until the next advance() is not missing.       @when rt
  void overflowed() TACTUS_RT;
  /// Notes that no thread read the line until now (real time was off): what did not come is not missing.
  /// @when rt
  void unwatched() TACTUS_RT;
  void gone(int error) TACTUS_RT;  ///< the line is no more                                        @when rt
  /// No edge came within start_timeout: on the internal clock from here on.                        @when rt
  void no_edge() TACTUS_RT;
  /// The frames begin without waiting for the edges: on the internal clock, and slewed to them.    @when rt
  void start_free() TACTUS_RT;
  /// Edge n did not come by its late limit: the frame starts without it.                           @when rt
  void overdue(std::int64_t n) TACTUS_RT;
  /// Notes that the rig continues after a freeze: what would freeze it again is forgotten, and a clock that
  /// is still lost asks for it again only when max_missing more edges are missing. @when rt
  void resumed() TACTUS_RT;

  /// The edge that slot `t` lies on (within kOnGrid); nothing when it lies between two.            @when rt
  std::optional<std::int64_t> edge_at(TimePoint<RigTime> t) const TACTUS_RT;
  /// Returns true once edge n, or one after it, was accepted.                                      @when rt
  bool seen(std::int64_t n) const TACTUS_RT { return n <= numbers_.last(); }
  /// Returns true once edge n, or one after it, has come (even if it was rejected) or was given up. @when rt
  bool passed(std::int64_t n) const TACTUS_RT { return numbers_.passed(n); }
  /// Returns true once begun: locked for the first time, or after no_edge(), gone() or start_free(), or the
  /// edges are of no use and the policy is free_run. @when rt
  bool acquisition_done() const TACTUS_RT { return state_ != State::first; }
  std::int64_t last_edge() const TACTUS_RT { return numbers_.last(); }
  Nanoseconds late_limit() const TACTUS_RT { return grid_.late_limit; }
  Nanoseconds jitter_limit() const TACTUS_RT { return grid_.jitter_limit; }

  using Reaction = EdgeFaults::Reaction;
  /// The gravest since the last call; nothing when all said free_run.                              @when rt
  std::optional<Reaction> take_reaction() TACTUS_RT { return faults_.take(); }

  const EdgeClockSettings& settings() const TACTUS_RT { return grid_.settings; }
  const EdgeClockStatus& status() const TACTUS_RT { return status_; }
  EdgeClockStatus& status() TACTUS_RT { return status_; }
  /// |time stamp - prediction| of all edges accepted while locked.
  const LatencyHistogram& phase_errors() const TACTUS_RT { return phase_errors_; }

  /// Largest distance of a slot from a point of its grid: slots are multiplied from an epoch that was
  /// rounded.
  static constexpr Nanoseconds kOnGrid{10};

 private:
  enum class State : std::uint8_t {
    first,      ///< the first acquisition: nothing has begun
    searching,  ///< no edge of a re-lock yet
    verifying,  ///< edges are numbered, their rate is not known
    nearing,    ///< edges of the right rate: their phase is being approached
    locked,
    holdover,
    lost,
    gone,
  };

  bool follows() const TACTUS_RT { return state_ == State::locked || state_ == State::holdover; }
  bool relocks() const TACTUS_RT { return state_ == State::verifying || state_ == State::nearing; }
  bool by_edge() const TACTUS_RT { return grid_.settings.discipline == Discipline::edge; }
  bool takes_phase() const TACTUS_RT { return by_edge() && state_ == State::locked; }
  /// Edges of a fit while no edge is followed.
  std::size_t to_acquire() const TACTUS_RT { return static_cast<std::size_t>(settings().lock_after + 1); }
  void enter(State state) TACTUS_RT;
  void lock() TACTUS_RT;
  std::int64_t next_number(std::int64_t stamp) const TACTUS_RT;
  std::int64_t due_by(std::int64_t now) const TACTUS_RT;
  void give_up_until(std::int64_t now) TACTUS_RT;
  void pass(std::int64_t n, EdgePassed how) TACTUS_RT;
  void refuse(double measured_period) TACTUS_RT;
  EdgeWindow::Fit fit() TACTUS_RT;
  bool too_close(std::int64_t stamp, std::int64_t before) TACTUS_RT;
  void collect_first(std::int64_t stamp) TACTUS_RT;
  void begin_locked(std::int64_t stamp) TACTUS_RT;
  void judge(std::int64_t stamp) TACTUS_RT;
  void accept(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT;
  void reject(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT;
  void reacquire(std::int64_t stamp) TACTUS_RT;
  void verify(std::int64_t n, std::int64_t stamp) TACTUS_RT;
  void approach(std::int64_t n, std::int64_t stamp) TACTUS_RT;

  EdgeGrid grid_;
  EdgeClockStatus& status_;
  TimePoint<MonotonicTime> (*monotonic_)();
  TimePoint<RigTime> told_ = TimePoint<RigTime>::min();  // newest time that now() has told

  EdgeNumbers numbers_{status_};
  EdgeFaults faults_{grid_, numbers_, status_};
  EdgeLoop loop_{grid_};
  EdgeRateCheck rate_check_{grid_};
  EdgeIntervals intervals_{grid_};
  EdgeWindow window_{grid_};  // of the first acquisition, or outside while followed, or of a re-lock

  State state_ = State::first;
  bool ever_locked_ = false;
  bool unsure_ = false;     // edges may have been lost: the next one may be anywhere
  std::int64_t noisy_ = 0;  // fits of the first acquisition that were too noisy
  LatencyHistogram phase_errors_;
};

}  // namespace tactus::rtsync
