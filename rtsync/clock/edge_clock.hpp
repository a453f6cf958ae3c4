#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "rtsync/clock/clock.hpp"
#include "rtsync/clock/clock_slew.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/time/histogram.hpp"

namespace tactus::rtsync {

/// The rig's clock when frames are clocked from outside: CLOCK_MONOTONIC bent so that edge n falls on
/// n * edge_period exactly. A phase-locked loop of second order follows the edges' time stamps:
///
///     error e    = time stamp - predicted time of the edge
///     phase      += 2 w e,  but never by more than `slew` times the time that passes
///     period     += w^2 e,  while the phase is not limited;  w = 1 / smoothing
///
/// (critically damped; the usual digital PLL, e.g. F. M. Gardner, Phaselock Techniques). The loop's line
/// passes from edge to edge; what now() tells follows that line from advance() to advance(), by changing the
/// rate, so the clock is never stepped: its rate never differs from that of CLOCK_MONOTONIC by more than slew
/// plus rate_tolerance. With discipline `edge` and locked, it takes the phase of each edge as it comes, by at
/// most jitter_limit; now() still never goes back, it stands still for the moment.
///
/// The first time, before anything has begun, the clock is set to the edges, not slewed: forwards, by less
/// than an edge period. Rig times stay near CLOCK_MONOTONIC. While there are no edges it goes on at the rate
/// it has learnt. After gone() no edge is taken any more.
///
///     state        on                                                          becomes
///     acquiring    lock_after edges of the right rate and within jitter_limit  locked
///     locked       an edge is missing or overdue                               holdover
///     locked       lock_after edges in a row elsewhere, at the right rate      acquiring
///     locked       the mean rate of the edges leaves the tolerance             acquiring
///     any          two of five edges missing or elsewhere for long             (wrong_rate; goes on)
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
  TimePoint<RigTime> frame_start(TimePoint<RigTime> t) TACTUS_RT override;
  const char* name() const TACTUS_RT override { return "edges"; }
  /// from_monotonic(to_monotonic(t)) >= t, and by less than 2 ns: a wait for to_monotonic(t) is never early.
  TimePoint<RigTime> from_monotonic(TimePoint<MonotonicTime> t) const TACTUS_RT;
  /// CLOCK_MONOTONIC, as this clock reads it.                                                      @when rt
  TimePoint<MonotonicTime> kernel_now() const TACTUS_RT { return monotonic_(); }

  /// Feeds the time stamp of an edge, in order. Takes effect with advance().                       @when rt
  void edge(TimePoint<MonotonicTime> stamp) TACTUS_RT;
  /// Tells that all edges up to `now` were fed: finds those that are missing, and bends the clock from `now`
  /// on.                                                                                           @when rt
  void advance(TimePoint<MonotonicTime> now) TACTUS_RT;
  /// The kernel's buffer was full: what did not come until the next advance() is not missing.       @when rt
  void overflowed() TACTUS_RT;
  /// Nobody read the line until now (real time was off): what did not come is not missing.          @when rt
  void unwatched() TACTUS_RT;
  void gone(int error) TACTUS_RT;  ///< the line is no more                                        @when rt
  /// No edge came within start_timeout: on the internal clock from here on.                        @when rt
  void no_edge() TACTUS_RT;
  /// The frames begin without waiting for the edges: on the internal clock, and slewed to them.    @when rt
  void start_free() TACTUS_RT;
  /// Edge n did not come by its late limit: the frame starts without it.                           @when rt
  void overdue(std::int64_t n) TACTUS_RT;
  /// The rig goes on after a freeze: what would freeze it again is forgotten, and a clock that is still lost
  /// asks for it again only when max_missing more edges are missing. @when rt
  void resumed() TACTUS_RT;

  /// The edge that slot `t` lies on (within kOnGrid); nothing when it lies between two.            @when rt
  std::optional<std::int64_t> edge_at(TimePoint<RigTime> t) const TACTUS_RT;
  /// Whether edge n (or one after it) was accepted.                                                @when rt
  bool seen(std::int64_t n) const TACTUS_RT { return n <= last_edge_; }
  /// Whether edge n (or one after it) has come at all, be it rejected, or was given up.            @when rt
  bool passed(std::int64_t n) const TACTUS_RT { return numbered_ && n <= passed_; }
  /// Begun: locked for the first time, or told no_edge(), gone() or start_free(), or the edges are of no use
  /// and the policy is free_run.                                                                   @when rt
  bool acquisition_done() const TACTUS_RT { return acquisition_done_; }
  std::int64_t last_edge() const TACTUS_RT { return last_edge_; }
  Nanoseconds late_limit() const TACTUS_RT { return late_limit_; }
  Nanoseconds jitter_limit() const TACTUS_RT { return jitter_limit_; }

  /// The gravest policy among the faults since the last call, and its fault; nothing when all said free_run.
  struct Reaction {
    ClockFault fault;
    OnClockFault action;  ///< freeze or terminate
    // What was known at that moment, for the message.
    std::int64_t missing_in_row = 0;
    bool had_edge = false;
    Nanoseconds since_edge{0};   ///< since the newest accepted edge
    Nanoseconds off{0};          ///< of the edge: from its prediction, or from the accepted one before it
    double measured_period = 0;  ///< ns; of wrong_rate
    int error = 0;               ///< errno value; of gone
  };
  std::optional<Reaction> take_reaction() TACTUS_RT;  //                                           @when rt

  const EdgeClockSettings& settings() const TACTUS_RT { return settings_; }
  const EdgeClockStatus& status() const TACTUS_RT { return status_; }
  EdgeClockStatus& status() TACTUS_RT { return status_; }
  /// |time stamp - prediction| of all edges accepted while locked.
  const LatencyHistogram& phase_errors() const TACTUS_RT { return phase_errors_; }

  /// How far from a point of its grid a slot may be: slots are multiplied from an epoch that was rounded.
  static constexpr Nanoseconds kOnGrid{10};

 private:
  /// What a window of edges says.
  enum class Fit : std::uint8_t { too_few, good, noisy, wrong_rate };
  enum class Passed : std::uint8_t { accepted, rejected, missing };

  std::int64_t nearest(std::int64_t rig) const TACTUS_RT;
  void give_up_until(std::int64_t now) TACTUS_RT;
  std::int64_t due_by(std::int64_t now) const TACTUS_RT;
  double error_of(std::int64_t n, std::int64_t stamp) const TACTUS_RT;
  double period_now() const TACTUS_RT { return period_ns_ * (1 + rate_); }
  bool takes_phase() const TACTUS_RT;
  bool too_close(std::int64_t stamp, std::int64_t before) TACTUS_RT;
  void collect_first(std::int64_t stamp) TACTUS_RT;
  void begin_locked(std::int64_t stamp) TACTUS_RT;
  void judge(std::int64_t stamp) TACTUS_RT;
  void reject(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT;
  void reacquire(std::int64_t stamp) TACTUS_RT;
  void verify(std::int64_t n, std::int64_t stamp) TACTUS_RT;
  void recapture(std::int64_t n, std::int64_t stamp) TACTUS_RT;
  void accept(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT;
  void steer(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT;
  double rate_missed(double error, double phase) TACTUS_RT;
  void set_rate(double rate) TACTUS_RT;
  void check_rate(std::int64_t n, std::int64_t stamp) TACTUS_RT;
  void follow(std::int64_t now) TACTUS_RT;
  void pass(std::int64_t n, Passed how) TACTUS_RT;
  void weigh(std::int64_t numbers, std::int64_t missing, Passed how) TACTUS_RT;
  void number_from(std::int64_t now) TACTUS_RT;
  void lock() TACTUS_RT;
  void unlock(ClockState state) TACTUS_RT;
  void fault(ClockFault fault, double off = 0) TACTUS_RT;
  void ask(ClockFault fault, double off) TACTUS_RT;
  void push(std::int64_t stamp, std::int64_t index) TACTUS_RT;
  void keep_newest(std::size_t count) TACTUS_RT;
  void new_window(std::size_t enough) TACTUS_RT;
  void number_by_distance() TACTUS_RT;
  Fit fit() TACTUS_RT;

  EdgeClockSettings settings_;
  EdgeClockStatus& status_;
  TimePoint<MonotonicTime> (*monotonic_)();
  Period period_;
  double period_ns_;
  std::int64_t period_floor_;
  Nanoseconds jitter_limit_{0};
  Nanoseconds late_limit_{0};
  double blanking_ns_ = 0;
  double w_;
  std::int64_t rate_span_ = 0;  // edges over which the mean rate is checked while locked

  ClockSlew line_;                        // the loop's
  ClockSlew out_;                         // what callers see: follows line_
  double rate_ = 0;                       // the period learnt: deviation from nominal
  std::int64_t limited_ = 0;              // edges in a row whose phase was limited, to one side ...
  double limited_to_ = 0;                 // ... this one ...
  std::array<double, 2> limited_sums_{};  // ... and their errors, summed: first and second half
  bool dirty_ = false;                    // line_ has moved since out_ followed
  bool lagging_ = false;                  // out_ was not allowed to follow all the way
  TimePoint<RigTime> told_ = TimePoint<RigTime>::min();  // newest time that now() has told

  bool acquisition_done_ = false;
  bool gone_ = false;
  bool ever_locked_ = false;
  bool numbered_ = false;  // edge numbers mean something: those that do not come are missing
  bool unsure_ = false;    // edges may have been lost: the next one may be anywhere ...
  bool excused_ = false;   // ... and until the next advance() none is missing
  std::int64_t last_edge_ = INT64_MIN;
  std::int64_t last_stamp_ = 0;      // of last_edge_
  std::int64_t passed_ = INT64_MIN;  // newest number that came or is missing
  Passed passed_how_ = Passed::accepted;
  std::int64_t newest_ = INT64_MIN;  // newest time that was fed, edge or not

  // Edges that are not trusted yet: of the first acquisition, or outside while locked, or of a re-lock.
  std::vector<std::int64_t> stamps_;
  std::vector<std::int64_t> indices_;
  std::vector<std::int64_t> scratch_;
  std::size_t count_ = 0;
  std::size_t enough_ = 0;    // edges for a fit
  std::size_t need_ = 0;      // more than that, while it is in doubt
  std::int64_t dropped_ = 0;  // glitches among them
  std::int64_t noisy_ = 0;    // fits that were too noisy
  double fit_rate_ = 0;       // by fit(): rate ...
  double fit_off_ = 0;        // ... and newest stamp minus the line
  double measured_period_ = 0;

  // Re-lock: the newest edge, and whether edges have the right rate, so that the phase is being moved.
  bool has_candidate_ = false;
  std::int64_t candidate_ = 0;
  std::int64_t candidate_stamp_ = 0;
  bool verified_ = false;
  std::int64_t in_row_ = 0;  // within the jitter limit
  double average_ = 0;       // of the error

  std::int64_t span_edge_ = 0;  // the mean rate is measured from here
  std::int64_t span_stamp_ = 0;
  bool span_begun_ = false;

  // Of the edges since the balance was zero: how many numbers passed, how many came where they were predicted
  // or elsewhere. Half of them missing or elsewhere for long is another rate, though the rest lie on the
  // grid.
  std::int64_t off_grid_ = 0;
  std::int64_t numbers_ = 0;
  std::int64_t came_ = 0;

  bool asks_again_ = false;  // after resumed(), still lost
  std::int64_t missing_again_ = 0;
  int error_ = 0;
  std::optional<Reaction> pending_;
  LatencyHistogram phase_errors_;
};

}  // namespace tactus::rtsync
