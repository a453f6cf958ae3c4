// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Counting heap calls, thread by thread, so that "no allocation in a frame" is a number and not a hope.
///
/// The counting itself is done by rtsync/host/heap_interposer.cpp, which replaces malloc and its kin in the
/// executable it is linked into; calls from libraries loaded later are counted too. Without it (another
/// executable, a sanitizer, another C library) available() is false and every count stays 0.
///
/// Counted: malloc, calloc, realloc, free (not of a null pointer), memalign and its kin, hence new and
/// delete.
///
/// Threads  a count belongs to one thread; others may read it while that thread lives.
/// RT       all of it: one relaxed load.
#include <atomic>
#include <cstdint>

#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// The running count of one thread, to be read by that thread or by others. Must not outlive the thread.
class HeapCounter {
 public:
  HeapCounter() = default;                        ///< counter of no thread: stays 0
  static HeapCounter of_this_thread() TACTUS_RT;  // @when any
  /// Counter of this thread; from here on the duration of its calls is measured, too.
  static HeapCounter timed_of_this_thread() TACTUS_RT;  // @when any
  std::uint64_t calls() const TACTUS_RT {               // @when any
    return count_ == nullptr ? 0 : count_->load(std::memory_order_relaxed);
  }
  /// Total duration of the calls, if they are measured.
  Nanoseconds time() const TACTUS_RT {  // @when any
    return Nanoseconds{time_ == nullptr ? 0 : time_->load(std::memory_order_relaxed)};
  }

 private:
  explicit HeapCounter(const std::atomic<std::uint64_t>* count) TACTUS_RT : count_(count) {}
  const std::atomic<std::uint64_t>* count_ = nullptr;
  const std::atomic<std::int64_t>* time_ = nullptr;
};

/// Heap calls of the constructing thread since construction.
class HeapWatch {
 public:
  HeapWatch() TACTUS_RT : counter_(HeapCounter::of_this_thread()), start_(counter_.calls()) {}
  std::uint64_t calls() const TACTUS_RT { return counter_.calls() - start_; }  // @when any
  /// Returns true if this executable counts at all: only then does a 0 from calls() mean something.
  static bool available() TACTUS_RT;

 private:
  HeapCounter counter_;
  std::uint64_t start_;
};

}  // namespace tactus::rtsync
