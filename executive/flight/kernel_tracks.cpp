// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/kernel_tracks.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tactus::executive {
namespace {

using TaskState = PerfettoWriter::TaskState;

/// Text in the field; it ends with the field even if a crash left no end in it.
std::string text_in(std::span<const char> chars) { return {chars.begin(), std::ranges::find(chars, '\0')}; }

}  // namespace

KernelTracks::KernelTracks(const FlightFile& file, FlownKernel kernel)
    : file_(file), kernel_(std::move(kernel)) {
  for (const FlightNamePlace& place : file.names()) {
    const std::optional<FlightName> name = place.get();
    if (!name) continue;
    names_[static_cast<std::uint32_t>(name->tid)] = {name->process > 0 ? name->process : name->tid,
                                                     std::clamp(name->priority, 0, 139), text_in(name->name),
                                                     text_in(name->process_name)};
  }
  std::map<std::uint16_t, CpuTime> now;
  for (const FlownSwitch& each : kernel_.switches) {
    CpuTime& has = now[each.cpu];
    if (has.thread != 0) {
      has.end_ns = each.at_ns;
      times_.push_back(has);
    }
    has = {each.thread == kUnknownThread ? 0 : each.thread, each.cpu, each.at_ns, each.at_ns};
  }
}

std::optional<CpuTime> KernelTracks::longest(std::uint32_t thread, std::int64_t from_ns,
                                             std::int64_t to_ns) const {
  std::optional<CpuTime> found;
  auto at = std::ranges::lower_bound(times_, from_ns, {}, &CpuTime::end_ns);
  for (; at != times_.end() && at->begin_ns <= to_ns; ++at)
    if (at->thread == thread && (!found || at->end_ns - at->begin_ns > found->end_ns - found->begin_ns))
      found = *at;
  return found;
}

std::string KernelTracks::name_of(std::uint32_t thread) const {
  const auto found = names_.find(thread);
  return found == names_.end() || found->second.name.empty() ? "thread " + std::to_string(thread)
                                                             : found->second.name;
}

int KernelTracks::priority_of(std::uint32_t thread) const {
  const auto found = names_.find(thread);
  return found == names_.end() ? 120 : found->second.priority;
}

void KernelTracks::write(PerfettoWriter& out) const {
  if (kernel_.switches.empty()) return;
  out.next_sequence();
  std::vector<PerfettoWriter::KernelThread> others;
  for (const auto& [tid, name] : names_)
    if (name.process != file_.pid())  // those have tracks
      others.push_back({static_cast<int>(tid), name.process, name.name, name.process_name});
  if (!others.empty()) out.kernel_threads(others);
  std::map<std::uint16_t, std::uint32_t> runs;   // by CPU
  std::map<std::uint32_t, std::uint16_t> where;  // by thread
  const auto leave = [&](std::int64_t ns, std::uint16_t cpu, bool ready) {
    const auto left = runs.find(cpu);
    if (left == runs.end()) return;
    out.task(ns, cpu, static_cast<int>(left->second), ready ? TaskState::runnable : TaskState::sleeping,
             priority_of(left->second));
    where.erase(left->second);
    runs.erase(left);
  };
  for (const FlownSwitch& each : kernel_.switches) {
    const auto runs_there = runs.find(each.cpu);
    if (runs_there != runs.end() && runs_there->second == each.thread) continue;
    leave(each.at_ns, each.cpu, each.ready);
    if (each.thread == 0 || each.thread > INT32_MAX) continue;
    // Records are missing where it has a CPU already.
    if (const auto other = where.find(each.thread); other != where.end())
      leave(each.at_ns, other->second, true);
    out.task(each.at_ns, each.cpu, static_cast<int>(each.thread), TaskState::running,
             priority_of(each.thread));
    runs[each.cpu] = each.thread;
    where[each.thread] = each.cpu;
  }
}

}  // namespace tactus::executive
