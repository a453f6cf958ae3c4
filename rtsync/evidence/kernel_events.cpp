// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/kernel_events.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "rtsync/evidence/cpu_silence.hpp"
#include "rtsync/evidence/fault_time.hpp"
#include "rtsync/evidence/interrupt_reader.hpp"
#include "rtsync/evidence/sign_of_life.hpp"
#include "rtsync/evidence/stamp_clock.hpp"
#include "rtsync/evidence/stop_times.hpp"
#include "rtsync/host/rights.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {
namespace {

// The greatest kernel.perf_event_paranoid with which a user may watch this.
constexpr std::int64_t kOwnThreads = 2;
constexpr std::int64_t kCpus = 0;
constexpr std::int64_t kInterrupts = -1;

/// Time before the part that is looked at as well: for the signs of life and the interrupts that it began
/// with.
constexpr Nanoseconds kBefore{4'000'000};

/// Gives each of `times` the records of a ring up to a time. False: one cannot be read, or found no room.
template <class... Times>
bool read_from(std::uint64_t at, const EventRing& ring, EvidenceTime end, Times&... times) TACTUS_RT {
  const EventBytes bytes = ring.bytes();
  const bool full = ring.is_full();
  const std::uint64_t head = ring.head();
  EventRecord record;
  while (at < head) {
    if (!bytes.next(at, head, record)) return false;
    if (record.at > end) return true;
    (times.add(record), ...);
  }
  return !full;
}
template <class... Times>
bool read(const EventRing& ring, EvidenceTime end, Times&... times) TACTUS_RT {
  return read_from(ring.tail(), ring, end, times...);
}

void pass_time_until(EvidenceTime time) {
  const timespec until = to_timespec(time.time_since_epoch());
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

Provision fate(std::string what, std::string instead, std::int64_t level, int error) {
  if (error == 0) return granted(std::move(what), "perf_event_open");
  return refused(std::move(what), std::move(instead), why_no_events(read_rights(), level, error));
}

}  // namespace

KernelEvents::KernelEvents(std::span<const EventThread> threads, const CpuSet& cpus, Nanoseconds alive,
                           const RealtimeThreads* realtime)
    : threads_(threads.size()), realtime_(realtime), alive_ns_(alive.count()) {
  constexpr Nanoseconds kOldest{1'000'000'000};
  constexpr Nanoseconds kTooNew{1'000'000};
  if (const auto age = stamp_age(); age && (*age > kOldest || *age < -kTooNew)) {
    provisions_.push_back(
        refused("the kernel's events", "causes of late frames are unknown",
                {"their time is " + duration_text(std::chrono::abs(*age)) +
                     " away from the clock of this process, and /proc/self/timens_offsets does "
                     "not say why",
                 "run the rig in the time namespace of the host"}));
    return;
  }
  const CallNumber call = find_call_number();
  one_place_ = call.code;
  // A CPU has them always, a thread only while it runs.
  open_cpus(cpus, static_cast<std::size_t>(cpus.count()) <= 2 * threads.size() ? alive : Nanoseconds{0},
            call.by);
  const Nanoseconds fault = longest_fault();
  std::vector<Provision> of_cpus;
  std::swap(provisions_, of_cpus);  // the threads come first
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads_[i].rates.alive = alive;
    threads_[i].rates.fault = fault;
    const bool by_cpu = signs_by_cpu_ && cpus.contains(affinity_of(threads[i].tid).value_or(CpuSet{}));
    threads_[i].rates.alive_anywhere = threads_[i].rates.alive_by_cpu = by_cpu;
    const int error = threads_[i].ring.open_thread(threads[i].tid, threads_[i].rates, call);
    if (error != 0) threads_[i] = {};
    if (error == 0 && threads[i].each_fault &&
        threads_[i].faults.open_faults(threads[i].tid, threads_[i].ring) != 0)
      threads_[i].faults = {};
    threads_[i].realtime = threads[i].realtime;
    threads_[i].code = threads[i].code;
    threads_[i].tid = threads[i].tid;
    provisions_.push_back(fate("the kernel's events of " + threads[i].name,
                               "causes of late frames are unknown", kOwnThreads, error));
  }
  provisions_.insert(provisions_.end(), of_cpus.begin(), of_cpus.end());
  open_interrupts(cpus);
}

void KernelEvents::open_cpus(const CpuSet& cpus, Nanoseconds alive, const CallRegisters& call_registers) {
  int refusal = 0;
  const std::optional<SwitchTracepoint> switches = find_switch_tracepoint();
  for (int cpu = 0; refusal == 0 && cpu <= cpus.last(); ++cpu) {
    if (!cpus.contains(cpu)) continue;
    Cpu made;
    made.number = static_cast<std::uint32_t>(cpu);
    refusal = made.ring.open_cpu(cpu, alive, switches, call_registers);
    if (refusal == 0) cpus_.push_back(std::move(made));
  }
  if (refusal != 0) cpus_.clear();
  signs_by_cpu_ = !cpus_.empty() && std::all_of(cpus_.begin(), cpus_.end(),
                                                [](const Cpu& one) { return one.ring.has_signs(); });
  for (const Cpu& cpu : cpus_) sign_rings_.push_back({cpu.number, cpu.ring.bytes(), 0, 0, {}, {}, {}});
  provisions_.push_back(fate("the kernel's events of CPUs " + cpus.text(),
                             "who took the CPU of a late frame is not named", kCpus, refusal));
}

void KernelEvents::open_interrupts(const CpuSet& cpus) {
  if (cpus_.empty()) return;  // what is refused is told already, or there is none
  const std::string what = "interrupts of CPUs " + cpus.text();
  const std::string instead = "late frames do not say what interrupts took";
  const TracepointSearch found = find_interrupt_tracepoints();
  if (!found.tracepoints) {
    provisions_.push_back(refused(what, instead, found.refusal));
    return;
  }
  int error = 0;
  for (Cpu& cpu : cpus_)
    if (error == 0) error = cpu.interrupts.open_interrupts(static_cast<int>(cpu.number), *found.tracepoints);
  if (error != 0)
    for (Cpu& cpu : cpus_) cpu.interrupts = {};
  provisions_.push_back(fate(what, instead, kInterrupts, error));
}

/// Those that interrupted the thread; and while it should have been woken, all of its CPU.
std::optional<InterruptTimes> KernelEvents::interrupts(const Thread& thread, const ThreadTimes& times,
                                                       EvidenceTime from, EvidenceTime to,
                                                       bool wake) const TACTUS_RT {
  InterruptReader reader(from, to);
  for (const Cpu& cpu : cpus_) {
    if (!cpu.interrupts.is_open()) return std::nullopt;
    reader.begin_cpu(thread.tid, cpu.number, wake ? times.off() : std::span<const ThreadTimes::Off>{});
    if (!read_from(cpu.interrupts.begin(from - kBefore), cpu.interrupts, to, reader)) return std::nullopt;
    reader.end_cpu();
  }
  return cpus_.empty() ? std::nullopt : reader.times();
}

bool KernelEvents::read_thread(const Thread& thread, EvidenceTime from, EvidenceTime to,
                               ThreadTimes& times) const TACTUS_RT {
  if (!thread.rates.alive_by_cpu) return read(thread.ring, to, times);
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    const EventRing& ring = cpus_[i].ring;
    const bool full = ring.is_full();  // before its head is read: what is missing is younger
    sign_rings_[i] = {
        cpus_[i].number, ring.bytes(), ring.begin(from - kBefore), ring.head(), {}, {}, {}, full, false};
  }
  SignReader signs(sign_rings_, thread.tid, times, signs_restarted());
  if (!read(thread.ring, to, signs)) return false;
  signs.finish(to);
  // Also what was before it is judged by another interval than its own, perhaps.
  if (const auto at = signs_restarted()) times.miss_signs(std::min(*at, to));
  return true;
}

std::optional<EvidenceTime> KernelEvents::signs_restarted() const TACTUS_RT {
  const std::int64_t at = signs_restarted_ns_.load(std::memory_order_acquire);
  return at == 0 ? std::nullopt : std::optional(EvidenceTime{Nanoseconds{at}});
}

EventRates KernelEvents::rates_of(const Thread& thread) const TACTUS_RT {
  EventRates rates = thread.rates;
  if (rates.alive_by_cpu) rates.alive = alive();
  return rates;
}

bool KernelEvents::change_signs(Nanoseconds alive) {
  if (!signs_by_cpu_) return false;
  const auto restarts_now = [this] {
    signs_restarted_ns_.store(monotonic_now().time_since_epoch().count(), std::memory_order_release);
  };
  restarts_now();
  bool all = true;
  for (Cpu& cpu : cpus_) {
    cpu.restarted.reset();
    all = cpu.ring.change_signs(alive) && all;
  }
  alive_ns_.store(alive.count(), std::memory_order_release);
  restarts_now();
  return all;
}

Evidence KernelEvents::look(std::size_t thread, EvidenceTime from, EvidenceTime to,
                            bool wake) const TACTUS_RT {
  Evidence evidence;
  const Thread& watched = threads_[thread];
  if (!watched.ring.is_open()) return evidence;
  ThreadTimes times(from, to, rates_of(watched));
  if (!read_thread(watched, from, to, times)) return evidence;
  times.finish(evidence);
  evidence.cpu = times.cpu();
  evidence.thread = watched.tid;
  const bool realtime = is_realtime(watched);
  evidence.realtime = realtime;
  if (!evidence.switches) return evidence;
  evidence.switches->code = watched.code.here(evidence.switches->code);
  // The place of most calls does not say which it was.
  if (evidence.silence)
    evidence.silence->code =
        evidence.silence->code == one_place_ ? 0 : watched.code.here(evidence.silence->code);
  evidence.interrupts = interrupts(watched, times, from, to, wake);
  OtherThreads others;
  for (const ThreadTimes::Off& off : times.off()) {
    const auto cpu =
        std::find_if(cpus_.begin(), cpus_.end(), [&](const Cpu& one) { return one.number == off.cpu; });
    if (cpu == cpus_.end()) return evidence;
    if (&off != times.off().data() && (&off - 1)->cpu == off.cpu) continue;  // nearly always
    if (&off != times.off().data() &&
        std::any_of(times.off().data(), &off, [&](const auto& before) { return before.cpu == off.cpu; }))
      continue;
    CpuTimes had(times.off(), off.cpu, !wake, realtime ? realtime_ : nullptr, watched.tid);
    StopTimes stops(times.off(), off.cpu, watched.tid);
    const auto restarted = signs_restarted();
    const bool has_signs = signs_by_cpu_ && (!restarted || *restarted <= to);
    CpuSilence silence(times.off(), off.cpu, has_signs ? alive() : Nanoseconds{0});
    if (restarted) silence.restarted(*restarted);
    if (!read(cpu->ring, to, had, stops, silence) || !had.finish(to, others)) return evidence;
    silence.finish(to, others);
    stops.finish(*evidence.switches);
    if (had.own_priority() != kNoPriority) evidence.realtime = is_realtime_priority(had.own_priority());
  }
  if (!cpus_.empty()) evidence.others = others;
  return evidence;
}

/// Returns true if the last look found the thread real-time; before any look, the state at the start counts.
bool KernelEvents::is_realtime(const Thread& thread) const TACTUS_RT {
  if (realtime_ == nullptr) return thread.realtime;
  return realtime_->is_realtime(thread.tid) || (thread.realtime && !realtime_->is_ordinary(thread.tid));
}

bool KernelEvents::keep_signs_between(EvidenceTime slot, Nanoseconds frame) {
  constexpr Nanoseconds kAhead{50'000};
  if (!signs_by_cpu_) return true;
  const Nanoseconds spacing = std::min(alive(), frame);
  const auto stand_well = [&](EvidenceTime at) {
    return std::chrono::abs(off_middle(at, slot, spacing)) <= spacing / 8;
  };
  bool all = true;
  for (Cpu& cpu : cpus_) {
    if (cpu.restarted && stand_well(*cpu.restarted)) continue;
    const EvidenceTime soon = monotonic_now() + kAhead;
    const Nanoseconds off = off_middle(soon, slot, spacing);
    pass_time_until(off <= Nanoseconds{0} ? soon - off : soon - off + spacing);
    const EvidenceTime at = monotonic_now();
    if (stand_well(at)) {
      signs_restarted_ns_.store(at.time_since_epoch().count(), std::memory_order_release);
      cpu.restarted.reset();
      if (cpu.ring.restart_signs()) cpu.restarted = at + (monotonic_now() - at) / 2;
    }
    all = all && cpu.restarted && stand_well(*cpu.restarted);
  }
  return all;
}

void KernelEvents::mark(EvidenceTime frame) TACTUS_RT {
  constexpr Nanoseconds kEvery{8'000'000};
  if (frame - marked_ < kEvery) return;
  marked_ = monotonic_now();
  for (Cpu& cpu : cpus_) {
    cpu.ring.mark(marked_);
    cpu.interrupts.mark(marked_);
  }
}

void KernelEvents::release() TACTUS_RT {
  for (Thread& thread : threads_) thread.ring.release();
  for (Cpu& cpu : cpus_) {
    cpu.ring.release();
    cpu.interrupts.release();
  }
}

}  // namespace tactus::rtsync
