// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_kernel.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {
namespace {

using rtsync::EventRecord;

/// Priority as the kernel counts: 99 minus that of a real-time thread, else 120 and its niceness.
int priority_of(pid_t thread) {
  const int policy = ::sched_getscheduler(thread);
  sched_param parameter{};
  if (policy < 0 || ::sched_getparam(thread, &parameter) != 0) return 120;
  if (parameter.sched_priority > 0) return 99 - parameter.sched_priority;
  return 120 + ::getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
}

void copy_text(std::span<char> to, const std::string& from) {
  const std::size_t bytes = std::min(from.size(), to.size() - 1);
  std::memcpy(to.data(), from.data(), bytes);
  to[bytes] = '\0';
}

}  // namespace

FlightKernel::FlightKernel(FlightFile& file, std::shared_ptr<const rtsync::KernelEvents> events)
    : file_(file),
      ring_(file.head(file.kernel_ring()), file.cells(file.kernel_ring())),
      follower_(std::move(events)) {}

void FlightKernel::put(const FlightRecord& record) {
  ring_.begin(1);
  ring_.put(record);
  ring_.end();
}

void FlightKernel::put_switch(const EventRecord& record, std::uint32_t next, bool ready) {
  const auto cpu = static_cast<std::uint16_t>(record.cpu & FlightSwitch::kCpu);
  put({static_cast<std::uint64_t>(record.at.time_since_epoch().count()), next,
       static_cast<std::uint16_t>(cpu | (ready ? FlightSwitch::kReady : 0)), FlightKind::on_cpu});
  if (next != kUnknownThread) name(static_cast<pid_t>(next));
}

/// Switches only where the CPUs themselves cannot be watched.
void FlightKernel::of_thread(std::size_t thread, const EventRecord& record) {
  using Kind = EventRecord::Kind;
  const bool major = record.kind == Kind::major_fault;
  if (major || record.kind == Kind::minor_fault) {
    for (std::size_t i = 0; i < file_.rings(); ++i)
      if (file_.head(i).tid.load() == record.thread)
        put({static_cast<std::uint64_t>(record.at.time_since_epoch().count()),
             major ? 1 : follower_.events().faults_per_sample(thread),
             static_cast<std::uint16_t>(i | (major ? FlightSwitch::kMajor : 0)), FlightKind::page_fault});
    return;
  }
  if (follower_.sees_cpus()) return;
  if (record.kind == Kind::on) put_switch(record, static_cast<std::uint32_t>(record.thread), false);
  if (record.kind == Kind::off || record.kind == Kind::preempted)
    put_switch(record, kUnknownThread, record.kind == Kind::preempted);
}

/// Newer kernels do not record that the idle task leaves a CPU: then only the thread that comes is recorded.
void FlightKernel::of_cpu(const EventRecord& record) {
  using Kind = EventRecord::Kind;
  const bool leaves = record.kind == Kind::off || record.kind == Kind::preempted;
  if (!leaves && record.kind != Kind::on) return;
  const std::int32_t next = leaves ? record.next : record.thread;
  const std::int32_t before = std::exchange(now_[record.cpu], next);
  if (leaves || before != next)
    put_switch(record, static_cast<std::uint32_t>(next), record.kind == Kind::preempted);
}

void FlightKernel::name(pid_t thread) {
  if (thread <= 0 || !named_.insert(thread).second) return;
  const std::span<FlightNamePlace> names = file_.names();
  FlightNamePlace& place = names[next_name_++ % names.size()];
  named_.erase(place.tid());
  FlightName name{.tid = thread, .process = rtsync::process_of(thread), .priority = priority_of(thread)};
  copy_text(name.name, rtsync::thread_name(thread));
  copy_text(name.process_name, name.process == 0 ? "" : rtsync::thread_name(name.process));
  place.put(name);
}

void FlightKernel::take() {
  follower_.follow({[this](std::size_t thread, const EventRecord& record) { of_thread(thread, record); },
                    [this](const EventRecord& record) { of_cpu(record); }});
}

}  // namespace tactus::executive
