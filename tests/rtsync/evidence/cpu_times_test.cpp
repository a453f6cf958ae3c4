// SPDX-License-Identifier: Apache-2.0
/// Time in which a thread could not run, or a limit stopped it, is told from time in which another thread had its CPU.
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>

#include "rtsync/evidence/thread_times.hpp"

namespace tactus::rtsync::cpu_times_test {
namespace {

using namespace std::chrono_literals;
using Kind = EventRecord::Kind;

constexpr EvidenceTime at(Nanoseconds time) { return EvidenceTime{time}; }

/// A thread sleeps, and another one has CPU 1 then. An ordinary one has priority 120, SCHED_FIFO 95 has 4.
EventRecord gives_up(std::int32_t thread, std::int32_t next, Nanoseconds time, int priority = kNoPriority,
                     int next_priority = kNoPriority) {
  EventRecord made;
  made.kind = Kind::off;
  made.cpu = 1;
  made.thread = thread;
  made.next = next;
  made.priority = static_cast<std::int16_t>(priority);
  made.next_priority = static_cast<std::int16_t>(next_priority);
  made.at = at(time);
  return made;
}

EventRecord sign(std::int32_t thread, bool in_kernel, Nanoseconds time) {
  EventRecord made;
  made.kind = Kind::alive;
  made.cpu = 1;
  made.thread = thread;
  made.in_kernel = in_kernel;
  made.at = at(time);
  return made;
}

TEST(CpuTimes, TakeNoGapForALimitThatRealTimeThreadsHadNotUsedUp) {
  const auto without = [&](Nanoseconds idle, Nanoseconds stop) {
    const ThreadTimes::Off asleep{at(405ms), at(400ms + stop), 1, false};
    RealtimeThreads threads;
    threads.take({10}, {});
    CpuTimes had({&asleep, 1}, 1, false, &threads);
    had.add(gives_up(0, 10, 0ms));
    for (auto time = 10ms; time <= 380ms; time += 10ms) {
      had.add(gives_up(10, 0, time - idle));
      had.add(gives_up(0, 10, time));
    }
    had.add(gives_up(10, 0, 400ms));
    had.add(gives_up(0, 10, 400ms + stop));
    OtherThreads others;
    EXPECT_TRUE(had.finish(at(400ms + stop), others));
    return others.without;
  };
  EXPECT_EQ(without(500us, 30ms), 30ms) << "they left 19 ms";
  EXPECT_EQ(without(1ms, 30ms), 0ms) << "they left 38 ms: no limit stops them, but a freezer may";
  EXPECT_EQ(without(1ms, 50ms), 50ms);
}

TEST(CpuTimes, KnowWhatRealTimeThreadsHadLeftWhenOneWasPushedOff) {
  const auto others = [&](Nanoseconds idle) {
    const ThreadTimes::Off ready{at(400ms), at(430ms), 1, true};
    RealtimeThreads threads;
    threads.take({10}, {20});
    CpuTimes had({&ready, 1}, 1, true, &threads, 10);
    had.add(gives_up(0, 10, 0ms));
    for (auto time = 10ms; time <= 390ms; time += 10ms) {
      had.add(gives_up(10, 0, time - idle));
      had.add(gives_up(0, 10, time));
    }
    EventRecord pushed = gives_up(10, 20, 400ms);
    pushed.kind = Kind::preempted;
    had.add(pushed);
    had.add(gives_up(20, 10, 430ms));
    OtherThreads seen;
    EXPECT_TRUE(had.finish(at(430ms), seen));
    return seen;
  };
  EXPECT_TRUE(others(4ms).left_time_before);
  EXPECT_FALSE(others(500us).left_time_before) << "a twentieth";
  EXPECT_TRUE(others(500us).unranked);
  EXPECT_EQ(others(4ms).passed_over, 30ms);
}

TEST(CpuTimes, LeaveStopsByTheLimitOutOfWhatRealTimeThreadsHadLeft) {
  const auto without = [&](Nanoseconds idle, Nanoseconds last) {
    const EvidenceTime end = at(900ms + last);
    const ThreadTimes::Off asleep{at(899ms), end, 1, false};
    RealtimeThreads threads;
    threads.take({10}, {});
    CpuTimes had({&asleep, 1}, 1, false, &threads);
    had.add(gives_up(0, 10, 5ms));
    for (auto time = 100ms; time <= 800ms; time += 100ms) {
      had.add(gives_up(10, 0, time));
      had.add(gives_up(0, 10, time + idle));
    }
    had.add(gives_up(10, 0, 900ms));
    had.add(gives_up(0, 10, 900ms + last));
    OtherThreads others;
    EXPECT_TRUE(had.finish(end, others));
    return others.without;
  };
  EXPECT_EQ(without(5ms, 5ms), 5ms) << "a limit with a period of 100 ms";
  EXPECT_EQ(without(4ms, 5ms), 5ms) << "a stop may come a tick late";
  EXPECT_EQ(without(5ms, 12ms), 0ms) << "what they had left is no stop of that length";
}

/// Thread 10 sleeps from 1 to 9 ms; 70 has the CPU, and is seen. Its priority as it leaves is `left_with`, and that of 10
/// is `back_with` then.
OtherThreads seen_asleep(std::initializer_list<EventRecord> signs, int left_with = 120, int back_with = 4) {
  const ThreadTimes::Off asleep{at(1ms), at(9ms), 1, false};
  RealtimeThreads threads;
  threads.take({10}, {70});
  CpuTimes had({&asleep, 1}, 1, false, &threads, 10);
  had.add(gives_up(10, 70, 0ms, 4, 120));
  for (const EventRecord& one : signs) had.add(one);
  had.add(gives_up(70, 10, 9ms, left_with, back_with));
  OtherThreads others;
  EXPECT_TRUE(had.finish(at(9ms), others));
  return others;
}

TEST(CpuTimes, KnowThatAThreadCouldNotRunWhereAnOrdinaryOneWasOutsideOfTheKernel) {
  const OtherThreads frozen = seen_asleep({sign(70, true, 2ms), sign(70, false, 3ms), sign(70, false, 8ms)});
  EXPECT_EQ(frozen.not_ready, 7ms) << "since the first sign of life";
  EXPECT_EQ(frozen.weaker - frozen.weaker_before, 0ms) << "no system call kept the thread from its CPU";
  EXPECT_EQ(frozen.ordinary.thread, 70);
  EXPECT_EQ(frozen.ordinary.time, 8ms);
  const OtherThreads in_call = seen_asleep({sign(70, true, 2ms), sign(70, true, 8ms)});
  EXPECT_EQ(in_call.weaker_before, 0ms) << "always in the kernel";
  const OtherThreads soon = seen_asleep({sign(70, false, 2ms), sign(70, true, 8ms)});
  EXPECT_EQ(soon.weaker_before, 0ms)
      << "the timers ran with the first sign: it may have entered the kernel with it";
  const OtherThreads of_another = seen_asleep({sign(70, true, 2ms), sign(71, false, 8ms)});
  EXPECT_EQ(of_another.weaker_before, 0ms) << "no switch says that this one had the CPU";
}

TEST(CpuTimes, KnowThatFromTheLastLookAtAllThreadsWhereNoRecordHasPriorities) {
  const auto seen = [](bool in_kernel) {
    const ThreadTimes::Off asleep{at(1ms), at(9ms), 1, false};
    RealtimeThreads threads;
    threads.take({10, 80}, {70});
    CpuTimes had({&asleep, 1}, 1, false, &threads, 10);
    for (const EventRecord& one : {gives_up(10, 80, 1ms), gives_up(80, 70, 2ms), sign(70, true, 3ms),
                                   sign(70, in_kernel, 8ms), gives_up(70, 10, 9ms)})
      had.add(one);
    OtherThreads others;
    EXPECT_TRUE(had.finish(at(9ms), others));
    return others;
  };
  const OtherThreads computes = seen(false);
  EXPECT_EQ(computes.stronger.thread, 0) << "the stronger one left, and an ordinary one came";
  EXPECT_EQ(computes.not_ready, 6ms);
  EXPECT_EQ(computes.ran - computes.weaker_before, 0ms) << "nothing kept it from its CPU";
  EXPECT_EQ(seen(true).weaker_before, 0ms) << "a system call may have";
}

TEST(CpuTimes, TakeAThreadThatBecameStrongerForOneThatKeptTheCpuThoughItWasOutsideOfTheKernel) {
  const OtherThreads promoted = seen_asleep({sign(70, true, 2ms), sign(70, false, 8ms)}, 2);
  EXPECT_EQ(promoted.not_ready, 0ms);
  EXPECT_EQ(promoted.stronger.thread, 70);
  EXPECT_EQ(promoted.stronger.time, 8ms);
}

TEST(CpuTimes, TakeTheWeakerPriorityOfAThreadThatWasGivenAnotherOneInItsSleep) {
  const OtherThreads made_ordinary = seen_asleep({sign(70, true, 2ms), sign(70, false, 8ms)}, 120, 120);
  EXPECT_EQ(made_ordinary.not_ready, 0ms);
  EXPECT_EQ(made_ordinary.ran - made_ordinary.weaker, 8ms);
  const OtherThreads lowered = seen_asleep({sign(70, true, 2ms), sign(70, false, 8ms)}, 49, 94);
  EXPECT_EQ(lowered.not_ready, 0ms);
  EXPECT_EQ(lowered.stronger.thread, 70) << "SCHED_FIFO 50 keeps SCHED_FIFO 5 from its CPU";
  EXPECT_EQ(lowered.stronger.priority, 49);
}

}  // namespace
}  // namespace tactus::rtsync::cpu_times_test
