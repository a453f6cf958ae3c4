// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <cerrno>
#include <cstdint>

#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/device_group.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync::probes {
namespace {

std::string cpu_name(int cpu) { return "CPU " + std::to_string(cpu); }

/// Values of one setting on the rig's CPUs.
struct Survey {
  std::vector<std::string> found;
  CpuSet wrong;         // those that prefer something else to performance
  std::string problem;  // of the last CPU that did not answer
};

/// `file` is the one to write, in the folder of each CPU.
Fact should_be_performance(const Subject& subject, const Survey& survey, const std::string& file) {
  if (!survey.wrong.empty())
    return fact(subject, Grade::warn, joined(survey.found), write_per_cpu(survey.wrong, "performance", file));
  if (!survey.problem.empty() || survey.found.empty())
    return unknown(subject, text_or(survey.problem, kNoCpu),
                   "choose the performance profile in the firmware's setup");
  return fact(subject, Grade::ok, joined(survey.found));
}

void add_governor(int cpu, const FileText& governor, Survey& survey) {
  if (!governor.readable()) {
    survey.problem = governor.why();
    if (governor.absent()) survey.problem += " (the frequency is left to the firmware or the hypervisor)";
    return;
  }
  survey.found.push_back(cpu_name(cpu) + " " + in_quotes(governor.text));
  if (governor.text != "performance") survey.wrong.add(cpu);
}

void add_preference(int cpu, const FileText& driver, const FileText& preference, Survey& survey) {
  const std::string who = cpu_name(cpu) + " " + in_quotes(driver.text);
  if (!driver.readable()) {
    survey.problem = driver.why();
  } else if (preference.absent()) {
    survey.found.push_back(who + " has none");
  } else if (!preference.readable()) {
    survey.problem = preference.why();
  } else {
    survey.found.push_back(who + " prefers " + in_quotes(preference.text));
    if (preference.text != "performance" && preference.text != "0") survey.wrong.add(cpu);
  }
}

/// 0 when /dev/cpu_dma_latency can be opened for writing; nothing is asked of it.
int try_dma_latency(const Host& host) {
  const Descriptor opened(
      ::open(host.path("/dev/cpu_dma_latency").c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return opened.get() < 0 ? errno : 0;
}

std::string open_fix() { return give_to_realtime_group("cpu_dma_latency", "--name-match=cpu_dma_latency"); }

std::string forbid_deep_fix() { return boot_fix("processor.max_cstate=1 intel_idle.max_cstate=0"); }

/// The idle states of the rig's CPUs.
struct IdleStates {
  std::vector<std::string> deep;  // and enabled
  bool any = false;
  std::string problem;
};

void look_at_state(const Host& host, int cpu, const std::string& state, IdleStates& states) {
  constexpr std::int64_t kMostUs = 10;
  const auto latency = whole_number(host.read(state + "/latency").text);
  const auto disabled = whole_number(host.read(state + "/disable").text);
  if (!latency || !disabled) {
    states.problem = state + "/latency or disable could not be read";
    return;
  }
  states.any = true;
  if (*disabled == 0 && *latency > kMostUs)
    states.deep.push_back(cpu_name(cpu) + " " + in_quotes(host.read(state + "/name").text) + " " +
                          std::to_string(*latency) + " us");
}

IdleStates idle_states_of_the_rig(const Host& host) {
  IdleStates states;
  for (const int cpu : host.rt.cpus()) {
    const auto [names, problem] = host.list(cpu_file(cpu, "cpuidle"));
    if (!problem.empty())
      states.problem = problem + " (idle states are left to the firmware or the hypervisor)";
    for (const std::string& name : names) {
      if (name.starts_with("state")) look_at_state(host, cpu, cpu_file(cpu, "cpuidle/" + name), states);
    }
  }
  return states;
}

}  // namespace

Fact dma_latency(const Host& host) {
  constexpr Subject kSubject{"cpu_dma_latency", "/dev/cpu_dma_latency can be opened for writing",
                             "a rig uses it to keep the CPUs out of deep idle states"};
  const int error = try_dma_latency(host);
  if (error == 0) return fact(kSubject, Grade::ok, "tried: it can be opened");
  const bool forbidden = error == EACCES || error == EPERM;
  return fact(kSubject, Grade::warn, "tried: " + error_words(error),
              forbidden ? open_fix() : forbid_deep_fix() + "; a container: --device=/dev/cpu_dma_latency");
}

Fact idle_states(const Host& host) {
  constexpr Subject kSubject{"idle states",
                             "none that takes more than 10 us to leave, or the rig can forbid them",
                             "a CPU in a deep idle state wakes 100 us and more after its timer"};
  const auto [deep, any, problem] = idle_states_of_the_rig(host);
  if (!deep.empty() && try_dma_latency(host) == 0)
    return fact(kSubject, Grade::ok, joined(deep) + "; the rig forbids them through /dev/cpu_dma_latency");
  if (!deep.empty())
    return fact(kSubject, Grade::warn, joined(deep) + "; and /dev/cpu_dma_latency cannot be opened",
                std::string{"sudo cpupower idle-set -D 10, or: "} + open_fix());
  if (!problem.empty() || !any)
    return unknown(kSubject, text_or(problem, "the kernel lists no idle state"), forbid_deep_fix());
  return fact(kSubject, Grade::ok, "no deep one is enabled");
}

Fact frequency(const Host& host) {
  constexpr Subject kSubject{"frequency governor", "'performance' on the rig's CPUs",
                             "a CPU that was slowed down while idle starts the next frame slowly"};
  const std::string file = "cpufreq/scaling_governor";
  Survey survey;
  for (const int cpu : host.rt.cpus()) add_governor(cpu, host.read(cpu_file(cpu, file)), survey);
  return should_be_performance(kSubject, survey, file);
}

Fact energy_preference(const Host& host) {
  constexpr Subject kSubject{"energy preference", "'performance', or hardware without such a preference",
                             "with intel_pstate and amd-pstate the processor itself may still slow down"};
  const std::string file = "cpufreq/energy_performance_preference";
  Survey survey;
  for (const int cpu : host.rt.cpus())
    add_preference(cpu, host.read(cpu_file(cpu, "cpufreq/scaling_driver")), host.read(cpu_file(cpu, file)),
                   survey);
  return should_be_performance(kSubject, survey, file);
}

}  // namespace tactus::rtsync::probes
