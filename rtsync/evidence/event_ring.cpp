// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/event_ring.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "rtsync/evidence/stamp_clock.hpp"

namespace tactus::rtsync {
namespace {

// Powers of two, as the kernel wants them, of at least a page. They count against what may be locked.
constexpr std::size_t kThreadRing = 64 * 1024;
constexpr std::size_t kCpuRing = 256 * 1024;
constexpr std::size_t kFaultRing = 16 * 1024;
constexpr std::size_t kLargestRecord =
    1024;  // and room to spare: registers, a piece of a stack, a tracepoint
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

}  // namespace

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
  const long opened = ::syscall(SYS_perf_event_open, &attributes, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (opened < 0) return errno;
  Descriptor file(static_cast<int>(opened));
  // All write into the ring of the first.
  if (!files_.empty() && ::ioctl(file.get(), PERF_EVENT_IOC_SET_OUTPUT, files_.front().get()) != 0)
    return errno;
  if (id != nullptr && ::ioctl(file.get(), PERF_EVENT_IOC_ID, id) != 0) *id = 0;
  files_.push_back(std::move(file));
  return 0;
}

int EventRing::map(std::size_t bytes) {
  const std::size_t page = page_bytes();
  bytes = std::max(bytes, page);
  void* const memory =
      ::mmap(nullptr, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, files_.front().get(), 0);
  if (memory == MAP_FAILED) return errno;
  memory_ = Mapping(memory, {page + bytes});
  data_ = static_cast<const std::byte*>(memory) + page;
  size_ = bytes;
  ids_.shift = clock_shift();
  // So that no frame meets a page of it for the first time.
  __atomic_store_n(&static_cast<perf_event_mmap_page*>(memory_.get())->data_tail, 0, __ATOMIC_RELEASE);
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
  if (minor) minor_faults_ = files_.back().get();
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
    signs_ = files_.back().get();
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
  const auto* const page = static_cast<const perf_event_mmap_page*>(memory_.get());
  return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

std::uint64_t EventRing::oldest() const TACTUS_RT {
  const auto* const page = static_cast<const perf_event_mmap_page*>(memory_.get());
  return __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
}

bool EventRing::is_full() const TACTUS_RT { return is_open() && head() - tail_ + kLargestRecord > size_; }

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
  auto* const page = static_cast<perf_event_mmap_page*>(memory_.get());
  __atomic_store_n(&page->data_tail, tail_, __ATOMIC_RELEASE);
}

void EventRing::release() TACTUS_RT {
  if (memory_ == nullptr) return;
  const std::uint64_t head = this->head();
  release_to(head - mark_ > size_ / 2 ? head : mark_);
  mark_ = head;
}

}  // namespace tactus::rtsync
