// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/preemption_model.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync::probes {
namespace {

constexpr Subject kPreemption{"kernel preemption", "a PREEMPT_RT kernel",
                              "without it, drivers and interrupts may hold a frame up for milliseconds"};
constexpr const char* kRealtimeKernel =
    "sudo apt install linux-image-rt-amd64 (linux-image-rt-arm64 on ARM), then reboot";

Fact preemption_by(const PreemptionModel& model, bool wants_fifo) {
  const std::string found =
      "no PREEMPT_RT; preemption model " + in_quotes(model.name) + " (" + model.source + ")";
  if (model.lets_go()) return fact(kPreemption, Grade::warn, found, kRealtimeKernel);
  return fact(kPreemption, wants_fifo ? Grade::fail : Grade::warn, found,
              std::string{kRealtimeKernel} + "; as long as there is none: " + boot_fix("preempt=full"));
}

constexpr Subject kGroups{"real-time group scheduling", "a kernel without CONFIG_RT_GROUP_SCHED",
                          "with it, a control group without budget refuses SCHED_FIFO, whatever the rights"};

std::string group_fix() { return boot_fix("rt_group_sched=0") + " (from 6.16 on)"; }

/// The control group has a budget: how much.
Fact budget_of(const RtGroup& group, bool wants_fifo) {
  const std::string found = "the control group " + group.path + " has " + std::to_string(*group.runtime_us) +
                            " us of every " + std::to_string(group.period_us.value_or(1'000'000)) + " us";
  if (*group.runtime_us != 0 || !wants_fifo) return fact(kGroups, Grade::warn, found, group_fix());
  return fact(kGroups, Grade::fail, found,
              "echo 950000 | sudo tee " + group.runtime_file + "; or " + group_fix());
}

}  // namespace

Fact preemption(const Host& host) {
  if (const auto model = read_preemption_model(host.request.root)) {
    if (model->is_realtime()) return fact(kPreemption, Grade::ok, model->name + " (" + model->source + ")");
    return preemption_by(*model, host.request.wants_fifo);
  }
  if (host.read("/proc/version").text.find("PREEMPT") != std::string::npos)
    return fact(
        kPreemption, Grade::warn,
        "no sign of PREEMPT_RT; the preemption model could not be read, but /proc/version says PREEMPT",
        kRealtimeKernel);
  return unknown(
      kPreemption,
      "neither /sys/kernel/realtime, /sys/kernel/debug/sched/preempt nor the kernel's configuration "
      "says which model it is",
      "sudo cat /sys/kernel/debug/sched/preempt; zgrep PREEMPT /proc/config.gz");
}

Fact rt_group_scheduling(const Host& host) {
  const RtGroup& group = host.throttle().group;
  if (!group.in_kernel)
    return unknown(kGroups, "the kernel's configuration could not be read",
                   "zgrep RT_GROUP_SCHED /proc/config.gz");
  if (!*group.in_kernel) return fact(kGroups, Grade::ok, "not in this kernel");
  if (group.runtime_us) return budget_of(group, host.request.wants_fifo);
  if (boot_parameter(host.cmdline.text, "rt_group_sched") == "0")
    return fact(kGroups, Grade::ok, "switched off at boot (rt_group_sched=0)");
  return fact(kGroups, Grade::warn,
              "in this kernel; the control group is " + text_or(group.path, "unknown") +
                  " and its budget has no file to read",
              group_fix());
}

}  // namespace tactus::rtsync::probes
