// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/kernel_events.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "rtsync/evidence/cpu_silence.hpp"
#include "rtsync/evidence/fault_time.hpp"
#include "rtsync/evidence/interrupt_reader.hpp"
#include "rtsync/evidence/sign_of_life.hpp"
#include "rtsync/evidence/sign_reader.hpp"
#include "rtsync/evidence/stamp_clock.hpp"
#include "rtsync/evidence/stop_times.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {
namespace {

// Powers of two, as the kernel wants them, of at least a page. They count against what may be locked.
constexpr std::size_t kThreadRing = 64 * 1024;
constexpr std::size_t kCpuRing = 256 * 1024;
constexpr std::size_t kFaultRing = 16 * 1024;
/// A sample of each would meet the kernel's limit for samples, and then there are none for a while.
constexpr std::uint32_t kFaultsPerSample = 16;
// <asm/perf_regs.h>: the register with the address of the next instruction.
#if defined(__x86_64__)
constexpr std::uint64_t kNextInstruction = std::uint64_t{1} << 8;
#elif defined(__aarch64__)
constexpr std::uint64_t kNextInstruction = std::uint64_t{1} << 32;
#else
constexpr std::uint64_t kNextInstruction = 0;
#endif

/// AX and CX come before the address of the next instruction.
constexpr std::uint64_t bits_of(const CallRegisters& by) {
  return (by.no_system_call ? 1U : 0U) | (by.next_instruction ? 4U : 0U);
}
// For interrupts, too; without those 0 is enough.
constexpr const char* kFix = "sudo sysctl -w kernel.perf_event_paranoid=-1 (or: setcap cap_perfmon+ep)";

}  // namespace

EventRing::EventRing(EventRing&& other) noexcept { *this = std::move(other); }

EventRing& EventRing::operator=(EventRing&& other) noexcept {
  std::swap(files_, other.files_);
  std::swap(minor_faults_, other.minor_faults_);
  std::swap(signs_, other.signs_);
  std::swap(signs_period_, other.signs_period_);
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(ids_, other.ids_);
  std::swap(tail_, other.tail_);
  std::swap(mark_, other.mark_);
  std::swap(marks_, other.marks_);
  return *this;
}

EventRing::~EventRing() {
  if (memory_ != nullptr) (void)::munmap(memory_, size_ + page_bytes());
  for (const int file : files_) (void)::close(file);
}

int EventRing::open(pid_t thread, int cpu, std::uint32_t type, std::uint64_t config, std::uint64_t period,
                    bool kernel, std::uint64_t* id) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  attributes.sample_period = period;
  attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  if (ids_.has_address) attributes.sample_type |= PERF_SAMPLE_ADDR;
  attributes.sample_id_all = 1;
  // One event of a ring says who comes on and leaves, besides what it samples itself.
  const bool says_switches = type == PERF_TYPE_SOFTWARE && files_.empty() &&
                             (config == PERF_COUNT_SW_CONTEXT_SWITCHES || config == PERF_COUNT_SW_DUMMY);
  attributes.context_switch = says_switches ? 1 : 0;
  if (type == PERF_TYPE_TRACEPOINT) attributes.sample_type |= PERF_SAMPLE_RAW;
  if (type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_CONTEXT_SWITCHES) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER;
    attributes.sample_regs_user = kNextInstruction | bits_of(ids_.call_registers);
    attributes.sample_stack_user = stack_bytes(ids_.call);
    if (attributes.sample_stack_user != 0) attributes.sample_type |= PERF_SAMPLE_STACK_USER;
  }
  // Where a sign of life comes from the kernel, they say whether the thread had called it.
  if (type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_CPU_CLOCK && kernel &&
      ids_.call_registers.any()) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER;
    attributes.sample_regs_user = kNextInstruction | bits_of(ids_.call_registers);
    ids_.signs_have_code = true;
  }
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.exclude_kernel = kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  const long file = ::syscall(SYS_perf_event_open, &attributes, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (file < 0) return errno;
  // All write into the ring of the first.
  if (!files_.empty() && ::ioctl(static_cast<int>(file), PERF_EVENT_IOC_SET_OUTPUT, files_.front()) != 0) {
    const int error = errno;
    (void)::close(static_cast<int>(file));
    return error;
  }
  files_.push_back(static_cast<int>(file));
  if (id != nullptr && ::ioctl(static_cast<int>(file), PERF_EVENT_IOC_ID, id) != 0) *id = 0;
  return 0;
}

int EventRing::map(std::size_t bytes) {
  const std::size_t page = page_bytes();
  bytes = std::max(bytes, page);
  void* const memory = ::mmap(nullptr, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, files_.front(), 0);
  if (memory == MAP_FAILED) return errno;
  memory_ = memory;
  data_ = static_cast<const std::byte*>(memory) + page;
  size_ = bytes;
  ids_.shift = clock_shift();
  // So that no frame meets a page of it for the first time.
  __atomic_store_n(&static_cast<perf_event_mmap_page*>(memory_)->data_tail, 0, __ATOMIC_RELEASE);
  for (std::size_t at = 0; at < size_; at += page)
    (void)*(static_cast<const volatile std::byte*>(data_) + at);
  return 0;
}

int EventRing::open_thread(pid_t thread, EventRates& rates, const CallNumber& call) {
  ids_.call = call;
  ids_.call_registers = call.by;
  // The first one says when it switches; and where it was then, if it may.
  if (kNextInstruction == 0 ||
      open(thread, -1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1, true, &ids_.left) != 0)
    if (const int error = open(thread, -1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, false, nullptr);
        error != 0)
      return error;
  if (const int error = map(kThreadRing); error != 0) return error;
  if (rates.alive > Nanoseconds{0} && !rates.alive_by_cpu) {
    const auto period = static_cast<std::uint64_t>(rates.alive.count());
    rates.alive_anywhere =
        open(thread, -1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, period, true, &ids_.alive) == 0;
    if (!rates.alive_anywhere &&
        open(thread, -1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, period, false, &ids_.alive) != 0)
      rates.alive = Nanoseconds{0};
  }
  rates.faults = kFaultsPerSample;
  const auto open_faults = [&](std::uint64_t config, std::uint64_t period, std::uint64_t* id) {
    return open(thread, -1, PERF_TYPE_SOFTWARE, config, period, true, id) == 0 ||
           open(thread, -1, PERF_TYPE_SOFTWARE, config, period, false, id) == 0;
  };
  const bool minor = open_faults(PERF_COUNT_SW_PAGE_FAULTS_MIN, kFaultsPerSample, &ids_.minor_fault);
  if (minor) minor_faults_ = files_.back();
  rates.has_faults = minor && open_faults(PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1, &ids_.major_fault);
  return 0;
}

int EventRing::open_faults(pid_t thread, EventRing& sampled) {
  int error = 0;
  ids_.has_address = true;
  for (const bool kernel : {true, false}) {
    error = open(thread, -1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, kernel, &ids_.minor_fault);
    if (error != 0) continue;
    ids_.other_minor_fault = sampled.ids_.minor_fault;
    sampled.ids_.other_minor_fault = ids_.minor_fault;
    return map(kFaultRing);
  }
  return error;
}

int EventRing::open_cpu(int cpu, Nanoseconds alive, const std::optional<SwitchTracepoint>& switches,
                        const CallRegisters& call_registers) {
  int error = EACCES;
  ids_.call_registers = call_registers;
  if (switches) error = open(-1, cpu, PERF_TYPE_TRACEPOINT, switches->id, 1, true, &ids_.switched.id);
  if (error == 0) {
    const std::uint64_t id = ids_.switched.id;
    ids_.switched = *switches;
    ids_.switched.id = id;
  } else {
    error = open(-1, cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, true, nullptr);
  }
  if (error == 0) error = map(kCpuRing);
  signs_period_ = static_cast<std::uint64_t>(alive.count());
  if (error == 0 && signs_period_ != 0 &&
      open(-1, cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, signs_period_, true, &ids_.alive) == 0)
    signs_ = files_.back();
  return error;
}

// A period that is set begins anew, also if it is the same: __perf_event_period() in the kernel's events/core.c.
bool EventRing::restart_signs() const {
  std::uint64_t period = signs_period_;
  return signs_ >= 0 && ::ioctl(signs_, PERF_EVENT_IOC_PERIOD, &period) == 0;
}

bool EventRing::change_signs(Nanoseconds alive) {
  signs_period_ = static_cast<std::uint64_t>(alive.count());
  return restart_signs();
}

int EventRing::open_tracepoint(int cpu, const Tracepoint& tracepoint, std::uint64_t& id) {
  return open(-1, cpu, PERF_TYPE_TRACEPOINT, tracepoint.id, 1, true, &id);
}

int EventRing::open_interrupts(int cpu, const InterruptTracepoints& tracepoints) {
  int error = open_tracepoint(cpu, tracepoints.irq_begin, ids_.irq_begin);
  if (error == 0) error = map(kCpuRing);  // the others write into it
  if (error == 0) error = open_tracepoint(cpu, tracepoints.irq_end, ids_.irq_end);
  // Where softirqs are threads, those show who had the CPU.
  if (error == 0 && tracepoints.softirq_begin && tracepoints.softirq_end) {
    error = open_tracepoint(cpu, *tracepoints.softirq_begin, ids_.softirq_begin);
    if (error == 0) error = open_tracepoint(cpu, *tracepoints.softirq_end, ids_.softirq_end);
    ids_.softirq_offset = tracepoints.softirq_begin->number_offset;
  }
  ids_.irq_offset = tracepoints.irq_begin.number_offset;
  for (const VectorTracepoints& one : tracepoints.vectors) {
    EventIds::Vector& ids = ids_.vectors[static_cast<std::size_t>(one.vector)];
    // The end first: a beginning without one would count for ever.
    if (error == 0 && open_tracepoint(cpu, one.end, ids.end) == 0)
      error = open_tracepoint(cpu, one.begin, ids.begin);
  }
  return error;
}

std::uint64_t EventRing::head() const TACTUS_RT {
  const auto* const page = static_cast<const perf_event_mmap_page*>(memory_);
  return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

std::uint64_t EventRing::oldest() const TACTUS_RT {
  const auto* const page = static_cast<const perf_event_mmap_page*>(memory_);
  return __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
}

void EventRing::mark(EvidenceTime now) TACTUS_RT {
  if (memory_ == nullptr) return;
  marks_[0] = marks_[1];
  marks_[1] = {head(), now};
}

std::uint64_t EventRing::begin(EvidenceTime time) const TACTUS_RT {
  for (const Mark& mark : {marks_[1], marks_[0]})
    if (mark.at <= time) return std::max(mark.head, tail_);
  return tail_;
}

void EventRing::release_to(std::uint64_t head) TACTUS_RT {
  if (memory_ == nullptr) return;
  tail_ = mark_ = head;
  auto* const page = static_cast<perf_event_mmap_page*>(memory_);
  __atomic_store_n(&page->data_tail, tail_, __ATOMIC_RELEASE);
}

void EventRing::release() TACTUS_RT {
  if (memory_ == nullptr) return;
  const std::uint64_t head = this->head();
  tail_ = head - mark_ > size_ / 2 ? head : mark_;
  mark_ = head;
  auto* const page = static_cast<perf_event_mmap_page*>(memory_);
  __atomic_store_n(&page->data_tail, tail_, __ATOMIC_RELEASE);
}

namespace {

/// What is looked at of the time before: the signs of life and the interrupts that it began with.
constexpr Nanoseconds kBefore{4'000'000};

/// Gives each of `times` the records of a ring up to a time. False: one cannot be read.
template <class... Times>
bool read_from(std::uint64_t at, const EventRing& ring, EvidenceTime end, Times&... times) TACTUS_RT {
  const EventBytes bytes = ring.bytes();
  const std::uint64_t head = ring.head();
  EventRecord record;
  while (at < head) {
    if (!bytes.next(at, head, record)) return false;
    if (record.at > end) break;
    (times.add(record), ...);
  }
  return true;
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

Provision fate(std::string what, std::string instead, int error) {
  if (error == 0) return granted(std::move(what), "perf_event_open");
  return refused(std::move(what), std::move(instead),
                 {"perf_event_open answered " + error_words(error), kFix});
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
    provisions_.push_back(
        fate("the kernel's events of " + threads[i].name, "causes of late frames are unknown", error));
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
  for (const Cpu& cpu : cpus_) sign_rings_.push_back({cpu.number, cpu.ring.bytes(), 0, 0, {}});
  provisions_.push_back(fate("the kernel's events of CPUs " + cpus.text(),
                             "who took the CPU of a late frame is not named", refusal));
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
  provisions_.push_back(fate(what, instead, error));
}

/// Those that interrupted the thread; and while it should have been woken, all of its CPU.
std::optional<InterruptTimes> KernelEvents::interrupts(const Thread& thread, const ThreadTimes& times,
                                                       EvidenceTime from, EvidenceTime to,
                                                       bool wake) const TACTUS_RT {
  InterruptReader reader(from, to);
  for (const Cpu& cpu : cpus_) {
    if (!cpu.interrupts.is_open()) return std::nullopt;
    const bool was_there = std::any_of(times.off().begin(), times.off().end(),
                                       [&](const ThreadTimes::Off& off) { return off.cpu == cpu.number; });
    reader.begin_cpu(wake && was_there ? InterruptReader::kAnyThread : thread.tid);
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
    sign_rings_[i] = {cpus_[i].number, ring.bytes(), ring.begin(from - kBefore), ring.head(), {}};
  }
  SignReader signs(sign_rings_, thread.tid, times);
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
    if (&off != times.off().data() &&
        std::any_of(times.off().data(), &off, [&](const auto& before) { return before.cpu == off.cpu; }))
      continue;
    CpuTimes had(times.off(), off.cpu, !wake, realtime ? realtime_ : nullptr, watched.tid);
    StopTimes stops(from, to, watched.tid);
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

/// As of the last look; before it, as it was at the start.
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
