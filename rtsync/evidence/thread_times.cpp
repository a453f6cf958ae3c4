// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/thread_times.hpp"

#include <algorithm>

namespace tactus::rtsync {
namespace {

using Kind = EventRecord::Kind;

/// A fault for which a hypervisor must find the memory first takes up to that (10.7 us on average on a KVM guest that
/// gives free memory back), or twice the longest of others. What lies farther apart is something else.
constexpr Nanoseconds kSlowestFault{20'000};
/// What the kernel may take to ask the disk for a page, before it gives up the CPU.
constexpr Nanoseconds kAskDisk{20'000};
/// On the CPU up to a sleep, or up to a page from the disk: the call that sleeps and the fault, or something else before.
constexpr Nanoseconds kLongestCall{200'000};
/// The kernel notes a major fault right after the thread has come back.
constexpr Nanoseconds kFaultEnds{100'000};

}  // namespace

Nanoseconds ThreadTimes::inside(EvidenceTime begin, EvidenceTime end) const TACTUS_RT {
  return std::max(std::min(end, to_) - std::max(begin, from_), Nanoseconds{0});
}

void ThreadTimes::came_on(EvidenceTime at, std::uint32_t cpu) TACTUS_RT {
  const Nanoseconds time = where_ == Where::off ? inside(since_, at) : Nanoseconds{0};
  if (where_ == Where::nobody_knows && at > from_) known_ = false;  // since when, and why?
  back_ = at;
  before_block_ =
      where_ == Where::off && fault_ ? inside(std::max(*fault_, since_ - kAskDisk), since_) : Nanoseconds{0};
  last_blocked_ = Nanoseconds{0};
  if (time > Nanoseconds{0}) {
    if (!ready_) {
      in_calls_ += before_sleep_;
      in_calls_signs_.add(before_sleep_signs_);
      ++switches_.blocks;
      switches_.blocked += last_blocked_ = time;
      if (time > switches_.longest_block) {
        switches_.longest_block = time;
        switches_.code = code_;
        switches_.call = call_;
      }
    } else if (cpu != cpu_) {
      ++switches_.migrations;
      switches_.migrated += time;
    } else {
      ++switches_.preemptions;
      switches_.preempted += time;
    }
    if (off_count_ < off_.size())
      off_[off_count_++] = {std::max(since_, from_), std::min(at, to_), cpu_, ready_};
  }
  where_ = Where::on;
  cpu_ = cpu;
  code_ = 0;
  call_ = -1;
  seen_ = fault_ = at;
  signs_ = {};
}

/// A long time without one is silence, but for as long as the next one takes to come.
void ThreadTimes::sign_of_life(EvidenceTime at, bool in_kernel) TACTUS_RT {
  if (seen_ && rates_.alive > Nanoseconds{0}) {
    const Nanoseconds gap = inside(*seen_, at);
    const bool silent = gap > rates_.alive + rates_.alive / 4;
    if (silent) silence_ += gap - rates_.alive;
    if (in_kernel) in_kernel_ += silent ? rates_.alive : gap;
  }
  seen_ = at;
}

void ThreadTimes::fault(const EventRecord& record) TACTUS_RT {
  const bool major = record.kind == Kind::major_fault;
  const std::uint32_t count = major ? 1 : rates_.faults;
  if (record.at >= from_ && record.at <= to_) (major ? faults_.major : faults_.minor) += count;
  if (major && last_blocked_ > Nanoseconds{0} && record.at - back_ < kFaultEnds) {
    switches_.in_major_fault += last_blocked_;
    faults_.took += before_block_;
    switches_.blocked -= last_blocked_;
    --switches_.blocks;
    last_blocked_ = Nanoseconds{0};
    in_calls_ -= before_sleep_;
    in_calls_signs_.add({-before_sleep_signs_.user, -before_sleep_signs_.kernel});
    slow_ += std::max(before_sleep_ - before_block_, Nanoseconds{0});
    slow_signs_.add(before_sleep_signs_);
  }
  const EvidenceTime last = fault_.value_or(record.at);
  const EvidenceTime since = std::max(last, record.at - rates_.fault * count);
  faults_.took += inside(since, record.at);
  if (since > last &&
      record.at - last <= (major ? kLongestCall : std::max(kSlowestFault, rates_.fault * 2) * count)) {
    slow_ += inside(last, since);
    slow_signs_.add(signs_);
  }
  fault_ = record.at;
  signs_ = {};
}

/// The job computed then, or the kernel did for it, in a fault that took longer than most do or in a call that slept:
/// signs of life show which.
Nanoseconds ThreadTimes::of_kernel(Nanoseconds time, const Signs& signs) const TACTUS_RT {
  if (rates_.alive == Nanoseconds{0} || !signs_known_) return Nanoseconds{0};
  // Where none come from the kernel, each stands for the time to the next one; of the last, half of it has passed.
  if (!rates_.alive_anywhere) return std::max(time - rates_.alive * (2 * signs.user + 1) / 2, Nanoseconds{0});
  const std::int64_t all = signs.user + signs.kernel;
  return all == 0 ? Nanoseconds{0} : time * signs.kernel / all;
}

void ThreadTimes::add(const EventRecord& record) TACTUS_RT {
  switch (record.kind) {
    case Kind::on:
      came_on(record.at, record.cpu);
      return;
    case Kind::left:
      code_ = record.code;
      call_ = record.number;
      return;
    case Kind::off:
    case Kind::preempted:
      sign_of_life(record.at);
      where_ = Where::off;
      since_ = record.at;
      cpu_ = record.cpu;
      ready_ = record.kind == Kind::preempted;
      before_sleep_ = !ready_ && fault_ && record.at - *fault_ <= kLongestCall ? inside(*fault_, record.at)
                                                                               : Nanoseconds{0};
      before_sleep_signs_ = before_sleep_ > Nanoseconds{0} ? signs_ : Signs{};
      return;
    case Kind::alive:
      sign_of_life(record.at, record.in_kernel);
      ++(record.in_kernel ? signs_.kernel : signs_.user);
      where_ = Where::on;
      cpu_ = record.cpu;
      return;
    case Kind::minor_fault:
    case Kind::major_fault:
      sign_of_life(record.at);
      fault(record);
      return;
    case Kind::limited:
      if (record.at >= from_ && record.at <= to_) faults_known_ = false;
      return;
    case Kind::lost:
      known_ = false;
      return;
    default:
      return;
  }
}

void ThreadTimes::miss_signs(EvidenceTime at) TACTUS_RT {
  if (at >= from_ - rates_.alive * 2 && at <= to_) signs_known_ = false;
}

void ThreadTimes::finish(Evidence& evidence) TACTUS_RT {
  if (where_ == Where::off && since_ < to_)
    came_on(to_, cpu_);
  else
    sign_of_life(to_);
  if (!known_) return;
  switches_.in_calls = of_kernel(in_calls_, in_calls_signs_);
  evidence.switches = switches_;
  faults_.took += of_kernel(slow_, slow_signs_);
  if (rates_.has_faults && faults_known_) evidence.faults = faults_;
  if (rates_.alive > Nanoseconds{0} && faults_known_ && signs_known_)
    evidence.silence = Silence{silence_, rates_.alive_anywhere, rates_.alive * 2, in_kernel_};
}

/// A real-time thread that has it up to the moment that the sleeping one comes back.
bool CpuTimes::keeps_it(std::int32_t thread, EvidenceTime to, const ThreadTimes::Off& off) const TACTUS_RT {
  constexpr Nanoseconds kSwitch{20'000};  // from one record to the next
  return realtime_ != nullptr && thread > 0 && to <= off.to && to + kSwitch >= off.to &&
         realtime_->is_realtime(thread);
}

void CpuTimes::had_it(std::int32_t thread, EvidenceTime from, EvidenceTime to) TACTUS_RT {
  Nanoseconds time{0};
  Nanoseconds while_ready{0};
  Nanoseconds kept{0};
  while (!off_.empty() && off_.front().to <= from) off_ = off_.subspan(1);  // times only go on
  for (const ThreadTimes::Off& off : off_) {
    if (off.from >= to) break;
    const Nanoseconds part = std::min(off.to, to) - std::max(off.from, from);
    if (off.cpu != cpu_) continue;
    if (off.ready || !ready_only_) time += part;
    if (off.ready || one_was_stopped_) while_ready += part;
    if (!off.ready && keeps_it(thread, to, off)) kept += part;
  }
  if (thread == thread_) return;
  kept_ += kept;
  if (ready_only_) time += kept;
  if (thread == 0 || (realtime_ != nullptr && realtime_->is_ordinary(thread))) passed_over_ += while_ready;
  if (time == Nanoseconds{0}) return;
  if (thread == 0) {
    idle_ += time;
    return;
  }
  ran_ += time;
  if (realtime_ != nullptr && !realtime_->has(thread)) weaker_ += time;
  for (Runner& runner : runners_) {
    if (runner.thread != 0 && runner.thread != thread) continue;
    runner.thread = thread;
    runner.time += time;
    return;
  }
}

/// Real-time threads have had it nearly all the time: the kernel's limit for them may be reached.
bool CpuTimes::is_used_up() const TACTUS_RT {
  return seen_ > Nanoseconds{20'000'000} && strong_ * 4 > seen_ * 3;
}

/// Whoever is pushed off makes room for a stronger one, but where the kernel stops real-time threads. It may stop them
/// between two as well.
void CpuTimes::look_who_follows(const EventRecord& record) TACTUS_RT {
  constexpr Nanoseconds kRecent{400'000'000};
  if (realtime_ == nullptr) return;
  const std::int32_t next = record.kind == Kind::on ? record.thread : record.next;
  const bool pushed = record.kind == Kind::preempted && realtime_->is_realtime(record.thread);
  if (pushed) *std::find(pushed_off_.begin(), pushed_off_.end() - 1, 0) = record.thread;
  if (changed_) {
    const Nanoseconds time = record.at - *changed_;
    seen_ += time;
    if (is_strong_) strong_ += time;
    if (seen_ > kRecent) {
      seen_ /= 2;
      strong_ /= 2;
    }
  }
  changed_ = record.at;
  const bool was_strong = is_strong_;
  is_strong_ = next > 0 && !realtime_->is_ordinary(next);
  if (is_strong_) {
    std::replace(pushed_off_.begin(), pushed_off_.end(), next, 0);
    one_was_stopped_ = false;
    if (without_since_ && record.at > window_) without_ = std::max(without_, record.at - *without_since_);
    without_since_.reset();
    return;
  }
  one_was_stopped_ = one_was_stopped_ || pushed;
  const bool one_waits =
      std::any_of(pushed_off_.begin(), pushed_off_.end(), [](std::int32_t one) { return one != 0; });
  if ((one_waits || (was_strong && is_used_up())) && !without_since_) without_since_ = record.at;
}

void CpuTimes::add(const EventRecord& record) TACTUS_RT {
  if (record.kind == Kind::lost) lost_ = true;
  if (record.kind == Kind::off || record.kind == Kind::preempted) {
    had_it(record.thread, now_ < 0 ? record.at : since_, record.at);
    now_ = record.next;
    since_ = record.at;
    look_who_follows(record);
  } else if (record.kind == Kind::on) {
    if (now_ >= 0) had_it(now_, since_, record.at);
    now_ = record.thread;
    since_ = record.at;
    look_who_follows(record);
  }
}

bool CpuTimes::finish(EvidenceTime end, OtherThreads& others) TACTUS_RT {
  if (now_ >= 0) had_it(now_, since_, end);
  others.idle += idle_;
  others.ran += ran_;
  others.weaker += weaker_;
  others.passed_over += passed_over_;
  others.kept += kept_;
  others.without =
      std::max({others.without, without_, without_since_ ? end - *without_since_ : Nanoseconds{0}});
  for (const Runner& runner : runners_) {
    if (runner.time <= others.longest) continue;
    others.longest = runner.time;
    others.thread = runner.thread;
  }
  return !lost_;
}

}  // namespace tactus::rtsync
