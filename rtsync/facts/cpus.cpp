// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync::probes {
namespace {

/// Allows the rig's CPUs beside those that are allowed already.
std::string allow_fix(const Host& host) {
  const std::string wanted = (host.allowed | host.rt).text();
  return "start it with: taskset -c " + wanted + " ...; a systemd unit: AllowedCPUs=" + wanted +
         "; a container: --cpuset-cpus=" + wanted;
}

/// ok when a setting covers all of the rig's CPUs; `but` names the others.
Fact covered(const Host& host, const Subject& subject, const CpuSet& cpus, const std::string& but,
             const std::string& fix) {
  const std::string found = cpus.empty() ? "none" : cpus.text();
  const CpuSet open = host.rt - cpus;
  return open.empty() ? fact(subject, Grade::ok, found)
                      : fact(subject, Grade::warn, found + but + open.text(), fix);
}

std::string sibling_fix(const CpuSet& idle) {
  if (!idle.empty()) return write_per_cpu(idle, "0", "online");
  return "give the rig one CPU of each core, or: echo off | sudo tee " + cpu_file("smt/control");
}

}  // namespace

Fact cpus(const Host& host) {
  constexpr Subject kSubject{"CPUs", "the rig's CPUs are there, and one is left for everything else",
                             "helpers, interrupts and the desktop would share a CPU with the frames"};
  if (!host.online)
    return unknown(kSubject, host.read(cpu_file("online")).why(), std::string{"nproc; ls "} + kCpuFolder);
  const std::string found =
      (host.rt_was_asked ? "the rig wants " : "no CPU was chosen; these were checked: ") + host.rt.text() +
      "; online are " + host.online->text() + ", allowed are " + host.allowed.text();
  if (host.rt.empty()) return unknown(kSubject, std::string{kNoCpu} + ": " + found, "nproc");
  if (const CpuSet offline = host.rt - *host.online; !offline.empty())
    return fact(kSubject, Grade::fail, found,
                "choose among the CPUs " + host.online->text() + " in the rig file, or: echo 1 | sudo tee " +
                    cpu_file(offline.first(), "online"));
  if (!host.allowed.contains(host.rt)) return fact(kSubject, Grade::fail, found, allow_fix(host));
  if (host.rest().empty())
    return fact(kSubject, Grade::warn, found + ": none is left for everything else",
                "give the rig fewer CPUs, or: echo on | sudo tee " + cpu_file("smt/control"));
  return fact(kSubject, Grade::ok, found);
}

Fact isolation(const Host& host) {
  constexpr Subject kSubject{"isolated CPUs", "the scheduler puts nothing on the rig's CPUs by itself",
                             "an ordinary task on the CPU costs cache, migration and timer work in a frame"};
  const std::string fix = boot_fix("isolcpus=managed_irq,domain," + host.rt.text());
  const FileText read = host.read(cpu_file("isolated"));
  auto isolated = cpus_in(read);
  if (!isolated) return unknown(kSubject, problem_of(read), fix);
  // An isolated partition of cgroup v2 does the same; older kernels list it in its own place only.
  if (const auto more = cpus_in(host.read("/sys/fs/cgroup/cpuset.cpus.isolated"))) *isolated |= *more;
  if (host.rt.empty())
    return unknown(kSubject, "isolated are: " + text_or(isolated->text(), "none") + ", but " + kNoCpu, fix);
  return covered(host, kSubject, *isolated, "; not isolated: ", fix);
}

Fact tickless(const Host& host) {
  constexpr Subject kSubject{"tickless CPUs", "nohz_full covers the rig's CPUs",
                             "the scheduler's tick interrupts a busy CPU up to 1000 times a second"};
  const FileText read = host.read(cpu_file("nohz_full"));
  const std::string fix = boot_fix("nohz_full=" + host.rt.text());
  if (read.absent() && host.built_without("CONFIG_NO_HZ_FULL"))
    return fact(kSubject, Grade::warn, "this kernel is built without CONFIG_NO_HZ_FULL",
                "sudo apt install linux-image-rt-amd64 (its kernels have it), then " + fix);
  if (read.readable() && (read.text == "(null)" || read.text.empty()))
    return fact(kSubject, Grade::warn, "none", fix);
  const auto quiet = cpus_in(read);
  if (!quiet || host.rt.empty()) return unknown(kSubject, problem_of(read), fix);
  return covered(host, kSubject, *quiet, "; ticking: ", fix);
}

Fact rcu(const Host& host) {
  constexpr Subject kSubject{"RCU callbacks", "rcu_nocbs covers the rig's CPUs",
                             "the kernel's deferred frees would run on the rig's CPUs between two frames"};
  const std::string fix = boot_fix("rcu_nocbs=" + host.rt.text());
  if (!host.cmdline.readable()) return unknown(kSubject, host.cmdline.why(), fix);
  if (host.rt.empty()) return unknown(kSubject, kNoCpu, fix);
  CpuSet offloaded;
  // nohz_full brings rcu_nocbs with it; a bare rcu_nocbs only allows offloading later.
  for (const char* const name : {"rcu_nocbs", "nohz_full"}) {
    const auto given = boot_parameter(host.cmdline.text, name);
    if (!given || given->empty()) continue;
    if (*given == "all") return fact(kSubject, Grade::ok, std::string{name} + "=all");
    const auto cpus = CpuSet::try_parse(*given);
    if (!cpus)
      return unknown(kSubject, std::string{name} + "=" + in_quotes(*given) + " is not a plain list of CPUs",
                     fix);
    offloaded |= *cpus;
  }
  return covered(host, kSubject, offloaded, "; not covered: ", fix);
}

Fact siblings(const Host& host) {
  constexpr Subject kSubject{"SMT siblings", "each of the rig's CPUs has its core to itself",
                             "two hyper-threads of one core take the execution units from each other"};
  std::vector<std::string> shared;
  CpuSet others;
  std::string problem;
  for (const int cpu : host.rt.cpus()) {
    const FileText read = host.read(cpu_file(cpu, "topology/thread_siblings_list"));
    const CpuSet core = cpus_in(read).value_or(CpuSet{});
    if (!core.contains(cpu)) problem = problem_of(read);
    const CpuSet rest = core - CpuSet{cpu};
    if (!core.contains(cpu) || rest.empty()) continue;
    shared.push_back("CPU " + std::to_string(cpu) + " shares its core with " + rest.text());
    others |= rest;
  }
  if (!shared.empty()) return fact(kSubject, Grade::warn, joined(shared), sibling_fix(others - host.rt));
  if (!problem.empty() || host.rt.empty())
    return unknown(kSubject, text_or(problem, kNoCpu), "lscpu --extended");
  return fact(kSubject, Grade::ok, "none");
}

}  // namespace tactus::rtsync::probes
