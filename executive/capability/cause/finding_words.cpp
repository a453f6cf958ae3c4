// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/finding_words.hpp"

#include <cstddef>
#include <iterator>

#include "rtsync/evidence/blocking_call.hpp"
#include "rtsync/evidence/tracepoint.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

/// "16.0 MiB".
std::string bytes_text(std::uint64_t bytes) {
  const bool large = bytes >= std::uint64_t{1} << 20;
  return rtsync::format_text("%.1f %s", static_cast<double>(bytes) / (large ? 1 << 20 : 1 << 10),
                             large ? "MiB" : "KiB");
}

}  // namespace

std::string frames_text(std::int64_t first, std::int64_t last) {
  if (first == last) return "in frame " + std::to_string(first);
  return "in frames " + std::to_string(first) + " to " + std::to_string(last);
}

std::string first_of(const JobGroup& group, const Plan& plan) {
  std::string names;
  for (const std::uint32_t job : group.first)
    if (job != Finding::kNoJob) names += (names.empty() ? "" : ", ") + plan.jobs[job].name;
  return names + (group.jobs > group.first.size() ? " first" : "");
}

std::string in_what(const rtsync::SwitchTimes& switches) {
  const std::string call = rtsync::blocking_call(switches.code, switches.call);
  if (call.empty()) return "";
  return (switches.blocks > 1 ? ", longest in " : " in ") + call;
}

std::string maps_text(const rtsync::MapTimes& maps) {
  return (maps.bytes == 0 ? "mapped or unmapped memory" : "mapped " + bytes_text(maps.bytes)) + " in " +
         rtsync::counted(maps.calls, "call") + ", " + rtsync::duration_text(maps.took) +
         (maps.faults == 0 ? "" : ", " + rtsync::counted(maps.faults, "page fault"));
}

std::string counted_text(const rtsync::Evidence& seen) {
  if (!seen.counted || seen.counted->count == 0) return "";
  return rtsync::counted(seen.counted->count, "page fault") + " without a record";
}

std::string interrupt_text(const rtsync::InterruptTimes& interrupts) {
  static constexpr const char* kSoftirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                              "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
  const auto number = static_cast<std::size_t>(interrupts.number);
  if (interrupts.kind == rtsync::InterruptTimes::Kind::softirq)
    return std::string("softirq ") + (number < std::size(kSoftirqs) ? kSoftirqs[number] : "?");
  if (interrupts.kind == rtsync::InterruptTimes::Kind::vector)
    return std::string("irq ") + rtsync::name_of_vector(interrupts.number) + " (asked for by another CPU)";
  const std::string name =
      rtsync::read_host_file("/", "/sys/kernel/irq/" + std::to_string(interrupts.number) + "/actions").text;
  return "irq " + std::to_string(interrupts.number) + (name.empty() ? "" : " (" + name + ")");
}

std::string group_of(const rtsync::Evidence& seen) {
  const bool known = seen.quota && seen.quota->group[0] != 0;
  return known ? "control group " + std::string(seen.quota->group.data()) : "its control group";
}

std::string quota_text(const rtsync::Evidence& seen) {
  if (!seen.quota || seen.quota->runtime_us == 0) return "cpu.max";
  const auto text = [](std::uint32_t us) {
    return rtsync::duration_text(rtsync::Nanoseconds{std::int64_t{us} * 1000});
  };
  return "cpu.max: " + text(seen.quota->runtime_us) + " of each " + text(seen.quota->period_us);
}

std::string perhaps_quota(const rtsync::Evidence& seen) {
  if (seen.realtime || !seen.quota || !seen.quota->any()) return "";
  const rtsync::QuotaStops& stops = *seen.quota;
  if (stops.group[0] == 0)
    return "; its control group, or the limit of that, was another then or shortly before, or is not "
           "watched: a limit may have stopped it";
  const std::string limit = "; the limit of " + group_of(seen) + " (" + quota_text(seen) + ")";
  if (stops.uncertain) return limit + " may have stopped it: which threads it stopped then is not known";
  return limit + " stopped threads in it then or shortly before, for " + rtsync::duration_text(stops.took) +
         " on all CPUs together: it is not certain that it was this one";
}

}  // namespace tactus::executive
