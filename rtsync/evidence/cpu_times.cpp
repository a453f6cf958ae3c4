// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rtsync/evidence/thread_times.hpp"

namespace tactus::rtsync {
namespace {

bool leaves(const EventRecord& record) TACTUS_RT {
  return record.kind == EventRecord::Kind::off || record.kind == EventRecord::Kind::preempted;
}

}  // namespace

CpuTimes::Strength CpuTimes::strength_of(std::int32_t thread, std::int16_t priority) const TACTUS_RT {
  if (priority != kNoPriority)
    return is_realtime_priority(priority) ? Strength::realtime : Strength::ordinary;
  if (realtime_ == nullptr) return Strength::unknown;
  return realtime_->is_realtime(thread)   ? Strength::realtime
         : realtime_->is_ordinary(thread) ? Strength::ordinary
                                          : Strength::unknown;
}

/// Keeps no CPU from the thread. What is not known is not weaker.
bool CpuTimes::is_weaker(const Runner& one) const TACTUS_RT {
  if (!is_realtime_itself()) return false;
  if (own_priority_ != kNoPriority && one.priority != kNoPriority) return one.priority > own_priority_;
  return strength_of(one.thread, one.priority) == Strength::ordinary;
}

/// A real-time thread that has it up to the moment that the sleeping one comes back.
bool CpuTimes::keeps_it(const Runner& one, EvidenceTime to, const ThreadTimes::Off& off) const TACTUS_RT {
  constexpr Nanoseconds kSwitch{20'000};  // from one record to the next
  return is_realtime_itself() && one.thread > 0 && to <= off.to && to + kSwitch >= off.to &&
         strength_of(one.thread, one.priority) == Strength::realtime && !is_weaker(one);
}

void CpuTimes::add_time(Runners& runners, const Runner& one, Nanoseconds time) TACTUS_RT {
  for (Runner& runner : runners) {
    if (runner.thread != 0 && runner.thread != one.thread) continue;
    const Nanoseconds before = runner.time;
    if (runner.thread == 0 || one.priority != kNoPriority) runner = one;
    runner.time = before + time;
    return;
  }
}

const Runner& CpuTimes::longest(const Runners& runners) TACTUS_RT {
  return *std::max_element(runners.begin(), runners.end(),
                           [](const Runner& a, const Runner& b) { return a.time < b.time; });
}

void CpuTimes::had_it(const Runner& one, EvidenceTime from, EvidenceTime to) TACTUS_RT {
  Nanoseconds time{0};
  Nanoseconds while_ready{0};
  Nanoseconds kept{0};
  Nanoseconds after_timers{0};
  while (!off_.empty() && off_.front().to <= from) off_ = off_.subspan(1);  // times only go on
  for (const ThreadTimes::Off& off : off_) {
    if (off.from >= to) break;
    const Nanoseconds part = std::min(off.to, to) - std::max(off.from, from);
    if (off.cpu != cpu_) continue;
    if (off.ready || !ready_only_) time += part;
    if (off.ready || (one_was_stopped_ && is_realtime_itself())) while_ready += part;
    if (!off.ready && keeps_it(one, to, off)) kept += part;
    if (!off.ready && !ready_only_ && timers_ && *timers_ > off.from)
      after_timers += std::max(std::min(off.to, to) - std::max(*timers_, from), Nanoseconds{0});
  }
  if (one.thread == thread_) return;
  const bool weaker = one.thread != 0 && is_weaker(one);
  if (!off_.empty() && off_.front().from < to && asleep_since_ != off_.front().from) {
    asleep_since_ = off_.front().from;
    runners_before_ = runners_;
    ran_before_ = ran_;
    weaker_before_ = weaker_kept_;
    could_run_ = true;
  }
  kept_ += kept;
  if (ready_only_) time += kept;
  if (one.thread == 0 || weaker) {
    passed_over_ += while_ready;
    not_ready_ += after_timers;
  }
  if (time == Nanoseconds{0}) return;
  if (one.thread == 0) {
    idle_ += time;
    return;
  }
  (weaker ? weaker_ : ran_) += time;
  if (weaker && could_run_) weaker_kept_ += time;
  add_time(weaker ? ordinary_ : runners_, one, time);
}

/// Notices that the kernel stops real-time threads: one that is pushed off is not followed by a stronger one. The
/// kernel may stop them between two threads as well.
void CpuTimes::look_who_follows(const EventRecord& record, const Runner& next) TACTUS_RT {
  constexpr Nanoseconds kRecent{400'000'000};
  if (!is_realtime_itself()) return;
  const bool pushed = record.kind == EventRecord::Kind::preempted &&
                      strength_of(record.thread, record.priority) == Strength::realtime;
  if (pushed) *std::find(pushed_off_.begin(), pushed_off_.end() - 1, 0) = record.thread;
  if (changed_) {
    const Nanoseconds time = record.at - *changed_;
    seen_ += time;
    if (is_strong_) strong_ += time;
    if (without_since_) gap_ += time;
    if (is_strong_ && now_) add_time(used_up_, *now_, time);
    if (seen_ > kRecent) {
      for (Nanoseconds* sum : {&seen_, &strong_, &stops_, &gap_}) *sum /= 2;
      for (Runner& runner : used_up_) runner.time /= 2;
    }
  }
  changed_ = record.at;
  const bool was_strong = is_strong_;
  is_strong_ = next.thread > 0 && strength_of(next.thread, next.priority) != Strength::ordinary;
  if (is_strong_) {
    std::replace(pushed_off_.begin(), pushed_off_.end(), next.thread, 0);
    one_was_stopped_ = false;
    end_without(record.at);
    without_since_.reset();
    return;
  }
  one_was_stopped_ = one_was_stopped_ || pushed;
  const bool one_waits =
      std::any_of(pushed_off_.begin(), pushed_off_.end(), [](std::int32_t one) { return one != 0; });
  if ((!one_waits && (!was_strong || !is_used_up())) || without_since_) return;
  without_since_ = record.at;
  unused_ = seen_ - strong_;
  left_time_before_ = (left_time_before_ && record.at > window_) || (knows_use() && strong_ * 10 < seen_ * 9);
  unused_by_stops_ = stops_;
  gap_ = Nanoseconds{0};
}

/// Keeps the time since then, if it may be a stop by the kernel's limit. That ends with the period in which the threads
/// used up their time: the stop, and what they had left of the period before, are the limit's. A stop counts from half of
/// that on (judge.cpp), and less than half of the period is seen. Of shorter periods several are seen: the stops before,
/// which are about as long, are not what the threads had left.
void CpuTimes::end_without(EvidenceTime at) TACTUS_RT {
  if (!without_since_) return;
  const Nanoseconds time = at - *without_since_;
  const bool again = time * 2 >= stop_ && time <= stop_ * 2;
  const Nanoseconds unused = again ? unused_ - unused_by_stops_ : unused_;
  if (unused * 5 > time * 4) return;
  if (at > window_) without_ = std::max(without_, time);
  if (again) {
    stops_ += gap_;
  } else if (time > stop_ || stops_ * 8 < stop_) {
    stop_ = time;
    stops_ = gap_;
  }
}

/// The kernel gives a CPU to nothing or to a weaker thread only where the thread cannot run: what ran before did not keep
/// it from its CPU. But where the kernel stops real-time threads.
void CpuTimes::look_who_could_run(EvidenceTime at, const Runner& next) TACTUS_RT {
  constexpr Nanoseconds kTick{10'000'000};  // timers run as often, whatever the kernel was built with
  if (ready_only_ || one_was_stopped_ || off_.empty()) return;
  const ThreadTimes::Off& off = off_.front();
  if (off.ready || off.cpu != cpu_ || at <= off.from || at >= off.to) return;
  if ((next.thread != 0 && !is_weaker(next)) || asleep_since_ != off.from) return;
  if (is_realtime_itself() && at - off.from > kTick && (!timers_ || *timers_ <= off.from)) timers_ = at;
  if (timers_ && *timers_ > off.from) {
    not_ready_ += ran_ - ran_before_;
    could_run_ = false;
  }
  runners_ = runners_before_;
  ran_ = ran_before_;
  weaker_kept_ = weaker_before_;
}

/// Keeps the first time since the thread was off its CPU, and the last at which another one was outside of the kernel
/// after that: by then no system call kept the thread from its CPU.
void CpuTimes::note_timers(const EventRecord& sign) TACTUS_RT {
  const bool outside = !sign.in_kernel && now_ && now_->thread == sign.thread && sign.thread > 0;
  for (const ThreadTimes::Off& off : off_) {
    if (sign.at <= off.from || sign.at > off.to) continue;
    if (!timers_ || *timers_ <= off.from)
      timers_ = sign.at;
    else if (outside && *timers_ < sign.at)
      outside_ = sign.at;
  }
}

/// Adds the time of what has left the CPU. Only then is it known how strong it was. A stronger one kept the thread from it
/// all the time, wherever it was.
void CpuTimes::had_it_until(const Runner& one, EvidenceTime from, EvidenceTime to) TACTUS_RT {
  const bool could_have_run = !ready_only_ && is_weaker(one);
  if (could_have_run && outside_ && *outside_ > from && *outside_ < to) {
    had_it(one, from, *outside_);
    look_who_could_run(*outside_, one);
    from = *outside_;
  }
  outside_.reset();
  had_it(one, from, to);
}

void CpuTimes::add(const EventRecord& record) TACTUS_RT {
  if (record.kind == EventRecord::Kind::lost) lost_ = true;
  if (record.kind == EventRecord::Kind::alive) note_timers(record);
  if (!leaves(record) && record.kind != EventRecord::Kind::on) return;
  Runner next{record.kind == EventRecord::Kind::on ? record.thread : record.next, Nanoseconds{0},
              record.next_priority, record.next_name};
  // The weaker one of its own priorities counts where it changed while the thread slept.
  if (next.thread == thread_ && next.priority != kNoPriority)
    own_priority_ = std::max(own_priority_, next.priority);
  if (leaves(record)) {
    unranked_ = unranked_ || record.priority == kNoPriority;
    Runner last = now_ && now_->thread == record.thread ? *now_ : Runner{record.thread};
    // The stronger priority counts where it changed meanwhile: the thread may have had it all the time.
    if (record.priority != kNoPriority)
      last.priority =
          last.priority == kNoPriority ? record.priority : std::min(last.priority, record.priority);
    if (record.priority != kNoPriority) last.name = record.name;  // it may have changed since
    if (record.thread == thread_ && record.priority != kNoPriority) own_priority_ = record.priority;
    had_it_until(last, now_ ? since_ : record.at, record.at);
    now_ = last;
  } else if (now_) {
    had_it_until(*now_, since_, record.at);
  }
  look_who_follows(record, next);
  look_who_could_run(record.at, next);
  if (next.thread == thread_ && next.priority != kNoPriority) own_priority_ = next.priority;
  if (next.thread >= 0)
    now_ = next;
  else
    now_.reset();
  since_ = record.at;
}

bool CpuTimes::finish(EvidenceTime end, OtherThreads& others) TACTUS_RT {
  if (now_) had_it_until(*now_, since_, end);
  others.idle += idle_;
  others.ran += ran_ + weaker_;
  others.weaker += weaker_;
  others.passed_over += passed_over_;
  others.kept += kept_;
  others.not_ready += not_ready_;
  others.weaker_before += weaker_ - weaker_kept_;
  end_without(end);
  others.without = std::max(others.without, without_);
  others.unranked = others.unranked || unranked_;
  others.left_time_before = others.left_time_before || left_time_before_;
  const auto take_longer = [](Runner& so_far, const Runner& more) {
    if (more.time > so_far.time) so_far = more;
  };
  take_longer(others.ordinary, longest(ordinary_));
  take_longer(others.used_up, longest(used_up_));
  take_longer(others.stronger, longest(runners_));
  const Runner& one = others.stronger.thread != 0 ? others.stronger : others.ordinary;
  others.thread = one.thread;
  others.longest = one.time;
  return !lost_;
}

}  // namespace tactus::rtsync
