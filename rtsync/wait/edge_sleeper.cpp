// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/edge_sleeper.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "rtsync/host/plain_text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::rtsync {
namespace {

// The kernel buffers 16 events of a line (uAPI v1): half of them may come while the inner sleeper waits.
constexpr std::int64_t kUnread = 8;
// More than a wait leaves unread, less than the kernel buffers.
constexpr std::int64_t kStale = 12;
// A line that oscillates must not keep a frame from beginning.
constexpr int kMostBatches = 16;

std::string number(double value) { return format_text("%.6g", value); }

/// Writes a duration without its sign: the sentence has "before" or "after".
std::string duration(Nanoseconds time) { return duration_text(std::abs(time.count())); }

}  // namespace

EdgeSleeper::EdgeSleeper(EdgeClock& clock, EdgeSource& source, Sleeper& inner)
    : Sleeper(clock),
      edges_(clock),
      source_(source),
      inner_(inner),
      edge_period_(clock.settings().edge_period().floor()) {}

void EdgeSleeper::prepare(Period period) { inner_.prepare(period); }

void EdgeSleeper::interrupt() TACTUS_RT {
  Sleeper::interrupt();
  // In this order: sync_interrupt() may be taking an earlier one back from the inner sleeper.
  inner_.interrupt();
}

/// resume() knows nothing of the inner sleeper.
void EdgeSleeper::sync_interrupt() TACTUS_RT {
  if (interrupted() || !inner_.interrupted()) return;
  inner_.resume();
  if (interrupted()) inner_.interrupt();
}

EdgeRead EdgeSleeper::read_line(TimePoint<MonotonicTime> deadline) TACTUS_RT {
  calls_.is_in_call.store(true, std::memory_order_relaxed);
  const EdgeRead read = source_.wait(deadline, buffer_);
  calls_.returned.store(calls_.returned.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  calls_.is_in_call.store(false, std::memory_order_release);
  return read;
}

/// Reads the line at `now`, waiting for at most the deadline, and feeds what came, or drops it.
EdgeStatus EdgeSleeper::take(TimePoint<MonotonicTime> now, TimePoint<MonotonicTime> deadline,
                             bool feed) TACTUS_RT {
  // Not the time behind the reading: this thread may have stood still since, and more may have come.
  read_until_ = now;
  if (gone_) return EdgeStatus::gone;
  EdgeStatus status = EdgeStatus::timeout;
  bool lost = !feed;
  for (int batch = 0; batch < kMostBatches; ++batch) {
    const EdgeRead read = read_line(deadline);
    if (batch == 0) status = read.status;
    if (read.overflowed) lost = true;
    if (feed && read.overflowed) edges_.overflowed();
    for (std::size_t i = 0; feed && i < read.count; ++i) edges_.edge(newest_edge_ = buffer_[i]);
    if (read.status == EdgeStatus::gone) {
      gone_ = true;
      edges_.gone(read.error);
      return EdgeStatus::gone;
    }
    if (read.count < buffer_.size()) break;
    deadline = TimePoint<MonotonicTime>{};  // a buffer that came back full may have left edges there
  }
  if (status == EdgeStatus::timeout) read_until_ = std::max(now, deadline);
  if (lost) read_until_ = edges_.kernel_now();  // those until here may have been dropped
  return status;
}

/// Takes the edges that are there, without waiting, and lets the clock see what time it is.
void EdgeSleeper::catch_up() TACTUS_RT {
  const TimePoint<MonotonicTime> now = edges_.kernel_now();
  const bool watched =
      read_before_ && now - read_until_ <= std::max(Nanoseconds{1'000'000'000}, kStale * edge_period_);
  (void)take(now, TimePoint<MonotonicTime>{}, watched);
  if (!watched) edges_.unwatched();
  read_before_ = true;
  edges_.advance(read_until_);
  edges_.status().injected = source_.disturbed();
}

WaitResult EdgeSleeper::begin() TACTUS_RT {
  sync_interrupt();
  if (!beginning_) {
    reaction_.reset();
    rested_ = false;
    if (!edges_.acquisition_done()) read_before_ = false;  // what has come until now is stale
    catch_up();
    newest_ = read_until_;
    beginning_ = true;
  }
  WaitResult result{WaitStatus::reached, {}};
  TimePoint<MonotonicTime> now = edges_.kernel_now();
  const TimePoint<MonotonicTime> until = now + kBeginWait;
  while (!react(result, false) && !edges_.acquisition_done()) {
    if (interrupted() || now >= until) {
      result.status = interrupted() ? WaitStatus::interrupted : WaitStatus::not_yet;
      break;
    }
    const TimePoint<MonotonicTime> timeout = newest_ + edges_.settings().start_timeout;
    const EdgeStatus status = take(now, std::min(timeout, until), true);
    now = edges_.kernel_now();
    if (status == EdgeStatus::edges) newest_ = now;
    if (status == EdgeStatus::timeout && read_until_ >= timeout) edges_.no_edge();
    edges_.advance(read_until_);
  }
  beginning_ = result.status == WaitStatus::not_yet;
  result.wake = clock_.now();
  return result;
}

WaitResult EdgeSleeper::wait_until(TimePoint<RigTime> slot) TACTUS_RT {
  sync_interrupt();
  disturbed_before_ = source_.disturbed();
  catch_up();
  if (rested_) edges_.resumed();
  rested_ = false;
  edges_.start_free();
  forget_late_edge();
  WaitResult result = wait_for_slot(slot);
  EdgeClockStatus& status = edges_.status();
  ++(status.state == ClockState::locked ? status.frames_locked : status.frames_free);
  if (result.status == WaitStatus::reached) (void)react(result, false);
  return result;
}

WaitResult EdgeSleeper::wait_for_slot(TimePoint<RigTime> slot) TACTUS_RT {
  const bool by_edge = edges_.settings().discipline == Discipline::edge;
  const std::optional<std::int64_t> n = by_edge ? edges_.edge_at(slot) : std::nullopt;
  WaitResult result = approach(slot, n ? kUnread / 2 : kUnread);
  if (result.status != WaitStatus::reached) return result;
  if (n && edges_.status().state == ClockState::locked && !edges_.passed(*n)) return wait_for_edge(*n, slot);
  return inner_.wait_until(slot);
}

/// Waits until a few edges before the slot, and reads the line now and then.
WaitResult EdgeSleeper::approach(TimePoint<RigTime> slot, std::int64_t edges_before) TACTUS_RT {
  TimePoint<RigTime> now = clock_.now();
  while (!gone_ && slot - now > edges_before * edge_period_) {
    const TimePoint<RigTime> until =
        std::min(now + kUnread * edge_period_, slot - edges_before * edge_period_);
    const WaitResult result = inner_.rest_until(until);
    if (result.status != WaitStatus::reached) return result;
    catch_up();
    now = clock_.now();
  }
  return {WaitStatus::reached, now};
}

WaitResult EdgeSleeper::wait_for_edge(std::int64_t n, TimePoint<RigTime> slot) TACTUS_RT {
  const TimePoint<MonotonicTime> deadline = clock_.to_monotonic(slot) + edges_.late_limit();
  while (!edges_.passed(n)) {
    if (interrupted()) return {WaitStatus::interrupted, clock_.now()};
    const TimePoint<MonotonicTime> now = edges_.kernel_now();
    const EdgeStatus status = take(now, std::min(deadline, now + kLongestWait), true);
    if (status == EdgeStatus::gone || edges_.status().state != ClockState::locked) break;
    if (!edges_.passed(n) && read_until_ >= deadline) {
      edges_.overdue(n);
      break;
    }
  }
  edges_.advance(read_until_);
  note_late_edge(n, slot, deadline);
  // An edge that came where it should not starts no frame; after a timeout the slot is past.
  return edges_.seen(n) ? WaitResult{WaitStatus::reached, clock_.now()} : inner_.wait_until(slot);
}

/// Forgets the edge of the wait before: it has nothing to do with the frame that comes next.
void EdgeSleeper::forget_late_edge() TACTUS_RT {
  EdgeClockStatus& status = edges_.status();
  status.edge_late = Nanoseconds{0};
  status.edge_missed = status.edge_injected = false;
}

/// Notes the lateness of a frame that its edge caused, not this machine.
void EdgeSleeper::note_late_edge(std::int64_t n, TimePoint<RigTime> slot,
                                 TimePoint<MonotonicTime> deadline) TACTUS_RT {
  EdgeClockStatus& status = edges_.status();
  const TimePoint<MonotonicTime> begin = clock_.to_monotonic(slot);
  const TimePoint<MonotonicTime> given_up = std::min(edges_.kernel_now(), deadline);
  const bool came = edges_.seen(n) || newest_edge_ > begin;
  status.edge_late = std::max((came ? newest_edge_ : given_up) - begin, Nanoseconds{0});
  status.edge_missed = !came && status.edge_late > Nanoseconds{0};
  status.injected = source_.disturbed();
  status.edge_injected = status.edge_late > Nanoseconds{0} && status.injected != disturbed_before_;
}

WaitResult EdgeSleeper::rest_until(TimePoint<RigTime> slot) TACTUS_RT {
  sync_interrupt();
  rested_ = true;
  forget_late_edge();
  catch_up();
  WaitResult result = approach(slot, kUnread);
  if (result.status == WaitStatus::reached) result = inner_.rest_until(slot);
  if (result.status == WaitStatus::reached) (void)react(result, true);
  return result;
}

/// Returns true if the clock wants the rig to stop or to freeze.
bool EdgeSleeper::react(WaitResult& result, bool frozen) TACTUS_RT {
  const std::optional<EdgeClock::Reaction> reaction = edges_.take_reaction();
  if (!reaction || (frozen && reaction->action != OnClockFault::terminate)) return false;
  reaction_ = reaction;
  // The loop has forgotten a disturbance after twice the edges over which it averages.
  is_injected_.store(reaction->fault != ClockFault::gone && reaction->fault != ClockFault::overflow &&
                     source_.since_disturbed() <= 2 * edges_.settings().smoothing);
  result.status =
      reaction->action == OnClockFault::terminate ? WaitStatus::fault_terminate : WaitStatus::fault_freeze;
  return true;
}

const char* EdgeSleeper::name() const TACTUS_RT {
  return edges_.settings().discipline == Discipline::edge ? "edge" : inner_.name();
}

std::string EdgeSleeper::remark() const {
  std::string inner = inner_.remark();
  if (edges_.settings().discipline == Discipline::pll) return inner;
  return std::string{"between edges: "} + inner_.name() + (inner.empty() ? "" : ", " + inner);
}

double EdgeSleeper::share_spun(Period period) const {
  // While locked, each wait is for an edge; but it may not be locked.
  return inner_.share_spun(period);
}

std::string EdgeSleeper::text_of(const EdgeFaults::Reaction& r) const {
  return sentence(r) +
         (is_injected_.load() ? "; injected: a fault of the rig disturbs its edges (faults:)" : "");
}

std::string EdgeSleeper::sentence(const EdgeFaults::Reaction& r) const {
  const EdgeClockSettings& settings = edges_.settings();
  const std::string where = " on " + source_.what();
  const double nominal_hz = 1 / settings.edge_period().seconds();
  const std::string ago =
      r.had_edge ? "; last edge " + duration(r.since_edge) + " ago" : "; none was accepted yet";
  switch (r.fault) {
    case ClockFault::glitch:
      return "a glitch on the clock line: an edge came " + duration(r.off) + " after another, blanking is " +
             number(settings.blanking) + " edge periods (" + source_.what() + ")";
    case ClockFault::doubled:
      return "an edge of the external clock came twice, " + duration(r.off) + " apart (" + source_.what() +
             ")";
    case ClockFault::late:
      return "an edge of the external clock was " + duration(r.off) + " late, late_limit is " +
             duration(edges_.late_limit()) + " (" + source_.what() + ")";
    case ClockFault::jitter:
      return "an edge of the external clock was " + duration(r.off) +
             (r.off < Nanoseconds{0} ? " before" : " after") + " its time, jitter_limit is " +
             duration(edges_.jitter_limit()) + " (" + source_.what() + ")";
    case ClockFault::missing:
      return "the external clock is lost: " + std::to_string(r.missing_in_row) +
             (r.missing_in_row == 1 ? " edge is missing (" : " edges in a row are missing (") +
             source_.what() + ")" + ago;
    case ClockFault::wrong_rate:
      return "the external clock" + where + " runs at " + number(1e9 / r.measured_period) +
             " Hz, the rig file says " + number(nominal_hz) + " Hz (rate_tolerance " +
             number(settings.rate_tolerance * 100) + " %)";
    case ClockFault::no_edge:
      return "no edge within start_timeout " + duration(settings.start_timeout) + where +
             ": check that the source is on, and that clock.edge is right";
    case ClockFault::gone:
      return "the clock line is gone: " + std::generic_category().message(r.error) + " (" + source_.what() +
             ")" + ago;
    case ClockFault::overflow:
      return "edges of the external clock may have been lost: the kernel's buffer was full (" +
             source_.what() + ")";
  }
  return {};
}

}  // namespace tactus::rtsync
