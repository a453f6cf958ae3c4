// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmark/realtime.hpp"

#include <sys/resource.h>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::benchmark {

rtsync::ThreadSettings realtime_thread(int cpu) {
  return {"benchmark", {cpu}, rtsync::SchedPolicy::fifo, kPriority, std::size_t{512} << 10, true};
}

std::optional<std::string> obstacle_to_realtime(int cpu) {
  if (rtsync::allowed_cpus().count() < 2)
    return "there is one CPU only: a thread of SCHED_FIFO would leave none for the rest of the machine";
  const rtsync::PinnedThread probe{realtime_thread(cpu), [] {}};
  for (const rtsync::Provision& provision : probe.provisions())
    if (!provision.granted && provision.what.starts_with("SCHED_FIFO")) return sentence(provision);
  constexpr rlim_t kMostWithoutSleepUs = 400'000;
  const rlimit limit{kMostWithoutSleepUs, kMostWithoutSleepUs + 100'000};
  if (::setrlimit(RLIMIT_RTTIME, &limit) != 0)
    return "RLIMIT_RTTIME cannot be set: a mistake would stop the machine";
  return std::nullopt;
}

}  // namespace tactus::benchmark
