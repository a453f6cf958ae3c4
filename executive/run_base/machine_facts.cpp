// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/machine_facts.hpp"

#include "rtsync/wait/sleeper.hpp"

namespace tactus::executive {

rtsync::ProbeRequest probe_request(const RigSettings& settings) {
  rtsync::ProbeRequest request{.rt_cpus = rtsync::CpuSet(settings.threads.main.cpus),
                               .wants_fifo = settings.threads.main.policy != rtsync::SchedPolicy::other,
                               .priority = settings.threads.main.priority,
                               .wants_memory_lock = settings.memory.lock};
  const RealtimeSection& realtime = settings.realtime;
  rtsync::MonotonicClock clock;
  const auto sleeper = rtsync::make_sleeper(realtime.sleeper, clock, realtime.margin);
  const rtsync::Period frame = rtsync::real_period(settings.frame.period, realtime.ratio);
  request.share_needed = realtime.sleep_timer ? sleeper->share_spun(frame) : 1;
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
