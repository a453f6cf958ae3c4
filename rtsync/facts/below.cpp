// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdint>

#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync::probes {
namespace {

enum class Virtual { yes, no, unknown };

Virtual by_the_processor() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) return (c >> 31 & 1U) != 0 ? Virtual::yes : Virtual::no;
#endif
  return Virtual::unknown;
}

Virtual by_cpuinfo(const std::string& cpuinfo) {
  for (const std::string_view line : lines_of(cpuinfo)) {
    if (!line.starts_with("flags")) continue;
    const auto flags = words_of(line);
    return std::ranges::find(flags, "hypervisor") != flags.end() ? Virtual::yes : Virtual::no;
  }
  return Virtual::unknown;
}

Virtual is_virtual(const Host& host) {
  const Virtual processor = host.live ? by_the_processor() : Virtual::unknown;
  if (processor != Virtual::unknown) return processor;
  if (host.exists("/sys/hypervisor/type") || host.exists("/proc/device-tree/hypervisor")) return Virtual::yes;
  const Virtual cpuinfo = by_cpuinfo(host.read("/proc/cpuinfo").text);
  if (cpuinfo != Virtual::unknown) return cpuinfo;
  return host.exists("/proc/device-tree/model") ? Virtual::no : Virtual::unknown;  // a board, not a guest
}

/// Sum over all of the rig's CPUs; nothing if none of them is counted.
std::optional<std::uint64_t> stolen_from_rig(const Host& host) {
  std::optional<std::uint64_t> sum;
  const FileText stat = host.read("/proc/stat");
  for (const int cpu : host.rt.cpus())
    if (const auto stolen = stolen_ticks(stat.text, cpu); stolen && *stolen >= 0)
      sum = sum.value_or(0) + static_cast<std::uint64_t>(*stolen);
  return sum;
}

}  // namespace

Fact virtual_machine(const Host& host) {
  constexpr Subject kSubject{"virtual machine", "a real machine",
                             "a hypervisor can take the CPU away, and the guest cannot prevent it"};
  const std::string fix =
      "run the rig on real hardware; else give the guest pinned CPUs of its own on the host "
      "(virsh vcpupin), with QEMU in SCHED_FIFO";
  const auto stolen = stolen_from_rig(host);
  const std::string steal =
      stolen ? "; stolen from the rig's CPUs since boot: " + std::to_string(*stolen) + " ticks"
             : "; stolen time could not be read from /proc/stat";
  switch (is_virtual(host)) {
    case Virtual::yes:
      return fact(kSubject, Grade::warn, "a virtual machine" + steal, fix);
    case Virtual::no:
      return fact(kSubject, stolen.value_or(0) > 0 ? Grade::warn : Grade::ok,
                  "no sign of a hypervisor" + steal, fix);
    case Virtual::unknown:
      break;
  }
  return unknown(kSubject, "could not find out whether this is a virtual machine" + steal,
                 "systemd-detect-virt");
}

Fact container(const Host& host) {
  constexpr Subject kSubject{"container", "none, or one with the rights for real time",
                             "capabilities, limits and CPUs are then those of the container"};
  if (!host.rights().container && host.rights().initial_user_namespace)
    return fact(kSubject, Grade::ok, "no sign of one");
  return fact(kSubject, Grade::warn,
              host.rights().initial_user_namespace ? "inside a container" : "inside a user namespace",
              "start it with: docker run --cap-add=SYS_NICE --cap-add=IPC_LOCK --ulimit rtprio=99 --ulimit "
              "memlock=-1 --device=/dev/cpu_dma_latency");
}

Fact mitigations(const Host& host) {
  constexpr Subject kSubject{"CPU mitigations",
                             "none in force, if no untrusted user runs code on the machine",
                             "they make each system call and each interrupt slower"};
  const std::string folder = cpu_file("vulnerabilities");
  const std::string fix = "only on a closed rig: " + boot_fix("mitigations=off");
  auto [names, problem] = host.list(folder);
  if (problem.empty() && names.empty()) problem = folder + " is empty";
  std::vector<std::string> active;
  for (const std::string& name : names) {
    const FileText read = host.read(cpu_file("vulnerabilities/" + name));
    if (!read.readable()) problem = read.why();
    if (read.text.find("Mitigation") != std::string::npos) active.push_back(name);
  }
  if (!active.empty()) return fact(kSubject, Grade::warn, joined(active), fix);
  return problem.empty() ? fact(kSubject, Grade::ok, "none in force") : unknown(kSubject, problem, fix);
}

}  // namespace tactus::rtsync::probes
