// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "rtsync/facts/fact_probe.hpp"

namespace tactus::rtsync::probes {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

/// A CPU mask as the kernel prints it, "f" or "ffffffff,00000003".
std::optional<CpuSet> read_mask(std::string_view text) {
  CpuSet cpus;
  int bit = 0;
  if (text.empty() || text.size() > static_cast<std::size_t>(CpuSet::kLimit) / 4) return std::nullopt;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ',') continue;
    const std::size_t value = kHexDigits.find(text[i]);
    if (value == std::string_view::npos) return std::nullopt;
    for (int b = 0; b < 4; ++b) {
      if ((value >> b & 1U) != 0) cpus.add(bit + b);
    }
    bit += 4;
  }
  return cpus;
}

std::string mask_text(const CpuSet& cpus) {
  std::string text;
  for (int at = 0; at <= std::max(cpus.last(), 0); at += 4) {
    if (at > 0 && at % 32 == 0) text.insert(0, ",");
    unsigned value = 0;
    for (int b = 0; b < 4; ++b) value |= cpus.contains(at + b) ? 1U << b : 0U;
    text.insert(0, 1, kHexDigits[value]);
  }
  return text;
}

}  // namespace

Fact work_queues(const Host& host) {
  constexpr Subject kSubject{"kernel work queues", "unbound work stays off the rig's CPUs",
                             "the kernel's own background work would run between two frames"};
  const std::string file = "/sys/devices/virtual/workqueue/cpumask";
  const CpuSet rest = host.rest();
  const std::string fix = rest.empty() ? "leave a CPU to the kernel: give the rig fewer"
                                       : "echo " + mask_text(rest) + " | sudo tee " + file;
  const FileText read = host.read(file);
  const auto cpus = read_mask(read.text);
  if (!cpus || host.rt.empty()) return unknown(kSubject, problem_of(read), fix);
  return cpus->intersects(host.rt) ? fact(kSubject, Grade::warn, "they may use the CPUs " + cpus->text(), fix)
                                   : fact(kSubject, Grade::ok, "they use the CPUs " + cpus->text());
}

Fact watchdogs(const Host& host) {
  constexpr Subject kSubject{"watchdogs", "no lockup detector on the rig's CPUs",
                             "its timer and its stopper thread run on each CPU every few seconds"};
  const FileText hard = host.read("/proc/sys/kernel/nmi_watchdog");
  const FileText soft = host.read("/proc/sys/kernel/watchdog");
  const auto nmi = whole_number(hard.text);
  const auto any = whole_number(soft.text);
  const auto cpus = cpus_in(host.read("/proc/sys/kernel/watchdog_cpumask"));
  const CpuSet rest = host.rest();
  const std::string fix =
      rest.empty() ? sysctl_fix("kernel.watchdog", "0") : sysctl_fix("kernel.watchdog_cpumask", rest.text());
  const std::string found = "nmi_watchdog " + in_quotes(hard.text) + ", watchdog " + in_quotes(soft.text);
  if (any == 0 && nmi.value_or(0) == 0) return fact(kSubject, Grade::ok, found);
  if (cpus && !host.rt.empty() && !cpus->intersects(host.rt))
    return fact(kSubject, Grade::ok, found + " on the CPUs " + text_or(cpus->text(), "none"));
  if (any.value_or(0) == 0 && nmi.value_or(0) == 0) return unknown(kSubject, problem_of(soft), fix);
  return fact(kSubject, Grade::warn, found + (cpus ? " on the CPUs " + cpus->text() : ""), fix);
}

Fact timer_migration(const Host& host) {
  return should_be_zero(host,
                        {"timer migration", "kernel.timer_migration is 0",
                         "timers of idle CPUs are handed to a busy one, which may be the rig's"},
                        "kernel.timer_migration");
}

}  // namespace tactus::rtsync::probes
