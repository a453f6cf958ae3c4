// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/realtime_sync.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace tactus::rtsync {
namespace {

constexpr Nanoseconds kNoTime{0};
constexpr std::int64_t kMillion = 1'000'000;

std::int64_t to_millionths(double ratio) TACTUS_RT {
  return ratio >= 0.001 && ratio <= 1000 ? std::llround(ratio * static_cast<double>(kMillion)) : 0;
}

/// The real time that a frame takes at this clock ratio, exactly.
Period scaled(Period frame, std::int64_t ratio_millionths) TACTUS_RT {
  // Shortened first, so that 2x of 10 s or 0.001x of a third of a millisecond stays inside 64 bits.
  const std::int64_t a = std::gcd(frame.num(), ratio_millionths);
  const std::int64_t b = std::gcd(kMillion, frame.den());
  const std::int64_t ratio = ratio_millionths / a;
  const std::int64_t c = std::gcd(kMillion / b, ratio);
  Wide num = static_cast<Wide>(frame.num() / a) * (kMillion / b / c);
  Wide den = static_cast<Wide>(frame.den() / b) * (ratio / c);
  // A clumsy ratio of a clumsy rate (0.999999 of 0.12345 Hz) does not fit all the same: the nearest that
  // does.
  while (num > INT64_MAX || den > INT64_MAX) {
    num /= 2;
    den /= 2;
  }
  return Period{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

Period checked_frame(Period frame) {
  if (frame < Period{FrameClock::kShortest} || frame > Period{FrameClock::kLongest})
    throw std::invalid_argument("a frame lasts 1 us .. 10 s");
  return frame;
}

std::int64_t checked_millionths(double ratio) {
  const std::int64_t millionths = to_millionths(ratio);
  if (millionths == 0) throw std::invalid_argument("the clock ratio is outside 0.001 .. 1000");
  return millionths;
}

Verdict verdict_of(WaitStatus status) TACTUS_RT {
  switch (status) {
    case WaitStatus::reached:
      return Verdict::go_on;
    case WaitStatus::interrupted:
      return Verdict::interrupted;
    case WaitStatus::not_yet:
      return Verdict::not_yet;
    case WaitStatus::fault_freeze:
      return Verdict::clock_freeze;
    case WaitStatus::fault_terminate:
      return Verdict::clock_terminate;
    case WaitStatus::source_lost:
      break;
  }
  return Verdict::source_lost;
}

}  // namespace

Period real_period(Period frame, double ratio) { return scaled(frame, checked_millionths(ratio)); }

RealtimeSync::RealtimeSync(const RealtimeSettings& settings, Period frame, PacedClock& clock,
                           Sleeper& sleeper)
    : settings_(settings),
      frame_period_(checked_frame(frame)),
      clock_(clock),
      sleeper_(sleeper),
      ratio_millionths_(checked_millionths(settings.ratio)),
      grid_(TimePoint<RigTime>{}, scaled(frame, ratio_millionths_)),
      freeze_grid_(TimePoint<RigTime>{}, settings.freeze_frame) {
  if (settings.enabled) enable();
}

void RealtimeSync::set_ratio(double ratio) TACTUS_RT {
  if (const std::int64_t millionths = to_millionths(ratio); millionths != 0)
    ratio_requested_.store(millionths, std::memory_order_relaxed);
}

bool RealtimeSync::take(std::atomic<bool>& request) TACTUS_RT {
  // The plain load keeps the common case free of a locked instruction.
  return request.load(std::memory_order_relaxed) && request.exchange(false, std::memory_order_relaxed);
}

Period RealtimeSync::real_period() const TACTUS_RT { return scaled(frame_period_, ratio_millionths_); }

void RealtimeSync::anchor(std::int64_t frame, TimePoint<RigTime> slot) TACTUS_RT {
  grid_ = FrameClock{slot, real_period()};
  grid_frame_ = frame;
}

void RealtimeSync::initialize() {
  const bool enabled = take(enable_requested_);
  const bool disabled = take(disable_requested_);
  active_.store((active() || enabled) && !disabled, std::memory_order_relaxed);
  sleeper_.prepare(real_period());
}

Verdict RealtimeSync::start(std::int64_t frame) TACTUS_RT {
  frame_ = frame;
  started_at_ = frame;
  budget_.clear();
  totals_.consecutive_overruns = 0;
  terminate_when_unfrozen_ = false;
  behind_ = kNoTime;
  reached_ = Maximum::none;
  const WaitResult begun = active() ? sleeper_.begin() : WaitResult{WaitStatus::reached, clock_.now()};
  wake_ = clock_.now();
  begin(Began::back_to_back);
  anchor(frame, active() ? clock_.frame_start(wake_) : wake_);
  return begun.status == WaitStatus::reached ? wait_for_frame_start() : verdict_of(begun.status);
}

Verdict RealtimeSync::restart(std::int64_t frame) TACTUS_RT { return start(frame); }

/// The frame was anchored where something outside lets it start, which may be ahead.
Verdict RealtimeSync::wait_for_frame_start() TACTUS_RT {
  const TimePoint<RigTime> slot = slot_of(frame_);
  if (!active() || slot <= wake_) return Verdict::go_on;
  const WaitResult result = wait_until(slot);
  wake_ = result.wake;
  begin(Began::woken);
  return verdict_of(result.status);
}

void RealtimeSync::begin(Began how, Nanoseconds housekeeping) TACTUS_RT {
  began_ = how;
  housekeeping_ = housekeeping;
}

void RealtimeSync::shutdown() TACTUS_RT { active_.store(false, std::memory_order_relaxed); }

Verdict RealtimeSync::assess() TACTUS_RT {
  const TimePoint<RigTime> done = done_ = clock_.now();
  timing_ = FrameTiming{};
  timing_.frame = frame_;
  timing_.work = done - wake_;
  timing_.behind = std::exchange(behind_, kNoTime);
  timing_.period = grid_.period().floor();  // of the frame that ends, whatever comes next
  if (ratio_requested_.load(std::memory_order_relaxed) != 0) {
    const TimePoint<RigTime> slot = slot_of(frame_);
    const TimePoint<RigTime> next = slot_of(frame_ + 1);
    ratio_millionths_ = ratio_requested_.exchange(0, std::memory_order_relaxed);
    anchor(frame_ + 1, next);
    timing_.slot = slot;
  } else {
    timing_.slot = slot_of(frame_);
  }
  if (!active()) return end_unpaced(done);

  leaving_ = take(disable_requested_);
  (void)take(enable_requested_);  // already active: forgotten
  timing_.paced = true;
  timing_.late = wake_ - timing_.slot;
  timing_.slack = slot_of(frame_ + 1) - done;
  timing_.grace = frame_ - started_at_ < settings_.overrun.grace;
  count_lateness();

  Verdict verdict = Verdict::go_on;
  if (timing_.slack < Nanoseconds{0}) {
    verdict = overran(done);
  } else {
    totals_.consecutive_overruns = 0;
    budget_.good(settings_.overrun);
  }
  ++frame_;
  if (verdict != Verdict::go_on) leave();  // there will be no wait
  return verdict;
}

/// Does what disable() asked for, as soon as the frame that it ended with needs no wait.
void RealtimeSync::leave() TACTUS_RT {
  if (std::exchange(leaving_, false)) active_.store(false, std::memory_order_relaxed);
}

Verdict RealtimeSync::end_unpaced(TimePoint<RigTime> done) TACTUS_RT {
  (void)take(disable_requested_);  // not active: forgotten
  ++frame_;
  wake_ = done;
  begin(Began::back_to_back);
  if (take(enable_requested_)) {
    // The frame that comes next is the first that is paced: real time equals simulated time from where wait()
    // starts it.
    active_.store(true, std::memory_order_relaxed);
    budget_.clear();  // overruns before an unpaced stretch are not in a row with those after it
    totals_.consecutive_overruns = 0;
  }
  return Verdict::go_on;
}

void RealtimeSync::count_lateness() TACTUS_RT {
  const Nanoseconds period = timing_.period;
  const Nanoseconds limit = settings_.late_limit.value_or(period / 10);
  const bool late = timing_.late > limit;
  timing_.late_wake = began_ == Began::woken && late;
  timing_.late_by_housekeeping = began_ == Began::after_housekeeping && late;
  timing_.back_to_back = began_ == Began::back_to_back && timing_.late > kNoTime;
  timing_.housekeeping = housekeeping_;
  if (timing_.late_wake) ++(timing_.grace ? totals_.grace_late_wakes : totals_.late_wakes);
  if (timing_.late_by_housekeeping)
    ++(timing_.grace ? totals_.grace_late_by_housekeeping : totals_.late_by_housekeeping);
  if (timing_.slack >= Nanoseconds{0}) return;
  // Of its two parts the one that it was over by most.
  const bool by_work = timing_.work - period > std::max(timing_.late, kNoTime);
  const bool carried = timing_.back_to_back && !carried_by_work_;
  if (timing_.work > period && (by_work || !(timing_.late_wake || timing_.late_by_housekeeping || carried))) {
    timing_.overrun = OverrunCause::work;
  } else if (timing_.late_wake) {
    timing_.overrun = OverrunCause::late_wake;
  } else if (timing_.late_by_housekeeping) {
    timing_.overrun = OverrunCause::housekeeping;
  } else {
    // Begun in time, or within the limit, and still not done: then the work was too long for its slot.
    timing_.overrun = began_ == Began::back_to_back ? OverrunCause::catching_up : OverrunCause::work;
  }
  if (timing_.overrun != OverrunCause::catching_up) carried_by_work_ = timing_.overrun == OverrunCause::work;
}

Verdict RealtimeSync::overran(TimePoint<RigTime> done) TACTUS_RT {
  const OverrunPolicy& policy = settings_.overrun;
  Verdict verdict = Verdict::go_on;
  if (timing_.grace) {
    ++totals_.grace_overruns;
  } else {
    ++totals_.overruns;
    switch (timing_.overrun) {
      case OverrunCause::work:
        ++totals_.overruns_by_work;
        break;
      case OverrunCause::late_wake:
        ++totals_.overruns_by_late_wake;
        break;
      case OverrunCause::housekeeping:
        ++totals_.overruns_by_housekeeping;
        break;
      default:
        ++totals_.overruns_catching_up;
    }
    ++totals_.consecutive_overruns;
    totals_.max_consecutive_overruns =
        std::max(totals_.max_consecutive_overruns, totals_.consecutive_overruns);
    totals_.longest_overrun = std::max(totals_.longest_overrun, -timing_.slack);
    budget_.overrun(policy);
    if (budget_.full(policy)) reached_ = Maximum::consecutive_overruns;
    if (policy.max_overrun != Nanoseconds::max() && -timing_.slack >= policy.max_overrun)
      reached_ = Maximum::single_overrun;
    if (reached_ != Maximum::none) {
      terminate_when_unfrozen_ = policy.at_maximum == AtMaximum::freeze;
      verdict = terminate_when_unfrozen_ ? Verdict::freeze : Verdict::terminate;
    }
  }
  if (verdict != Verdict::go_on) return verdict;  // the end, or a freeze: no next slot depends on the grid
  const std::int64_t next = frame_ + 1 - grid_frame_;  // slot of the frame that comes next
  const GridMove move = after_overrun(policy, grid_, next, done);
  timing_.lost = move.lost;
  if (move.reanchor) {
    const TimePoint<RigTime> slot = clock_.frame_start(done);
    // Whole slots that pass until then; an external clock lets no frame start before its next edge.
    if (slot > done) timing_.lost = std::max(move.lost, grid_.last_at_or_before(slot) - next);
    anchor(frame_ + 1, slot);
    ++totals_.reanchored;
  } else {
    grid_frame_ -= move.lost;
  }
  totals_.lost += timing_.lost;
  return verdict;
}

WaitResult RealtimeSync::wait_until(TimePoint<RigTime> slot) TACTUS_RT {
  if (settings_.sleep_timer) return sleeper_.wait_until(slot);
  TimePoint<RigTime> now = clock_.now();
  while (now < slot) {  // the sleeper does not sleep, but it is still what is interrupted
    if (sleeper_.interrupted()) return {WaitStatus::interrupted, now};
    now = clock_.now();
  }
  return {WaitStatus::reached, now};
}

Verdict RealtimeSync::wait() TACTUS_RT {
  if (!timing_.paced) {
    wake_ = clock_.now();  // what the caller did since assess() is no frame's work
    behind_ = wake_ - done_;
    if (!active()) return Verdict::go_on;
    // Enabled just now. Frames that run do not wait for an external clock to settle: they are slewed to it.
    anchor(frame_, clock_.frame_start(wake_));
    return wait_for_frame_start();
  }
  leave();
  const TimePoint<RigTime> slot = slot_of(frame_);
  const TimePoint<RigTime> now = clock_.now();
  const bool behind = timing_.slack < Nanoseconds{0} && slot <= done_;  // back to back
  const bool past = slot <= now;                                        // the next frame begins here
  behind_ = now - done_;
  const WaitResult result = past ? sleeper_.follow(slot) : wait_until(slot);
  wake_ = result.wake;
  begin(behind ? Began::back_to_back
        : past ? Began::after_housekeeping
               : Began::woken,
        behind ? Nanoseconds{0} : now - done_);
  return verdict_of(result.status);
}

void RealtimeSync::freeze_init() TACTUS_RT {
  leave();
  begin_freeze_grid(active() ? slot_of(frame_) : clock_.now());
}

void RealtimeSync::begin_freeze_grid(TimePoint<RigTime> from) TACTUS_RT {
  freeze_grid_ = FrameClock{from, settings_.freeze_frame};
  freeze_frames_ = 0;
}

Verdict RealtimeSync::freeze_pause(const std::atomic<bool>* cut) TACTUS_RT {
  // Requests are taken as at the end of a frame; the freeze is paced in either case, so that a frozen rig
  // never uses a whole CPU.
  if (active()) {
    (void)take(enable_requested_);
    if (take(disable_requested_)) active_.store(false, std::memory_order_relaxed);
  } else {
    (void)take(disable_requested_);
    if (take(enable_requested_)) {
      active_.store(true, std::memory_order_relaxed);
      anchor(frame_, clock_.frame_start(freeze_grid_.slot(freeze_frames_)));
      begin_freeze_grid(freeze_grid_.slot(freeze_frames_));
    }
  }
  // The first freeze slot that is still ahead: no burst after a stall, and a pause that was interrupted is
  // taken up again instead of being counted twice.
  freeze_frames_ = freeze_grid_.first_at_or_after(clock_.now() + Nanoseconds{1});
  const TimePoint<RigTime> slot = freeze_grid_.slot(freeze_frames_);
  if (cut == nullptr) return verdict_of(sleeper_.rest_until(slot).status);
  // In naps that grow: who answers fast is answered fast, and a long pause costs little.
  Nanoseconds nap{20'000};
  for (;;) {
    if (cut->load(std::memory_order_acquire)) return Verdict::go_on;
    const TimePoint<RigTime> next = std::min(slot, clock_.now() + nap);
    const WaitStatus status = sleeper_.rest_until(next).status;
    if (status != WaitStatus::reached || next == slot) return verdict_of(status);
    nap = std::min(2 * nap, kLongestNap);
  }
}

Verdict RealtimeSync::unfreeze() TACTUS_RT {
  if (terminate_when_unfrozen_) return Verdict::terminate;
  wake_ = clock_.now();
  begin(Began::woken);  // a late wake out of the freeze is one
  // The pause may have been cut short: the next slot then is now, not the freeze slot that was waited for.
  if (active()) {
    const TimePoint<RigTime> slot = clock_.frame_start(std::min(freeze_grid_.slot(freeze_frames_), wake_));
    grid_ = grid_.shifted(slot - slot_of(frame_));
  }
  budget_.clear();
  totals_.consecutive_overruns = 0;
  return wait_for_frame_start();
}

}  // namespace tactus::rtsync
