#include <algorithm>
#include <cstdio>

#include "config/json.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "rtsync/clock.hpp"
#include "rtsync/host_facts.hpp"
#include "rtsync/realtime_sync.hpp"
#include "rtsync/sleeper.hpp"

namespace tactus::app {
namespace {

rtsync::ProbeRequest request_of(const executive::RigSettings& settings) {
  rtsync::ProbeRequest request;
  for (const int cpu : settings.threads.main.cpus) request.rt_cpus.add(cpu);
  request.wants_fifo = settings.threads.main.policy != rtsync::SchedPolicy::other;
  request.priority = settings.threads.main.priority;
  request.wants_memory_lock = settings.memory.lock;
  const executive::RealtimeSection& realtime = settings.realtime;
  const rtsync::MonotonicClock clock;
  const auto sleeper = rtsync::make_sleeper(realtime.sleeper, clock, realtime.margin);
  request.share_needed = realtime.sleep_timer
                             ? sleeper->share_spun(rtsync::real_period(settings.frame.period, realtime.ratio))
                             : 1;
  return request;
}

/// Whether a fact is one that `privileges: require` insists on, and is not as it should be.
bool stops_the_rig(const rtsync::Fact& fact) {
  if (fact.name == "cpu_dma_latency" || fact.name == "memory lock" || fact.name == "real-time scheduling")
    return fact.grade != rtsync::Grade::ok;
  return (fact.name == "CPUs" || fact.name == "real-time throttle") && fact.grade == rtsync::Grade::fail;
}

}  // namespace

int doctor_command(const DoctorArguments& arguments) {
  rtsync::ProbeRequest request;
  bool required = false;
  if (!arguments.rig.file.empty()) {
    const executive::RigSettings settings = load_settings(arguments.rig);
    request = request_of(settings);
    required = settings.realtime.enabled && settings.privileges == executive::Privileges::require;
  }
  const std::vector<rtsync::Fact> facts = rtsync::probe_host(request);
  if (arguments.json) {
    config::Json all = config::Json::array();
    for (const rtsync::Fact& fact : facts)
      all.push_back({{"name", fact.name},
                     {"grade", name_of(fact.grade)},
                     {"found", fact.found},
                     {"needed", fact.needed},
                     {"why", fact.why},
                     {"cure", fact.cure}});
    std::printf("%s\n", all.dump(2).c_str());
  } else {
    int counts[3] = {};
    for (const rtsync::Fact& fact : facts) {
      ++counts[static_cast<int>(fact.grade)];
      std::printf("%-4s  %s: %s\n", std::string(name_of(fact.grade)).c_str(), fact.name.c_str(),
                  fact.found.c_str());
      if (fact.grade == rtsync::Grade::ok) continue;
      std::printf("        needed: %s\n        why:    %s\n", fact.needed.c_str(), fact.why.c_str());
      if (!fact.cure.empty()) std::printf("        mend:   %s\n", fact.cure.c_str());
    }
    std::printf("%d ok, %d warn, %d fail\n", counts[0], counts[1], counts[2]);
  }
  // Only a rig that requires what the machine refuses will not run here.
  return required && std::any_of(facts.begin(), facts.end(), stops_the_rig) ? kWrongMachine : kOk;
}

}  // namespace tactus::app
