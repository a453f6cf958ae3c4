// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/heap_watch.hpp"

// Defined by heap_interposer.cpp where that is linked in; a null address everywhere else.
extern "C" __attribute__((weak)) const std::atomic<std::uint64_t>*
tactus_heap_calls_of_this_thread() noexcept;
extern "C" __attribute__((weak)) const std::atomic<std::int64_t>* tactus_heap_time_of_this_thread() noexcept;

namespace tactus::rtsync {

bool HeapWatch::available() TACTUS_RT { return &tactus_heap_calls_of_this_thread != nullptr; }

HeapCounter HeapCounter::of_this_thread() TACTUS_RT {
  return HeapWatch::available() ? HeapCounter{tactus_heap_calls_of_this_thread()} : HeapCounter{};
}

HeapCounter HeapCounter::timed_of_this_thread() TACTUS_RT {
  HeapCounter counter = of_this_thread();
  if (HeapWatch::available()) counter.time_ = tactus_heap_time_of_this_thread();
  return counter;
}

}  // namespace tactus::rtsync
