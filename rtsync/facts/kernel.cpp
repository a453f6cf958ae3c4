// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync::probes {
namespace {

constexpr Subject kPreemption{"kernel preemption", "a PREEMPT_RT kernel",
                              "without it, drivers and interrupts may hold a frame up for milliseconds"};
constexpr const char* kRealtimeKernel =
    "sudo apt install linux-image-rt-amd64 (linux-image-rt-arm64 on ARM), then reboot";

/// What shows that this is a PREEMPT_RT kernel; nothing when nothing does.
std::optional<std::string> sign_of_preempt_rt(const Host& host) {
  if (host.read("/sys/kernel/realtime").text == "1") return "/sys/kernel/realtime is 1";
  if (host.built_with("CONFIG_PREEMPT_RT")) return host.config.file();
  // Only now by its name: a mainline kernel with PREEMPT_RT has neither file when it hides its configuration.
  const FileText version = host.read("/proc/version");
  for (const char* const name : {"PREEMPT_RT", "PREEMPT RT"}) {
    if (version.text.find(name) != std::string::npos) return "by its name in /proc/version";
  }
  return std::nullopt;
}

/// When a kernel without PREEMPT_RT lets go of a CPU, and who says so.
struct Model {
  std::string name;
  std::string source;
};

std::optional<Model> model_in_force(const Host& host) {
  const FileText models = host.read("/sys/kernel/debug/sched/preempt");  // "none voluntary (full) lazy"
  const auto name = chosen(models.text, '(', ')');
  return name ? std::optional{Model{*name, models.file}} : std::nullopt;
}

std::optional<Model> model_given_at_boot(const Host& host) {
  if (!host.built_with("CONFIG_PREEMPT_DYNAMIC")) return std::nullopt;
  const auto given = boot_parameter(host.cmdline.text, "preempt");
  return given && !given->empty() ? std::optional{Model{*given, "preempt= at boot"}} : std::nullopt;
}

std::optional<Model> model_built_in(const Host& host) {
  constexpr std::pair<const char*, const char*> kModels[] = {{"CONFIG_PREEMPT_LAZY", "lazy"},
                                                             {"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
                                                             {"CONFIG_PREEMPT_NONE", "none"},
                                                             {"CONFIG_PREEMPT", "full"}};
  for (const auto& [option, model] : kModels) {
    if (host.built_with(option)) return Model{model, host.config.file()};
  }
  return std::nullopt;
}

std::optional<Model> model_of(const Host& host) {
  if (auto model = model_in_force(host)) return model;
  if (auto model = model_given_at_boot(host)) return model;
  return model_built_in(host);
}

Fact preemption_by(const Model& model, bool wants_fifo) {
  const std::string found =
      "no PREEMPT_RT; preemption model " + in_quotes(model.name) + " (" + model.source + ")";
  if (model.name != "none" && model.name != "voluntary")
    return fact(kPreemption, Grade::warn, found, kRealtimeKernel);
  return fact(kPreemption, wants_fifo ? Grade::fail : Grade::warn, found,
              std::string{kRealtimeKernel} + "; as long as there is none: " + boot_fix("preempt=full"));
}

constexpr Subject kGroups{"real-time group scheduling", "a kernel without CONFIG_RT_GROUP_SCHED",
                          "with it, a control group without budget refuses SCHED_FIFO although every right "
                          "is there"};

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
  if (const auto sign = sign_of_preempt_rt(host))
    return fact(kPreemption, Grade::ok, "PREEMPT_RT (" + *sign + ")");
  if (const auto model = model_of(host)) return preemption_by(*model, host.request.wants_fifo);
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
  const RtGroup& group = host.throttle.group;
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
