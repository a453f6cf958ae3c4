// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "rtsync/clock/clock.hpp"
#include "rtsync/time/frame_clock.hpp"
#include "rtsync/wait/overrun_policy.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::rtsync {

struct RealtimeSettings {
  bool enabled = false;  ///< real-time synchronization at the start; enable() and disable() change it later
  bool sleep_timer = true;  ///< off: wait by reading the clock, which uses the whole CPU
  OverrunPolicy overrun;
  /// Simulated seconds per real second, 0.001 .. 1000, taken to six decimals.
  double ratio = 1;
  /// A wake later than this after its slot is a late wake. Not set: a tenth of the (real) period.
  std::optional<Nanoseconds> late_limit;
  Period freeze_frame{10'000'000, 1};  ///< period at which the frozen rig looks for commands
  bool operator==(const RealtimeSettings&) const = default;
};

/// Times of the frame that just ended, for real-time synchronization. No time contains another's wait.
///
///     slot k      wake                done            slot k+1
///       |----late---|------work--------|-----slack------|
///
struct FrameTiming {
  std::int64_t frame = 0;
  TimePoint<RigTime> slot{};  ///< time at which it should have started
  Nanoseconds late{0};        ///< wake - slot
  Nanoseconds work{0};        ///< done - wake
  Nanoseconds slack{0};       ///< next slot - done: positive is good, negative is an overrun
  Nanoseconds period{0};      ///< real time from its slot to the next, at the clock ratio that it had
  std::int64_t lost = 0;      ///< slots given up because of this frame
  OverrunCause overrun = OverrunCause::none;
  bool paced = false;      ///< real-time synchronization was active; otherwise only `work` means something
  bool late_wake = false;  ///< woken later than the late limit
  /// Began later than the late limit because housekeeping ran past its slot: the caller's work between
  /// assess() of the frame before and wait(). The machine is not to blame.
  bool late_by_housekeeping = false;
  bool grace = false;           ///< true: in the start-up grace; overrun and lateness are counted apart
  bool back_to_back = false;    ///< began at the end of the frame before, which had overrun
  Nanoseconds housekeeping{0};  ///< time from the end of the frame before to wait(); 0 after other beginnings
  /// The same after whatever beginning, paced or not: work of the caller between two frames that no frame's
  /// `work` contains. 0: there was no frame before it.
  Nanoseconds behind{0};
};

/// Sums since the start. Threads: written by the paced thread; a copy travels to readers.
struct RealtimeTotals {
  std::int64_t overruns = 0;  ///< frames that ended after the next slot: the sum of the four causes
  std::int64_t overruns_by_work = 0;
  std::int64_t overruns_by_late_wake = 0;
  std::int64_t overruns_catching_up = 0;
  std::int64_t overruns_by_housekeeping = 0;
  std::int64_t late_wakes = 0;
  std::int64_t late_by_housekeeping = 0;
  std::int64_t consecutive_overruns = 0;
  std::int64_t max_consecutive_overruns = 0;
  std::int64_t lost = 0;
  std::int64_t reanchored = 0;
  std::int64_t grace_overruns = 0;
  std::int64_t grace_late_wakes = 0;
  std::int64_t grace_late_by_housekeeping = 0;
  Nanoseconds longest_overrun{0};
};

enum class Verdict {
  go_on,
  freeze,           ///< a maximum was reached and the policy says freeze
  terminate,        ///< a maximum was reached, or the frozen rig was unfrozen after that
  interrupted,      ///< the wait was cut short by Sleeper::interrupt()
  source_lost,      ///< the sleeper cannot wait any more
  not_yet,          ///< start() only: call it again
  clock_freeze,     ///< the external clock is at fault and its policy says freeze
  clock_terminate,  ///< the external clock is at fault and its policy says terminate
};

/// The real time that a frame takes at a clock ratio of 0.001 .. 1000. Throws std::invalid_argument for
/// another. @when setup
Period real_period(Period frame, double ratio);

/// Maximum that was reached.
enum class Maximum { none, consecutive_overruns, single_overrun };

/// Keeps simulated time and real time in step by waiting at the end of each frame: Trick's real-time
/// synchronization, with the slots multiplied instead of summed and the causes of lateness distinguished.
///
/// Off by default. enable() and disable() may be called from any thread at any time and take effect at the
/// end of the frame: enabling starts the clock there (the next frame is the first that is paced), disabling
/// still paces the frame that is ending. When both were called, disable wins on a rig that is in real time,
/// enable on one that is not.
///
/// Threads  enable, disable, set_ratio, active: any. Everything else: the paced thread.
/// RT       assess, wait, freeze_pause and the small ones: no lock, no allocation, no system call but the sleep.
class RealtimeSync {
 public:
  /// The clock and the sleeper must outlive it. Throws std::invalid_argument for a ratio outside 0.001 ..
  /// 1000 and for a frame outside 1 us .. 10 s.                                                  @when setup
  RealtimeSync(const RealtimeSettings& settings, Period frame, PacedClock& clock, Sleeper& sleeper);

  void enable() TACTUS_RT { enable_requested_.store(true, std::memory_order_relaxed); }
  void disable() TACTUS_RT { disable_requested_.store(true, std::memory_order_relaxed); }
  /// Changes the clock ratio at the end of the frame; the slot that is awaited then stays where it is. Values
  /// outside 0.001 .. 1000 are ignored.                                                           @when any
  void set_ratio(double ratio) TACTUS_RT;
  /// Sets what the next overruns do to the grid; at first the settings apply.                       @when rt
  void set_on_overrun(OnOverrun on_overrun) TACTUS_RT { settings_.overrun.on_overrun = on_overrun; }
  OnOverrun on_overrun() const TACTUS_RT { return settings_.overrun.on_overrun; }
  bool active() const TACTUS_RT { return active_.load(std::memory_order_relaxed); }

  /// Takes the requests made so far and prepares the sleeper, on the paced thread. The last thing before
  /// start(). Throws std::system_error when the sleeper cannot be had. @when setup
  void initialize();
  /// Starts the clock: slot of `frame` is now, or the first moment after it at which the rig's clock lets a
  /// frame start. Only go_on means that the frame may run; not_yet, that what is outside is still awaited: to
  /// be called again, at least every 100 ms or so. @when rt
  Verdict start(std::int64_t frame) TACTUS_RT;
  /// The end of a frame in two halves, for housekeeping in the slack between them: assess() takes the requests
  /// and decides on overrun or underrun; wait(), if the verdict was go_on, waits for the next slot. Housekeeping
  /// that runs past that slot is distinguished from a late wake. @when rt
  Verdict assess() TACTUS_RT;
  Verdict wait() TACTUS_RT;
  /// The frame that assess() ended last.                                                          @when rt
  const FrameTiming& timing() const TACTUS_RT { return timing_; }
  const RealtimeTotals& totals() const TACTUS_RT { return totals_; }
  Maximum reached() const TACTUS_RT { return reached_; }
  /// Overruns that count towards max_consecutive_overruns: in a row, or not yet forgiven.           @when rt
  std::int64_t unforgiven_overruns() const TACTUS_RT { return budget_.overruns(settings_.overrun); }

  /// Entering the freeze: the frozen time is counted in freeze frames from the slot of the next frame.
  /// @when rt
  void freeze_init() TACTUS_RT;
  /// Waits for the end of a freeze frame. Counts neither overruns nor late wakes. `cut`: ends the wait early,
  /// with go_on, within kLongestNap after it has become true; the next call takes it up again. @when rt
  Verdict freeze_pause(const std::atomic<bool>* cut = nullptr) TACTUS_RT;
  static constexpr Nanoseconds kLongestNap{1'000'000};
  /// The end of the freeze frame that the last freeze_pause() waited for has come.                 @when rt
  bool freeze_frame_over() TACTUS_RT { return clock_.now() >= freeze_grid_.slot(freeze_frames_); }
  /// Notes that the caller's work at the end of the freeze has ended. It belongs to the freeze, and makes no
  /// wake late.                                                                                     @when rt
  void freeze_work_ended() TACTUS_RT { begin_freeze_grid(clock_.now()); }
  /// Leaving the freeze: the grid moves later by the frozen time. Verdict::terminate when the freeze was the
  /// policy's answer to overruns.                                                                  @when rt
  Verdict unfreeze() TACTUS_RT;
  /// Starts the clock again at `frame`, with a new grace period, after the simulation was set back. @when rt
  Verdict restart(std::int64_t frame) TACTUS_RT;
  /// The end: nothing is paced any more.                                                           @when rt
  void shutdown() TACTUS_RT;

  /// Returns when a frame from the present one on should start. Meaningful while active.           @when rt
  TimePoint<RigTime> slot_of(std::int64_t frame) const TACTUS_RT { return grid_.slot(frame - grid_frame_); }
  /// The wake of the present frame.                                                                @when rt
  TimePoint<RigTime> wake() const TACTUS_RT { return wake_; }

 private:
  /// Way in which the present frame began.
  enum class Began : std::uint8_t { woken, back_to_back, after_housekeeping };

  bool take(std::atomic<bool>& request) TACTUS_RT;
  void begin(Began how, Nanoseconds housekeeping = Nanoseconds{0}) TACTUS_RT;
  void anchor(std::int64_t frame, TimePoint<RigTime> slot) TACTUS_RT;
  Verdict wait_for_frame_start() TACTUS_RT;
  Verdict end_unpaced(TimePoint<RigTime> done) TACTUS_RT;
  void leave() TACTUS_RT;
  void begin_freeze_grid(TimePoint<RigTime> from) TACTUS_RT;
  Verdict overran(TimePoint<RigTime> done) TACTUS_RT;
  void count_lateness() TACTUS_RT;
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT;
  Period real_period() const TACTUS_RT;

  RealtimeSettings settings_;
  const Period frame_period_;
  PacedClock& clock_;
  Sleeper& sleeper_;

  std::atomic<bool> enable_requested_{false};
  std::atomic<bool> disable_requested_{false};
  std::atomic<std::int64_t> ratio_requested_{0};  // millionths; 0: none
  std::atomic<bool> active_{false};

  std::int64_t ratio_millionths_;
  FrameClock grid_;
  std::int64_t grid_frame_ = 0;  // the frame that runs in slot 0 of the grid
  std::int64_t frame_ = 0;       // the frame that is running
  std::int64_t started_at_ = 0;  // where the grace is counted from
  TimePoint<RigTime> wake_{};
  bool leaving_ = false;  // disable() was called: this wait is the last
  Began began_ = Began::back_to_back;
  TimePoint<RigTime> done_{};    // end of the frame before
  Nanoseconds housekeeping_{0};  // after that frame
  Nanoseconds behind_{0};        // likewise, whichever way the present frame began
  bool carried_by_work_ = true;  // the overrun that is caught up began by work
  FrameTiming timing_;
  RealtimeTotals totals_;
  OverrunBudget budget_;
  Maximum reached_ = Maximum::none;
  bool terminate_when_unfrozen_ = false;

  FrameClock freeze_grid_;
  std::int64_t freeze_frames_ = 0;
};

}  // namespace tactus::rtsync
