#include "rtsync/clock/edge_clock.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::rtsync {
namespace {

constexpr std::size_t index_of(ClockFault fault) TACTUS_RT { return static_cast<std::size_t>(fault); }

/// Towards minus infinity; den > 0.
Wide floor_div(Wide num, Wide den) TACTUS_RT {
  const Wide quotient = num / den;
  return num % den < 0 ? quotient - 1 : quotient;
}

}  // namespace

// ---- construction and the clock's own
// ----------------------------------------------------------------------

EdgeClock::EdgeClock(const EdgeClockSettings& settings, EdgeClockStatus& status,
                     TimePoint<MonotonicTime> (*monotonic)())
    : settings_(checked(settings)),
      status_(status),
      monotonic_(monotonic),
      period_(settings.edge_period()),
      period_ns_(static_cast<double>(period_.num()) / static_cast<double>(period_.den())),
      period_floor_(period_.floor().count()),
      w_(1.0 / static_cast<double>(settings.smoothing)) {
  // Of what is shorter: 1PPS must not throw 1 kHz frames about by tenths of a second.
  const std::int64_t shorter = std::min(period_floor_, settings.frame.floor().count());
  const Nanoseconds tenth = std::max(Nanoseconds{1}, Nanoseconds{shorter / 10});
  jitter_limit_ =
      settings.jitter_limit.value_or(settings.late_limit ? std::min(tenth, *settings.late_limit) : tenth);
  late_limit_ = settings.late_limit.value_or(std::max(Nanoseconds{shorter / 4}, jitter_limit_));
  const double jitter = static_cast<double>(jitter_limit_.count());
  blanking_ns_ = std::max(0.0, std::min(settings.blanking * period_ns_, period_ns_ - 2 * jitter));
  // Over so many edges, jitter within its limit is worth no more than half the tolerance.
  rate_span_ =
      std::clamp(static_cast<std::int64_t>(std::ceil(4 * jitter / (period_ns_ * settings.rate_tolerance))),
                 settings.lock_after, std::int64_t{1'000'000'000});
  const auto capacity = static_cast<std::size_t>(4 * settings.lock_after + 4);
  stamps_.resize(capacity);
  indices_.resize(capacity);
  scratch_.resize(capacity);
  new_window(static_cast<std::size_t>(settings.lock_after + 1));
  status_ = EdgeClockStatus{};
}

TimePoint<RigTime> EdgeClock::from_monotonic(TimePoint<MonotonicTime> t) const TACTUS_RT {
  return TimePoint<RigTime>{Nanoseconds{out_.to_rig(t.time_since_epoch().count())}};
}

TimePoint<RigTime> EdgeClock::now() TACTUS_RT {
  told_ = std::max(told_, from_monotonic(monotonic_()));
  return told_;
}

TimePoint<MonotonicTime> EdgeClock::to_monotonic(TimePoint<RigTime> t) TACTUS_RT {
  const Moment moment = out_.at(t.time_since_epoch().count());
  return TimePoint<MonotonicTime>{
      Nanoseconds{moment.whole + static_cast<std::int64_t>(std::ceil(moment.part - 1e-4))}};
}

TimePoint<RigTime> EdgeClock::frame_start(TimePoint<RigTime> t) TACTUS_RT {
  const Wide scaled = static_cast<Wide>((t - kOnGrid).time_since_epoch().count()) * settings_.frame.den();
  const Wide frame = -floor_div(-scaled, settings_.frame.num());
  return TimePoint<RigTime>{settings_.frame.times(static_cast<std::int64_t>(frame))};
}

/// The edge number nearest to a rig time: n for times in [n - 1/2, n + 1/2) edge periods.
std::int64_t EdgeClock::nearest(std::int64_t rig) const TACTUS_RT {
  const Wide num = period_.num();
  return static_cast<std::int64_t>(floor_div(2 * static_cast<Wide>(rig) * period_.den() + num, 2 * num));
}

std::optional<std::int64_t> EdgeClock::edge_at(TimePoint<RigTime> t) const TACTUS_RT {
  const Nanoseconds rig = t.time_since_epoch();
  const std::int64_t n = nearest(rig.count());
  const Nanoseconds off = rig - period_.times(n);
  if (off > kOnGrid || off < -kOnGrid) return std::nullopt;
  return n;
}

double EdgeClock::error_of(std::int64_t n, std::int64_t stamp) const TACTUS_RT {
  const Moment predicted = line_.at(period_.times(n).count());
  return static_cast<double>(stamp - predicted.whole) - predicted.part;
}

bool EdgeClock::takes_phase() const TACTUS_RT {
  return settings_.discipline == Discipline::edge && status_.state == ClockState::locked;
}

// ---- what is fed
// -------------------------------------------------------------------------------------------

void EdgeClock::edge(TimePoint<MonotonicTime> stamp) TACTUS_RT {
  if (gone_) return;
  const std::int64_t t = stamp.time_since_epoch().count();
  newest_ = std::max(newest_, t);
  if (!acquisition_done_) {
    collect_first(t);
    return;
  }
  give_up_until(t);  // so that it does not matter how often the line is read
  if (status_.state == ClockState::locked || status_.state == ClockState::holdover) {
    judge(t);
  } else {
    reacquire(t);
  }
}

void EdgeClock::advance(TimePoint<MonotonicTime> now) TACTUS_RT {
  newest_ = std::max(newest_, now.time_since_epoch().count());
  if (numbered_ && !gone_ && excused_) {
    // Those before now, and one that may have been early, may have come without being read.
    const std::int64_t due = due_by(newest_ + period_floor_ / 2 + jitter_limit_.count());
    if (due > passed_) {
      passed_ = due;
      passed_how_ = Passed::rejected;
    }
  }
  give_up_until(newest_);
  excused_ = false;
  follow(newest_);
}

/// Edges that are half a period or more ago, and have not come, are missing.
void EdgeClock::give_up_until(std::int64_t now) TACTUS_RT {
  if (!numbered_ || gone_ || excused_) return;
  if (const std::int64_t due = due_by(now); due > passed_) pass(due, Passed::missing);
}

/// The newest edge number that is half a period or more ago.
std::int64_t EdgeClock::due_by(std::int64_t now) const TACTUS_RT {
  if (!has_candidate_ || status_.state != ClockState::acquiring) return nearest(line_.to_rig(now)) - 1;
  // Edges of a re-lock have a phase of their own.
  const double since = static_cast<double>(now - candidate_stamp_);
  return candidate_ - 1 + static_cast<std::int64_t>(std::floor(since / period_now() + 0.5));
}

void EdgeClock::overflowed() TACTUS_RT {
  unsure_ = excused_ = true;
  fault(ClockFault::overflow);
}

void EdgeClock::unwatched() TACTUS_RT {
  unsure_ = excused_ = true;
  has_candidate_ = verified_ = false;
  status_.consecutive_missing = 0;
  if (status_.state == ClockState::locked) unlock(ClockState::holdover);
  if (acquisition_done_) {
    new_window(static_cast<std::size_t>(settings_.lock_after + 1));
  } else {
    status_.unsettled += static_cast<std::int64_t>(count_);
    new_window(enough_);
  }
}

void EdgeClock::gone(int error) TACTUS_RT {
  if (gone_) return;
  gone_ = true;
  acquisition_done_ = true;
  error_ = error;
  unlock(ClockState::lost);
  fault(ClockFault::gone);
}

void EdgeClock::no_edge() TACTUS_RT {
  if (acquisition_done_) return;
  start_free();
  numbered_ = false;  // nothing has come yet, so nothing is missing either
  unlock(ClockState::lost);
  fault(ClockFault::no_edge);
}

void EdgeClock::start_free() TACTUS_RT {
  if (acquisition_done_) return;
  acquisition_done_ = true;
  status_.unsettled += static_cast<std::int64_t>(count_);
  number_from(newest_ == INT64_MIN ? monotonic_().time_since_epoch().count() : newest_);
  unlock(ClockState::acquiring);
}

void EdgeClock::overdue(std::int64_t n) TACTUS_RT {
  if (status_.state == ClockState::locked && !seen(n)) unlock(ClockState::holdover);
}

void EdgeClock::resumed() TACTUS_RT {
  if (pending_ && pending_->action != OnClockFault::terminate) pending_.reset();
  asks_again_ = status_.state == ClockState::lost && !gone_;
  missing_again_ = 0;
  if (asks_again_ && !numbered_) number_from(newest_);
}

std::optional<EdgeClock::Reaction> EdgeClock::take_reaction() TACTUS_RT {
  const std::optional<Reaction> reaction = pending_;
  pending_.reset();
  return reaction;
}

// ---- faults, states, numbers
// -------------------------------------------------------------------------------

void EdgeClock::fault(ClockFault fault, double off) TACTUS_RT {
  ++status_.faults[index_of(fault)];
  ask(fault, off);
}

void EdgeClock::ask(ClockFault fault, double off) TACTUS_RT {
  const OnClockFault action = settings_.on[index_of(fault)];
  if (action == OnClockFault::free_run || (pending_ && pending_->action >= action)) return;
  Reaction reaction{.fault = fault, .action = action};
  reaction.missing_in_row = status_.consecutive_missing;
  reaction.had_edge = last_edge_ != INT64_MIN;
  reaction.since_edge = Nanoseconds{reaction.had_edge ? newest_ - last_stamp_ : 0};
  reaction.off = Nanoseconds{std::llround(off)};
  reaction.measured_period = measured_period_;
  reaction.error = error_;
  pending_ = reaction;
}

void EdgeClock::lock() TACTUS_RT {
  if (ever_locked_) ++status_.relocks;
  ever_locked_ = true;
  status_.state = ClockState::locked;
  span_begun_ = false;
  has_candidate_ = verified_ = false;
  asks_again_ = false;
  new_window(static_cast<std::size_t>(std::max<std::int64_t>(3, settings_.lock_after)));
}

void EdgeClock::unlock(ClockState state) TACTUS_RT {
  status_.state = state;
  span_begun_ = false;
  if (state == ClockState::holdover) return;
  has_candidate_ = verified_ = false;
  new_window(static_cast<std::size_t>(settings_.lock_after + 1));
}

void EdgeClock::number_from(std::int64_t now) TACTUS_RT {
  numbered_ = true;
  passed_ = nearest(line_.to_rig(now));
  passed_how_ = Passed::rejected;
}

/// Edge number n has come, or has not: so have not those between it and the last one, unless excused.
void EdgeClock::pass(std::int64_t n, Passed how) TACTUS_RT {
  const bool came = how != Passed::missing;
  const std::int64_t passed_before = numbered_ ? passed_ : n;
  std::int64_t missing = 0;
  if (!numbered_) {
    numbered_ = true;
    passed_ = n;
    passed_how_ = how;
  } else if (n > passed_) {
    if (!excused_) missing = n - passed_ - (came ? 1 : 0);
    passed_ = n;
    passed_how_ = how;
  } else if (came && passed_how_ == Passed::missing && status_.missing > 0) {
    --status_.missing;  // it was delivered later than it was given up
    if (n == passed_) passed_how_ = how;
  }
  weigh(std::max<std::int64_t>(n - passed_before, 0), missing, how);
  status_.missing += missing;
  status_.consecutive_missing += missing;
  status_.max_consecutive_missing = std::max(status_.max_consecutive_missing, status_.consecutive_missing);
  if (came) {
    status_.consecutive_missing = 0;
    return;
  }
  if (missing == 0) return;
  if (status_.state == ClockState::locked) unlock(ClockState::holdover);
  if (status_.state == ClockState::lost) {
    missing_again_ += missing;
    if (asks_again_ && missing_again_ >= settings_.max_missing) {
      asks_again_ = false;
      ask(ClockFault::missing, 0);
    }
  } else if (status_.consecutive_missing >= settings_.max_missing) {
    unlock(ClockState::lost);
    fault(ClockFault::missing);
  }
}

/// Edges at half or at one and a half times the rate meet the grid now and then, so neither a row of missing
/// ones nor the mean rate of the good ones betrays them.
void EdgeClock::weigh(std::int64_t numbers, std::int64_t missing, Passed how) TACTUS_RT {
  constexpr std::int64_t kBad = 3;
  constexpr std::int64_t kGood = 2;
  constexpr std::int64_t kMost = 64 * kBad;  // more than any gap that max_missing lets pass should be worth
  numbers_ += numbers;
  came_ += how == Passed::missing ? 0 : 1;
  // A gap in one piece is a matter of max_missing.
  off_grid_ += kBad * (std::min<std::int64_t>(missing, 2) + (how == Passed::rejected ? 1 : 0)) -
               (how == Passed::accepted ? kGood : 0);
  const bool follows = status_.state == ClockState::locked || status_.state == ClockState::holdover;
  if (off_grid_ <= 0 || !follows) {  // otherwise the rate is measured anyway
    off_grid_ = numbers_ = came_ = 0;
  } else if (off_grid_ > kMost) {
    measured_period_ =
        period_ns_ * static_cast<double>(numbers_) / static_cast<double>(std::max<std::int64_t>(came_, 1));
    off_grid_ = numbers_ = came_ = 0;
    fault(ClockFault::wrong_rate);
  }
}

/// Counts an edge that comes too soon after the one before it.
bool EdgeClock::too_close(std::int64_t stamp, std::int64_t before) TACTUS_RT {
  const std::int64_t since = stamp - before;
  if (static_cast<double>(since) >= blanking_ns_) return false;
  const bool near = std::abs(since) <= jitter_limit_.count();
  fault(near ? ClockFault::doubled : ClockFault::glitch, static_cast<double>(since));
  if (!near) ++dropped_;
  return true;
}

// ---- the first acquisition
// ---------------------------------------------------------------------------------

void EdgeClock::collect_first(std::int64_t stamp) TACTUS_RT {
  if (count_ > 0 && too_close(stamp, stamps_[count_ - 1])) return;
  push(stamp, 0);
  if (count_ < need_) return;
  number_by_distance();
  switch (fit()) {
    case Fit::too_few:
      return;
    case Fit::good:
      begin_locked(stamp);
      return;
    case Fit::wrong_rate:
      status_.unsettled += static_cast<std::int64_t>(count_) - 1;
      fault(ClockFault::wrong_rate);
      new_window(enough_);
      if (settings_.on[index_of(ClockFault::wrong_rate)] == OnClockFault::free_run) start_free();
      if (acquisition_done_) {
        reacquire(stamp);
      } else {
        push(stamp, 0);
      }
      return;
    case Fit::noisy: {
      const std::size_t kept = enough_ - 1;
      status_.faults[index_of(ClockFault::jitter)] += static_cast<std::int64_t>(count_ - kept) - 1;
      fault(ClockFault::jitter, fit_off_);
      keep_newest(kept);
      // Edges that come and come and never fit: begin without them, if that is what the policy says.
      if (++noisy_ >= 10 * settings_.lock_after &&
          settings_.on[index_of(ClockFault::jitter)] == OnClockFault::free_run)
        start_free();
      return;
    }
  }
}

/// Sets the clock to the edges: forwards, so that it does not even now go back.
void EdgeClock::begin_locked(std::int64_t stamp) TACTUS_RT {
  rate_ = fit_rate_;
  status_.frequency_ppm = (1 / (1 + rate_) - 1) * 1e6;
  std::int64_t n = nearest(stamp);
  if (period_.times(n).count() < stamp) ++n;
  status_.edges += static_cast<std::int64_t>(count_);
  status_.missing += indices_[count_ - 1] - indices_[0] - static_cast<std::int64_t>(count_ - 1);
  status_.phase_error_ns = std::llround(fit_off_);
  numbered_ = true;
  excused_ = unsure_ = false;
  passed_ = last_edge_ = n;
  passed_how_ = Passed::accepted;
  last_stamp_ = stamp;
  acquisition_done_ = true;
  lock();
  const Moment moment{stamp, takes_phase() ? 0 : -fit_off_};
  line_ = out_ = ClockSlew{period_.times(n).count(), moment, rate_, 0, rate_};
}

// ---- locked
// ------------------------------------------------------------------------------------------------

void EdgeClock::judge(std::int64_t stamp) TACTUS_RT {
  if (too_close(stamp, last_stamp_)) return;
  const std::int64_t n = nearest(line_.to_rig(stamp));
  if (n <= last_edge_) {
    const std::int64_t since = stamp - last_stamp_;
    fault(since <= jitter_limit_.count() ? ClockFault::doubled : ClockFault::glitch,
          static_cast<double>(since));
    return;
  }
  const double error = error_of(n, stamp);
  if (std::abs(error) <= static_cast<double>(jitter_limit_.count())) {
    accept(n, stamp, error);
  } else if (unsure_) {
    unlock(ClockState::acquiring);
    reacquire(stamp);
  } else {
    reject(n, stamp, error);
  }
}

void EdgeClock::accept(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT {
  ++status_.edges;
  pass(n, Passed::accepted);
  last_edge_ = n;
  last_stamp_ = stamp;
  unsure_ = false;
  status_.phase_error_ns = std::llround(error);
  if (status_.state == ClockState::holdover) lock();
  if (status_.state == ClockState::locked) {
    phase_errors_.add(Nanoseconds{std::llround(std::abs(error))});
    new_window(enough_);
  }
  steer(n, stamp, error);
  if (status_.state == ClockState::locked) check_rate(n, stamp);
}

/// The loop: moves its line by an edge.
void EdgeClock::steer(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT {
  const double most = settings_.slew * period_ns_;
  const double wanted = 2 * w_ * error;
  const double phase = std::clamp(wanted, -most, most);
  const std::int64_t rig = period_.times(n).count();
  double change = 0;
  // A phase that is taken as it comes is never limited, so neither need the rate wait for it.
  if (takes_phase() || phase == wanted) {
    change = w_ * w_ * error / period_ns_;
    limited_ = 0;
  } else {
    change = rate_missed(error, phase);
  }
  rate_ = std::clamp(rate_ + change, -settings_.rate_tolerance, settings_.rate_tolerance);
  status_.frequency_ppm = (1 / (1 + rate_) - 1) * 1e6;
  line_ = takes_phase() ? ClockSlew{rig, {stamp, 0}, rate_, 0, rate_}
                        : ClockSlew{rig, line_.at(rig), rate_ + phase / period_ns_, period_floor_, rate_};
  dirty_ = true;
}

/// While the phase is limited the rate is not learnt. But if it comes no nearer for long, it is the rate that
/// is off, by more than the phase may make up for: the difference between two halves of a run of edges tells
/// by how much.
double EdgeClock::rate_missed(double error, double phase) TACTUS_RT {
  if (limited_ > 0 && (phase > 0) != (limited_to_ > 0)) limited_ = 0;
  limited_to_ = phase;
  if (limited_ == 0) limited_sums_ = {0, 0};
  const std::int64_t half = std::max<std::int64_t>(32, 2 * settings_.lock_after);
  limited_sums_[limited_ < half ? 0 : 1] += error;
  if (++limited_ < 2 * half) return 0;
  limited_ = 0;
  const double moved = (limited_sums_[1] - limited_sums_[0]) / static_cast<double>(half * half);
  const double missed = moved + phase;  // of the right rate, the error would move by -phase at each edge
  return std::abs(missed) > std::abs(phase) / 2 ? missed / period_ns_ : 0;
}

/// A loop may follow edges of a wrong rate by moving its phase for ever: their mean rate tells.
void EdgeClock::check_rate(std::int64_t n, std::int64_t stamp) TACTUS_RT {
  if (!span_begun_) {
    span_begun_ = true;
    span_edge_ = n;
    span_stamp_ = stamp;
    return;
  }
  if (n - span_edge_ < rate_span_) return;
  const double mean = static_cast<double>(stamp - span_stamp_) / static_cast<double>(n - span_edge_);
  span_edge_ = n;
  span_stamp_ = stamp;
  if (std::abs(mean / period_ns_ - 1) <= 1.5 * settings_.rate_tolerance) return;
  measured_period_ = mean;
  unlock(ClockState::acquiring);
  fault(ClockFault::wrong_rate);
}

/// An edge far from where it should be: counted, and kept in mind, for many of them may be right together.
void EdgeClock::reject(std::int64_t n, std::int64_t stamp, double error) TACTUS_RT {
  pass(n, Passed::rejected);
  fault(ClockFault::jitter, error);
  if (error > static_cast<double>(late_limit_.count())) fault(ClockFault::late, error);
  std::int64_t index = n;
  if (count_ > 0) {
    const double since = static_cast<double>(stamp - stamps_[count_ - 1]);
    if (since < blanking_ns_) return;
    index = indices_[count_ - 1] + std::max<std::int64_t>(1, std::llround(since / period_now()));
  }
  push(stamp, index);
  if (count_ < need_) return;
  switch (fit()) {
    case Fit::too_few:
      return;
    case Fit::noisy:
      keep_newest(enough_ - 1);
      return;
    case Fit::good:
      unlock(ClockState::acquiring);
      set_rate(fit_rate_);
      verified_ = true;
      break;
    case Fit::wrong_rate:
      unlock(ClockState::acquiring);
      fault(ClockFault::wrong_rate);
      push(stamp, index);
      break;
  }
  has_candidate_ = true;
  candidate_ = index;
  candidate_stamp_ = stamp;
  in_row_ = 0;
  average_ = error;
}

// ---- back again
// --------------------------------------------------------------------------------------------

void EdgeClock::reacquire(std::int64_t stamp) TACTUS_RT {
  if (status_.state == ClockState::lost) unlock(ClockState::acquiring);
  std::int64_t n = 0;
  if (has_candidate_) {
    if (too_close(stamp, candidate_stamp_)) return;
    const double since = static_cast<double>(stamp - candidate_stamp_);
    const std::int64_t periods = std::max<std::int64_t>(1, std::llround(since / period_now()));
    n = candidate_ + periods;
    const double off = since - static_cast<double>(periods) * period_now();
    if (verified_ && std::abs(off) > 2 * static_cast<double>(jitter_limit_.count()))
      unlock(ClockState::acquiring);  // not the edges that it was about to follow
  } else {
    if (last_edge_ != INT64_MIN && too_close(stamp, last_stamp_)) return;
    n = nearest(line_.to_rig(stamp));
    if (n <= last_edge_) n = last_edge_ + 1;
  }
  if (verified_) {
    recapture(n, stamp);
  } else {
    verify(n, stamp);
  }
  if (status_.state != ClockState::acquiring) return;
  has_candidate_ = true;
  candidate_stamp_ = stamp;
}

/// Edges whose rate is not known yet move nothing.
void EdgeClock::verify(std::int64_t n, std::int64_t stamp) TACTUS_RT {
  candidate_ = n;
  push(stamp, n);
  const Fit verdict = count_ < need_ ? Fit::too_few : fit();
  if (verdict == Fit::good) {
    set_rate(fit_rate_);
    verified_ = true;
    // Windows of wrong edges may have led the numbers astray.
    n = std::max(nearest(line_.to_rig(stamp)), last_edge_ == INT64_MIN ? INT64_MIN : last_edge_ + 1);
    in_row_ = 0;
    average_ = error_of(n, stamp);
    new_window(enough_);
    recapture(n, stamp);
    return;
  }
  ++status_.unsettled;
  pass(n, Passed::rejected);
  if (verdict == Fit::noisy) keep_newest(enough_ - 1);
  if (verdict == Fit::wrong_rate) {
    fault(ClockFault::wrong_rate);
    new_window(enough_);
    candidate_ = std::max(nearest(line_.to_rig(stamp)), last_edge_ == INT64_MIN ? INT64_MIN : last_edge_ + 1);
    push(stamp, candidate_);
  }
}

/// Edges of the right rate: their phase is approached, at most by the slew rate.
void EdgeClock::recapture(std::int64_t n, std::int64_t stamp) TACTUS_RT {
  candidate_ = n;
  const double error = error_of(n, stamp);
  const double limit = static_cast<double>(jitter_limit_.count());
  in_row_ = std::abs(error) <= limit ? in_row_ + 1 : 0;
  average_ += (error - average_) / 8;
  const double lag = static_cast<double>(line_.to_rig(stamp) - out_.to_rig(stamp));
  const bool near = settings_.discipline == Discipline::pll ||
                    (std::abs(average_) <= limit / 10 && std::abs(lag) <= limit / 10);
  if (in_row_ >= settings_.lock_after && near) lock();
  accept(n, stamp, error);
}

void EdgeClock::set_rate(double rate) TACTUS_RT {
  const std::int64_t rig = line_.to_rig(newest_);
  line_ = ClockSlew{rig, line_.at(rig), rate, 0, rate};
  rate_ = rate;
  status_.frequency_ppm = (1 / (1 + rate_) - 1) * 1e6;
  dirty_ = true;
}

/// Bends the clock towards the loop's line, from now on, so that they meet an edge period later.
void EdgeClock::follow(std::int64_t now) TACTUS_RT {
  if (!dirty_ && !lagging_) return;
  dirty_ = lagging_ = false;
  // The phase of an edge is taken even if the next one is missing already.
  if (takes_phase() || (settings_.discipline == Discipline::edge && status_.state == ClockState::holdover)) {
    out_ = line_;
    return;
  }
  const std::int64_t rig = out_.to_rig(now);
  const Moment here = out_.at(rig);
  const std::int64_t span = std::max(period_floor_, line_.knee() - rig);
  const Moment there = line_.at(rig + span);
  const double wanted = (static_cast<double>(there.whole - here.whole - span) + (there.part - here.part)) /
                        static_cast<double>(span);
  const double rate = std::clamp(wanted, rate_ - settings_.slew, rate_ + settings_.slew);
  lagging_ = rate != wanted;
  out_ = ClockSlew{rig, here, rate, span, rate_};
}

// ---- windows of edges
// --------------------------------------------------------------------------------------

void EdgeClock::new_window(std::size_t enough) TACTUS_RT {
  count_ = 0;
  enough_ = need_ = enough;
  dropped_ = 0;
}

void EdgeClock::push(std::int64_t stamp, std::int64_t index) TACTUS_RT {
  stamps_[count_] = stamp;
  indices_[count_] = index;
  ++count_;
}

void EdgeClock::keep_newest(std::size_t count) TACTUS_RT {
  const auto drop = static_cast<std::ptrdiff_t>(count_ - count);
  const auto end = static_cast<std::ptrdiff_t>(count_);
  std::copy(stamps_.begin() + drop, stamps_.begin() + end, stamps_.begin());
  std::copy(indices_.begin() + drop, indices_.begin() + end, indices_.begin());
  count_ = count;
  need_ = enough_;
  dropped_ = 0;
}

/// Numbers the edges of a window by their usual distance, the lower quartile: edges that are missing make
/// distances longer, and they leave the numbers right.
void EdgeClock::number_by_distance() TACTUS_RT {
  const std::size_t intervals = count_ - 1;
  for (std::size_t i = 0; i < intervals; ++i) scratch_[i] = stamps_[i + 1] - stamps_[i];
  const auto quartile = scratch_.begin() + static_cast<std::ptrdiff_t>((intervals - 1) / 4);
  std::nth_element(scratch_.begin(), quartile, scratch_.begin() + static_cast<std::ptrdiff_t>(intervals));
  const double usual = static_cast<double>(std::max<std::int64_t>(1, *quartile));
  indices_[0] = 0;
  for (std::size_t i = 1; i < count_; ++i) {
    const double distance = static_cast<double>(stamps_[i] - stamps_[i - 1]);
    indices_[i] = indices_[i - 1] + std::max<std::int64_t>(1, std::llround(distance / usual));
  }
}

/// Straight line through the window's edges by least squares. A rate is wrong only beyond doubt: as long as
/// jitter may be the reason, or makes the rate too vague to begin with, more edges are wanted, up to four
/// windows.
EdgeClock::Fit EdgeClock::fit() TACTUS_RT {
  const double n = static_cast<double>(count_);
  const auto x_of = [this](std::size_t i) { return static_cast<double>(indices_[i] - indices_[0]); };
  const auto y_of = [&](std::size_t i) {
    return static_cast<double>(stamps_[i] - stamps_[0]) - x_of(i) * period_ns_;
  };
  const double limit = static_cast<double>(jitter_limit_.count());
  const double tolerance = settings_.rate_tolerance;

  // A glitch in nearly each interval: it is the edges that are more than they should be.
  const double intervals = n - 1;
  if (dropped_ > 1 && static_cast<double>(dropped_) >= 0.75 * intervals) {
    measured_period_ =
        static_cast<double>(stamps_[count_ - 1] - stamps_[0]) / (intervals + static_cast<double>(dropped_));
    return Fit::wrong_rate;
  }

  double x_mean = 0;
  double y_mean = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    x_mean += x_of(i) / n;
    y_mean += y_of(i) / n;
  }
  double sxx = 0;
  double sxy = 0;
  double lever = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double dx = x_of(i) - x_mean;
    sxx += dx * dx;
    sxy += dx * (y_of(i) - y_mean);
    lever += std::abs(dx);
  }
  const double slope = sxy / sxx;
  double squares = 0;
  double worst = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double residual = y_of(i) - y_mean - slope * (x_of(i) - x_mean);
    squares += residual * residual;
    worst = std::max(worst, std::abs(residual));
  }
  const double rate = slope / period_ns_;
  const double freedom = n - 2;
  const double error = std::sqrt(squares / freedom / sxx) / period_ns_;  // standard error of the rate
  const double beyond = std::abs(rate) - tolerance;
  if (beyond > 0) {
    // What jitter may do to the rate: at worst, when each edge is off by its limit (if none is by more); or
    // as the residuals say, with a margin for how little a few of them say.
    const double by_residuals = (12 + 3000 / (freedom * freedom * freedom)) * error;
    const double at_worst = limit * lever / sxx / period_ns_;
    if (beyond > (worst > limit ? by_residuals : std::min(at_worst, by_residuals))) {
      measured_period_ = period_ns_ * (1 + rate);
      return Fit::wrong_rate;
    }
  }
  if (worst > limit) {
    fit_off_ = worst;
    return Fit::noisy;
  }
  // A loop that starts with a rate that it is not allowed to make up for by its phase would run away.
  const bool vague = !ever_locked_ && error > settings_.slew / 4;
  if ((beyond > 0 || vague) && need_ < 4 * enough_ - 3) {
    need_ = 2 * need_ - 1;
    return Fit::too_few;
  }
  // The less the edges say about the rate, the more weight has what was known before.
  const double spread = tolerance / (ever_locked_ ? 10 : 2);
  const double weight = spread * spread / (spread * spread + error * error);
  fit_rate_ = std::clamp(rate_ + (rate - rate_) * weight, -tolerance, tolerance);
  const std::size_t last = count_ - 1;
  fit_off_ = y_of(last) - y_mean - fit_rate_ * period_ns_ * (x_of(last) - x_mean);
  return Fit::good;
}

}  // namespace tactus::rtsync
