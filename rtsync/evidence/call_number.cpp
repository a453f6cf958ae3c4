// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/call_number.hpp"

#if defined(__x86_64__)

#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

#include "rtsync/evidence/blocking_call.hpp"
#include "rtsync/evidence/event_record.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/page.hpp"

namespace tactus::rtsync {
namespace {

constexpr std::size_t kStackWords = 32;  // of the stack
#ifdef TACTUS_SANITIZED
constexpr std::size_t kStackBytes = std::size_t{1} << 20;
#else
constexpr std::size_t kStackBytes = std::size_t{128}
                                    << 10;  // thread-local data of all libraries lies in it, too
#endif
constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 20'000};
constexpr int kTriesToSleep = 4;  // it may be preempted as it falls asleep

struct SleepingCall {
  long number;
  void (*sleep)();
};
/// Three numbers that do not are at one place by chance.
constexpr std::array<SleepingCall, 3> kSleepingCalls{{
    {SYS_clock_nanosleep, [] { (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &kMoment, nullptr); }},
    {SYS_ppoll, [] { (void)::ppoll(nullptr, 0, &kMoment, nullptr); }},
    {SYS_pselect6, [] { (void)::pselect(0, nullptr, nullptr, nullptr, &kMoment, nullptr); }},
}};

/// Sample that the kernel writes as this thread leaves its CPU: PERF_SAMPLE_REGS_USER and
/// PERF_SAMPLE_STACK_USER.
struct LeftSample {
  std::uint64_t ax = 0;
  std::uint64_t cx = 0;
  std::uint64_t code = 0;
  std::array<std::uint64_t, kStackWords> stack{};
};

class LeftReader {
 public:
  LeftReader() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    attributes.sample_period = 1;
    attributes.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes.sample_regs_user = std::uint64_t{1} << PERF_REG_X86_AX | std::uint64_t{1} << PERF_REG_X86_CX |
                                  std::uint64_t{1} << PERF_REG_X86_IP;
    attributes.sample_stack_user = kStackWords * sizeof(std::uint64_t);
    file_ = Descriptor(
        static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    if (file_.get() < 0) return;
    void* const memory =
        ::mmap(nullptr, 2 * page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (memory != MAP_FAILED) page_.reset(static_cast<perf_event_mmap_page*>(memory));
  }

  /// The newest; and forgets all.
  std::optional<LeftSample> take() {
    if (page_ == nullptr) return std::nullopt;
    const std::uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
    std::optional<LeftSample> newest;
    while (tail_ + sizeof(perf_event_header) <= head) {
      const auto header = get<perf_event_header>(tail_);
      if (header.size < sizeof header) break;
      if (header.type == PERF_RECORD_SAMPLE)
        newest = sample(tail_ + sizeof header, header.size - sizeof header);
      tail_ += header.size;
    }
    tail_ = head;
    __atomic_store_n(&page_->data_tail, tail_, __ATOMIC_RELEASE);
    return newest;
  }

 private:
  template <class T>
  T get(std::uint64_t at) const {
    T value{};
    const auto* const data = reinterpret_cast<const std::byte*>(page_.get()) + page_bytes();
    std::memcpy(&value, data + (at & (page_bytes() - 1)), sizeof value);
    return value;
  }
  std::optional<LeftSample> sample(std::uint64_t at, std::size_t size) const {
    constexpr std::uint64_t kWord = sizeof(std::uint64_t);
    constexpr std::uint64_t kStack = 5 * kWord;  // behind the kind of registers, the three of them, the size
    if (size < kStack + (kStackWords + 1) * kWord || get<std::uint64_t>(at) == PERF_SAMPLE_REGS_ABI_NONE ||
        get<std::uint64_t>(at + kStack + kStackWords * kWord) != kStackWords * kWord)  // as many as asked for
      return std::nullopt;
    LeftSample left;
    left.ax = get<std::uint64_t>(at + kWord);
    left.cx = get<std::uint64_t>(at + 2 * kWord);
    left.code = get<std::uint64_t>(at + 3 * kWord);
    for (std::size_t i = 0; i < kStackWords; ++i) left.stack[i] = get<std::uint64_t>(at + kStack + i * kWord);
    return left;
  }

  Descriptor file_;
  std::unique_ptr<perf_event_mmap_page, Unmap> page_{nullptr, {2 * page_bytes()}};
  std::uint64_t tail_ = 0;
};

std::optional<LeftSample> left_in(LeftReader& reader, const SleepingCall& call) {
  (void)reader.take();
  call.sleep();
  return reader.take();
}

CallNumber look_at_stack() {
  LeftReader reader;
  CallRegisters by;
  for (int i = 0; i < kTriesToSleep; ++i) {
    std::array<std::optional<LeftSample>, kSleepingCalls.size()> left;
    for (std::size_t call = 0; call < kSleepingCalls.size(); ++call) {
      left[call] = left_in(reader, kSleepingCalls[call]);
      if (!left[call]) continue;
      if (!by.any()) by = call_registers_by(left[call]->ax, left[call]->cx, left[call]->code);
      if (!blocking_call(left[call]->code).empty() && by.any())
        return {0, 0, by};  // that of an older library has a name
    }
    const auto stand_at = [&left](std::size_t word) {
      for (std::size_t call = 0; call < kSleepingCalls.size(); ++call)
        if (!left[call] || left[call]->code != left[0]->code ||
            left[call]->stack[word] != static_cast<std::uint64_t>(kSleepingCalls[call].number))
          return false;
      return true;
    };
    for (std::size_t word = 0; word < kStackWords; ++word)
      if (stand_at(word))
        return {left[0]->code, static_cast<std::uint32_t>(word * sizeof(std::uint64_t)), by};
  }
  return {0, 0, by};
}

}  // namespace

CallRegisters call_registers_by(std::uint64_t ax, std::uint64_t cx, std::uint64_t code) {
  return {static_cast<std::int64_t>(ax) == -ENOSYS, cx == code};
}

CallNumber find_call_number() {
  // The library makes them elsewhere in a process that has no second thread.
  CallNumber found;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return found;
  // A small stack: where all memory is locked, all of it is made present, by default 8 MiB, and the C library keeps it.
  (void)::pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  const auto look = [](void* result) -> void* {
    *static_cast<CallNumber*>(result) = look_at_stack();
    return nullptr;
  };
  // Thread-local data of a library may be larger than that.
  if (::pthread_create(&thread, &attributes, look, &found) == 0 ||
      ::pthread_create(&thread, nullptr, look, &found) == 0)
    (void)::pthread_join(thread, nullptr);
  (void)::pthread_attr_destroy(&attributes);
  return found;
}

}  // namespace tactus::rtsync

#else

namespace tactus::rtsync {

CallRegisters call_registers_by(std::uint64_t, std::uint64_t, std::uint64_t) { return {}; }

CallNumber find_call_number() { return {}; }

}  // namespace tactus::rtsync

#endif
