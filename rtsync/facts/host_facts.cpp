// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/host_facts.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::rtsync {
namespace {

struct NamedProbe {
  const char* name;  // of the fact
  Fact (*probe)(const probes::Host& host);
};

// In the order in which a person would mend them: without the first, the later ones matter little.
constexpr NamedProbe kProbes[] = {
    {"kernel preemption", probes::preemption},
    {"real-time scheduling", probes::realtime_scheduling},
    {"real-time group scheduling", probes::rt_group_scheduling},
    {"real-time throttle", probes::throttle},
    {"memory lock", probes::memory_lock},
    {"CPUs", probes::cpus},
    {"isolated CPUs", probes::isolation},
    {"tickless CPUs", probes::tickless},
    {"RCU callbacks", probes::rcu},
    {"SMT siblings", probes::siblings},
    {"cpu_dma_latency", probes::dma_latency},
    {"idle states", probes::idle_states},
    {"frequency governor", probes::frequency},
    {"energy preference", probes::energy_preference},
    {"interrupts", probes::interrupts},
    {"irqbalance", probes::irq_balancer},
    {"kernel work queues", probes::work_queues},
    {"watchdogs", probes::watchdogs},
    {"timer migration", probes::timer_migration},
    {"timer slack", probes::timer_slack},
    {"kernel events", probes::kernel_events},
    {"clock source", probes::clock_source},
    {"swap", probes::swap},
    {"transparent huge pages", probes::huge_pages},
    {"memory compaction", probes::compaction},
    {"NUMA balancing", probes::numa_balancing},
    {"virtual machine", probes::virtual_machine},
    {"container", probes::container},
    {"CPU mitigations", probes::mitigations},
    {"CAN interfaces", probes::can_interfaces},
};

/// CPUs to look at if the rig names none: the isolated ones, or else the last one allowed.
CpuSet likely_cpus(const ProbeRequest& request, const CpuSet& allowed) {
  CpuSet cpus = isolated_cpus(request.root).value_or(CpuSet{}) & allowed;
  if (cpus.empty() && !allowed.empty()) cpus.add(allowed.last());
  return cpus;
}

probes::Host look_at_host(const ProbeRequest& request) {
  probes::Host host;
  host.request = request;
  host.live = request.live && request.root == "/";
  host.online = online_cpus(request.root);
  host.allowed = host.live ? allowed_cpus() : host.online.value_or(CpuSet{});
  host.rt_was_asked = !request.rt_cpus.empty();
  host.rt = host.rt_was_asked ? request.rt_cpus : likely_cpus(request, host.allowed);
  host.cmdline = host.read("/proc/cmdline");
  return host;
}

Fact found_by(const NamedProbe& named, const probes::Host& host) {
  try {
    return named.probe(host);
  } catch (const std::exception& failure) {  // one strange file must not hide the other facts
    return {.name = named.name,
            .grade = Grade::warn,
            .found = std::string{"unknown: "} + failure.what(),
            .needed = {},
            .why = {},
            .fix = {}};
  }
}

}  // namespace

std::string_view name_of(Grade grade) {
  constexpr Worded<Grade> kWords[] = {{Grade::ok, "ok"}, {Grade::fail, "fail"}};
  return word_of(kWords, grade, "warn");
}

std::vector<Fact> probe_host(const ProbeRequest& request) {
  const probes::Host host = look_at_host(request);
  std::vector<Fact> facts;
  for (const NamedProbe& named : kProbes) facts.push_back(found_by(named, host));
  return facts;
}

Fact probe_fact(std::string_view name, const ProbeRequest& request) {
  for (const NamedProbe& named : kProbes)
    if (named.name == name) return found_by(named, look_at_host(request));
  throw std::out_of_range("no fact is called '" + std::string(name) + "'");
}

}  // namespace tactus::rtsync
