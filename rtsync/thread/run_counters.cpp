// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/run_counters.hpp"

#include <sys/resource.h>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync {

RunCounters RunCounters::of_this_thread() noexcept {
  RunCounters counters;
  rusage usage{};
  // RUSAGE_THREAD with a valid buffer has no way to fail.
  if (::getrusage(RUSAGE_THREAD, &usage) == 0) {
    counters.minor_faults = usage.ru_minflt;
    counters.major_faults = usage.ru_majflt;
    counters.voluntary_switches = usage.ru_nvcsw;
    counters.involuntary_switches = usage.ru_nivcsw;
  }
  if (HeapWatch::available()) counters.heap_calls = HeapCounter::of_this_thread().calls();
  return counters;
}

}  // namespace tactus::rtsync
