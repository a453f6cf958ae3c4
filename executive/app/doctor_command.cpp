#include <algorithm>
#include <cstdio>

#include "config/json.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "rtsync/host_facts.hpp"

namespace tactus::app {
namespace {

rtsync::ProbeRequest request_of(const executive::RigSettings& settings) {
  rtsync::ProbeRequest request;
  for (const int cpu : settings.threads.main.cpus) request.rt_cpus.add(cpu);
  request.wants_fifo = settings.threads.main.policy != rtsync::SchedPolicy::other;
  request.priority = settings.threads.main.priority;
  request.wants_memory_lock = settings.memory.lock;
  const bool spins = settings.realtime.sleeper == rtsync::SleeperKind::spin || !settings.realtime.sleep_timer;
  request.share_needed = settings.realtime.enabled && spins ? 1 : 0;
  return request;
}

}  // namespace

int doctor_command(const DoctorArguments& arguments) {
  rtsync::ProbeRequest request;
  bool required = false;
  if (!arguments.rig.file.empty()) {
    const executive::RigSettings settings = load_settings(arguments.rig);
    request = request_of(settings);
    required = settings.privileges == executive::Privileges::require;
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
  return required && rtsync::worst(facts) == rtsync::Grade::fail ? kWrongMachine : kOk;
}

}  // namespace tactus::app
