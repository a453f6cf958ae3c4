// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "rtsync/facts/host_facts.hpp"

namespace tactus::executive {

/// Returns the CPUs of main, and of the workers with a real-time policy: what other work has to stay off. `cpus` has those
/// of all workers.
rtsync::CpuSet realtime_cpus(const ThreadsSection& threads, const RigCpus& cpus);

/// Request of a rig to the machine that it runs on. @when setup or service
rtsync::ProbeRequest probe_request(const RigSettings& settings);

/// Writes the facts as `tactus doctor --json` and the control port give them.
config::Json facts_json(const std::vector<rtsync::Fact>& facts);

/// Times in nanoseconds as summary.json has them: {"p50": ..., "p99": ..., "max": ...}. `more`: quantiles before the
/// longest.
template <class Times>
config::Json times_json(const Times& times, const std::vector<std::pair<const char*, double>>& more = {}) {
  config::Json all{{"p50", times.quantile(0.5).count()}, {"p99", times.quantile(0.99).count()}};
  for (const auto& [name, share] : more) all[name] = times.quantile(share).count();
  all["max"] = times.max().count();
  return all;
}

}  // namespace tactus::executive
