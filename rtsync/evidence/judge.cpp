// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/judge.hpp"

#include <algorithm>
#include <utility>

namespace tactus::rtsync {
namespace {

constexpr Nanoseconds kNone{0};
/// Longest lateness of a timer that is due: a tick of most kernels (CONFIG_HZ=250). A thread that sleeps longer on an idle
/// CPU was stopped, perhaps: the freezers of the first kind stop it without waking it.
constexpr Nanoseconds kLatestTimer{4'000'000};

/// The excess, divided among causes.
class Shares {
 public:
  explicit Shares(Nanoseconds excess) TACTUS_RT : all_(std::max(excess, kNone)), left_(all_) {}

  /// Gives a cause its time, or as much of the excess as is left.
  void give(Cause cause, Nanoseconds time) TACTUS_RT {
    const Nanoseconds part = std::clamp(time, kNone, left_);
    of_[static_cast<std::size_t>(cause)] += part;
    left_ -= part;
  }
  void give_rest(Cause cause) TACTUS_RT { give(cause, left_); }
  /// Takes at most that much of a time that can be given once, and returns it.
  Nanoseconds take_of_quota(Nanoseconds time, Nanoseconds all) TACTUS_RT {
    const Nanoseconds part = std::clamp(all - of_quota_, kNone, time);
    of_quota_ += part;
    return part;
  }
  Nanoseconds left() const TACTUS_RT { return left_; }

  /// Returns the weights of the causes; of equal ones the first in the list wins.
  CauseWeights verdict() const TACTUS_RT {
    constexpr int kSmallest = 20;
    std::size_t best = static_cast<std::size_t>(Cause::unknown);
    for (std::size_t i = 0; i < kCauses; ++i)
      if (of_[i] > of_[best]) best = i;
    CauseWeights verdict{static_cast<Cause>(best), of_[best], {}};
    for (std::size_t i = 0; i < kCauses; ++i) {
      if (i == best || of_[i] * kSmallest < all_ || of_[i] <= verdict.beside[1].time) continue;
      verdict.beside[1] = {static_cast<Cause>(i), of_[i]};
      if (verdict.beside[1].time > verdict.beside[0].time) std::swap(verdict.beside[0], verdict.beside[1]);
    }
    return verdict;
  }

 private:
  std::array<Nanoseconds, kCauses> of_{};
  Nanoseconds all_;
  Nanoseconds left_;
  Nanoseconds of_quota_{0};  // of the stops by the limit of a control group
};

/// A stop of a known length: the kernel's limit for real-time threads has one.
bool is_about(Nanoseconds time, Nanoseconds known) TACTUS_RT {
  return time >= known * 4 / 5 && time <= known * 6 / 5;
}

/// There is a limit for the thread: the kernel's for real-time threads, or that of a control group. Where stops by the
/// latter are counted, one shows.
bool is_limited(const Evidence& evidence) TACTUS_RT {
  return evidence.realtime ? evidence.throttle_gap.has_value() : !evidence.quota || evidence.quota->any();
}

/// The cause of a stop that looks as one by a limit. Where no record has priorities, a thread that was stronger for a
/// while, and a thread that is no real-time one any more, look the same: real-time threads must have used up their time.
Cause cause_of_stop(const Evidence& evidence) TACTUS_RT {
  const OtherThreads& others = *evidence.others;
  return is_limited(evidence) && !(others.unranked && others.left_time_before) ? Cause::throttled
                                                                               : Cause::unknown;
}

/// Ready, and no stronger thread had the CPU, for a limit. Where the stops by that limit are counted, these say more.
Nanoseconds passed_over(const Evidence& evidence) TACTUS_RT {
  const bool is_counted = !evidence.realtime && evidence.quota;
  return evidence.others && !is_counted && is_limited(evidence) ? evidence.others->passed_over : kNone;
}

/// The limit stops all real-time threads of a CPU, also those that sleep. It comes a tick or more late, and its end in
/// time: a part of the stop may be missing.
bool all_were_stopped(const Evidence& evidence) TACTUS_RT {
  if (!evidence.others || !evidence.throttle_gap) return false;
  const Nanoseconds time = evidence.others->without;
  return time >= *evidence.throttle_gap / 2 && time <= *evidence.throttle_gap * 6 / 5;
}

/// Time without a sign of life of its CPU. A long interrupt handler looks the same if it is not recorded; so does an idle
/// CPU whose ordinary threads the limit of their group stops.
Nanoseconds stood_still(Nanoseconds silent, const Evidence& evidence) TACTUS_RT {
  if (!evidence.realtime && evidence.quota && evidence.quota->any())
    silent -= evidence.quota->uncertain ? silent : evidence.quota->took;
  return std::max(silent - (evidence.interrupts ? evidence.interrupts->took : kNone), kNone);
}

/// Off its CPU for half as long as the kernel's limit stops a real-time thread, or longer: without a record of who had
/// the CPU the one looks as the other.
bool may_be_limit(Nanoseconds time, const Evidence& evidence) TACTUS_RT {
  return evidence.realtime && evidence.throttle_gap && time * 2 >= *evidence.throttle_gap;
}

/// The limit of its control group may have stopped it: gives that its part of a time in which the thread was ready, or to
/// be woken. Whoever had the CPU meanwhile did not keep it from that. Returns the part.
Nanoseconds give_quota(Shares& shares, Nanoseconds time, Nanoseconds longest,
                       const Evidence& evidence) TACTUS_RT {
  if (evidence.realtime || !evidence.quota || !evidence.quota->any()) return kNone;
  const QuotaStops& stops = *evidence.quota;
  const Nanoseconds most = stops.uncertain ? time : shares.take_of_quota(time, stops.took);
  // It is a stop of the thread's own, and not one of others on another CPU, where it is about as long as one was.
  Nanoseconds stop = stops.took / std::max(stops.times, 1);
  if (stops.period_us > 0) stop = std::min(stop, Nanoseconds{std::int64_t{stops.period_us} * 1000});
  // What the thread waited after that was not the limit's.
  const Nanoseconds within = stops.over_after > kNone ? std::min(time, stops.over_after) : time;
  const bool certain = !stops.uncertain && longest * 5 >= stop * 2 && most * 4 >= within * 3;
  shares.give(certain ? Cause::throttled : Cause::unknown, most);
  return most;
}

/// Ready, and came back on another CPU: as it was moved, or as it was stopped before that.
void give_migrated(Shares& shares, const SwitchTimes& seen, const Evidence& evidence) TACTUS_RT {
  shares.give(Cause::migrated,
              seen.migrated - give_quota(shares, seen.migrated, seen.longest_ready, evidence));
}

/// Ready, and not on a CPU, for an ordinary thread whose limits are counted.
void give_preempted_ordinary(Shares& shares, Nanoseconds time, const Evidence& evidence) TACTUS_RT {
  const Nanoseconds idle = evidence.others ? std::min(time, evidence.others->passed_over) : kNone;
  const Nanoseconds limited =
      give_quota(shares, time, std::max(evidence.switches->longest_ready, idle), evidence);
  // Neither another thread nor the limit had it.
  const Nanoseconds nothing = std::min(time - limited, idle - std::min(idle, limited));
  shares.give(Cause::unknown, nothing);
  shares.give(Cause::preempted, time - limited - nothing);
}

/// Ready, and not on a CPU.
void give_preempted(Shares& shares, Nanoseconds time, const Evidence& evidence) TACTUS_RT {
  if (!evidence.realtime && evidence.quota) return give_preempted_ordinary(shares, time, evidence);
  if (!evidence.others) {
    shares.give(may_be_limit(time, evidence) ? Cause::unknown : Cause::preempted, time);
    return;
  }
  const Nanoseconds placed = time - std::min(time, evidence.switches->unplaced);
  const bool by_others = (evidence.others->ran - evidence.others->weaker) * 2 > placed;
  if (evidence.throttle_gap && is_about(time, *evidence.throttle_gap) && !by_others) {
    // Nobody looked who had the CPU for most of it.
    shares.give(evidence.switches->unplaced * 2 > time ? Cause::unknown : cause_of_stop(evidence), time);
    return;
  }
  // No stronger thread had the CPU either: without a limit that is not possible.
  const Nanoseconds stopped = std::min(time, evidence.others->passed_over);
  shares.give(cause_of_stop(evidence), stopped);
  shares.give(Cause::preempted, time - stopped);
}

/// Ready, and not on a CPU, as far as the kernel counts that without a record: not what `seen` has already.
void give_queued(Shares& shares, Nanoseconds most, Nanoseconds seen, const Evidence& evidence) TACTUS_RT {
  const Nanoseconds time = std::min(most, std::max(evidence.queued.value_or(kNone) - seen, kNone));
  const bool may_be_quota = !evidence.realtime && evidence.quota && evidence.quota->any();
  shares.give(may_be_quota || may_be_limit(time, evidence) ? Cause::unknown : Cause::preempted, time);
}

/// A debugger or a signal had stopped it, as the record of its switch says.
void give_named_stops(Shares& shares, const SwitchTimes& seen) TACTUS_RT {
  shares.give(Cause::suspended, seen.traced);
  shares.give(Cause::machine_stopped, seen.signalled);
}

/// Off its CPU without having given it up.
void give_stopped(Shares& shares, const SwitchTimes& seen, const Evidence& evidence) TACTUS_RT {
  give_named_stops(shares, seen);
  shares.give(evidence.went_on ? Cause::machine_stopped : Cause::unknown, seen.held);
}

/// Time in calls that map memory. If signs of life come from within such calls, the machine stood still when
/// there was none.
Nanoseconds in_maps(const Evidence& evidence) TACTUS_RT {
  if (!evidence.maps) return kNone;
  const Nanoseconds took = evidence.maps->took;
  if (!evidence.silence || !evidence.silence->anywhere) return took;
  const Nanoseconds alive = std::min(took, evidence.silence->in_kernel);
  return took - std::min(took - alive, evidence.silence->took);
}

/// Time in calls of the heap, by the clock. Where calls and silence have no room beside each other, the machine stood
/// still within a call.
Nanoseconds in_heap(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  const Nanoseconds took = evidence.heap->took;
  if (!evidence.silence || !evidence.silence->anywhere) return took;
  return took - std::clamp(took + evidence.silence->took - facts.took, kNone,
                           std::min(took, evidence.silence->took));
}

}  // namespace

Nanoseconds unrecorded_in_kernel(const Evidence& evidence) TACTUS_RT {
  if (!evidence.silence) return kNone;
  Nanoseconds left = evidence.silence->in_kernel - evidence.silence->in_call;
  if (evidence.faults) left -= evidence.faults->took;
  // Where no register shows calls, those that are known are in it, too.
  if (evidence.silence->in_call == kNone) {
    if (evidence.switches) left -= evidence.switches->in_calls;
    left -= in_maps(evidence);
  }
  if (evidence.interrupts) left -= evidence.interrupts->took;
  return std::max(left, kNone);
}

Nanoseconds not_queued(const Evidence& evidence) TACTUS_RT {
  if (!evidence.ready_most || !evidence.switches) return kNone;
  const SwitchTimes& seen = *evidence.switches;
  const Nanoseconds queued = std::max(*evidence.ready_most - seen.preempted - seen.migrated, kNone);
  return std::max(seen.blocked - queued, kNone);
}

Nanoseconds could_not_run(const Evidence& evidence) TACTUS_RT {
  // Its CPU's records cover the time for which it was held, too.
  return std::max(evidence.switches ? evidence.switches->held : kNone,
                  evidence.others ? evidence.others->not_ready : kNone);
}

Nanoseconds in_counted_faults(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  constexpr std::uint64_t kFew = 16;
  constexpr Nanoseconds kSlowest{20'000};  // where a hypervisor must find the memory first
  if (!evidence.counted || evidence.counted->count <= kFew) return kNone;
  const auto count = static_cast<std::int64_t>(std::min<std::uint64_t>(evidence.counted->count, 1U << 30U));
  const Nanoseconds usual = evidence.counted->usual * count;
  if (!evidence.silence) return usual;
  const Silence& silence = *evidence.silence;
  Nanoseconds kernel = silence.anywhere ? silence.in_kernel : silence.took;
  for (const Nanoseconds known :
       {evidence.switches ? evidence.switches->in_calls : kNone, evidence.heap ? evidence.heap->took : kNone,
        evidence.faults ? evidence.faults->took : kNone,
        evidence.interrupts ? evidence.interrupts->took : kNone, in_maps(evidence)})
    kernel -= std::min(kernel, known);
  kernel = std::min(kernel, std::max(evidence.counted->longest, kSlowest) * count);
  return can_be_seen(facts.excess(), silence) ? kernel : std::max(kernel, usual);
}

namespace {

/// Returns the evidence with counted faults added as calls that map memory.
Evidence with_counted_faults(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  Evidence all = evidence;
  const Nanoseconds took = in_counted_faults(facts, evidence);
  if (took == kNone) return all;
  MapTimes maps = evidence.maps.value_or(MapTimes{});
  maps.took += took;
  all.maps = maps;
  return all;
}

/// Assigns time on the CPU without a sign of life, or with one that is not certainly its own. Time of
/// interrupts is no silence, nor is that of calls that map memory and show none.
void give_silent(Shares& shares, const Evidence& evidence) TACTUS_RT {
  if (!evidence.silence) return;
  Silence silence = *evidence.silence;
  if (evidence.switches) silence.in_kernel -= std::min(silence.in_kernel, evidence.switches->in_calls);
  const Nanoseconds maps = in_maps(evidence);
  const Nanoseconds maps_of_kernel = std::min(maps, silence.in_kernel);
  silence.in_kernel -= maps_of_kernel;
  if (!silence.anywhere) silence.took -= std::min(silence.took, maps - maps_of_kernel);
  const Nanoseconds interrupts = evidence.interrupts ? evidence.interrupts->took : kNone;
  const Nanoseconds of_kernel = std::min(interrupts, silence.in_kernel);
  shares.give(silence.anywhere ? Cause::machine_stopped : Cause::unknown,
              silence.took - (interrupts - of_kernel));
  shares.give(Cause::unknown, unrecorded_in_kernel(evidence));
}

/// Assigns time in which nothing was observed. A stop by a signal takes longer than whatever else may have
/// happened.
void give_unseen(Shares& shares, const Evidence& evidence) TACTUS_RT {
  shares.give_rest(evidence.went_on ? Cause::machine_stopped : Cause::unknown);
}

/// Time in calls of the heap that the thread certainly slept, because the rest of the job is too short for
/// it.
Nanoseconds slept_in_heap(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  if (!evidence.heap || !evidence.switches) return kNone;
  const Nanoseconds blocked = evidence.switches->blocked;
  return std::clamp(evidence.heap->took + blocked - facts.took, kNone,
                    std::min(blocked, evidence.heap->took));
}

/// A job that sleeps in each call, about as long.
bool usually_sleeps(const FrameFacts& facts, Nanoseconds slept) TACTUS_RT {
  constexpr Nanoseconds kSleeps{50'000};
  return facts.usual >= kSleeps && slept <= facts.usual + facts.usual / 4;
}

/// Time that a stronger thread kept a job from its CPU at its wakes, for a job that sleeps in each call. For
/// others it is not known how long they wanted to sleep.
Nanoseconds kept_awake(const FrameFacts& facts, const Evidence& evidence, Nanoseconds heap_slept) TACTUS_RT {
  if (!evidence.others) return kNone;
  const Nanoseconds blocked = evidence.switches->blocked - heap_slept;
  const Nanoseconds kept = std::min(evidence.others->kept, blocked);
  return usually_sleeps(facts, blocked - kept) ? kept : kNone;
}

/// The CPU stood still when the thread was to wake.
Nanoseconds stopped_asleep(const Evidence& evidence) TACTUS_RT {
  return evidence.others ? stood_still(evidence.others->still_at_wake, evidence) : kNone;
}

/// Time on the CPU for pages from the disk. Each fault counts as equally long.
Nanoseconds in_faults_of_disk(const FaultTimes& faults) TACTUS_RT {
  const std::int64_t all = std::int64_t{faults.minor} + faults.major;
  return all == 0 ? kNone : faults.took / all * faults.major;
}

Cause cause_of_sleep(const Evidence& evidence, bool waits) TACTUS_RT {
  if (evidence.went_on) return Cause::machine_stopped;
  if (evidence.perhaps_frozen) return Cause::unknown;
  return waits ? Cause::waited : Cause::blocked;
}

/// Off the CPU, and what it did on it that has a name of its own.
void give_seen(Shares& shares, const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  const bool allocates = evidence.heap && evidence.heap->calls > 0;
  const Nanoseconds heap_slept = slept_in_heap(facts, evidence);
  if (evidence.switches) {
    const SwitchTimes& seen = *evidence.switches;
    shares.give(Cause::faulted, seen.in_major_fault);
    give_stopped(shares, seen, evidence);
    shares.give(Cause::heap, heap_slept);
    // Between jobs nobody sleeps but to wait for another thread.
    const bool waits = facts.for_others || facts.part == LatePart::between_jobs;
    const Nanoseconds kept = waits || evidence.went_on ? kNone : kept_awake(facts, evidence, heap_slept);
    shares.give(Cause::preempted, kept);
    const Nanoseconds still = waits || evidence.went_on
                                  ? kNone
                                  : std::min(seen.blocked - heap_slept - kept, stopped_asleep(evidence));
    shares.give(
        usually_sleeps(facts, seen.blocked - heap_slept - still) ? Cause::machine_stopped : Cause::unknown,
        still);
    const Cause slept = cause_of_sleep(evidence, waits);
    shares.give(slept, seen.blocked - heap_slept - kept - still);
    if (!evidence.went_on && !allocates) shares.give(slept, seen.in_calls);
    give_migrated(shares, seen, evidence);
    const Nanoseconds ready = std::min(
        evidence.others ? stood_still(evidence.others->still_ready, evidence) : kNone, seen.preempted);
    shares.give(Cause::machine_stopped, ready);
    give_preempted(shares, seen.preempted - ready, evidence);
  }
  if (allocates) shares.give(Cause::heap, in_heap(facts, evidence) - heap_slept);
  if (evidence.faults) {
    const Nanoseconds of_disk = in_faults_of_disk(*evidence.faults);
    shares.give(Cause::faulted, of_disk);
    shares.give(Cause::housekeeping, evidence.faults->of_copy);
    // Memory that the heap has just handed out faults at its first use.
    shares.give(allocates ? Cause::heap : Cause::faulted,
                evidence.faults->took - of_disk - evidence.faults->of_copy);
  }
  shares.give(Cause::faulted, in_maps(evidence));
  if (evidence.maps) shares.give(Cause::unknown, evidence.maps->unplaced);
  if (evidence.interrupts) shares.give(Cause::interrupted, evidence.interrupts->took);
  give_silent(shares, evidence);
  if (evidence.speed && *evidence.speed < 1)
    shares.give(Cause::slowed, Nanoseconds{static_cast<std::int64_t>(static_cast<double>(facts.took.count()) *
                                                                     (1 - *evidence.speed))});
}

CauseWeights weigh_wake(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  Shares shares(facts.excess());
  // Whatever its CPU did or did not do meanwhile: it could not run.
  if (evidence.switches) give_named_stops(shares, *evidence.switches);
  // Before the edge: it cannot be noted while nothing runs.
  const Nanoseconds still =
      evidence.others ? stood_still(evidence.others->still_ready + evidence.others->still_asleep, evidence)
                      : kNone;
  shares.give(Cause::machine_stopped, still);
  shares.give(Cause::clock, facts.edge_late - still);
  // A stop by a signal takes longer than whatever the CPU did meanwhile.
  if (evidence.went_on && evidence.switches) shares.give(Cause::machine_stopped, evidence.switches->blocked);
  if (evidence.interrupts) shares.give(Cause::interrupted, evidence.interrupts->took);
  if (evidence.switches) {
    shares.give(evidence.went_on ? Cause::machine_stopped : Cause::unknown, evidence.switches->held);
    give_migrated(shares, *evidence.switches, evidence);
    give_preempted(shares, evidence.switches->preempted, evidence);
    // It should have been woken; not before its edge, nor while all of the rig was stopped.
    const Nanoseconds not_awake =
        evidence.went_on ? kNone : std::max(evidence.switches->blocked - facts.edge_late - still, kNone);
    const Nanoseconds limited = give_quota(shares, not_awake, not_awake, evidence);
    const Nanoseconds asleep =
        evidence.went_on ? kNone : std::max(evidence.switches->blocked - facts.edge_late - limited, kNone);
    if (evidence.others) {
      // Behind a stop of all, those that waited as well may come first.
      const Nanoseconds perhaps_stopped =
          all_were_stopped(evidence)
              ? asleep - std::min(asleep, evidence.others->ran - evidence.others->weaker)
              : std::min(asleep, std::max(passed_over(evidence) - evidence.switches->preempted, kNone));
      const Nanoseconds weaker =
          evidence.preemptible ? evidence.others->weaker : evidence.others->weaker_before;
      const Nanoseconds perhaps_kept = std::min(asleep - perhaps_stopped, evidence.others->ran - weaker);
      // Neither a limit nor another thread had the time in which it was not ready.
      const Nanoseconds ready =
          asleep - std::min(asleep, std::max(not_queued(evidence) - facts.edge_late, kNone));
      const Nanoseconds stopped = std::min(perhaps_stopped, ready);
      const Nanoseconds kept = std::min(perhaps_kept, ready - stopped);
      const Nanoseconds not_ready =
          std::min(asleep - stopped - kept,
                   evidence.others->not_ready + perhaps_stopped + perhaps_kept - stopped - kept);
      shares.give(cause_of_stop(evidence), stopped);
      shares.give(Cause::preempted, kept);
      shares.give(Cause::unknown, not_ready);
      const Nanoseconds unseen = std::min(asleep - stopped - kept - not_ready, evidence.others->idle_unseen);
      shares.give(Cause::unknown, unseen);
      const Nanoseconds late = asleep - stopped - kept - not_ready - unseen;
      shares.give(late > kLatestTimer || evidence.perhaps_frozen ? Cause::unknown : Cause::timer_late, late);
    } else {
      // It was woken before it was on its CPU again: the records do not say when, but how long it waited is counted.
      const Nanoseconds before = shares.left();
      give_queued(shares, asleep, evidence.switches->preempted + evidence.switches->migrated, evidence);
      shares.give(Cause::unknown, asleep - (before - shares.left()));
    }
    if (evidence.silence && evidence.silence->anywhere)
      shares.give(Cause::machine_stopped, evidence.silence->took);
    // It did nothing but look at the clock, and the clock jumped.
    shares.give_rest(facts.spins ? Cause::machine_stopped : Cause::unknown);
  } else if (!evidence.went_on) {
    give_queued(shares, shares.left(), kNone, evidence);
  }
  give_unseen(shares, evidence);
  return shares.verdict();
}

}  // namespace

/// A stop makes the signs come later by a part of it; where none came late at all, a shorter one is excluded, too.
bool can_be_seen(Nanoseconds time, const Silence& silence) TACTUS_RT {
  return time >= (silence.took == kNone ? silence.blind * 5 / 8 : silence.blind);
}

bool stood_in_pieces(Nanoseconds time, const Evidence& evidence) TACTUS_RT {
  if (!evidence.silence) return false;
  const Nanoseconds late = stood_still(evidence.silence->late, evidence);
  return late > kNone && late * 6 >= time;
}

CauseWeights weigh(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  if (facts.part == LatePart::catching_up) return {Cause::catching_up, facts.took, {}};
  if (is_wake(facts.part)) return weigh_wake(facts, evidence);
  Shares shares(facts.excess());
  give_seen(shares, facts, with_counted_faults(facts, evidence));
  if (!evidence.switches && !evidence.went_on) give_queued(shares, shares.left(), kNone, evidence);
  // The rest it was on its CPU, as far as that is known, and got on there.
  const bool seen = evidence.switches && evidence.silence && can_be_seen(shares.left(), *evidence.silence) &&
                    !stood_in_pieces(shares.left(), evidence);
  if (!seen)
    give_unseen(shares, evidence);
  else if (facts.part == LatePart::job && !facts.for_others)
    shares.give_rest(Cause::computed);
  else
    shares.give_rest(facts.for_others ? Cause::waited : Cause::housekeeping);
  return shares.verdict();
}

}  // namespace tactus::rtsync
