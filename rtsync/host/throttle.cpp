// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/throttle.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "rtsync/host/control_group.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::rtsync {
namespace {

constexpr KernelVersion kFirstWithFairServer{6, 12};
constexpr std::int64_t kDefaultRuntimeUs = 950'000;
constexpr std::int64_t kDefaultPeriodUs = 1'000'000;
constexpr double kDefaultFairServer = 0.05;  // 50 ms of every second
constexpr const char* kFairServers = "/sys/kernel/debug/sched/fair_server";

double part(std::int64_t runtime, std::int64_t period) {
  if (runtime < 0 || period <= 0) return 1.0;
  return std::clamp(static_cast<double>(runtime) / static_cast<double>(period), 0.0, 1.0);
}

std::string percent(double share) { return format_text("%.4g %%", share * 100.0); }

/// One mechanism: the share it leaves, why, and what to do.
struct Limit {
  double share;
  std::string cause;
  std::string fix;
};

std::vector<Limit> limits_of(const ThrottleFacts& facts, const CpuSet& cpus) {
  std::vector<Limit> limits;
  // 6.12 took the global throttle out, but for kernels with CONFIG_RT_GROUP_SCHED, where it is the root
  // group's budget. An unknown configuration is taken for one that still throttles.
  const bool global = !facts.has_fair_server() || facts.group.in_kernel.value_or(true);
  const bool known = facts.rt_runtime_us.has_value();
  if (global && (known || facts.kernel)) {
    const std::int64_t runtime = facts.rt_runtime_us.value_or(kDefaultRuntimeUs);
    const std::int64_t period = facts.rt_period_us.value_or(kDefaultPeriodUs);
    limits.push_back({part(runtime, period),
                      "the kernel stops real-time threads after " + std::to_string(runtime) +
                          " us of every " + std::to_string(period) + " us (sched_rt_runtime_us" +
                          (known ? ")" : " could not be read: its default is assumed)"),
                      "sudo sysctl -w kernel.sched_rt_runtime_us=-1"});
  }
  // The root group's budget is the global throttle again: named once.
  const bool same =
      global && facts.group.runtime_us == facts.rt_runtime_us && facts.group.period_us == facts.rt_period_us;
  if (facts.group.runtime_us && !same) {
    const std::int64_t period = facts.group.period_us.value_or(kDefaultPeriodUs);
    limits.push_back({part(*facts.group.runtime_us, period),
                      "the control group " + facts.group.path + " has " +
                          std::to_string(*facts.group.runtime_us) + " us of every " + std::to_string(period) +
                          " us for real-time threads (cpu.rt_runtime_us)",
                      "start the kernel with rt_group_sched=0 (from 6.16 on) or use one without "
                      "CONFIG_RT_GROUP_SCHED; to raise the budget: echo " +
                          std::to_string(period) + " | sudo tee " + facts.group.runtime_file});
  }
  if (facts.has_fair_server()) {
    if (facts.fair_servers.empty()) {
      limits.push_back(
          {1.0 - kDefaultFairServer,
           "the kernel's fair server takes 50 ms of every second for starving ordinary threads "
           "(its default is assumed: " +
               facts.fair_server_problem + ")",
           std::string{facts.fair_servers_hidden ? "sudo mount -t debugfs none /sys/kernel/debug; " : ""} +
               "for each CPU of the rig: echo 0 | sudo tee " + std::string{kFairServers} +
               "/cpu<N>/runtime"});
    }
    for (const FairServer& server : facts.fair_servers) {
      if (!cpus.empty() && !cpus.contains(server.cpu)) continue;
      if (server.runtime_ns <= 0) continue;
      limits.push_back({1.0 - part(server.runtime_ns, server.period_ns),
                        "the fair server of CPU " + std::to_string(server.cpu) + " takes " +
                            std::to_string(server.runtime_ns) + " ns of every " +
                            std::to_string(server.period_ns) + " ns for starving ordinary threads",
                        "echo 0 | sudo tee " + std::string{kFairServers} + "/cpu" +
                            std::to_string(server.cpu) + "/runtime"});
    }
  }
  return limits;
}

}  // namespace

RtGroup read_rt_group(const std::filesystem::path& root) {
  RtGroup group{.in_kernel = read_kernel_config(root).has("CONFIG_RT_GROUP_SCHED")};
  const std::optional<ControlGroup> found = find_cpu_group(root);
  if (!found) return group;
  group.path = found->path;
  group.unified = found->unified;
  // A path that climbs ("/../..") points outside a container's view: there is nothing to read for us.
  const std::string inside = group.path.find("..") == std::string::npos ? group.path : "/";
  // In a container the group's own folder is often mounted as the root of the hierarchy.
  for (const std::string mount : kCpuGroups) {
    for (const std::string& path : {inside, std::string{"/"}}) {
      const std::string folder = mount + (path == "/" ? "" : path);
      const auto runtime = read_host_number(root, folder + "/cpu.rt_runtime_us");
      if (!runtime) continue;
      group.in_kernel = true;
      group.runtime_file = folder + "/cpu.rt_runtime_us";
      group.runtime_us = runtime;
      group.period_us = read_host_number(root, folder + "/cpu.rt_period_us");
      return group;
    }
  }
  return group;
}

bool ThrottleFacts::has_fair_server() const { return kernel && *kernel >= kFirstWithFairServer; }

std::optional<double> ThrottleFacts::share(const CpuSet& cpus) const {
  const std::vector<Limit> limits = limits_of(*this, cpus);
  if (limits.empty() && !rt_runtime_us && !kernel) return std::nullopt;
  double least = 1.0;
  for (const Limit& limit : limits) least = std::min(least, limit.share);
  return least;
}

std::vector<Refusal> ThrottleFacts::stops(double share_needed, const CpuSet& cpus) const {
  std::vector<Refusal> found;
  for (const Limit& limit : limits_of(*this, cpus)) {
    if (limit.share < share_needed)
      found.push_back({limit.cause + ", which leaves " + percent(limit.share) + " of a CPU", limit.fix});
  }
  if (rttime_limit_us && share_needed >= 1.0) {
    found.push_back({"RLIMIT_RTTIME kills a real-time thread that does not sleep for " +
                         std::to_string(*rttime_limit_us) + " us",
                     "ulimit -R unlimited"});
  }
  if (found.empty() && !share(cpus)) {
    found.push_back(
        {"the real-time throttle could not be read: neither /proc/sys/kernel/sched_rt_runtime_us nor "
         "the kernel's release",
         "sudo mount -t proc proc /proc"});
  }
  return found;
}

ThrottleFacts read_throttle(const std::filesystem::path& root) {
  ThrottleFacts facts{.rt_runtime_us = read_host_number(root, "/proc/sys/kernel/sched_rt_runtime_us"),
                      .rt_period_us = read_host_number(root, "/proc/sys/kernel/sched_rt_period_us"),
                      .kernel = read_kernel_version(root),
                      .group = read_rt_group(root)};

  if (facts.has_fair_server()) {
    const CpuSet cpus = online_cpus(root).value_or(CpuSet{});
    for (const int cpu : cpus.cpus()) {
      const std::string folder = std::string{kFairServers} + "/cpu" + std::to_string(cpu);
      const FileText runtime = read_host_file(root, folder + "/runtime");
      const auto runtime_ns = whole_number(runtime.text);
      const auto period_ns = read_host_number(root, folder + "/period");
      if (runtime_ns && period_ns) {
        facts.fair_servers.push_back({cpu, *runtime_ns, *period_ns});
        continue;
      }
      // Half a picture would leave a CPU looking free: all of them, or the default for all.
      facts.fair_server_problem = runtime.readable() ? runtime.file + " has no usable value" : runtime.why();
      facts.fair_servers_hidden = runtime.absent();
      facts.fair_servers.clear();
      break;
    }
    if (cpus.empty()) facts.fair_server_problem = "the online CPUs could not be read";
  }

  rlimit limit{};
  if (::getrlimit(RLIMIT_RTTIME, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    facts.rttime_limit_us = static_cast<std::int64_t>(limit.rlim_cur);
  return facts;
}

}  // namespace tactus::rtsync
