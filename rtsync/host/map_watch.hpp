// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Noting the calls that map and unmap memory, thread by thread. Where memory is locked the kernel takes the pages
/// within such a call, and records no page fault.
///
/// The noting itself is done by rtsync/host/map_interposer.cpp, which replaces mmap and its kin in the executable it is
/// linked into. Without it (another executable, a sanitizer, another C library) nothing is known.
///
/// Noted: mmap, munmap, mremap, madvise, mlock, mlock2, mlockall, mprotect, pkey_mprotect, brk, sbrk, shmat, shmdt, and
/// pthread_create, which maps a stack. What the heap maps inside of its own calls is not.
///
/// Threads  a log belongs to one thread; another may read and clear it while that thread does nothing. sum(): any.
/// RT       all but of_this_thread().
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// A call, or several in a row.
struct MapCalls {
  Nanoseconds begin{0};      ///< start of the first, as CLOCK_MONOTONIC
  Nanoseconds end{0};        ///< end of the last
  Nanoseconds took{0};       ///< time on the CPU
  std::uint64_t bytes = 0;   ///< mapped
  std::uint32_t faults = 0;  ///< pages that the kernel took meanwhile
  std::uint32_t calls = 0;
};

/// The calls of a thread since it was made, together. Only differences mean something.
struct MapSum {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t faults = 0;
  Nanoseconds took{0};
};

/// Calls since it was cleared. When it is full, further calls join the last entry.
class MapLog {
 public:
  static constexpr std::size_t kMost = 32;

  /// nullptr: they cannot be noted here. From here on those of this thread are.                   @when setup
  static MapLog* of_this_thread();

  bool empty() const TACTUS_RT { return count_.load(std::memory_order_relaxed) == 0; }
  std::span<const MapCalls> entries() const TACTUS_RT {
    return {entries_.data(), count_.load(std::memory_order_relaxed)};
  }
  /// All calls of the thread, whatever was cleared.  @when any
  MapSum sum() const TACTUS_RT {
    return {sum_.calls.load(std::memory_order_relaxed), sum_.bytes.load(std::memory_order_relaxed),
            sum_.faults.load(std::memory_order_relaxed),
            Nanoseconds{sum_.took_ns.load(std::memory_order_relaxed)}};
  }
  void add(const MapCalls& call) TACTUS_RT {
    bump(sum_.calls, call.calls);
    bump(sum_.bytes, call.bytes);
    bump(sum_.faults, call.faults);
    bump(sum_.took_ns, call.took.count());
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (count < kMost) {
      entries_[count] = call;
      count_.store(count + 1, std::memory_order_relaxed);
      return;
    }
    MapCalls& last = entries_.back();
    last.end = call.end;
    last.took += call.took;
    last.bytes += call.bytes;
    last.faults += call.faults;
    last.calls += call.calls;
  }
  void clear() TACTUS_RT { count_.store(0, std::memory_order_relaxed); }

 private:
  template <class Count, class More>
  static void bump(std::atomic<Count>& count, More more) TACTUS_RT {
    count.store(count.load(std::memory_order_relaxed) + static_cast<Count>(more), std::memory_order_relaxed);
  }
  struct {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> faults{0};
    std::atomic<std::int64_t> took_ns{0};
  } sum_;
  std::array<MapCalls, kMost> entries_{};
  std::atomic<std::size_t> count_{0};
};

}  // namespace tactus::rtsync
