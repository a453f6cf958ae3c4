// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/thread_times.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <initializer_list>

#include "rtsync/evidence/stop_times.hpp"

namespace tactus::rtsync::thread_times_test {
namespace {

using namespace std::chrono_literals;
using Kind = EventRecord::Kind;

constexpr EvidenceTime at(Nanoseconds time) { return EvidenceTime{time}; }
constexpr EventRates kRates{100us, true, 16, true};

EventRecord record(Kind kind, Nanoseconds time, std::uint32_t cpu = 1) {
  EventRecord made;
  made.kind = kind;
  made.at = at(time);
  made.cpu = cpu;
  made.thread = 10;
  return made;
}

Evidence between(Nanoseconds from, Nanoseconds to, std::initializer_list<EventRecord> records,
                 EventRates rates = kRates) {
  ThreadTimes times(at(from), at(to), rates);
  for (const EventRecord& one : records) times.add(one);
  Evidence evidence;
  times.finish(evidence);
  return evidence;
}

TEST(ThreadTimes, AreEmptyForAThreadThatWasNeverDisturbed) {
  const Evidence seen =
      between(1ms, 2ms,
              {record(Kind::alive, 900us), record(Kind::alive, 1'150us), record(Kind::alive, 1'400us),
               record(Kind::alive, 1'650us), record(Kind::alive, 1'900us)},
              EventRates{250us, true, 16, true});
  ASSERT_TRUE(seen.switches && seen.faults && seen.silence);
  EXPECT_EQ(seen.switches->blocked + seen.switches->preempted + seen.switches->migrated, 0ns);
  EXPECT_EQ(seen.silence->took, 0ns);
}

TEST(ThreadTimes, TellSleepFromPreemption) {
  const Evidence seen =
      between(1ms, 5ms,
              {record(Kind::on, 900us), record(Kind::off, 1'050us), record(Kind::on, 2'050us),
               record(Kind::preempted, 2'100us), record(Kind::on, 2'600us), record(Kind::alive, 2'700us)});
  ASSERT_TRUE(seen.switches);
  EXPECT_EQ(seen.switches->blocked, 1ms);
  EXPECT_EQ(seen.switches->blocks, 1U);
  EXPECT_EQ(seen.switches->preempted, 500us);
  EXPECT_EQ(seen.switches->preemptions, 1U);
}

TEST(ThreadTimes, CountOnlyWhatLiesBetween) {
  const Evidence seen = between(1ms, 2ms,
                                {record(Kind::off, 500us), record(Kind::on, 1'200us),
                                 record(Kind::off, 1'900us), record(Kind::on, 3ms)});
  ASSERT_TRUE(seen.switches);
  EXPECT_EQ(seen.switches->blocked, 300us);
}

TEST(ThreadTimes, CountASleepThatHasNotEnded) {
  EXPECT_EQ(between(1ms, 2ms, {record(Kind::on, 1ms), record(Kind::off, 1'400us)}).switches->blocked, 600us);
}

TEST(ThreadTimes, KnowWhereTheLongestSleepWas) {
  const auto left = [](Nanoseconds time, std::uint64_t code) {
    EventRecord made = record(Kind::left, time);
    made.code = code;
    made.number = static_cast<std::int32_t>(code) * 2;
    return made;
  };
  const Evidence seen =
      between(1ms, 9ms,
              {record(Kind::on, 1ms), left(1'100us, 0x10), record(Kind::off, 1'100us),
               record(Kind::on, 1'200us), left(1'300us, 0x20), record(Kind::off, 1'300us),
               record(Kind::on, 2'300us), left(2'400us, 0x30), record(Kind::preempted, 2'400us),
               record(Kind::on, 7ms), record(Kind::off, 8ms), record(Kind::on, 8'500us)});
  ASSERT_TRUE(seen.switches);
  EXPECT_EQ(seen.switches->blocks, 3U);
  EXPECT_EQ(seen.switches->longest_block, 1ms);
  EXPECT_EQ(seen.switches->code, 0x20U) << "the preemption was longer, and is no sleep";
  EXPECT_EQ(seen.switches->call, 0x40);
  const Evidence unknown = between(1ms, 9ms,
                                   {record(Kind::on, 1ms), left(2ms, 0x10), record(Kind::preempted, 2ms),
                                    record(Kind::on, 3ms), record(Kind::off, 4ms), record(Kind::on, 8ms)});
  EXPECT_EQ(unknown.switches->code, 0U) << "that of an earlier one is not its own";
  EXPECT_EQ(unknown.switches->call, -1);
}

TEST(ThreadTimes, DoNotTakeAStopOutsideOfSystemCallsForASleep) {
  const auto left = [](Nanoseconds time, EventRecord::InCall in_call) {
    EventRecord made = record(Kind::left, time);
    made.in_call = in_call;
    return made;
  };
  const Evidence seen =
      between(1ms, 9ms,
              {record(Kind::on, 1ms), left(1'100us, EventRecord::InCall::no), record(Kind::off, 1'100us),
               record(Kind::on, 4'100us), left(5ms, EventRecord::InCall::yes), record(Kind::off, 5ms),
               record(Kind::on, 6ms)});
  EXPECT_EQ(seen.switches->held, 3ms);
  EXPECT_EQ(seen.switches->blocked, 1ms);
  EXPECT_EQ(seen.switches->blocks, 1U);
  EXPECT_EQ(seen.switches->longest_block, 1ms);
  const Evidence fault =
      between(1ms, 9ms,
              {record(Kind::on, 1ms), left(1'100us, EventRecord::InCall::no), record(Kind::off, 1'100us),
               record(Kind::on, 4'100us), record(Kind::major_fault, 4'110us)});
  EXPECT_EQ(fault.switches->held, 0ns) << "it waited for a page";
  EXPECT_EQ(fault.switches->in_major_fault, 3ms);
}

TEST(ThreadTimes, NoticeAnotherCpu) {
  const Evidence seen = between(
      1ms, 2ms, {record(Kind::on, 1ms), record(Kind::preempted, 1'100us), record(Kind::on, 1'500us, 2)});
  EXPECT_EQ(seen.switches->migrated, 400us);
  EXPECT_EQ(seen.switches->preempted, 0ns);
  EXPECT_EQ(between(1ms, 2ms, {record(Kind::off, 1'100us), record(Kind::on, 1'500us, 2)}).switches->blocked,
            400us)
      << "who slept may wake anywhere";
}

TEST(ThreadTimes, TakeALongTimeWithoutASignForSilence) {
  const auto life = {record(Kind::on, 1ms),        record(Kind::alive, 1'100us), record(Kind::alive, 1'200us),
                     record(Kind::alive, 4'200us), record(Kind::alive, 4'300us), record(Kind::off, 4'390us)};
  EXPECT_EQ(between(1ms, 4'390us, life).silence->took, 2'900us);
  EventRates blind = kRates;
  blind.alive = 0ns;
  EXPECT_FALSE(between(1ms, 4'390us, life, blind).silence) << "nobody asked for signs";
}

TEST(ThreadTimes, KnowWhatTheCpuRanForTheKernel) {
  EventRecord in_kernel = record(Kind::alive, 1'200us);
  in_kernel.in_kernel = true;
  const Evidence seen =
      between(1ms, 1'300us, {record(Kind::on, 1ms), record(Kind::alive, 1'100us), in_kernel});
  EXPECT_EQ(seen.silence->in_kernel, 100us);
  EXPECT_EQ(seen.silence->in_call, 0us);
  in_kernel.in_call = EventRecord::InCall::yes;
  in_kernel.code = 0x1234;
  const Evidence called =
      between(1ms, 1'300us, {record(Kind::on, 1ms), record(Kind::alive, 1'100us), in_kernel});
  EXPECT_EQ(called.silence->in_call, 100us);
  EXPECT_EQ(called.silence->code, 0x1234U);
  EXPECT_EQ(seen.silence->took, 0ns);
}

TEST(ThreadTimes, DoNotTakeSleepForSilence) {
  EXPECT_EQ(between(1ms, 5ms, {record(Kind::on, 1ms), record(Kind::off, 1'050us), record(Kind::on, 4'950us)})
                .silence->took,
            0ns);
}

TEST(ThreadTimes, GiveFaultsTheTimeBetweenThem) {
  ThreadTimes times(at(1ms), at(3ms), kRates);
  times.add(record(Kind::on, 900us));
  for (int i = 1; i <= 50; ++i) times.add(record(Kind::minor_fault, 1ms + i * 30us));
  Evidence seen;
  times.finish(seen);
  EXPECT_EQ(seen.faults->minor, 800U);
  EXPECT_EQ(seen.faults->took, 49 * 30us + 30us);
  EXPECT_LT(between(1ms, 3ms, {record(Kind::on, 1ms), record(Kind::minor_fault, 2'500us)}).faults->took,
            100us)
      << "one of them does not take the milliseconds before it";
}

/// Sixteen faults in 170 us, twenty times, and a sign of life in each third of them.
FaultTimes slow_faults(const EventRates& rates, bool in_kernel, bool signs = true) {
  ThreadTimes times(at(1ms), at(5ms), rates);
  times.add(record(Kind::on, 1ms));
  for (int i = 1; i <= 20; ++i) {
    EventRecord sign = record(Kind::alive, 1ms + i * 170us - 80us);
    sign.in_kernel = in_kernel;
    if (signs && i % 3 == 0) times.add(sign);
    times.add(record(Kind::minor_fault, 1ms + i * 170us));
  }
  Evidence seen;
  times.finish(seen);
  return seen.faults.value_or(FaultTimes{});
}

TEST(ThreadTimes, GiveSlowFaultsTheTimeInTheKernel) {
  EventRates rates = kRates;
  rates.alive = 500us;
  rates.alive_anywhere = true;
  EXPECT_EQ(slow_faults(rates, true).took, 20 * 170us);
  EXPECT_EQ(slow_faults(rates, false).took, 20 * 64us) << "the job computed between them";
  EXPECT_EQ(slow_faults(rates, true, false).took, 20 * 64us) << "no sign shows it";
  rates.alive_anywhere = false;  // signs from outside of the kernel alone
  EXPECT_EQ(slow_faults(rates, false, false).took, 20 * 170us - 250us);
  EXPECT_EQ(slow_faults(rates, false).took, 20 * 64us);
  rates.alive_anywhere = true;
  rates.fault = 10us;
  EXPECT_EQ(slow_faults(rates, false).took, 20 * 160us) << "all faults take as long there";
  rates.fault = 12us;
  EXPECT_EQ(slow_faults(rates, false).took, 20 * 170us);
}

TEST(ThreadTimes, GiveTheWaitForADiskToTheFault) {
  const Evidence seen =
      between(1ms, 6ms,
              {record(Kind::on, 1ms), record(Kind::off, 1'100us), record(Kind::on, 5'100us),
               record(Kind::major_fault, 5'105us), record(Kind::off, 5'200us), record(Kind::on, 5'300us)});
  EXPECT_EQ(seen.switches->in_major_fault, 4ms);
  EXPECT_EQ(seen.switches->blocked, 100us);
  EXPECT_EQ(seen.switches->blocks, 1U);
  EXPECT_EQ(seen.faults->major, 1U);
  EXPECT_EQ(seen.faults->took, 20us + 4us) << "and what it took to ask the disk, and after that";
}

/// 50 sleeps of 50 us, and before each of them 40 us on the CPU, with a sign of life in every fifth: `of_disk`: each waits
/// for a page; `sleeps`: no: the page comes while the thread is on its CPU.
Evidence many_calls(EventRates rates, bool in_kernel, bool of_disk, bool sleeps = true) {
  ThreadTimes times(at(1ms), at(6ms), rates);
  times.add(record(Kind::on, 1ms));
  Nanoseconds now = 1ms;
  for (int i = 0; i < 50; ++i) {
    if (i % 5 == 0) {
      EventRecord sign = record(Kind::alive, now + 20us);
      sign.in_kernel = in_kernel;
      times.add(sign);
    }
    now += 40us;
    if (sleeps) times.add(record(Kind::off, now));
    now += 50us;
    if (sleeps) times.add(record(Kind::on, now));
    if (of_disk) times.add(record(Kind::major_fault, now));
  }
  Evidence evidence;
  times.finish(evidence);
  return evidence;
}

TEST(ThreadTimes, GiveCallsThatSleepTheirTimeInTheKernel) {
  EventRates rates = kRates;
  rates.alive = 200us;
  rates.alive_anywhere = true;
  const Evidence calls = many_calls(rates, true, false);
  EXPECT_EQ(calls.switches->blocked, 50 * 50us);
  EXPECT_EQ(calls.switches->in_calls, 50 * 40us);
  EXPECT_EQ(many_calls(rates, false, false).switches->in_calls, 0ns) << "the job computed between them";
  rates.alive_anywhere = false;
  EXPECT_EQ(many_calls(rates, false, false).switches->in_calls, 0ns);
}

TEST(ThreadTimes, GiveFaultsOfTheDiskTheirTimeInTheKernel) {
  EventRates rates = kRates;
  rates.alive = 200us;
  rates.alive_anywhere = true;
  const Evidence slept = many_calls(rates, true, true);
  EXPECT_EQ(slept.switches->in_major_fault, 50 * 50us);
  EXPECT_EQ(slept.switches->in_calls, 0ns);
  EXPECT_EQ(slept.faults->took, 50 * 40us) << "all of the time that asks the disk";
  const Evidence stayed = many_calls(rates, true, true, false);
  EXPECT_EQ(stayed.switches->in_major_fault, 0ns);
  EXPECT_EQ(stayed.faults->took, 50 * 90us) << "the page came while it was on its CPU";
  EXPECT_EQ(many_calls(rates, false, true, false).faults->took, 50 * 4us) << "the job computed between them";
}

TEST(ThreadTimes, CountWhatASignCameLateOnce) {
  ThreadTimes times(at(1ms), at(2ms), kRates);
  times.add(record(Kind::on, 1ms));
  EventRecord in_kernel = record(Kind::alive, 1'120us);
  in_kernel.in_kernel = true;
  times.add_late(in_kernel, 20us);
  times.add(record(Kind::off, 1'120us));
  Evidence seen;
  times.finish(seen);
  ASSERT_TRUE(seen.silence);
  EXPECT_EQ(seen.silence->took, 20us);
  EXPECT_EQ(seen.silence->in_kernel, 100us);
}

TEST(ThreadTimes, SayNothingWhenRecordsAreMissing) {
  const Evidence seen = between(1ms, 2ms, {record(Kind::on, 1ms), record(Kind::lost, 1'500us)});
  EXPECT_FALSE(seen.switches || seen.faults || seen.silence);
  const Evidence limited = between(1ms, 2ms, {record(Kind::on, 1ms), record(Kind::limited, 1'500us)});
  EXPECT_TRUE(limited.switches);
  EXPECT_FALSE(limited.faults || limited.silence);
  EXPECT_FALSE(between(1ms, 2ms, {record(Kind::on, 1'500us)}).switches) << "why it was off is not known";
}

EventRecord cpu_switch(std::int32_t from, std::int32_t to, Nanoseconds time) {
  EventRecord made = record(Kind::preempted, time);
  made.thread = from;
  made.next = to;
  return made;
}

TEST(CpuTimes, NameTheThreadThatHadTheCpuLongest) {
  const ThreadTimes::Off off[] = {{at(1ms), at(3ms), 1, true}};
  CpuTimes had(off, 1, true);
  had.add(cpu_switch(5, 10, 500us));
  had.add(cpu_switch(10, 20, 1ms));
  had.add(cpu_switch(20, 30, 1'200us));
  had.add(cpu_switch(30, 0, 2'700us));
  had.add(cpu_switch(0, 10, 3ms));
  OtherThreads others;
  EXPECT_TRUE(had.finish(at(4ms), others));
  EXPECT_EQ(others.thread, 30);
  EXPECT_EQ(others.longest, 1'500us);
  EXPECT_EQ(others.ran, 1'700us);
  EXPECT_EQ(others.idle, 300us);
}

TEST(CpuTimes, LeaveOutWhatTheThreadSleptItself) {
  const ThreadTimes::Off off[] = {{at(1ms), at(3ms), 1, false}};
  for (const bool ready_only : {true, false}) {
    CpuTimes had(off, 1, ready_only);
    had.add(cpu_switch(10, 20, 1ms));
    had.add(cpu_switch(20, 10, 3ms));
    OtherThreads others;
    EXPECT_TRUE(had.finish(at(4ms), others));
    EXPECT_EQ(others.ran, ready_only ? 0ms : 2ms);
  }
}

TEST(CpuTimes, TellOrdinaryThreadsFromThoseThatKeepARealTimeOneFromItsCpu) {
  const ThreadTimes::Off off[] = {{at(1ms), at(3ms), 1, false}};
  const auto ordinary = static_cast<std::int32_t>(::gettid());
  RealtimeThreads realtime;
  for (const bool looked : {false, true}) {
    if (looked) realtime.look();
    CpuTimes had(off, 1, false, &realtime);
    had.add(cpu_switch(10, ordinary, 1ms));
    had.add(cpu_switch(ordinary, 10, 3ms));
    OtherThreads others;
    EXPECT_TRUE(had.finish(at(4ms), others));
    EXPECT_EQ(others.ran, 2ms);
    EXPECT_EQ(others.weaker, looked ? 2ms : 0ms) << "nobody knows before";
  }
}

EventRecord gives_up(std::int32_t thread, std::int32_t next, Nanoseconds time) {
  EventRecord made = cpu_switch(thread, next, time);
  made.kind = Kind::off;
  return made;
}

OtherThreads had_by(std::initializer_list<EventRecord> records, const ThreadTimes::Off& off) {
  RealtimeThreads threads;
  threads.take({10, 20}, {70});
  CpuTimes had({&off, 1}, 1, false, &threads);
  for (const EventRecord& one : records) had.add(one);
  OtherThreads others;
  EXPECT_TRUE(had.finish(at(9ms), others));
  return others;
}

TEST(CpuTimes, OfAThreadThatIsReadyAreOverItWhereNobodyStrongerHasTheCpu) {
  const ThreadTimes::Off ready{at(1ms), at(5ms), 1, true};
  const auto passed_over = [&](std::int32_t next) {
    return had_by({cpu_switch(10, next, 1ms), gives_up(next, 10, 5ms)}, ready).passed_over;
  };
  EXPECT_EQ(passed_over(0), 4ms) << "idle";
  EXPECT_EQ(passed_over(70), 4ms) << "an ordinary thread";
  EXPECT_EQ(passed_over(20), 0ms) << "a real-time one";
  EXPECT_EQ(passed_over(99), 0ms) << "one that nobody knows yet";
}

TEST(CpuTimes, OfAThreadThatSleepsAreOverItWhereAnotherRealTimeThreadWasStopped) {
  const ThreadTimes::Off asleep{at(1ms), at(5ms), 1, false};
  EXPECT_EQ(had_by({cpu_switch(20, 0, 0ms), gives_up(0, 10, 5ms)}, asleep).passed_over, 4ms);
  EXPECT_EQ(had_by({cpu_switch(20, 70, 0ms), gives_up(70, 0, 3ms), gives_up(0, 10, 5ms)}, asleep).passed_over,
            4ms);
  EXPECT_EQ(
      had_by({cpu_switch(20, 70, 0ms), gives_up(70, 20, 3ms), gives_up(20, 0, 4ms)}, asleep).passed_over, 2ms)
      << "until it had the CPU again";
  EXPECT_EQ(had_by({gives_up(20, 0, 0ms), gives_up(0, 10, 5ms)}, asleep).passed_over, 0ms)
      << "it went to sleep itself";
  EXPECT_EQ(had_by({cpu_switch(70, 0, 0ms), gives_up(0, 10, 5ms)}, asleep).passed_over, 0ms)
      << "an ordinary thread was pushed off";
}

TEST(CpuTimes, SayHowLongAStrongerThreadHadTheCpuUpToTheEndOfASleep) {
  const ThreadTimes::Off asleep{at(1ms), at(5ms), 1, false};
  const auto kept = [&](std::initializer_list<EventRecord> records) { return had_by(records, asleep).kept; };
  EXPECT_EQ(kept({gives_up(10, 0, 1ms), gives_up(0, 20, 2ms), gives_up(20, 10, 5ms)}), 3ms);
  EXPECT_EQ(kept({gives_up(10, 20, 1ms), gives_up(20, 0, 4ms), gives_up(0, 10, 5ms)}), 0ms)
      << "it was idle then";
  EXPECT_EQ(kept({gives_up(10, 70, 1ms), gives_up(70, 10, 5ms)}), 0ms) << "an ordinary thread";
  EventRecord first = record(Kind::alive, 3ms);
  first.thread = 20;
  EventRecord second = first;
  second.at = at(4ms);
  EXPECT_EQ(kept({gives_up(10, 0, 1ms), gives_up(0, 20, 2ms), first, second, gives_up(20, 10, 5ms)}), 3ms)
      << "it was seen outside of the kernel";
}

TEST(CpuTimes, SayHowLongNoRealTimeThreadHadTheCpuThoughOneWaits) {
  const ThreadTimes::Off asleep{at(5ms), at(9ms), 1, false};
  const auto without = [&](std::initializer_list<EventRecord> records) {
    return had_by(records, asleep).without;
  };
  // 20 makes room for 10, which goes to sleep.
  EXPECT_EQ(without({cpu_switch(20, 10, 0ms), gives_up(10, 0, 1ms)}), 8ms);
  EXPECT_EQ(without({cpu_switch(20, 10, 0ms), gives_up(10, 0, 1ms), gives_up(0, 10, 8ms)}), 7ms)
      << "it is awake";
  EXPECT_EQ(
      without({cpu_switch(20, 10, 0ms), gives_up(10, 0, 1ms), gives_up(0, 20, 7ms), gives_up(20, 10, 8ms)}),
      6ms)
      << "the other one is first";
  EXPECT_EQ(without({cpu_switch(20, 10, 0ms), gives_up(10, 0, 1ms), gives_up(0, 20, 4ms)}), 0ms)
      << "it was over before the sleep";
  EXPECT_EQ(without({cpu_switch(20, 10, 0ms), gives_up(10, 70, 1ms), gives_up(70, 0, 2ms)}), 8ms);
  EXPECT_EQ(without({cpu_switch(20, 10, 0ms), gives_up(10, 20, 1ms), gives_up(20, 0, 2ms)}), 0ms);
  EXPECT_EQ(without({gives_up(20, 10, 0ms), gives_up(10, 0, 1ms)}), 0ms);
}

TEST(CpuTimes, SayHowLongNoRealTimeThreadHadTheCpuThoughTheyUsedItUp) {
  const ThreadTimes::Off asleep{at(505ms), at(550ms), 1, false};
  const auto without = [&](std::int32_t between, Nanoseconds part) {
    RealtimeThreads threads;
    threads.take({10, 20}, {70});
    CpuTimes had({&asleep, 1}, 1, false, &threads);
    // Two real-time threads give it to each other, now and then with an ordinary one or nobody between them.
    for (auto time = 0ms; time < 500ms; time += 4ms) {
      had.add(gives_up(10, between, time));
      had.add(gives_up(between, 20, time + part));
      had.add(gives_up(20, 10, time + 2ms));
    }
    had.add(gives_up(10, 0, 500ms));
    had.add(gives_up(0, 20, 548ms));
    had.add(gives_up(20, 10, 550ms));
    OtherThreads others;
    EXPECT_TRUE(had.finish(at(550ms), others));
    return others.without;
  };
  EXPECT_EQ(without(0, 100us), 48ms);
  EXPECT_EQ(without(70, 100us), 48ms);
  EXPECT_EQ(without(0, 1900us), 0ms) << "half of the time it was idle";
  EXPECT_EQ(without(70, 1900us), 0ms);
}

/// A switch whose record says the priorities. An ordinary thread has 120, SCHED_FIFO 97 has 2.
EventRecord known_switch(Kind kind, std::int32_t from, int priority, std::int32_t to, int next_priority,
                         Nanoseconds time) {
  EventRecord made = cpu_switch(from, to, time);
  made.kind = kind;
  made.priority = static_cast<std::int16_t>(priority);
  made.next_priority = static_cast<std::int16_t>(next_priority);
  made.name = {'t', static_cast<char>('0' + from % 10)};
  made.next_name = {'t', static_cast<char>('0' + to % 10)};
  return made;
}

/// Of thread 10, SCHED_FIFO 95 if nothing else is said. The last look took all others for ordinary threads.
OtherThreads known_by(std::initializer_list<EventRecord> records, const ThreadTimes::Off& off) {
  RealtimeThreads threads;
  threads.take({10}, {20, 70, 71});
  CpuTimes had({&off, 1}, 1, off.ready, &threads, 10);
  for (const EventRecord& one : records) had.add(one);
  OtherThreads others;
  EXPECT_TRUE(had.finish(at(99ms), others));
  return others;
}

TEST(CpuTimes, GoByThePriorityOfTheMoment) {
  const ThreadTimes::Off ready{at(1ms), at(51ms), 1, true};
  const auto pushed_off_by = [&](std::int32_t thread, int priority, int own) {
    return known_by({known_switch(Kind::preempted, 10, own, thread, priority, 1ms),
                     known_switch(Kind::off, thread, priority, 10, own, 51ms)},
                    ready);
  };
  const OtherThreads promoted = pushed_off_by(20, 2, 4);
  EXPECT_EQ(promoted.passed_over, 0ns) << "the last look took it for an ordinary one";
  EXPECT_EQ(promoted.weaker, 0ns);
  EXPECT_EQ(promoted.stronger.priority, 2);
  EXPECT_STREQ(promoted.stronger.name.data(), "t0");
  EXPECT_EQ(promoted.stronger.time, 50ms);
  EXPECT_EQ(pushed_off_by(99, 2, 4).weaker, 0ns) << "no look has seen it";
  EXPECT_EQ(pushed_off_by(99, -1, 4).stronger.priority, -1) << "SCHED_DEADLINE";
  EXPECT_EQ(pushed_off_by(70, 120, 4).passed_over, 50ms) << "a limit";
  EXPECT_EQ(pushed_off_by(70, 120, 120).passed_over, 0ns) << "the thread is an ordinary one now";
  EXPECT_EQ(pushed_off_by(70, 120, 120).stronger.thread, 70);
}

TEST(CpuTimes, OfAThreadThatNoLookHasSeenAreNotOfAWeakerOne) {
  const ThreadTimes::Off asleep{at(1ms), at(5ms), 1, false};
  EXPECT_EQ(had_by({gives_up(10, 99, 1ms), gives_up(99, 10, 5ms)}, asleep).weaker, 0ns);
}

EventRecord sign(Nanoseconds time) {
  EventRecord made = record(Kind::alive, time);
  made.thread = 0;
  return made;
}

TEST(CpuTimes, KnowThatAThreadCouldNotRunWhereItsCpuHadNoStrongerOne) {
  const ThreadTimes::Off asleep{at(1ms), at(31ms), 1, false};
  const OtherThreads frozen =
      known_by({known_switch(Kind::off, 10, 4, 70, 120, 0ms), sign(1'100us),
                known_switch(Kind::off, 70, 120, 20, 2, 10ms), known_switch(Kind::off, 20, 2, 71, 120, 12ms),
                known_switch(Kind::off, 71, 120, 0, 120, 20ms), known_switch(Kind::off, 0, 120, 10, 4, 31ms)},
               asleep);
  EXPECT_EQ(frozen.not_ready, 29'900us) << "all but what its timer may have been late";
  EXPECT_EQ(frozen.stronger.thread, 0) << "20 ran while it could not";
  EXPECT_EQ(frozen.ran, frozen.weaker);
  const OtherThreads late = known_by({known_switch(Kind::off, 10, 4, 0, 120, 0ms), sign(500us),
                                      sign(30'990us), known_switch(Kind::off, 0, 120, 10, 4, 31ms)},
                                     asleep);
  EXPECT_EQ(late.not_ready, 10us) << "the machine may have stood still";
  const OtherThreads kept =
      known_by({known_switch(Kind::off, 10, 4, 0, 120, 0ms), sign(1'100us),
                known_switch(Kind::off, 0, 120, 20, 2, 1'150us), known_switch(Kind::off, 20, 2, 10, 4, 31ms)},
               asleep);
  EXPECT_EQ(kept.not_ready, 50us);
  EXPECT_EQ(kept.stronger.thread, 20);
}

TEST(CpuTimes, GoByTheStrongestPriorityThatAThreadHadMeanwhile) {
  const ThreadTimes::Off asleep{at(1ms), at(51ms), 1, false};
  EventRecord ends = known_switch(Kind::off, 20, 2, 10, 4, 51ms);
  ends.name = {'s', 'p', 'i', 'n'};
  const OtherThreads others =
      known_by({known_switch(Kind::off, 10, 4, 20, 120, 500us), sign(2ms), sign(30ms), ends}, asleep);
  EXPECT_EQ(others.weaker, 0ns);
  EXPECT_EQ(others.not_ready, 0ns);
  EXPECT_EQ(others.stronger.time, 50ms);
  EXPECT_EQ(others.stronger.priority, 2);
  EXPECT_STREQ(others.stronger.name.data(), "spin") << "it became another program";
}

TEST(CpuTimes, LetAnOrdinaryThreadBeInASystemCallSinceTheLastSwitch) {
  const ThreadTimes::Off asleep{at(1ms), at(5ms), 1, false};
  const OtherThreads in_call = known_by(
      {known_switch(Kind::off, 10, 4, 70, 120, 0ms), known_switch(Kind::off, 70, 120, 10, 4, 5ms)}, asleep);
  EXPECT_EQ(in_call.weaker, 4ms);
  EXPECT_EQ(in_call.weaker_before, 0ns);
  const OtherThreads switched =
      known_by({known_switch(Kind::off, 10, 4, 70, 120, 0ms), known_switch(Kind::off, 70, 120, 71, 120, 4ms),
                known_switch(Kind::off, 71, 120, 10, 4, 5ms)},
               asleep);
  EXPECT_EQ(switched.weaker_before, 3ms);
}

TEST(CpuTimes, NameTheThreadThatUsedUpTheLimit) {
  const ThreadTimes::Off ready{at(90ms), at(99ms), 1, true};
  const OtherThreads others =
      known_by({known_switch(Kind::off, 10, 4, 20, 2, 0ms), known_switch(Kind::off, 20, 2, 10, 4, 80ms),
                known_switch(Kind::preempted, 10, 4, 70, 120, 90ms)},
               ready);
  EXPECT_EQ(others.passed_over, 9ms);
  EXPECT_EQ(others.used_up.thread, 20);
  EXPECT_EQ(others.used_up.time, 80ms);
}

TEST(StopTimes, TakeWhatADebuggerOrASignalStoppedFromTheSleeps) {
  for (const bool traced : {true, false}) {
    EventRecord leaves = known_switch(Kind::off, 10, 4, 0, 120, 1ms);
    leaves.stop = traced ? EventRecord::Stop::traced : EventRecord::Stop::signalled;
    const std::array<ThreadTimes::Off, 2> off{{{at(2ms), at(5ms), 1, false}, {at(6ms), at(9ms), 1, false}}};
    StopTimes stops(off, 1, 10);
    stops.add(leaves);
    stops.add(known_switch(Kind::off, 0, 120, 10, 4, 5ms));
    stops.add(known_switch(Kind::off, 10, 4, 0, 120, 6ms));
    SwitchTimes switches;
    switches.held = 1ms;
    switches.blocked = 5ms;
    stops.finish(switches);
    EXPECT_EQ(traced ? switches.traced : switches.signalled, 3ms);
    EXPECT_EQ(switches.held, 0ns);
    EXPECT_EQ(switches.blocked, 3ms);
  }
}

TEST(StopTimes, EndWhereTheThreadCameBackOnAnotherCpu) {
  EventRecord leaves = known_switch(Kind::off, 10, 4, 0, 120, 1ms);
  leaves.stop = EventRecord::Stop::traced;
  const std::array<ThreadTimes::Off, 2> off{{{at(1ms), at(3ms), 1, false}, {at(4ms), at(9ms), 2, false}}};
  StopTimes stops(off, 1, 10);
  stops.add(leaves);
  SwitchTimes switches;
  switches.blocked = 7ms;
  stops.finish(switches);
  EXPECT_EQ(switches.traced, 2ms);
  EXPECT_EQ(switches.blocked, 5ms) << "it slept on the other one";
}

TEST(CpuTimes, SayThatRecordsAreMissing) {
  CpuTimes had({}, 1, true);
  had.add(record(Kind::lost, 1ms));
  OtherThreads others;
  EXPECT_FALSE(had.finish(at(2ms), others));
}

}  // namespace
}  // namespace tactus::rtsync::thread_times_test
