// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/judge.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>
#include <utility>

namespace tactus::rtsync::judge_test {
namespace {

using namespace std::chrono_literals;

/// Nothing was seen, and all could have been.
Evidence clean() {
  Evidence evidence;
  evidence.switches.emplace();
  evidence.faults.emplace();
  evidence.heap.emplace();
  evidence.others.emplace();
  evidence.silence = Silence{0ns, true, 250us};
  return evidence;
}

FrameFacts long_job() { return {LatePart::job, 3'100us, 100us}; }
FrameFacts late_wake() { return {LatePart::wake, 3ms, 0ns}; }

/// An ordinary thread was ready for that time, while another one had the CPU and the limit of its group (20 ms of each
/// 100 ms) stopped threads.
void stop_by_quota(Evidence& evidence, Nanoseconds ready, Nanoseconds took, std::int32_t times) {
  evidence.realtime = false;
  evidence.switches->preempted = evidence.switches->longest_ready = ready;
  evidence.others = OtherThreads{42, ready, ready};
  evidence.quota = QuotaStops{.took = took, .times = times, .runtime_us = 20'000, .period_us = 100'000};
}

/// A thread slept while no real-time thread had its CPU, for as long as the kernel's limit for those stops them. It was
/// ready for at most a part of that.
void asleep_as_by_the_limit(Evidence& evidence, Nanoseconds ready_most) {
  evidence.throttle_gap = 50ms;
  evidence.switches->blocked = 50ms;
  evidence.others->without = 49ms;
  evidence.others->ran = evidence.others->weaker = evidence.others->weaker_before = 49ms;
  evidence.ready_most = ready_most;
}

struct Row {
  const char* why;
  FrameFacts facts;
  Evidence evidence;
  Cause cause;
};

template <class Change>
Row row(const char* why, FrameFacts facts, Cause cause, Change change) {
  Row made{why, facts, clean(), cause};
  change(made.facts, made.evidence);
  return made;
}

std::vector<Row> rows() {
  const FrameFacts between{LatePart::between_jobs, 3ms, 0ns};
  const FrameFacts behind{LatePart::housekeeping, 3ms, 0ns};
  using F = FrameFacts;
  using E = Evidence;
  return {
      row("on its CPU all the time, and alive", long_job(), Cause::computed, [](F&, E&) {}),
      row("nothing is recorded, and the kernel counts that it waited for its CPU", late_wake(),
          Cause::preempted,
          [](F&, E& e) {
            e = {};
            e.queued = 2ms;
          }),
      row("likewise, in a job", long_job(), Cause::preempted,
          [](F&, E& e) {
            e = {};
            e.queued = 2ms;
          }),
      row("nothing is recorded, and it waited less than half of the time", late_wake(), Cause::unknown,
          [](F&, E& e) {
            e = {};
            e.queued = 1'400us;
          }),
      row("nothing is recorded, and it did not wait", long_job(), Cause::unknown,
          [](F&, E& e) {
            e = {};
            e.queued = 0ns;
          }),
      row("nothing is recorded nor counted", late_wake(), Cause::unknown, [](F&, E& e) { e = {}; }),
      row("nothing is recorded, it waited, and SIGSTOP stopped all for longer", late_wake(),
          Cause::machine_stopped,
          [](F&, E& e) {
            e = {};
            e.queued = 3ms;
            e.went_on = true;
          }),
      row("only its own switches are recorded: most of its sleep beyond the slot it waited for its CPU",
          late_wake(), Cause::preempted,
          [](F&, E& e) {
            e.others.reset();
            e.silence.reset();
            e.switches->blocked = 3ms;
            e.queued = 2ms;
          }),
      row("likewise, and it waited for a little of it", late_wake(), Cause::unknown,
          [](F&, E& e) {
            e.others.reset();
            e.silence.reset();
            e.switches->blocked = 3ms;
            e.queued = 1ms;
          }),
      row("what is recorded as preempted is not counted twice", late_wake(), Cause::unknown,
          [](F&, E& e) {
            e.others.reset();
            e.silence.reset();
            e.switches->blocked = 2ms;
            e.switches->preempted = 1ms;
            e.queued = 1ms;
          }),
      row("a wait as long as the kernel's limit for real-time threads, or a burst of another thread as long",
          {LatePart::wake, 52ms, 0ns}, Cause::unknown,
          [](F&, E& e) {
            e = {};
            e.queued = 50ms;
            e.throttle_gap = 50ms;
          }),
      row("a wait that may have been as long", {LatePart::wake, 52ms, 0ns}, Cause::unknown,
          [](F&, E& e) {
            e = {};
            e.queued = 30ms;
            e.throttle_gap = 50ms;
          }),
      row("an ordinary thread does not know that limit", {LatePart::wake, 52ms, 0ns}, Cause::preempted,
          [](F&, E& e) {
            e = {};
            e.queued = 50ms;
            e.throttle_gap = 50ms;
            e.realtime = false;
          }),
      row("it gave up the CPU itself", long_job(), Cause::blocked,
          [](F&, E& e) { e.switches->blocked = 2'900us; }),
      row("it slept, and computed longer", long_job(), Cause::computed,
          [](F&, E& e) { e.switches->blocked = 1ms; }),
      row("it slept, and was as long on its CPU in the calls that slept", long_job(), Cause::blocked,
          [](F&, E& e) {
            e.switches->blocked = 1ms;
            e.switches->in_calls = 900us;
          }),
      row("it slept for the heap, and the calls that slept are of the heap", long_job(), Cause::heap,
          [](F&, E& e) {
            e.heap = HeapTimes{2, 2'500us};
            e.switches->blocked = 1ms;
            e.switches->in_calls = 900us;
          }),
      row("a page came from the disk", long_job(), Cause::faulted,
          [](F&, E& e) { e.switches->in_major_fault = 2'900us; }),
      row("thousands of pages came from memory", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.faults = FaultTimes{4096, 0, 2'500us};
          }),
      row("the heap took it", long_job(), Cause::heap,
          [](F&, E& e) {
            e.heap = HeapTimes{2, 2'500us};
          }),
      row("the heap slept for the memory of the process", long_job(), Cause::heap,
          [](F&, E& e) {
            e.heap = HeapTimes{2, 2'900us};
            e.switches->blocked = 1'800us;
          }),
      row("it slept, and called the heap besides", long_job(), Cause::blocked,
          [](F&, E& e) {
            e.heap = HeapTimes{2, 1'300us};
            e.switches->blocked = 1'800us;
          }),
      row("pages from a fast disk, after a call of the heap", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.heap = HeapTimes{2, 700us};
            e.faults = FaultTimes{16, 500, 1'500us};
            e.switches->in_major_fault = 500us;
          }),
      row("what the heap gave was touched for the first time", long_job(), Cause::heap,
          [](F&, E& e) {
            e.heap = HeapTimes{1, 10us};
            e.faults = FaultTimes{2048, 0, 2'500us};
          }),
      row("the kernel took the pages in a call that maps memory", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.maps = MapTimes{1, 16 << 20, 4096, 2'500us, 0ns};
            e.silence->in_kernel = 2'400us;
          }),
      row("the kernel counted pages that no call was noted for", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.counted = CountedFaults{4096, 600ns, 4us};
            e.silence->in_kernel = 2'500us;
          }),
      row("likewise, where no sign of life comes from the kernel", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.counted = CountedFaults{4096, 600ns, 4us};
            e.silence = Silence{2'500us, false, 250us};
          }),
      row("likewise, without signs of life", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.counted = CountedFaults{4096, 600ns, 4us};
            e.silence.reset();
          }),
      row("it counted pages, and the job was not in the kernel", long_job(), Cause::computed,
          [](F&, E& e) {
            e.counted = CountedFaults{4096, 600ns, 4us};
          }),
      row("it was in the kernel, and that counted a few pages", long_job(), Cause::computed,
          [](F&, E& e) {
            e.counted = CountedFaults{3, 600ns, 4us};
            e.interrupts = InterruptTimes{};
            e.silence->in_kernel = e.silence->in_call = 2'500us;
          }),
      row("too few pages for the time in the kernel", long_job(), Cause::computed,
          [](F&, E& e) {
            e.counted = CountedFaults{40, 600ns, 4us};
            e.interrupts = InterruptTimes{};
            e.silence->in_kernel = e.silence->in_call = 2'900us;
          }),
      row("the pages are those of the heap", long_job(), Cause::heap,
          [](F&, E& e) {
            e.counted = CountedFaults{4096, 600ns, 4us};
            e.heap = HeapTimes{2, 2'500us};
            e.silence->in_kernel = 2'500us;
          }),
      row("the time in the kernel was that of interrupts", long_job(), Cause::interrupted,
          [](F&, E& e) {
            e.counted = CountedFaults{4096, 600ns, 4us};
            e.interrupts = InterruptTimes{2'800us, 9};
            e.silence->in_kernel = 2'800us;
          }),
      row("in such a call, where no sign of life comes from", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.maps = MapTimes{1, 16 << 20, 4096, 2'500us, 0ns};
            e.silence = Silence{2'400us, false, 250us};
          }),
      row("another thread had the CPU", long_job(), Cause::preempted,
          [](F&, E& e) {
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{123, 2'800us, 2'800us, 0ns, 0ns};
          }),
      row("it slept, and then a stronger thread kept it from its CPU for longer", {LatePart::job, 18ms, 4ms},
          Cause::preempted,
          [](F&, E& e) {
            e.switches->blocked = 18ms;
            e.others = OtherThreads{7, 14ms, 14ms, 0ns, 0ns, 0ns, 14ms};
          }),
      row("it does not usually sleep, and a stronger thread had the CPU then", {LatePart::job, 18ms, 10us},
          Cause::blocked,
          [](F&, E& e) {
            e.switches->blocked = 18ms;
            e.others = OtherThreads{7, 14ms, 14ms, 0ns, 0ns, 0ns, 14ms};
          }),
      row("it slept, and then a stronger thread kept it from its CPU for less", {LatePart::job, 18ms, 0ns},
          Cause::blocked,
          [](F&, E& e) {
            e.switches->blocked = 18ms;
            e.others = OtherThreads{7, 8ms, 8ms, 0ns, 0ns, 0ns, 8ms};
          }),
      row("it always takes so long", {LatePart::job, 3ms, 3ms}, Cause::computed,
          [](F& f, E&) { f.always = true; }),
      row("a debugger stopped it", long_job(), Cause::suspended,
          [](F&, E& e) { e.switches->traced = 2'800us; }),
      row("a debugger stopped it before it was to wake, and others had the CPU", late_wake(),
          Cause::suspended,
          [](F&, E& e) {
            e.switches->traced = 2'800us;
            e.switches->blocked = 200us;
            e.others = OtherThreads{7, 2'800us, 2'800us, 0ns, 0ns};
          }),
      row("a debugger stopped it while it slept, and its idle CPU gave no sign of life",
          {LatePart::wake, 12'500ms, 0ns}, Cause::suspended,
          [](F&, E& e) {
            e.switches->traced = 12'470ms;
            e.switches->blocked = 20ms;
            e.others->idle = 12'450ms;
            e.others->still_asleep = 12'200ms;
          }),
      row("a debugger stopped it while it slept, and interrupts had its CPU", {LatePart::wake, 30ms, 0ns},
          Cause::suspended,
          [](F&, E& e) {
            e.switches->traced = 29ms;
            e.interrupts = InterruptTimes{20ms};
          }),
      row("the machine stood still longer than a debugger stopped it", {LatePart::wake, 30ms, 0ns},
          Cause::machine_stopped,
          [](F&, E& e) {
            e.switches->traced = 3ms;
            e.switches->blocked = 27ms;
            e.others->still_asleep = 26ms;
          }),
      row("a signal stopped it", long_job(), Cause::machine_stopped,
          [](F&, E& e) { e.switches->signalled = 2'800us; }),
      row("it was off its CPU in no system call", long_job(), Cause::unknown,
          [](F&, E& e) { e.switches->held = 2'800us; }),
      row("it could not run, whoever had its CPU", late_wake(), Cause::unknown,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.others = OtherThreads{7, 2'800us, 2'800us, 0ns, 2'800us};
            e.others->not_ready = 2'900us;
            e.others->weaker_before = 2'800us;
            e.preemptible = false;
          }),
      row("behind a time that real-time threads used up it was ready: their limit",
          {LatePart::wake, 50ms, 0ns}, Cause::throttled, [](F&, E& e) { asleep_as_by_the_limit(e, 48ms); }),
      row("likewise, and it was not ready: no limit stopped it", {LatePart::wake, 50ms, 0ns}, Cause::unknown,
          [](F&, E& e) { asleep_as_by_the_limit(e, 2ms); }),
      row("likewise, and it was ready before, when another thread had the CPU", {LatePart::wake, 50ms, 0ns},
          Cause::unknown,
          [](F&, E& e) {
            asleep_as_by_the_limit(e, 12ms);
            e.switches->preempted = 10ms;
          }),
      row("another thread had the CPU, and it was ready", late_wake(), Cause::preempted,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.others = OtherThreads{7, 2'900us, 2'900us};
            e.ready_most = 2'900us;
          }),
      row("another thread had the CPU, and it was not ready", late_wake(), Cause::unknown,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.others = OtherThreads{7, 2'900us, 2'900us};
            e.ready_most = 300us;
          }),
      row("its CPU was idle, and it was not ready", late_wake(), Cause::timer_late,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.others->idle = 3ms;
            e.ready_most = 0ns;
          }),
      row("it came back on another CPU", long_job(), Cause::migrated,
          [](F&, E& e) { e.switches->migrated = 2'800us; }),
      row("ready, and the CPU idle: the limit for real-time threads", long_job(), Cause::throttled,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{0, 0ns, 0ns, 2'800us, 0ns, 2'800us};
          }),
      row("ready, and an ordinary thread had the CPU: that limit", long_job(), Cause::throttled,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{7, 2'800us, 2'800us, 0ns, 2'800us, 2'800us};
          }),
      row("likewise, no record has priorities, and real-time threads had left time", long_job(),
          Cause::unknown,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{7, 2'800us, 2'800us, 0ns, 2'800us, 2'800us};
            e.others->unranked = e.others->left_time_before = true;
          }),
      row("ready for far shorter than that limit stops, and no record says who had the CPU", long_job(),
          Cause::preempted,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{};
          }),
      row("on a machine without that limit this is not possible", long_job(), Cause::unknown,
          [](F&, E& e) {
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{7, 2'800us, 2'800us, 0ns, 2'800us, 2'800us};
          }),
      row("an ordinary thread was ready, and the CPU idle: its control group's limit", long_job(),
          Cause::throttled,
          [](F&, E& e) {
            e.realtime = false;
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{0, 0ns, 0ns, 2'800us, 0ns, 2'800us};
          }),
      row("the limit of its control group stopped it, and another thread had the CPU",
          {LatePart::job, 68ms, 1ms}, Cause::throttled, [](F&, E& e) { stop_by_quota(e, 66ms, 66ms, 1); }),
      row("the stop was over soon, and another thread had the CPU", {LatePart::job, 68ms, 1ms},
          Cause::preempted,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 2ms, 1);
            e.quota->over_after = 2ms;
          }),
      row("the stop was over after two thirds of that time", {LatePart::job, 68ms, 1ms}, Cause::throttled,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 44ms, 1);
            e.quota->over_after = 45ms;
          }),
      row("of two CPUs of that group", {LatePart::job, 68ms, 1ms}, Cause::throttled,
          [](F&, E& e) { stop_by_quota(e, 66ms, 130ms, 1); }),
      row("likewise, and nobody sees who had the CPU", {LatePart::job, 68ms, 1ms}, Cause::throttled,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 66ms, 1);
            e.others.reset();
          }),
      row("likewise, and it came back on another CPU", {LatePart::job, 68ms, 1ms}, Cause::throttled,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 66ms, 1);
            std::swap(e.switches->preempted, e.switches->migrated);
          }),
      row("that limit stopped it asleep, and another thread had the CPU", {LatePart::wake, 60ms, 0ns},
          Cause::throttled,
          [](F&, E& e) {
            stop_by_quota(e, 60ms, 62ms, 1);
            std::swap(e.switches->preempted, e.switches->blocked);
          }),
      row("that limit stopped it asleep, and the CPU was idle", {LatePart::wake, 60ms, 0ns}, Cause::throttled,
          [](F&, E& e) {
            stop_by_quota(e, 60ms, 62ms, 1);
            std::swap(e.switches->preempted, e.switches->blocked);
            e.others = OtherThreads{0, 0ns, 0ns, 60ms};
          }),
      row("that limit stopped it asleep, and the CPU was idle, without a tick", {LatePart::wake, 60ms, 0ns},
          Cause::throttled,
          [](F&, E& e) {
            stop_by_quota(e, 60ms, 62ms, 1);
            std::swap(e.switches->preempted, e.switches->blocked);
            e.others = OtherThreads{0, 0ns, 0ns, 60ms};
            e.others->still_asleep = 59ms;
          }),
      row("that limit stopped it in a job, and the CPU was idle, without a tick", {LatePart::job, 68ms, 1ms},
          Cause::throttled,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 66ms, 1);
            e.others = OtherThreads{0, 0ns, 0ns, 66ms};
            e.others->still_ready = 65ms;
          }),
      row("that limit stopped threads of its group, for much longer", {LatePart::job, 4ms, 1ms},
          Cause::unknown, [](F&, E& e) { stop_by_quota(e, 3ms, 60ms, 1); }),
      row("that limit stopped them, in pieces of its own", {LatePart::job, 68ms, 1ms}, Cause::unknown,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 66ms, 1);
            e.switches->longest_ready = 3ms;
          }),
      row("that limit stopped them, for much shorter", {LatePart::job, 68ms, 1ms}, Cause::preempted,
          [](F&, E& e) { stop_by_quota(e, 66ms, 5ms, 1); }),
      row("that limit stopped it once, and another thread kept it from its CPU for longer",
          {LatePart::job, 23ms, 1ms}, Cause::preempted,
          [](F&, E& e) {
            stop_by_quota(e, 12ms, 10ms, 1);
            e.switches->migrated = 10ms;
          }),
      row("that limit stopped nothing", {LatePart::job, 68ms, 1ms}, Cause::preempted,
          [](F&, E& e) { stop_by_quota(e, 66ms, 0ns, 0); }),
      row("it may have stopped them", {LatePart::job, 68ms, 1ms}, Cause::unknown,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 0ns, 0);
            e.quota->uncertain = true;
          }),
      row("it stopped them, and none of that group is real-time", {LatePart::job, 68ms, 1ms},
          Cause::preempted,
          [](F&, E& e) {
            stop_by_quota(e, 66ms, 66ms, 1);
            e.realtime = true;
          }),
      row("an ordinary thread was ready, the CPU idle, and no limit stopped anything", long_job(),
          Cause::unknown,
          [](F&, E& e) {
            e.realtime = false;
            e.quota.emplace();
            e.switches->preempted = 2'800us;
            e.others = OtherThreads{0, 0ns, 0ns, 2'800us, 0ns, 2'800us};
          }),
      row("nothing is recorded, and the kernel counts that it waited while its limit stopped threads",
          late_wake(), Cause::unknown,
          [](F&, E& e) {
            e = {};
            e.realtime = false;
            e.queued = 2ms;
            e.quota = QuotaStops{.took = 2ms, .times = 1};
          }),
      row("called, and another thread had the CPU", {LatePart::call, 3ms, 0ns}, Cause::preempted,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.others = OtherThreads{42, 3ms, 3ms, 0ns};
          }),
      row("answered, and another thread had the CPU", {LatePart::answer, 3ms, 0ns}, Cause::preempted,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.others = OtherThreads{42, 3ms, 3ms, 0ns};
          }),
      row("answered, and the CPU was idle", {LatePart::answer, 3ms, 0ns}, Cause::timer_late,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.others = OtherThreads{0, 0ns, 0ns, 3ms};
          }),
      row("asleep, while a real-time thread was stopped on its CPU", {LatePart::wake, 30ms, 0ns},
          Cause::throttled,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->blocked = 30ms;
            e.others = OtherThreads{0, 0ns, 0ns, 30ms, 0ns, 30ms};
          }),
      row("asleep in the middle of a stop as long as that limit stops", {LatePart::wake, 30ms, 0ns},
          Cause::throttled,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->blocked = 30ms;
            e.others = OtherThreads{0, 0ns, 0ns, 30ms, 0ns, 0ns, 0ns, 49ms};
          }),
      row("asleep in such a stop, and others that waited came first", {LatePart::wake, 31ms, 0ns},
          Cause::throttled,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->blocked = 31ms;
            e.others = OtherThreads{7, 2ms, 2ms, 29ms, 0ns, 0ns, 0ns, 49ms};
          }),
      row("asleep in such a stop, and one that waited kept the CPU longer", {LatePart::wake, 60ms, 0ns},
          Cause::preempted,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->blocked = 60ms;
            e.others = OtherThreads{7, 40ms, 40ms, 20ms, 0ns, 0ns, 0ns, 49ms};
          }),
      row("asleep, and a real-time thread went elsewhere long ago", {LatePart::wake, 4ms, 0ns},
          Cause::timer_late,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->blocked = 4ms;
            e.others = OtherThreads{0, 0ns, 0ns, 4ms, 0ns, 0ns, 0ns, 80ms};
          }),
      row("asleep on an idle CPU for longer than a timer is late", {LatePart::wake, 30ms, 0ns},
          Cause::unknown,
          [](F&, E& e) {
            e.switches->blocked = 30ms;
            e.others = OtherThreads{0, 0ns, 0ns, 30ms, 0ns};
          }),
      row("a stop as long as that limit stops, by a real-time thread", {LatePart::job, 51ms, 100us},
          Cause::preempted,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 49'800us;
            e.others = OtherThreads{7, 49'800us, 49'800us, 0ns, 0ns, 0ns};
          }),
      row("a stop as long as that limit stops, and nobody sees who had the CPU", {LatePart::job, 51ms, 100us},
          Cause::unknown,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 49'800us;
            e.others.reset();
          }),
      row("two such stops in a frame", {LatePart::job, 101ms, 100us}, Cause::unknown,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 99'800us;
            e.others.reset();
          }),
      row("as long in all, in so many pieces that only some are looked at", {LatePart::job, 51ms, 100us},
          Cause::preempted,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 49'800us;
            e.switches->unplaced = 40ms;
            e.others = OtherThreads{7, 9ms, 9ms, 0ns, 0ns, 0ns};
          }),
      row("as long in all, and none of the pieces is looked at", {LatePart::job, 51ms, 100us}, Cause::unknown,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 49'800us;
            e.switches->unplaced = 49'800us;
            e.others = OtherThreads{};
          }),
      row("as long in all, and few of the pieces are not looked at", {LatePart::job, 51ms, 100us},
          Cause::throttled,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 49'800us;
            e.switches->unplaced = 9ms;
            e.others = OtherThreads{};
          }),
      row("a stop as long as that limit stops, while an ordinary thread had the CPU",
          {LatePart::job, 51ms, 100us}, Cause::throttled,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 49'800us;
            e.others = OtherThreads{7, 49'800us, 49'800us, 0ns, 49'800us};
          }),
      row("off its CPU for much less than that limit stops", long_job(), Cause::preempted,
          [](F&, E& e) {
            e.throttle_gap = 50ms;
            e.switches->preempted = 2'800us;
            e.others.reset();
          }),
      row("signs of life came late again and again", long_job(), Cause::unknown,
          [](F&, E& e) { e.silence->took = e.silence->late = 600us; }),
      row("one came late, and the job computed much longer", long_job(), Cause::computed,
          [](F&, E& e) { e.silence->took = e.silence->late = 200us; }),
      row("they came late, as interrupts held them up", long_job(), Cause::interrupted,
          [](F&, E& e) {
            e.silence->took = e.silence->late = 1'600us;
            e.interrupts = InterruptTimes{1'600us};
          }),
      row("no switch, and no sign of life", long_job(), Cause::machine_stopped,
          [](F&, E& e) { e.silence->took = 2'700us; }),
      row("interrupts", long_job(), Cause::interrupted,
          [](F&, E& e) { e.interrupts = InterruptTimes{2'900us}; }),
      row("interrupts without a sign of life between", long_job(), Cause::interrupted,
          [](F&, E& e) {
            e.interrupts = InterruptTimes{2'900us};
            e.silence->took = 2'800us;
          }),
      row("a short interrupt in a long stop", long_job(), Cause::machine_stopped,
          [](F&, E& e) {
            e.interrupts = InterruptTimes{300us};
            e.silence->took = 2'800us;
          }),
      row("in the kernel, in a system call of its own", long_job(), Cause::computed,
          [](F&, E& e) {
            e.interrupts = InterruptTimes{10us};
            e.silence->in_kernel = 2'800us;
            e.silence->in_call = 2'800us;
          }),
      row("in the kernel, in what is not recorded", long_job(), Cause::unknown,
          [](F&, E& e) {
            e.interrupts = InterruptTimes{10us};
            e.silence->in_kernel = 2'800us;
            e.silence->in_call = 250us;
          }),
      row("the executive's work, in what the kernel did unrecorded", behind, Cause::unknown,
          [](F&, E& e) {
            e.interrupts = InterruptTimes{10us};
            e.silence->in_kernel = 2'800us;
          }),
      row("in the kernel, for faults that were counted", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.interrupts.emplace();
            e.faults = FaultTimes{500, 0, 2'000us};
            e.silence->in_kernel = 2'250us;
          }),
      row("in a system call of its own, whatever interrupts are recorded", long_job(), Cause::computed,
          [](F&, E& e) {
            e.silence->in_kernel = 2'800us;
            e.silence->in_call = 2'800us;
          }),
      row("in the kernel for interrupts", long_job(), Cause::interrupted,
          [](F&, E& e) {
            e.interrupts = InterruptTimes{2'000us};
            e.silence->in_kernel = 2'800us;
          }),
      row("the timer's interrupt had to wait for others", late_wake(), Cause::interrupted,
          [](F&, E& e) {
            e.interrupts = InterruptTimes{2'500us};
            e.switches->blocked = 2'950us;
            e.others = OtherThreads{0, 0ns, 0ns, 2'950us, 0ns};
          }),
      row("a third of the speed", {LatePart::job, 300us, 100us}, Cause::slowed,
          [](F&, E& e) { e.speed = 0.33; }),
      row("slept between jobs: it waited for a thread", between, Cause::waited,
          [](F&, E& e) { e.switches->blocked = 2'900us; }),
      row("spun for a thread", between, Cause::waited, [](F& f, E&) { f.for_others = true; }),
      row("spun for an isolated model", long_job(), Cause::waited, [](F& f, E&) { f.for_others = true; }),
      row("an isolated model", long_job(), Cause::waited,
          [](F& f, E& e) {
            f.for_others = true;
            e.switches->blocked = 2'900us;
          }),
      row("the executive's work in the frame", between, Cause::housekeeping, [](F&, E&) {}),
      row("the executive's work after the frame", behind, Cause::housekeeping, [](F&, E&) {}),
      row("housekeeping that was preempted is not to blame", behind, Cause::preempted,
          [](F&, E& e) { e.switches->preempted = 2'900us; }),
      row("housekeeping while the machine stood still", behind, Cause::machine_stopped,
          [](F&, E& e) { e.silence->took = 2'900us; }),
      row("nothing else than the overrun before", {LatePart::catching_up, 0ns, 0ns}, Cause::catching_up,
          [](F&, E&) {}),

      row("asleep beyond its time on an idle CPU", late_wake(), Cause::timer_late,
          [](F&, E& e) {
            e.switches->blocked = 2'950us;
            e.others = OtherThreads{0, 0ns, 0ns, 2'950us, 0ns};
          }),
      row("likewise, and its freezer was switched meanwhile", late_wake(), Cause::unknown,
          [](F&, E& e) {
            e.switches->blocked = 2'950us;
            e.others = OtherThreads{0, 0ns, 0ns, 2'950us, 0ns};
            e.perhaps_frozen = true;
          }),
      row("slept, and its freezer was switched meanwhile", long_job(), Cause::unknown,
          [](F&, E& e) {
            e.switches->blocked = 3ms;
            e.perhaps_frozen = true;
          }),
      row("waited for another, and its freezer was switched meanwhile", between, Cause::unknown,
          [](F& f, E& e) {
            f.for_others = true;
            e.switches->blocked = 2'900us;
            e.perhaps_frozen = true;
          }),
      row("computed, though its freezer was switched meanwhile", long_job(), Cause::computed,
          [](F&, E& e) { e.perhaps_frozen = true; }),
      row("asleep while another thread ran", late_wake(), Cause::preempted,
          [](F&, E& e) {
            e.switches->blocked = 2'950us;
            e.others = OtherThreads{7, 2'900us, 2'900us, 50us, 0ns};
          }),
      row("asleep while an ordinary thread ran, which could not keep it from its CPU", late_wake(),
          Cause::timer_late,
          [](F&, E& e) {
            e.switches->blocked = 2'950us;
            e.others = OtherThreads{7, 2'900us, 2'900us, 50us, 2'900us};
          }),
      row("likewise, on a kernel that leaves it in its system call", late_wake(), Cause::preempted,
          [](F&, E& e) {
            e.preemptible = false;
            e.switches->blocked = 2'950us;
            e.others = OtherThreads{7, 2'900us, 2'900us, 50us, 2'900us};
          }),
      row("read the clock, and the clock jumped", late_wake(), Cause::machine_stopped,
          [](F& f, E&) { f.spins = true; }),
      row("read the clock, and was pushed off its CPU", late_wake(), Cause::preempted,
          [](F& f, E& e) {
            f.spins = true;
            e.switches->preempted = 2'900us;
          }),
      row("the edge was late", late_wake(), Cause::clock, [](F& f, E&) { f.edge_late = 2'900us; }),
      row("the edge was late, and then another thread had the CPU for longer", late_wake(), Cause::preempted,
          [](F& f, E& e) {
            f.edge_late = 1ms;
            e.switches->blocked = 2'900us;
            e.others = OtherThreads{7, 1'900us, 1'900us, 1ms, 0us};
          }),
      row("the edge was late, and then it was ready while another thread had the CPU", late_wake(),
          Cause::preempted,
          [](F& f, E& e) {
            f.edge_late = 1ms;
            e.switches->blocked = 2'900us;
            e.others = OtherThreads{7, 1'900us, 1'900us, 1ms, 0us};
            e.ready_most = 1'900us;
          }),
      row("the edge was late, and then the timer for less", late_wake(), Cause::clock,
          [](F& f, E& e) {
            f.edge_late = 2ms;
            e.switches->blocked = 2'900us;
            e.others = OtherThreads{0, 0us, 0us, 2'900us, 0us};
          }),
      row("on its way from the timer, silent", late_wake(), Cause::machine_stopped,
          [](F&, E& e) { e.silence->took = 2'800us; }),

      row("a signal had stopped the rig in a job", long_job(), Cause::machine_stopped,
          [](F&, E& e) {
            e.went_on = true;
            e.switches->blocked = 2'900us;
          }),
      row("a signal had stopped the rig while it slept", late_wake(), Cause::machine_stopped,
          [](F&, E& e) {
            e.went_on = true;
            e.switches->blocked = 2'950us;
            e.others = OtherThreads{7, 2'900us, 2'900us, 50us, 2'900us};
          }),
      row("a signal had stopped the rig, and no records at all", late_wake(), Cause::machine_stopped,
          [](F&, E& e) {
            e = {};
            e.went_on = true;
          }),
      row("a short stop by a signal in a long computation", long_job(), Cause::computed,
          [](F&, E& e) {
            e.went_on = true;
            e.switches->blocked = 500us;
          }),

      // Pairs: the greater part names it.
      row("slept longer than it computed", long_job(), Cause::blocked,
          [](F&, E& e) { e.switches->blocked = 1'600us; }),
      row("computed longer than it slept", long_job(), Cause::computed,
          [](F&, E& e) { e.switches->blocked = 1'400us; }),
      row("preempted while faulting", long_job(), Cause::preempted,
          [](F&, E& e) {
            e.switches->preempted = 2ms;
            e.faults = FaultTimes{500, 0, 900us};
          }),
      row("two heap calls in a job that computed", long_job(), Cause::computed,
          [](F&, E& e) {
            e.heap = HeapTimes{2, 1us};
          }),
      row("a short stop in a long computation", long_job(), Cause::computed,
          [](F&, E& e) { e.silence->took = 700us; }),
      row("mapped memory, and computed longer", long_job(), Cause::computed,
          [](F&, E& e) {
            e.maps = MapTimes{1, 4 << 20, 1024, 1'200us, 0ns};
            e.silence->in_kernel = 1'200us;
          }),
      row("mapped memory without signs of life, and computed longer", long_job(), Cause::computed,
          [](F&, E& e) {
            e.maps = MapTimes{1, 4 << 20, 1024, 1'200us, 0ns};
            e.silence = Silence{1'200us, false, 250us};
          }),
      row("slept in a call that maps memory, for its lock", long_job(), Cause::blocked,
          [](F&, E& e) {
            e.maps = MapTimes{1, 4096, 1, 20us, 0ns};
            e.switches->blocked = 2'900us;
          }),
      row("the machine stood still in a call that maps memory", long_job(), Cause::machine_stopped,
          [](F&, E& e) {
            e.maps = MapTimes{1, 16 << 20, 4096, 2'900us, 0ns};
            e.silence->took = 2'600us;
          }),
      row("the machine stood still in a call of the heap", long_job(), Cause::machine_stopped,
          [](F&, E& e) {
            e.heap = HeapTimes{1, 2'950us};
            e.silence->took = 2'700us;
          }),
      row("the machine stood still beside calls of the heap that took longer", long_job(), Cause::heap,
          [](F&, E& e) {
            e.heap = HeapTimes{40, 1'900us};
            e.silence->took = 1ms;
          }),
      row("the machine stood still in a system call of its own", long_job(), Cause::machine_stopped,
          [](F&, E& e) {
            e.silence->took = 2'600us;
            e.silence->in_kernel = e.silence->in_call = 250us;
          }),
      row("the machine stood still in kernel time of the executive's work", behind, Cause::machine_stopped,
          [](F&, E& e) {
            e.silence->took = 2'600us;
            e.silence->in_kernel = 250us;
          }),
      row("memory of the heap, and more that it mapped itself", long_job(), Cause::faulted,
          [](F&, E& e) {
            e.heap = HeapTimes{1, 1ms};
            e.maps = MapTimes{1, 16 << 20, 4096, 1'500us, 0ns};
          }),
      row("a usual time is no excess", {LatePart::job, 3'100us, 2'900us}, Cause::blocked,
          [](F&, E& e) { e.switches->blocked = 150us; }),

      // What cannot be known is not named.
      row("no records of switches", long_job(), Cause::unknown, [](F&, E& e) { e.switches.reset(); }),
      row("the calls that map memory were perhaps another job's", long_job(), Cause::unknown,
          [](F&, E& e) {
            e.maps = MapTimes{0, 0, 0, 0ns, 2ms};
          }),
      row("nobody looks for signs of life", long_job(), Cause::unknown, [](F&, E& e) { e.silence.reset(); }),
      row("silent, but perhaps in a system call", long_job(), Cause::unknown,
          [](F&, E& e) {
            e.silence = Silence{2'900us, false, 250us};
          }),
      row("alive, but the CPU ran the kernel: a system call, or interrupts", long_job(), Cause::unknown,
          [](F&, E& e) { e.silence->in_kernel = 2ms; }),
      row("too short for signs of life", {LatePart::job, 150us, 0ns}, Cause::unknown, [](F&, E&) {}),
      row("short, and no sign of life was late", {LatePart::job, 200us, 0ns}, Cause::computed, [](F&, E&) {}),
      row("short, and a sign of life was late", {LatePart::job, 200us, 0ns}, Cause::unknown,
          [](F&, E& e) { e.silence->took = 20us; }),
      row("asleep, and nobody looks at the CPU", late_wake(), Cause::unknown,
          [](F&, E& e) {
            e.switches->blocked = 2'950us;
            e.others.reset();
          }),
      row("late, and no records at all", late_wake(), Cause::unknown, [](F&, E& e) { e = {}; }),
      row("slept: known without anything else", long_job(), Cause::blocked,
          [](F&, E& e) {
            e = {};
            e.switches.emplace().blocked = 2'900us;
          }),
      row("preempted: known without a name", long_job(), Cause::preempted,
          [](F&, E& e) {
            e = {};
            e.switches.emplace().preempted = 2'900us;
          }),
  };
}

TEST(Judge, NamesTheCauseThatTheEvidenceShows) {
  for (const Row& row : rows())
    EXPECT_EQ(name_of(judge(row.facts, row.evidence)), name_of(row.cause)) << row.why;
}

TEST(Judge, HasARowForEveryCause) {
  std::set<Cause> named;
  for (const Row& row : rows()) named.insert(row.cause);
  EXPECT_EQ(named.size(), kCauses - 2) << "all but none, and injected, which faults are asked for";
}

TEST(Judge, IsNotMisledByFiguresBeyondTheExcess) {
  Evidence evidence = clean();
  evidence.switches->blocked = 1h;
  EXPECT_EQ(judge(long_job(), evidence), Cause::blocked);
  evidence = clean();
  evidence.switches->blocked = -1h;
  EXPECT_EQ(judge(long_job(), evidence), Cause::computed);
  EXPECT_EQ(judge({LatePart::job, 1ms, 2ms}, clean()), Cause::unknown) << "it was no longer than usual";
}

TEST(Judge, CountsTheTimeOfAStopOnce) {
  Evidence evidence = clean();
  evidence.switches->held = 1500ms;
  EXPECT_EQ(could_not_run(evidence), 1500ms);
  evidence.others = OtherThreads{};
  evidence.others->not_ready = 1490ms;
  EXPECT_EQ(could_not_run(evidence), 1500ms) << "they saw the same stop";
  evidence.others->not_ready = 1600ms;
  EXPECT_EQ(could_not_run(evidence), 1600ms) << "it also slept for too long";
  evidence.switches.reset();
  EXPECT_EQ(could_not_run(evidence), 1600ms);
}

TEST(Cause, HasOneWordEach) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < kCauses; ++i) words.insert(name_of(static_cast<Cause>(i)));
  EXPECT_EQ(words.size(), kCauses);
  EXPECT_EQ(name_of(Cause::machine_stopped), "machine_stopped");
  EXPECT_EQ(name_of(Cause::unknown), "unknown");
}

TEST(Judge, OtherCausesOfTheSameTimeStandBesideTheLargest) {
  struct Pair {
    const char* why;
    FrameFacts facts;
    std::function<void(Evidence&)> seen;
    CauseTime named, first, second;
  };
  const Pair pairs[] = {
      {"a wake that was preempted, and then the machine stood still",
       {LatePart::wake, 30ms, 0ns},
       [](Evidence& e) {
         e.switches->preempted = 20ms;
         e.others = OtherThreads{7, 20ms, 20ms, 0ns, 0ns};
         e.silence->took = 10ms;
       },
       {Cause::preempted, 20ms},
       {Cause::machine_stopped, 10ms},
       {}},
      {"a job that was preempted, slept, and computed",
       {LatePart::job, 46ms, 1ms},
       [](Evidence& e) {
         e.switches->preempted = 30ms;
         e.others = OtherThreads{7, 30ms, 30ms, 0ns, 0ns};
         e.switches->blocked = 10ms;
       },
       {Cause::preempted, 30ms},
       {Cause::blocked, 10ms},
       {Cause::computed, 5ms}},
      {"a small share is left out",
       {LatePart::job, 41ms, 1ms},
       [](Evidence& e) { e.switches->blocked = 39ms; },
       {Cause::blocked, 39ms},
       {},
       {}},
  };
  for (const Pair& pair : pairs) {
    Evidence evidence = clean();
    pair.seen(evidence);
    const CauseWeights found = weigh(pair.facts, evidence);
    EXPECT_EQ(found.cause, pair.named.cause) << pair.why;
    EXPECT_EQ(found.share, pair.named.time) << pair.why;
    EXPECT_EQ(found.beside[0].cause, pair.first.cause) << pair.why;
    EXPECT_EQ(found.beside[0].time, pair.first.time) << pair.why;
    EXPECT_EQ(found.beside[1].cause, pair.second.cause) << pair.why;
    EXPECT_EQ(found.beside[1].time, pair.second.time) << pair.why;
  }
}

}  // namespace
}  // namespace tactus::rtsync::judge_test
