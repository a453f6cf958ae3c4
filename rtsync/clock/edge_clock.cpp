// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_clock.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::rtsync {

using Fit = EdgeWindow::Fit;

EdgeClock::EdgeClock(const EdgeClockSettings& settings, EdgeClockStatus& status,
                     TimePoint<MonotonicTime> (*monotonic)())
    : grid_(settings), status_(status), monotonic_(monotonic) {
  status_ = EdgeClockStatus{};
  enter(State::first);
}

TimePoint<RigTime> EdgeClock::from_monotonic(TimePoint<MonotonicTime> t) const TACTUS_RT {
  return TimePoint<RigTime>{Nanoseconds{loop_.seen().to_rig(t.time_since_epoch().count())}};
}

TimePoint<RigTime> EdgeClock::now() TACTUS_RT {
  told_ = std::max(told_, from_monotonic(monotonic_()));
  return told_;
}

TimePoint<MonotonicTime> EdgeClock::to_monotonic(TimePoint<RigTime> t) TACTUS_RT {
  const Moment moment = loop_.seen().at(t.time_since_epoch().count());
  return TimePoint<MonotonicTime>{
      Nanoseconds{moment.whole + static_cast<std::int64_t>(std::ceil(moment.part - 1e-4))}};
}

std::optional<std::int64_t> EdgeClock::edge_at(TimePoint<RigTime> t) const TACTUS_RT {
  const Nanoseconds rig = t.time_since_epoch();
  const std::int64_t n = grid_.nearest(rig.count());
  const Nanoseconds off = rig - grid_.period.times(n);
  if (off > kOnGrid || off < -kOnGrid) return std::nullopt;
  return n;
}

// ---- what is fed

void EdgeClock::edge(TimePoint<MonotonicTime> stamp) TACTUS_RT {
  if (state_ == State::gone) return;
  const std::int64_t t = stamp.time_since_epoch().count();
  numbers_.fed(t);
  const std::optional<double> wrong_period = intervals_.add(t);
  if (state_ == State::first) {
    collect_first(t);
  } else {
    give_up_until(t);  // so that it does not matter how often the line is read
    if (wrong_period) refuse(*wrong_period);
    follows() ? judge(t) : reacquire(t);
  }
  status_.frequency_ppm = loop_.frequency_ppm();
}

void EdgeClock::advance(TimePoint<MonotonicTime> now) TACTUS_RT {
  numbers_.fed(now.time_since_epoch().count());
  const std::int64_t fed = numbers_.fed_until();
  if (numbers_.suspended() && numbers_.begun() && state_ != State::gone) {
    // Those before now, and one that may have been early, may have come without being read.
    const std::int64_t due = due_by(fed + grid_.period_floor / 2 + grid_.jitter_limit.count());
    if (!numbers_.passed(due)) numbers_.begin(due, EdgePassed::rejected);
  }
  give_up_until(fed);
  numbers_.suspend(false);
  // The phase of an edge is taken even if the next one is missing already.
  loop_.follow(fed, by_edge() && follows());
}

/// The edges have another rate: whatever was followed were some of them that met the grid.
void EdgeClock::refuse(double measured_period) TACTUS_RT {
  if (follows() || relocks()) enter(State::searching);
  faults_.add_wrong_rate(measured_period);
}

void EdgeClock::overflowed() TACTUS_RT {
  unsure_ = true;
  intervals_.skip();
  numbers_.suspend(true);
  faults_.add(ClockFault::overflow);
}

void EdgeClock::unwatched() TACTUS_RT {
  unsure_ = true;
  intervals_.skip();
  numbers_.suspend(true);
  status_.consecutive_missing = 0;
  if (state_ == State::first) status_.unsettled += static_cast<std::int64_t>(window_.size());
  if (relocks()) state_ = State::searching;
  if (state_ == State::locked) enter(State::holdover);
  window_.begin(to_acquire());
}

void EdgeClock::gone(int error) TACTUS_RT {
  if (state_ == State::gone) return;
  enter(State::gone);
  faults_.add_gone(error);
}

void EdgeClock::no_edge() TACTUS_RT {
  if (acquisition_done()) return;
  start_free();
  numbers_.end();  // nothing has come yet, so nothing is missing either
  enter(State::lost);
  faults_.add(ClockFault::no_edge);
}

void EdgeClock::start_free() TACTUS_RT {
  if (acquisition_done()) return;
  status_.unsettled += static_cast<std::int64_t>(window_.size());
  if (numbers_.fed_until() == INT64_MIN) numbers_.fed(monotonic_().time_since_epoch().count());
  numbers_.begin(loop_.nearest(numbers_.fed_until()), EdgePassed::rejected);
  enter(State::searching);
}

void EdgeClock::overdue(std::int64_t n) TACTUS_RT {
  if (state_ == State::locked && !seen(n)) enter(State::holdover);
}

void EdgeClock::resumed() TACTUS_RT {
  const bool lost = state_ == State::lost;
  faults_.resumed(lost);
  if (lost && !numbers_.begun()) numbers_.begin(loop_.nearest(numbers_.fed_until()), EdgePassed::rejected);
}

// ---- states

void EdgeClock::enter(State state) TACTUS_RT {
  // By State.
  constexpr ClockState kTold[] = {ClockState::acquiring, ClockState::acquiring, ClockState::acquiring,
                                  ClockState::acquiring, ClockState::locked,    ClockState::holdover,
                                  ClockState::lost,      ClockState::lost};
  state_ = state;
  status_.state = kTold[static_cast<std::size_t>(state)];
  rate_check_.restart_mean();
  if (state != State::holdover) window_.begin(to_acquire());
}

void EdgeClock::lock() TACTUS_RT {
  if (ever_locked_) ++status_.relocks;
  ever_locked_ = true;
  enter(State::locked);
  faults_.locked();
  window_.begin(static_cast<std::size_t>(std::max<std::int64_t>(3, grid_.settings.lock_after)));
}

// ---- numbers

/// The edge nearest to a time stamp, of those after the last one.
std::int64_t EdgeClock::next_number(std::int64_t stamp) const TACTUS_RT {
  const std::int64_t n = loop_.nearest(stamp);
  return seen(n) ? last_edge() + 1 : n;
}

/// The newest edge number that is half a period or more ago.
std::int64_t EdgeClock::due_by(std::int64_t now) const TACTUS_RT {
  // Edges of a re-lock have a phase of their own.
  return relocks() ? window_.due_by(now, loop_.period()) : loop_.nearest(now) - 1;
}

/// Edges that are half a period or more ago, and have not come, are missing.
void EdgeClock::give_up_until(std::int64_t now) TACTUS_RT {
  if (!numbers_.begun() || numbers_.suspended() || state_ == State::gone) return;
  if (const std::int64_t due = due_by(now); !numbers_.passed(due)) pass(due, EdgePassed::missing);
}

void EdgeClock::pass(std::int64_t n, EdgePassed how) TACTUS_RT {
  const EdgeNumbers::Step step = numbers_.pass(n, how);
  if (how != EdgePassed::missing || step.missing == 0) return;
  if (state_ == State::locked) enter(State::holdover);
  if (state_ == State::lost) {
    faults_.missing_while_lost(step.missing);
  } else if (status_.consecutive_missing >= grid_.settings.max_missing) {
    enter(State::lost);
    faults_.add(ClockFault::missing);
  }
}

// ---- the first acquisition

EdgeWindow::Fit EdgeClock::fit() TACTUS_RT {
  return window_.ready() ? window_.fit(loop_.rate(), ever_locked_) : Fit::too_few;
}

/// Counts an edge that comes too soon after the one before it.
bool EdgeClock::too_close(std::int64_t stamp, std::int64_t before) TACTUS_RT {
  const std::int64_t since = stamp - before;
  if (static_cast<double>(since) >= grid_.blanking_ns) return false;
  if (faults_.add_extra(since)) window_.count_glitch();
  return true;
}

void EdgeClock::collect_first(std::int64_t stamp) TACTUS_RT {
  if (window_.size() > 0 && too_close(stamp, window_.newest().stamp)) return;
  window_.push(stamp, 0);
  if (window_.ready()) window_.number_by_distance();
  const auto before = static_cast<std::int64_t>(window_.size()) - 1;
  switch (fit()) {
    case Fit::too_few:
      return;
    case Fit::good:
      begin_locked(stamp);
      return;
    case Fit::wrong_rate:
      status_.unsettled += before;
      faults_.add_wrong_rate(window_.measured_period());
      window_.restart();
      if (faults_.runs_free(ClockFault::wrong_rate)) {
        start_free();
        reacquire(stamp);
      } else {
        window_.push(stamp, 0);
      }
      return;
    case Fit::noisy:
      window_.keep_newest();
      faults_.add(ClockFault::jitter, window_.off(), before + 1 - static_cast<std::int64_t>(window_.size()));
      // Edges that come and come and never fit: begin without them, if that is what the policy says.
      if (++noisy_ >= 10 * grid_.settings.lock_after && faults_.runs_free(ClockFault::jitter)) start_free();
      return;
  }
}

/// Sets the clock to the edges: forwards, so that it does not even now go back.
void EdgeClock::begin_locked(std::int64_t stamp) TACTUS_RT {
  std::int64_t n = grid_.nearest(stamp);
  if (grid_.time_of(n) < stamp) ++n;
  status_.edges += static_cast<std::int64_t>(window_.size());
  status_.missing += window_.missing();
  status_.phase_error_ns = std::llround(window_.off());
  numbers_.suspend(false);
  unsure_ = false;
  numbers_.begin(n, EdgePassed::accepted);
  numbers_.accept(n, stamp);
  lock();
  loop_.begin(n, stamp, takes_phase() ? 0 : window_.off(), window_.rate());
}

// ---- locked

void EdgeClock::judge(std::int64_t stamp) TACTUS_RT {
  if (too_close(stamp, numbers_.last_stamp())) return;
  const std::int64_t n = loop_.nearest(stamp);
  if (seen(n)) {
    faults_.add_extra(stamp - numbers_.last_stamp());
    return;
  }
  const double error = loop_.error_of(n, stamp);
  if (std::abs(error) <= grid_.jitter_ns) {
    accept(n, stamp, error);
  } else if (unsure_) {
    enter(State::searching);
    reacquire(stamp);
  } else {
    reject(n, stamp, error);
  }
}

void EdgeClock::accept(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT {
  ++status_.edges;
  pass(n, EdgePassed::accepted);
  numbers_.accept(n, stamp);
  unsure_ = false;
  status_.phase_error_ns = std::llround(error);
  if (state_ == State::holdover) lock();
  loop_.steer(n, stamp, error, takes_phase());
  if (state_ != State::locked) return;
  phase_errors_.add(Nanoseconds{std::llround(std::abs(error))});
  window_.restart();
  if (const auto period = rate_check_.by_mean(n, stamp)) {
    enter(State::searching);
    faults_.add_wrong_rate(*period);
  }
}

/// An edge far from where it should be: counted, and kept in mind, for many of them may be right together.
void EdgeClock::reject(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT {
  pass(n, EdgePassed::rejected);
  faults_.add(ClockFault::jitter, error);
  if (error > static_cast<double>(grid_.late_limit.count())) faults_.add(ClockFault::late, error);
  if (window_.size() > 0) {
    if (static_cast<double>(stamp - window_.newest().stamp) < grid_.blanking_ns) return;
    n = window_.number_of(stamp, loop_.period());
  }
  window_.push(stamp, n);
  const Fit verdict = fit();
  if (verdict == Fit::noisy) window_.keep_newest();
  if (verdict == Fit::noisy || verdict == Fit::too_few) return;
  if (verdict == Fit::good && intervals_.wrong()) return;
  enter(State::verifying);
  window_.push(stamp, n);
  if (verdict == Fit::good) {
    loop_.set_rate(window_.rate(), numbers_.fed_until());
    loop_.begin_settling(error);
    state_ = State::nearing;
  } else {
    faults_.add_wrong_rate(window_.measured_period());
  }
}

// ---- back again

void EdgeClock::reacquire(std::int64_t stamp) TACTUS_RT {
  if (state_ == State::lost) enter(State::searching);
  std::int64_t n = 0;
  if (relocks()) {
    const EdgeWindow::Edge before = window_.newest();
    if (too_close(stamp, before.stamp)) return;
    n = window_.number_of(stamp, loop_.period());
    const double off =
        static_cast<double>(stamp - before.stamp) - static_cast<double>(n - before.n) * loop_.period();
    if (state_ == State::nearing && std::abs(off) > 2 * grid_.jitter_ns)
      enter(State::verifying);  // not the edges that it was about to follow
  } else {
    if (numbers_.has_last() && too_close(stamp, numbers_.last_stamp())) return;
    n = next_number(stamp);
    state_ = State::verifying;
  }
  state_ == State::nearing ? approach(n, stamp) : verify(n, stamp);
}

/// Edges whose rate is not known yet move nothing.
void EdgeClock::verify(std::int64_t n, std::int64_t stamp) TACTUS_RT {
  window_.push(stamp, n);
  const Fit verdict = fit();
  if (verdict == Fit::good && !intervals_.wrong()) {
    loop_.set_rate(window_.rate(), numbers_.fed_until());
    n = next_number(stamp);  // windows of wrong edges may have led the numbers astray
    loop_.begin_settling(loop_.error_of(n, stamp));
    state_ = State::nearing;
    approach(n, stamp);
    return;
  }
  ++status_.unsettled;
  pass(n, EdgePassed::rejected);
  if (verdict == Fit::noisy || verdict == Fit::good) window_.keep_newest();
  if (verdict == Fit::wrong_rate) {
    faults_.add_wrong_rate(window_.measured_period());
    window_.restart();
    window_.push(stamp, next_number(stamp));
  }
}

/// Edges of the right rate: their phase is approached, at most by the slew rate.
void EdgeClock::approach(std::int64_t n, std::int64_t stamp) TACTUS_RT {
  window_.restart();
  window_.push(stamp, n);
  const double error = loop_.error_of(n, stamp);
  if (loop_.acquired(error, stamp)) lock();
  accept(n, stamp, error);
}

}  // namespace tactus::rtsync
