// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/finding_text.hpp"

namespace tactus::executive {

using rtsync::Evidence;

Nanoseconds still_of(const Finding& finding) {
  if (!finding.evidence.others) return Nanoseconds{0};
  const rtsync::OtherThreads& others = *finding.evidence.others;
  return others.still_ready +
         (rtsync::is_wake(finding.facts.part) ? others.still_asleep : others.still_at_wake);
}

std::vector<FindingFigure> figures_of(const Finding& finding) {
  const Evidence& seen = finding.evidence;
  std::vector<FindingFigure> all;
  const auto time = [&all](const char* name, Nanoseconds value, std::optional<double> usual = {}) {
    all.push_back({name, static_cast<double>(value.count()), "ns", usual});
  };
  const auto count = [&all](const char* name, std::uint64_t value) {
    all.push_back({name, static_cast<double>(value), "", {}});
  };
  time("took", finding.facts.took, static_cast<double>(finding.facts.usual.count()));
  if (finding.facts.edge_late > Nanoseconds{0})
    time(finding.facts.edge_missed ? "until its edge was given up" : "its edge was late",
         finding.facts.edge_late);
  if (const auto& switches = seen.switches) {
    time("off its CPU by itself", switches->blocked);
    count("gave up its CPU", switches->blocks);
    time("pushed off its CPU", switches->preempted);
    time("moved to another CPU", switches->migrated);
    if (switches->traced > Nanoseconds{0}) time("stopped by a debugger", switches->traced);
    if (switches->signalled > Nanoseconds{0}) time("stopped by a signal", switches->signalled);
    if (switches->held > Nanoseconds{0}) time("stopped outside of system calls", switches->held);
  }
  if (seen.others) time("others had its CPU", seen.others->ran);
  if (seen.others && seen.others->not_ready > Nanoseconds{0}) time("could not run", seen.others->not_ready);
  if (const auto& interrupts = seen.interrupts) {
    time("in interrupts", interrupts->took);
    count("interrupts", interrupts->count);
  }
  if (const auto& faults = seen.faults) {
    time("in page faults", faults->took);
    count("minor page faults", faults->minor);
    count("major page faults", faults->major);
  }
  if (const auto& heap = seen.heap) {
    time("in heap calls", heap->took);
    count("heap calls", heap->calls);
  }
  if (const auto& maps = seen.maps; maps && maps->calls > 0) {
    time("in calls that map memory", maps->took);
    count("calls that map memory", maps->calls);
    count("page faults in them", maps->faults);
  }
  if (seen.counted) count("page faults without a record", seen.counted->count);
  if (seen.silence) {
    time("without a sign of life", seen.silence->took);
    if (seen.silence->in_kernel > Nanoseconds{0}) time("in the kernel", seen.silence->in_kernel);
    if (seen.silence->in_call > Nanoseconds{0}) time("in system calls of its own", seen.silence->in_call);
  }
  if (const Nanoseconds still = still_of(finding); still > Nanoseconds{0})
    time("its CPU without a sign of life, while it was off it", still);
  if (seen.idle_exit) time("to leave an idle state, at most", *seen.idle_exit);
  if (seen.throttle_gap) time("a stop by the real-time limit", *seen.throttle_gap);
  if (!seen.realtime && seen.quota && seen.quota->took > Nanoseconds{0})
    time("stops by the limit of its control group, on all CPUs", seen.quota->took);
  if (seen.speed) all.push_back({"speed of its CPU", *seen.speed * 100, "%", 100.0});
  if (seen.cpu) count("CPU", *seen.cpu);
  return all;
}

}  // namespace tactus::executive
