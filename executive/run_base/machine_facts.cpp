// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/machine_facts.hpp"

#include <algorithm>

#include "rtsync/wait/sleeper.hpp"

namespace tactus::executive {
namespace {

/// Returns the CPUs that the rig file names, and where it names none for a thread, those that are chosen for it. Empty: it
/// has main alone, and names none.
rtsync::CpuSet wanted_cpus(const ThreadsSection& threads) {
  RigCpus wanted;
  wanted.main = rtsync::CpuSet(threads.main.cpus);
  if (threads.workers.empty()) return wanted.main;
  const RigCpus chosen = choose_cpus(threads, true);
  if (wanted.main.empty()) wanted.main = chosen.main;
  for (std::size_t i = 0; i < threads.workers.size(); ++i) {
    const rtsync::CpuSet named(threads.workers[i].cpus);
    wanted.workers.push_back(named.empty() ? chosen.workers[i] : named);
  }
  return realtime_cpus(threads, wanted);
}

}  // namespace

rtsync::CpuSet realtime_cpus(const ThreadsSection& threads, const RigCpus& cpus) {
  rtsync::CpuSet all = cpus.main;
  for (std::size_t i = 0; i < threads.workers.size(); ++i)
    if (threads.workers[i].policy != rtsync::SchedPolicy::other) all |= cpus.workers[i];
  return all;
}

rtsync::ProbeRequest probe_request(const RigSettings& settings) {
  const ThreadsSection& threads = settings.threads;
  rtsync::ProbeRequest request{.rt_cpus = wanted_cpus(threads),
                               .wants_fifo = threads.main.policy != rtsync::SchedPolicy::other,
                               .priority = threads.main.priority,
                               .wants_memory_lock = settings.memory.lock};
  for (const WorkerSettings& worker : threads.workers) {
    if (worker.policy == rtsync::SchedPolicy::other) continue;
    request.priority = request.wants_fifo ? std::max(request.priority, worker.priority) : worker.priority;
    request.wants_fifo = true;
  }
  const RealtimeSection& realtime = settings.realtime;
  rtsync::MonotonicClock clock;
  const auto sleeper = rtsync::make_sleeper(realtime.sleeper, clock, realtime.margin);
  const rtsync::Period frame = rtsync::real_period(settings.frame.period, realtime.ratio);
  request.share_needed = realtime.sleep_timer ? sleeper->share_spun(frame) : 1;
  for (const WorkerSettings& worker : threads.workers)
    if (worker.trigger == rtsync::WaitMode::spin && worker.policy != rtsync::SchedPolicy::other)
      request.share_needed = 1;
  return request;
}

config::Json facts_json(const std::vector<rtsync::Fact>& facts) {
  config::Json all = config::Json::array();
  for (const rtsync::Fact& fact : facts)
    all.push_back({{"name", fact.name},
                   {"grade", name_of(fact.grade)},
                   {"found", fact.found},
                   {"needed", fact.needed},
                   {"why", fact.why},
                   {"fix", fact.fix}});
  return all;
}

}  // namespace tactus::executive
