// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/thread_times.hpp"

#include <algorithm>

namespace tactus::rtsync {
namespace {

using Kind = EventRecord::Kind;

/// A fault for which a hypervisor must find the memory first takes up to that (10.7 us on average on a KVM guest that
/// gives free memory back), or twice the longest of others. What lies farther apart is something else.
constexpr Nanoseconds kSlowestFault{20'000};
/// Longest time that the kernel takes to ask the disk for a page, before it gives up the CPU.
constexpr Nanoseconds kAskDisk{20'000};
/// Longest time on the CPU up to a sleep, or up to a page from the disk, that counts as the call that sleeps
/// or the fault; a longer one holds something else before it.
constexpr Nanoseconds kLongestCall{200'000};
/// The kernel notes a major fault right after the thread has come back.
constexpr Nanoseconds kFaultEnds{100'000};

}  // namespace

Nanoseconds ThreadTimes::inside(EvidenceTime begin, EvidenceTime end) const TACTUS_RT {
  return std::max(std::min(end, to_) - std::max(begin, from_), Nanoseconds{0});
}

/// The latest sleep was in no system call, and no page came after it: it was none of its own.
void ThreadTimes::settle_sleep() TACTUS_RT {
  if (last_blocked_ > Nanoseconds{0} && no_call_) {
    switches_.held += last_blocked_;
    switches_.blocked -= last_blocked_;
    --switches_.blocks;
    in_calls_ -= before_sleep_;
    in_calls_signs_.add({-before_sleep_signs_.user, -before_sleep_signs_.kernel});
  }
  last_blocked_ = Nanoseconds{0};
}

void ThreadTimes::came_on(EvidenceTime at, std::uint32_t cpu) TACTUS_RT {
  const Nanoseconds time = where_ == Where::off ? inside(since_, at) : Nanoseconds{0};
  if (where_ == Where::nobody_knows && at > from_) known_ = false;  // since when, and why?
  back_ = where_ == Where::off ? std::max(at, since_) : at;
  before_block_ =
      where_ == Where::off && fault_ ? inside(std::max(*fault_, since_ - kAskDisk), since_) : Nanoseconds{0};
  no_call_ = in_call_ == EventRecord::InCall::no;
  if (time > Nanoseconds{0}) {
    if (!ready_) {
      in_calls_ += before_sleep_;
      in_calls_signs_.add(before_sleep_signs_);
      ++switches_.blocks;
      switches_.blocked += last_blocked_ = time;
      if (time > switches_.longest_block && !no_call_) {
        switches_.longest_block = time;
        switches_.code = code_;
        switches_.call = call_;
      }
    } else {
      ++(cpu != cpu_ ? switches_.migrations : switches_.preemptions);
      (cpu != cpu_ ? switches_.migrated : switches_.preempted) += time;
      switches_.longest_ready = std::max(switches_.longest_ready, time);
    }
    if (off_count_ < off_.size())
      off_[off_count_++] = {std::max(since_, from_), std::min(at, to_), cpu_, ready_};
    else if (ready_ && cpu == cpu_)
      switches_.unplaced += time;
  }
  where_ = Where::on;
  cpu_ = cpu;
  code_ = 0;
  call_ = -1;
  in_call_ = EventRecord::InCall::unknown;
  seen_ = fault_ = at;
  signs_ = {};
}

/// A long time without one is silence, but for as long as the next one takes to come.
void ThreadTimes::sign_of_life(EvidenceTime at, const EventRecord& record) TACTUS_RT {
  const EvidenceTime until = std::min(at, signs_end_);
  if (seen_ && *seen_ < until && rates_.alive > Nanoseconds{0}) {
    const Nanoseconds gap = inside(*seen_, until);
    const bool silent = gap > rates_.alive + rates_.alive / 4;
    const Nanoseconds late = std::min(late_by_, gap);
    silence_ += silent ? gap - rates_.alive : late;
    late_ += late;
    const Nanoseconds alive = silent ? rates_.alive : gap - late;
    if (record.in_kernel) in_kernel_ += alive;
    if (record.in_kernel && record.in_call == EventRecord::InCall::yes && alive > Nanoseconds{0}) {
      in_own_call_ += alive;
      own_call_code_ = record.code;
    }
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
      in_call_ = record.in_call;
      return;
    case Kind::off:
    case Kind::preempted:
      settle_sleep();
      sign_of_life(record.at);
      where_ = Where::off;
      since_ = std::max(record.at, back_);  // clocks of two CPUs may differ a little
      cpu_ = record.cpu;
      ready_ = record.kind == Kind::preempted;
      before_sleep_ = !ready_ && fault_ && record.at - *fault_ <= kLongestCall ? inside(*fault_, record.at)
                                                                               : Nanoseconds{0};
      before_sleep_signs_ = before_sleep_ > Nanoseconds{0} ? signs_ : Signs{};
      return;
    case Kind::alive:
      if (where_ == Where::off) came_on(record.at, record.cpu);  // the record that says so has the same time
      sign_of_life(record.at, record);
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

void ThreadTimes::add_late(const EventRecord& sign, Nanoseconds late) TACTUS_RT {
  late_by_ = late;
  add(sign);
  late_by_ = Nanoseconds{0};
}

void ThreadTimes::miss_signs(EvidenceTime at) TACTUS_RT {
  if (at >= from_ - rates_.alive * 2 && at <= to_) signs_known_ = false;
}

void ThreadTimes::finish(Evidence& evidence) TACTUS_RT {
  const bool has_records = seen_.has_value();  // else it may have been asleep since long ago
  if (where_ == Where::off && since_ < to_)
    came_on(to_, cpu_);
  else
    sign_of_life(to_);
  settle_sleep();
  if (!known_) return;
  switches_.in_calls = of_kernel(in_calls_, in_calls_signs_);
  evidence.switches = switches_;
  faults_.took += of_kernel(slow_, slow_signs_);
  if (rates_.has_faults && faults_known_) evidence.faults = faults_;
  if (rates_.alive > Nanoseconds{0} && faults_known_ && signs_known_ && has_records)
    evidence.silence = silence();
}

/// Nothing: no sign of the time looked at had room.
std::optional<Silence> ThreadTimes::silence() const TACTUS_RT {
  Silence seen{silence_, rates_.alive_anywhere, rates_.alive * 2, in_kernel_, in_own_call_, own_call_code_,
               late_};
  if (signs_end_ >= to_) return seen;
  const Nanoseconds known = inside(from_, signs_end_);
  if (known == Nanoseconds{0}) return std::nullopt;
  seen.known = known;
  // A stop is what it was; what the thread did until then it did in the rest as well.
  const double all = static_cast<double>((to_ - from_).count()) / static_cast<double>(known.count());
  for (Nanoseconds* const part : {&seen.in_kernel, &seen.in_call})
    *part = Nanoseconds{static_cast<std::int64_t>(static_cast<double>(part->count()) * all)};
  return seen;
}

}  // namespace tactus::rtsync
