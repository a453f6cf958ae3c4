// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/host_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rtsync/thread/thread_list.hpp"
#include "tests/rtsync/support/fake_root.hpp"
#include "tests/rtsync/support/fake_tracepoints.hpp"

namespace tactus::rtsync::host_facts_test {
namespace {

using ::testing::HasSubstr;

const std::string kCpu = "/sys/devices/system/cpu";

/// A machine as it should be: CPUs 0-3, of which 2-3 belong to the rig. Each row of a test then spoils
/// something.
void make_good(FakeRoot& root) {
  root.write("/sys/kernel/realtime", "1\n");
  root.write("/proc/version", "Linux version 6.1.0-rt (gcc) #1 SMP PREEMPT_RT\n");
  root.write("/proc/sys/kernel/osrelease", "6.1.0-rt\n");
  root.write("/boot/config-6.1.0-rt", "CONFIG_PREEMPT_RT=y\nCONFIG_NO_HZ_FULL=y\nCONFIG_NUMA_BALANCING=y\n");
  root.write("/proc/cmdline", "ro isolcpus=2-3 nohz_full=2-3 rcu_nocbs=2-3\n");
  root.write("/proc/self/uid_map", "0 0 4294967295\n");
  root.write("/proc/sys/kernel/sched_rt_runtime_us", "-1\n")
      .write("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
  root.write(kCpu + "/online", "0-3\n")
      .write(kCpu + "/isolated", "2-3\n")
      .write(kCpu + "/nohz_full", "2-3\n");
  for (const char* const cpu : {"/cpu2", "/cpu3"}) {
    root.write(kCpu + cpu + "/cpufreq/scaling_governor", "performance\n");
    root.write(kCpu + cpu + "/cpufreq/scaling_driver", "intel_pstate\n");
    root.write(kCpu + cpu + "/cpufreq/energy_performance_preference", "performance\n");
    root.write(kCpu + cpu + "/cpuidle/state0/name", "POLL\n")
        .write(kCpu + cpu + "/cpuidle/state0/latency", "0\n");
    root.write(kCpu + cpu + "/cpuidle/state0/disable", "0\n");
    root.write(kCpu + cpu + "/cpuidle/state1/name", "C6\n")
        .write(kCpu + cpu + "/cpuidle/state1/latency", "170\n");
    root.write(kCpu + cpu + "/cpuidle/state1/disable", "1\n");
  }
  root.write(kCpu + "/cpu2/topology/thread_siblings_list", "2\n");
  root.write(kCpu + "/cpu3/topology/thread_siblings_list", "3\n");
  root.write(kCpu + "/vulnerabilities/meltdown", "Not affected\n");
  root.write("/dev/cpu_dma_latency", "");
  root.write("/proc/interrupts",
             "           CPU0       CPU1       CPU2       CPU3\n"
             " 24:        100          0          0          7   IO-APIC   4-edge      eth0\n"
             "LOC:       9999       9999       9999       9999   Local timer interrupts\n");
  root.write("/proc/irq/24/effective_affinity_list", "0\n").write("/proc/irq/24/smp_affinity_list", "0-3\n");
  root.write("/proc/irq/default_smp_affinity", "f\n");
  root.write("/proc/2/comm", "kthreadd\n").write("/proc/77/comm", "bash\n");
  root.write("/sys/devices/virtual/workqueue/cpumask", "3\n");
  root.write("/proc/sys/kernel/nmi_watchdog", "0\n").write("/proc/sys/kernel/watchdog", "0\n");
  root.write("/proc/sys/kernel/watchdog_cpumask", "0-3\n");
  root.write("/proc/sys/kernel/timer_migration", "0\n");
  root.write("/proc/sys/kernel/perf_event_paranoid", "-1\n");
  write_tracepoints(root);
  root.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  root.write("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n");
  root.write("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
  root.write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.write("/proc/sys/vm/compact_unevictable_allowed", "0\n");
  root.write("/proc/sys/kernel/numa_balancing", "0\n");
  root.write("/proc/cpuinfo", "processor : 0\nflags\t\t: fpu vme sse2\n");
  root.write("/sys/class/net/lo/type", "772\n");
  root.write("/proc/stat", "cpu  1 2 3 4 5 6 7 0 0 0\ncpu2 1 2 3 4 5 6 7 0 0 0\ncpu3 1 2 3 4 5 6 7 0 0 0\n");
}

/// A controller `can0`, with the flags of its interface and the CPUs of its interrupt.
void write_can(FakeRoot& root, const std::string& flags, const std::string& cpus) {
  root.write("/sys/class/net/can0/type", "280\n").write("/sys/class/net/can0/flags", flags + "\n");
  root.write("/sys/class/net/can0/mtu", "72\n").write("/sys/class/net/can0/device/uevent", "DRIVER=m_can\n");
  root.write("/proc/interrupts",
             "           CPU0       CPU1       CPU2       CPU3\n"
             " 42:        100          0          0          0   GIC   4-edge      can0\n");
  root.write("/proc/irq/42/effective_affinity_list", cpus + "\n");
}

ProbeRequest request_of(const FakeRoot& root) {
  ProbeRequest request;
  request.rt_cpus = CpuSet{2, 3};
  request.root = root.path();
  return request;
}

Fact fact_named(const std::vector<Fact>& facts, const std::string& name) {
  for (const Fact& fact : facts) {
    if (fact.name == name) return fact;
  }
  ADD_FAILURE() << "no fact is called " << name;
  return {};
}

/// What can only be tried is unknown in a tree of files.
bool needs_trying(const Fact& fact) {
  return fact.name == "real-time scheduling" || fact.name == "memory lock" || fact.name == "timer slack";
}

TEST(HostFacts, OfAGoodMachineAreAllOk) {
  FakeRoot root;
  make_good(root);
  for (const Fact& fact : probe_host(request_of(root))) {
    if (needs_trying(fact)) {
      EXPECT_EQ(fact.grade, Grade::warn) << fact.name << ": nothing was tried, so nothing is known";
      continue;
    }
    EXPECT_EQ(fact.grade, Grade::ok) << fact.name << ": " << fact.found;
    EXPECT_TRUE(fact.fix.empty()) << fact.name << " is ok and needs no fix: " << fact.fix;
  }
}

TEST(HostFacts, OfAMachineThatSaysNothingAreUnknownAndNeverOk) {
  FakeRoot root;
  const std::set<std::string> seen_directly = {
      "container"};  // limits and capabilities are this process's own
  for (const Fact& fact : probe_host(request_of(root))) {
    if (seen_directly.contains(fact.name)) continue;
    EXPECT_NE(fact.grade, Grade::ok) << fact.name << ": " << fact.found;
    EXPECT_FALSE(fact.found.empty()) << fact.name;
    EXPECT_FALSE(fact.needed.empty()) << fact.name;
    EXPECT_FALSE(fact.why.empty()) << fact.name;
  }
}

struct Row {
  const char* why;
  const char* name;
  void (*spoil)(FakeRoot&);
  Grade grade;
  const char* found;
  const char* fix;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name << ": " << row.why; }

/// "IdleStates_ADeepStateThatCannot": a sentence as GoogleTest allows it.
std::string title(const ::testing::TestParamInfo<Row>& row) {
  std::string text;
  bool start = true;
  for (const char c : std::string{row.param.name} + "_" + row.param.why) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter) text += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    if (c == '_') text += c;
    start = !letter;
  }
  return text;
}

class OneFact : public ::testing::TestWithParam<Row> {};

TEST_P(OneFact, IsGradedByWhatWasRead) {
  const Row& row = GetParam();
  FakeRoot root;
  make_good(root);
  row.spoil(root);
  const Fact fact = fact_named(probe_host(request_of(root)), row.name);
  EXPECT_EQ(fact.grade, row.grade) << row.why << ": " << fact.found;
  EXPECT_THAT(fact.found, HasSubstr(row.found)) << row.why;
  EXPECT_THAT(fact.fix, HasSubstr(row.fix)) << row.why;
}

void no_rt_sign(FakeRoot& r) {
  r.remove("/sys/kernel/realtime").write("/boot/config-6.1.0-rt", "CONFIG_SMP=y\n");
  r.write("/proc/version", "Linux version 6.1.0-rt #1 SMP\n");
}

const Row kKernelRows[] = {
    {"a mainline RT kernel without /sys/kernel/realtime", "kernel preemption",
     [](FakeRoot& r) { r.remove("/sys/kernel/realtime"); }, Grade::ok, "/boot/config-6.1.0-rt", ""},
    {"nothing but the name", "kernel preemption",
     [](FakeRoot& r) { r.remove("/sys/kernel/realtime").remove("/boot/config-6.1.0-rt"); }, Grade::ok,
     "by its name", ""},
    {"preemptible, chosen at run time", "kernel preemption",
     [](FakeRoot& r) {
       no_rt_sign(r);
       r.write("/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
     },
     Grade::warn, "'full'", "linux-image-rt"},
    {"not preemptible", "kernel preemption",
     [](FakeRoot& r) {
       no_rt_sign(r);
       r.write("/sys/kernel/debug/sched/preempt", "(none) voluntary full\n");
     },
     Grade::fail, "'none'", "preempt=full"},
    {"by the configuration", "kernel preemption",
     [](FakeRoot& r) {
       no_rt_sign(r);
       r.write("/boot/config-6.1.0-rt", "CONFIG_PREEMPT_VOLUNTARY=y\n");
     },
     Grade::fail, "'voluntary'", "preempt=full"},
    {"chosen at boot", "kernel preemption",
     [](FakeRoot& r) {
       no_rt_sign(r);
       r.write("/boot/config-6.1.0-rt", "CONFIG_PREEMPT_NONE=y\nCONFIG_PREEMPT_DYNAMIC=y\n")
           .write("/proc/cmdline", "preempt=full");
     },
     Grade::warn, "'full'", "linux-image-rt"},
    {"the name alone says preemptible", "kernel preemption",
     [](FakeRoot& r) {
       no_rt_sign(r);
       r.remove("/boot/config-6.1.0-rt").write("/proc/version", "Linux #1 SMP PREEMPT_DYNAMIC\n");
     },
     Grade::warn, "no sign of PREEMPT_RT", "linux-image-rt"},
    {"no source at all", "kernel preemption",
     [](FakeRoot& r) {
       no_rt_sign(r);
       r.remove("/boot/config-6.1.0-rt");
     },
     Grade::warn, "unknown", "zgrep PREEMPT"},
    {"garbage", "kernel preemption",
     [](FakeRoot& r) {
       no_rt_sign(r);
       r.write("/sys/kernel/realtime", "banana")
           .write("/sys/kernel/debug/sched/preempt", ")full(")
           .write("/boot/config-6.1.0-rt", "\x01\x02");
     },
     Grade::warn, "unknown", ""},
    {"groups are rationed", "real-time group scheduling",
     [](FakeRoot& r) { r.write("/boot/config-6.1.0-rt", "CONFIG_RT_GROUP_SCHED=y\n"); }, Grade::warn,
     "in this kernel", "rt_group_sched=0"},
    {"switched off at boot", "real-time group scheduling",
     [](FakeRoot& r) {
       r.write("/boot/config-6.1.0-rt", "CONFIG_RT_GROUP_SCHED=y\n")
           .write("/proc/cmdline", "rt_group_sched=0");
     },
     Grade::ok, "switched off", ""},
    {"our group has nothing", "real-time group scheduling",
     [](FakeRoot& r) {
       r.write("/proc/self/cgroup", "1:cpu:/rig\n").write("/sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us", "0");
     },
     Grade::fail, "/rig has 0 us", "sudo tee /sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us"},
    {"no configuration", "real-time group scheduling", [](FakeRoot& r) { r.remove("/boot/config-6.1.0-rt"); },
     Grade::warn, "unknown", "zgrep"},
    {"95 percent, and the rig does not spin", "real-time throttle",
     [](FakeRoot& r) { r.write("/proc/sys/kernel/sched_rt_runtime_us", "950000"); }, Grade::warn, "95 %",
     "kernel.sched_rt_runtime_us=-1"},
    {"no release and no sysctl", "real-time throttle",
     [](FakeRoot& r) {
       r.remove("/proc/sys/kernel/sched_rt_runtime_us").remove("/proc/sys/kernel/osrelease");
     },
     Grade::warn, "unknown", "sched_rt_runtime_us"},
};
INSTANTIATE_TEST_SUITE_P(Kernel, OneFact, ::testing::ValuesIn(kKernelRows), title);

const Row kCpuRows[] = {
    {"the rig's CPU is switched off", "CPUs", [](FakeRoot& r) { r.write(kCpu + "/online", "0-2\n"); },
     Grade::fail, "online are 0-2", "/cpu3/online"},
    {"none is left", "CPUs", [](FakeRoot& r) { r.write(kCpu + "/online", "2-3\n"); }, Grade::warn,
     "none is left", "give the rig fewer CPUs"},
    {"garbage", "CPUs", [](FakeRoot& r) { r.write(kCpu + "/online", "many"); }, Grade::warn, "unknown",
     "nproc"},
    {"one is not isolated", "isolated CPUs", [](FakeRoot& r) { r.write(kCpu + "/isolated", "3\n"); },
     Grade::warn, "not isolated: 2", "isolcpus=managed_irq,domain,2-3"},
    {"isolated by a control group", "isolated CPUs",
     [](FakeRoot& r) {
       r.write(kCpu + "/isolated", "\n").write("/sys/fs/cgroup/cpuset.cpus.isolated", "2-3\n");
     },
     Grade::ok, "2-3", ""},
    {"garbage", "isolated CPUs", [](FakeRoot& r) { r.write(kCpu + "/isolated", "1;rm -rf"); }, Grade::warn,
     "unknown", "isolcpus"},
    {"unreadable", "isolated CPUs",
     [](FakeRoot& r) { r.remove(kCpu + "/isolated").unreadable(kCpu + "/isolated"); }, Grade::warn,
     "could not be read", "isolcpus"},
    {"one ticks", "tickless CPUs", [](FakeRoot& r) { r.write(kCpu + "/nohz_full", "2\n"); }, Grade::warn,
     "ticking: 3", "nohz_full=2-3"},
    {"no tickless kernel", "tickless CPUs",
     [](FakeRoot& r) { r.remove(kCpu + "/nohz_full").write("/boot/config-6.1.0-rt", "CONFIG_SMP=y\n"); },
     Grade::warn, "without CONFIG_NO_HZ_FULL", "linux-image-rt"},
    {"as some kernels print an empty set", "tickless CPUs",
     [](FakeRoot& r) { r.write(kCpu + "/nohz_full", "  (null)\n"); }, Grade::warn, "none", "nohz_full=2-3"},
    {"absent, and nobody knows why", "tickless CPUs", [](FakeRoot& r) { r.remove(kCpu + "/nohz_full"); },
     Grade::warn, "unknown", "nohz_full=2-3"},
    {"nohz_full brings it along", "RCU callbacks",
     [](FakeRoot& r) { r.write("/proc/cmdline", "nohz_full=2-3"); }, Grade::ok, "2-3", ""},
    {"for all", "RCU callbacks", [](FakeRoot& r) { r.write("/proc/cmdline", "rcu_nocbs=all"); }, Grade::ok,
     "all", ""},
    {"a bare word covers nothing", "RCU callbacks",
     [](FakeRoot& r) { r.write("/proc/cmdline", "rcu_nocbs"); }, Grade::warn, "not covered: 2-3",
     "rcu_nocbs=2-3"},
    {"a list we cannot read", "RCU callbacks", [](FakeRoot& r) { r.write("/proc/cmdline", "rcu_nocbs=2-N"); },
     Grade::warn, "unknown", "rcu_nocbs=2-3"},
    {"no command line", "RCU callbacks", [](FakeRoot& r) { r.remove("/proc/cmdline"); }, Grade::warn,
     "unknown", "rcu_nocbs=2-3"},
    {"a sibling that others use", "SMT siblings",
     [](FakeRoot& r) { r.write(kCpu + "/cpu2/topology/thread_siblings_list", "0,2\n"); }, Grade::warn,
     "CPU 2 shares its core with 0", "for c in 0; do echo 0 | sudo tee"},
    {"the rig in its own way", "SMT siblings",
     [](FakeRoot& r) {
       r.write(kCpu + "/cpu2/topology/thread_siblings_list", "2-3\n")
           .write(kCpu + "/cpu3/topology/thread_siblings_list", "2-3\n");
     },
     Grade::warn, "CPU 3 shares its core with 2", "smt/control"},
    {"a list without the CPU itself", "SMT siblings",
     [](FakeRoot& r) { r.write(kCpu + "/cpu2/topology/thread_siblings_list", "7\n"); }, Grade::warn,
     "unknown", "lscpu"},
    {"a governor that saves power", "frequency governor",
     [](FakeRoot& r) { r.write(kCpu + "/cpu3/cpufreq/scaling_governor", "powersave\n"); }, Grade::warn,
     "CPU 3 'powersave'",
     "for c in 3; do echo performance | sudo tee /sys/devices/system/cpu/cpu$c/cpufreq/scaling_governor; "
     "done"},
    {"nobody governs", "frequency governor", [](FakeRoot& r) { r.remove(kCpu + "/cpu3/cpufreq"); },
     Grade::warn, "unknown", "firmware"},
    {"the processor prefers balance", "energy preference",
     [](FakeRoot& r) {
       r.write(kCpu + "/cpu2/cpufreq/energy_performance_preference", "balance_performance\n");
     },
     Grade::warn, "'balance_performance'", "for c in 2;"},
    {"a driver without preferences", "energy preference",
     [](FakeRoot& r) {
       for (const char* const cpu : {"/cpu2", "/cpu3"})
         r.remove(kCpu + cpu + "/cpufreq/energy_performance_preference")
             .write(kCpu + cpu + "/cpufreq/scaling_driver", "acpi-cpufreq\n");
     },
     Grade::ok, "'acpi-cpufreq' has none", ""},
    {"no driver", "energy preference", [](FakeRoot& r) { r.remove(kCpu + "/cpu2/cpufreq"); }, Grade::warn,
     "unknown", ""},
    {"a deep state that can be forbidden", "idle states",
     [](FakeRoot& r) { r.write(kCpu + "/cpu2/cpuidle/state1/disable", "0\n"); }, Grade::ok, "forbids them",
     ""},
    {"a deep state that cannot", "idle states",
     [](FakeRoot& r) {
       r.write(kCpu + "/cpu2/cpuidle/state1/disable", "0\n").remove("/dev/cpu_dma_latency");
     },
     Grade::warn, "CPU 2 'C6' 170 us", "cpupower idle-set"},
    {"no idle states listed", "idle states",
     [](FakeRoot& r) { r.remove(kCpu + "/cpu2/cpuidle").remove(kCpu + "/cpu3/cpuidle"); }, Grade::warn,
     "unknown", "max_cstate"},
    {"garbage", "idle states", [](FakeRoot& r) { r.write(kCpu + "/cpu2/cpuidle/state1/latency", "long"); },
     Grade::warn, "unknown", ""},
    {"no such device", "cpu_dma_latency", [](FakeRoot& r) { r.remove("/dev/cpu_dma_latency"); }, Grade::warn,
     "ENOENT", "--device=/dev/cpu_dma_latency"},
    {"it cannot be opened", "cpu_dma_latency",
     [](FakeRoot& r) { r.remove("/dev/cpu_dma_latency").unreadable("/dev/cpu_dma_latency"); }, Grade::warn,
     "EISDIR", ""},
};
INSTANTIATE_TEST_SUITE_P(Cpus, OneFact, ::testing::ValuesIn(kCpuRows), title);

const Row kInterruptRows[] = {
    {"delivered to the rig", "interrupts",
     [](FakeRoot& r) { r.write("/proc/irq/24/effective_affinity_list", "3\n"); }, Grade::warn,
     "24 eth0 (7 times)", "for i in 24; do echo 0-1 | sudo tee /proc/irq/$i/smp_affinity_list; done"},
    {"a controller that tells only what is allowed", "interrupts",
     [](FakeRoot& r) { r.remove("/proc/irq/24/effective_affinity_list"); }, Grade::warn, "1 on CPUs 2-3",
     "for i in 24"},
    {"garbage", "interrupts",
     [](FakeRoot& r) { r.write("/proc/irq/24/effective_affinity_list", "everywhere"); }, Grade::warn,
     "unknown", "cat /proc/interrupts"},
    {"a table of garbage", "interrupts",
     [](FakeRoot& r) {
       r.write("/proc/interrupts", "CPUx\n24: -5 ::\n:\n").write("/proc/irq/24/effective_affinity_list", "2");
     },
     Grade::warn, "1 on CPUs", "for i in 24"},
    {"none is listed", "interrupts", [](FakeRoot& r) { r.remove("/proc/irq/24"); }, Grade::warn, "unknown",
     ""},
    {"it runs", "irqbalance", [](FakeRoot& r) { r.write("/proc/812/comm", "irqbalance\n"); }, Grade::warn,
     "process 812", "systemctl disable --now irqbalance"},
    {"a container cannot see it", "irqbalance", [](FakeRoot& r) { r.remove("/proc/2"); }, Grade::warn,
     "unknown", "on the host"},
    {"work everywhere", "kernel work queues",
     [](FakeRoot& r) { r.write("/sys/devices/virtual/workqueue/cpumask", "f\n"); }, Grade::warn, "0-3",
     "echo 3 | sudo tee /sys/devices/virtual/workqueue/cpumask"},
    {"a mask of many CPUs", "kernel work queues",
     [](FakeRoot& r) { r.write("/sys/devices/virtual/workqueue/cpumask", "00000001,00000003\n"); }, Grade::ok,
     "0-1,32", ""},
    {"garbage", "kernel work queues",
     [](FakeRoot& r) { r.write("/sys/devices/virtual/workqueue/cpumask", "xyz"); }, Grade::warn, "unknown",
     "sudo tee"},
    {"it watches the rig", "watchdogs", [](FakeRoot& r) { r.write("/proc/sys/kernel/watchdog", "1\n"); },
     Grade::warn, "watchdog '1'", "kernel.watchdog_cpumask=0-1"},
    {"it watches the others", "watchdogs",
     [](FakeRoot& r) {
       r.write("/proc/sys/kernel/watchdog", "1\n").write("/proc/sys/kernel/watchdog_cpumask", "0-1\n");
     },
     Grade::ok, "on the CPUs 0-1", ""},
    {"the hard one only", "watchdogs", [](FakeRoot& r) { r.write("/proc/sys/kernel/nmi_watchdog", "1\n"); },
     Grade::warn, "nmi_watchdog '1'", "watchdog_cpumask"},
    {"garbage", "watchdogs",
     [](FakeRoot& r) {
       r.write("/proc/sys/kernel/watchdog", "dog\n").remove("/proc/sys/kernel/nmi_watchdog");
     },
     Grade::warn, "unknown", ""},
    {"the rig's CPUs cannot be watched", "kernel events",
     [](FakeRoot& r) { r.write("/proc/sys/kernel/perf_event_paranoid", "2\n"); }, Grade::warn,
     "is 2: the rig's own threads can be watched", "sysctl -w kernel.perf_event_paranoid=-1"},
    {"nothing can be watched, as Debian has it", "kernel events",
     [](FakeRoot& r) { r.write("/proc/sys/kernel/perf_event_paranoid", "3\n"); }, Grade::warn,
     "is 3: not even the rig's own threads", "sysctl -w kernel.perf_event_paranoid=-1"},
    {"interrupts cannot be watched", "kernel events",
     [](FakeRoot& r) { r.write("/proc/sys/kernel/perf_event_paranoid", "0\n"); }, Grade::warn,
     "is 0; the time in interrupts is not seen: that takes -1, or CAP_PERFMON",
     "sudo sysctl -w kernel.perf_event_paranoid=-1"},
    {"tracefs is not mounted", "kernel events", [](FakeRoot& r) { r.remove("/sys/kernel/tracing"); },
     Grade::warn, "is -1; the time in interrupts is not seen: the kernel's tracepoints: ",
     "sudo mount -t tracefs -o mode=750,gid=realtime nodev /sys/kernel/tracing"},
    {"nobody says", "kernel events", [](FakeRoot& r) { r.remove("/proc/sys/kernel/perf_event_paranoid"); },
     Grade::warn, "unknown", "cat /proc/sys/kernel/perf_event_paranoid"},
    {"timers wander", "timer migration",
     [](FakeRoot& r) { r.write("/proc/sys/kernel/timer_migration", "1\n"); }, Grade::warn, "is 1",
     "sysctl -w kernel.timer_migration=0"},
    {"unreadable", "timer migration",
     [](FakeRoot& r) {
       r.remove("/proc/sys/kernel/timer_migration").unreadable("/proc/sys/kernel/timer_migration");
     },
     Grade::warn, "unknown", "sysctl"},
};
INSTANTIATE_TEST_SUITE_P(Interrupts, OneFact, ::testing::ValuesIn(kInterruptRows), title);

const Row kOtherRows[] = {
    {"a slow one", "clock source",
     [](FakeRoot& r) {
       r.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
     },
     Grade::fail, "hpet", "echo tsc | sudo tee"},
    {"slow for want of another", "clock source",
     [](FakeRoot& r) {
       r.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "acpi_pm\n");
       r.write("/sys/devices/system/clocksource/clocksource0/available_clocksource", "acpi_pm\n");
     },
     Grade::fail, "acpi_pm", "tsc=reliable"},
    {"that of ARM64", "clock source",
     [](FakeRoot& r) {
       r.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n");
     },
     Grade::ok, "arch_sys_counter", ""},
    {"a slow one beside that of ARM64", "clock source",
     [](FakeRoot& r) {
       r.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "jiffies\n");
       r.write("/sys/devices/system/clocksource/clocksource0/available_clocksource",
               "jiffies arch_sys_counter\n");
     },
     Grade::fail, "jiffies", "echo arch_sys_counter | sudo tee"},
    {"one nobody knows", "clock source",
     [](FakeRoot& r) {
       r.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "sundial\n");
     },
     Grade::warn, "'sundial'", ""},
    {"absent", "clock source", [](FakeRoot& r) { r.remove("/sys/devices/system/clocksource"); }, Grade::warn,
     "unknown", ""},
    {"a swap partition", "swap",
     [](FakeRoot& r) { r.write("/proc/swaps", "Filename Type Size\n/dev/sda2 partition 8388604 0 -2\n"); },
     Grade::warn, "/dev/sda2", "sudo swapoff -a"},
    {"garbage", "swap", [](FakeRoot& r) { r.write("/proc/swaps", "?\n"); }, Grade::warn, "unknown", ""},
    {"empty", "swap", [](FakeRoot& r) { r.write("/proc/swaps", ""); }, Grade::warn, "unknown", ""},
    {"always", "transparent huge pages",
     [](FakeRoot& r) { r.write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"); },
     Grade::warn, "'always'", "echo madvise"},
    {"a kernel without", "transparent huge pages",
     [](FakeRoot& r) { r.remove("/sys/kernel/mm/transparent_hugepage"); }, Grade::ok, "not in this kernel",
     ""},
    {"garbage", "transparent huge pages",
     [](FakeRoot& r) { r.write("/sys/kernel/mm/transparent_hugepage/enabled", "[[["); }, Grade::warn,
     "unknown", ""},
    {"locked pages move", "memory compaction",
     [](FakeRoot& r) { r.write("/proc/sys/vm/compact_unevictable_allowed", "1"); }, Grade::warn, "is 1",
     "vm.compact_unevictable_allowed=0"},
    {"pages are sampled", "NUMA balancing",
     [](FakeRoot& r) { r.write("/proc/sys/kernel/numa_balancing", "1"); }, Grade::warn, "is 1",
     "kernel.numa_balancing=0"},
    {"a kernel without", "NUMA balancing",
     [](FakeRoot& r) {
       r.remove("/proc/sys/kernel/numa_balancing").write("/boot/config-6.1.0-rt", "CONFIG_SMP=y\n");
     },
     Grade::ok, "not in this kernel", ""},
    {"a bus that is up", "CAN interfaces", [](FakeRoot& r) { write_can(r, "0x40041", "0-1"); }, Grade::ok,
     "can0: up, CAN FD, interrupt 42 on CPUs 0-1", ""},
    {"a bus that is down", "CAN interfaces", [](FakeRoot& r) { write_can(r, "0x40040", "0-1"); }, Grade::warn,
     "can0: down", "sudo scripts/setup-bench --apply --can can0=RATE"},
    {"a bus that interrupts the rig", "CAN interfaces", [](FakeRoot& r) { write_can(r, "0x40041", "3"); },
     Grade::warn, "interrupt 42 on CPUs 3", "echo 0-1 | sudo tee /proc/irq/42/smp_affinity_list"},
    {"a virtual bus", "CAN interfaces",
     [](FakeRoot& r) {
       r.write("/sys/class/net/vcan0/type", "280\n").write("/sys/class/net/vcan0/flags", "0xc1\n");
       r.write("/sys/class/net/vcan0/mtu", "16\n");
     },
     Grade::ok, "vcan0: up, virtual", ""},
    {"no network", "CAN interfaces", [](FakeRoot& r) { r.remove("/sys/class/net"); }, Grade::warn, "unknown",
     "ip -details link"},
    {"a guest", "virtual machine",
     [](FakeRoot& r) {
       r.write("/proc/cpuinfo", "flags : fpu hypervisor\n")
           .write("/proc/stat", "cpu2 1 2 3 4 5 6 7 40 0 0\n");
     },
     Grade::warn, "40 ticks", "virsh vcpupin"},
    {"stolen time without another sign", "virtual machine",
     [](FakeRoot& r) { r.write("/proc/stat", "cpu3 1 2 3 4 5 6 7 9 0 0\n"); }, Grade::warn, "9 ticks", ""},
    {"a board", "virtual machine",
     [](FakeRoot& r) {
       r.write("/proc/cpuinfo", "processor : 0\n").write("/proc/device-tree/model", "Raspberry Pi 5");
     },
     Grade::ok, "no sign", ""},
    {"no sign either way", "virtual machine", [](FakeRoot& r) { r.remove("/proc/cpuinfo"); }, Grade::warn,
     "unknown", "systemd-detect-virt"},
    {"inside one", "container", [](FakeRoot& r) { r.write("/.dockerenv", ""); }, Grade::warn,
     "inside a container", "--cap-add=SYS_NICE"},
    {"in force", "CPU mitigations",
     [](FakeRoot& r) { r.write(kCpu + "/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n"); },
     Grade::warn, "spectre_v2", "mitigations=off"},
    {"absent", "CPU mitigations", [](FakeRoot& r) { r.remove(kCpu + "/vulnerabilities"); }, Grade::warn,
     "unknown", ""},
};
INSTANTIATE_TEST_SUITE_P(Others, OneFact, ::testing::ValuesIn(kOtherRows), title);

TEST(HostFacts, FailForARigThatSpinsIntoTheThrottle) {
  FakeRoot root;
  make_good(root);
  root.write("/proc/sys/kernel/sched_rt_runtime_us", "950000");
  ProbeRequest request = request_of(root);
  request.share_needed = 1.0;
  EXPECT_EQ(fact_named(probe_host(request), "real-time throttle").grade, Grade::fail);
}

TEST(HostFacts, AskForNothingTheRigDoesNotWant) {
  FakeRoot root;
  make_good(root);
  ProbeRequest request = request_of(root);
  request.wants_fifo = false;
  request.wants_memory_lock = false;
  const auto facts = probe_host(request);
  EXPECT_EQ(fact_named(facts, "real-time scheduling").grade, Grade::ok);
  EXPECT_EQ(fact_named(facts, "memory lock").grade, Grade::ok);
}

TEST(HostFacts, OneAloneIsAsAmongAll) {
  FakeRoot root;
  make_good(root);
  for (const Fact& fact : probe_host(request_of(root))) {
    const Fact alone = probe_fact(fact.name, request_of(root));
    EXPECT_EQ(alone.name, fact.name);
    EXPECT_EQ(alone.found, fact.found) << fact.name;
  }
  EXPECT_THROW((void)probe_fact("kernel", request_of(root)), std::out_of_range);
}

TEST(HostFacts, LookAtTheIsolatedCpusWhenNoneIsNamed) {
  FakeRoot root;
  make_good(root);
  ProbeRequest request = request_of(root);
  request.rt_cpus = CpuSet{};
  EXPECT_THAT(fact_named(probe_host(request), "CPUs").found,
              HasSubstr("no CPU was chosen; these were checked: 2-3"));
  root.write(kCpu + "/isolated", "\n");
  EXPECT_THAT(fact_named(probe_host(request), "CPUs").found, HasSubstr("these were checked: 3"));
}

TEST(HostFacts, SurviveAFileOfNoiseInEveryPlace) {
  FakeRoot root;
  make_good(root);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root.path())) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  const std::string noises[] = {"",
                                "\n\n\n",
                                std::string("\0\xff\x80[(:,-", 8),
                                "99999999999999999999",
                                "-1",
                                "4294967295-",
                                ":::\n::\n",
                                std::string(70000, '9'),
                                "cpu999999999999 1 2 3 4 5 6 7 8 9",
                                "CPU0 CPU-1 CPU99999999999\n24:\n"};
  for (const std::string& noise : noises) {
    for (const auto& file : files) std::ofstream{file, std::ios::trunc} << noise;
    for (const Fact& fact : probe_host(request_of(root))) {
      EXPECT_FALSE(fact.found.empty());
      EXPECT_LT(fact.found.size(), 2000U) << fact.name;
      for (const char c : fact.found) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << fact.name;
    }
  }
}

TEST(HostFacts, NeverWaitForAPipe) {
  FakeRoot root;
  make_good(root);
  for (const char* const file :
       {"/proc/cmdline", "/proc/swaps", "/dev/cpu_dma_latency", "/boot/config-6.1.0-rt", "/proc/config.gz"}) {
    root.remove(file);
    ASSERT_EQ(::mkfifo((root.path() / (file + 1)).c_str(), 0600), 0) << file;
  }
  EXPECT_FALSE(probe_host(request_of(root)).empty());
}

TEST(HostFacts, HaveNamesOfTheirOwn) {
  FakeRoot root;
  std::set<std::string> names;
  for (const Fact& fact : probe_host(request_of(root)))
    EXPECT_TRUE(names.insert(fact.name).second) << fact.name;
}

TEST(HostFacts, OfThisMachineLeaveNothingChanged) {
  const int policy = ::sched_getscheduler(0);
  const auto cpus = affinity_of(0);
  const int slack = ::prctl(PR_GET_TIMERSLACK);
  const int privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L);
  std::thread([] {}).join();  // a sanitizer starts a thread of its own beside the first one
  const std::size_t threads = list_threads().size();
  for (const Fact& fact : probe_host({})) {
    EXPECT_FALSE(fact.found.empty()) << fact.name;
    EXPECT_TRUE(fact.grade != Grade::fail || !fact.fix.empty()) << fact.name << ": " << fact.found;
  }
  EXPECT_EQ(::sched_getscheduler(0), policy);
  EXPECT_EQ(affinity_of(0), cpus);
  EXPECT_EQ(::prctl(PR_GET_TIMERSLACK), slack);
  EXPECT_EQ(::prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L), privileges);
  // A thread that was joined is seen in /proc for a moment longer.
  for (int i = 0; i < 1000 && list_threads().size() > threads; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LE(list_threads().size(), threads);
}

TEST(Grades, AreOrderedFromGoodToBad) {
  EXPECT_LT(Grade::ok, Grade::warn);
  EXPECT_LT(Grade::warn, Grade::fail);
  EXPECT_EQ(name_of(Grade::fail), "fail");
}

}  // namespace
}  // namespace tactus::rtsync::host_facts_test
