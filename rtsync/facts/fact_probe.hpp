// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A probe looks at the machine and makes one Fact of what it finds. Not for outside of rtsync/.
///
/// Here are the probes by the file they lie in, and what they share: the Host they look at, how a Fact is
/// put, and the fixes that several of them prescribe. host_facts.cpp knows in which order they are asked.
///
/// Threads  values; every function is re-entrant.
/// RT       nothing here: files are read, strings are made. @when setup or service.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/facts/host_facts.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/rights.hpp"
#include "rtsync/host/throttle.hpp"

namespace tactus::rtsync::probes {

/// The names in a folder, sorted, or why there are none.
struct FolderNames {
  std::vector<std::string> names;
  std::string problem;  ///< "" when the folder could be listed
};

/// The machine, with what several probes need, read once. Of one thread.
struct Host {
  ProbeRequest request;
  bool live = false;  ///< things may be tried, in this process
  std::optional<CpuSet> online;
  CpuSet allowed;
  CpuSet rt;  ///< the rig's CPUs, or those we look at in their place
  bool rt_was_asked = false;
  FileText cmdline;

  FileText read(std::string_view file) const { return read_host_file(request.root, file); }
  std::filesystem::path path(std::string_view file) const { return request.root / file.substr(1); }
  bool exists(std::string_view file) const;
  FolderNames list(const std::string& folder) const;
  /// Both are false when no configuration is known.
  bool built_with(std::string_view option) const { return config_has(option) == std::optional{true}; }
  bool built_without(std::string_view option) const { return config_has(option) == std::optional{false}; }
  /// Both are read when they are asked for first: they need the kernel's configuration, which is long.
  const Rights& rights() const {
    if (!rights_) rights_ = read_rights(request.root);
    return *rights_;
  }
  const ThrottleFacts& throttle() const {
    if (!throttle_) throttle_ = read_throttle(request.root);
    return *throttle_;
  }
  /// The CPUs that are left for everything else.
  CpuSet rest() const { return online.value_or(allowed) - rt; }

 private:
  std::optional<bool> config_has(std::string_view option) const {
    return read_kernel_config(request.root).has(option);
  }
  mutable std::optional<Rights> rights_{};
  mutable std::optional<ThrottleFacts> throttle_{};
};

/// Subject of a fact: the same whatever was found.
struct Subject {
  const char* name;
  const char* needed;
  const char* why;
};

Fact fact(const Subject& subject, Grade grade, std::string found, std::string fix = {});
Fact unknown(const Subject& subject, const std::string& problem, std::string fix = {});
/// ok when the number in a file of /proc/sys is 0. `sysctl` is its name: "vm.swappiness".
Fact should_be_zero(const Host& host, const Subject& subject, const std::string& sysctl);

inline constexpr const char* kNoCpu = "there is no CPU to look at";
/// Explains why a file does not help: it cannot be read, or its content makes no sense.
std::string problem_of(const FileText& read);
std::string text_or(const std::string& text, const std::string& otherwise);

/// "a, b, c", or the first few "and 5 more".
std::string joined(const std::vector<std::string>& pieces);
/// Contents may be anything: on one line, without control characters, and not too long for a table.
std::string in_quotes(std::string_view text);
/// The file as a list of CPUs; nothing when it cannot be read or says something else.
std::optional<CpuSet> cpus_in(const FileText& read);

inline constexpr const char* kCpuFolder = "/sys/devices/system/cpu";
std::string cpu_file(const std::string& file);  ///< file on all CPUs: "/sys/devices/system/cpu/online"
/// File of one CPU: "/sys/devices/system/cpu/cpu3/online"
std::string cpu_file(int cpu, const std::string& file);

/// The command that writes a value into a file of each of these CPUs.
std::string write_per_cpu(const CpuSet& cpus, const std::string& value, const std::string& file);
/// The command that gives a sysctl a value, now and after the next start.
std::string sysctl_fix(const std::string& name, const std::string& value);

// kernel.cpp: which kernel this is.
Fact preemption(const Host& host);
Fact rt_group_scheduling(const Host& host);

// grants.cpp: what the kernel grants to those who ask.
Fact realtime_scheduling(const Host& host);
Fact throttle(const Host& host);
Fact memory_lock(const Host& host);
Fact timer_slack(const Host& host);
Fact kernel_events(const Host& host);

// cpus.cpp: whether the rig has its CPUs to itself.
Fact cpus(const Host& host);
Fact isolation(const Host& host);
Fact tickless(const Host& host);
Fact rcu(const Host& host);
Fact siblings(const Host& host);

// power.cpp: whether a CPU is slowed down or put to sleep to save power.
Fact dma_latency(const Host& host);
Fact idle_states(const Host& host);
Fact frequency(const Host& host);
Fact energy_preference(const Host& host);

// interrupts.cpp: which devices interrupt the rig's CPUs.
Fact interrupts(const Host& host);
Fact irq_balancer(const Host& host);
/// Reads where an interrupt is really delivered. Not every interrupt controller knows: then, where it may be.
FileText delivery_of(const Host& host, const std::string& number);

// can.cpp: CAN interfaces, as rigs will find them.
Fact can_interfaces(const Host& host);

// What the kernel does on the rig's CPUs of its own accord.
Fact work_queues(const Host& host);
Fact watchdogs(const Host& host);
Fact timer_migration(const Host& host);

// clock.cpp: what it costs to read the clock.
Fact clock_source(const Host& host);

// memory.cpp: whether memory stays where it is.
Fact swap(const Host& host);
Fact huge_pages(const Host& host);
Fact compaction(const Host& host);
Fact numa_balancing(const Host& host);

// below.cpp: what lies between this system and the bare machine.
Fact virtual_machine(const Host& host);
Fact container(const Host& host);
Fact mitigations(const Host& host);

}  // namespace tactus::rtsync::probes
