// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/cpu_silence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <vector>

#include "rtsync/evidence/judge.hpp"

namespace tactus::rtsync::cpu_silence_test {
namespace {

using namespace std::chrono_literals;
using Kind = EventRecord::Kind;

constexpr std::uint32_t kCpu = 1;
constexpr std::int32_t kThread = 10;
constexpr std::int32_t kOther = 77;

EventRecord record(Kind kind, Nanoseconds time, std::int32_t thread = kOther, std::int32_t next = -1) {
  EventRecord made;
  made.kind = kind;
  made.at = EvidenceTime{time};
  made.cpu = kCpu;
  made.thread = thread;
  made.next = next;
  return made;
}

ThreadTimes::Off off(Nanoseconds from, Nanoseconds to, bool ready, std::uint32_t cpu = kCpu) {
  return {EvidenceTime{from}, EvidenceTime{to}, cpu, ready};
}

/// Signs of life come every 250 us.
OtherThreads seen(const ThreadTimes::Off& off, const std::vector<EventRecord>& records,
                  std::optional<Nanoseconds> restarted = {}) {
  CpuSilence silence({&off, 1}, kCpu, 250us);
  if (restarted) silence.restarted(EvidenceTime{*restarted});
  for (const EventRecord& one : records) silence.add(one);
  OtherThreads others;
  silence.finish(off.to, others);
  return others;
}

TEST(CpuSilence, LastsFromWhereTheNextSignOfLifeWasDue) {
  const auto still = seen(off(1ms, 15ms, false), {record(Kind::alive, 900us), record(Kind::alive, 1'150us),
                                                  record(Kind::alive, 15ms)});
  EXPECT_EQ(still.still_asleep, 15ms - 1'400us);
  EXPECT_EQ(still.still_at_wake, 15ms - 1'400us);
  EXPECT_EQ(still.still_ready, 0ns);
}

TEST(CpuSilence, MayLastUntilTheThreadIsThereAgain) {
  EXPECT_EQ(seen(off(1ms, 15ms, true), {record(Kind::alive, 900us)}).still_ready, 15ms - 1'150us);
}

TEST(CpuSilence, IsNoneWhereSignsComeInTime) {
  const auto still = seen(off(1ms, 2ms, true), {record(Kind::alive, 900us), record(Kind::alive, 1'200us),
                                                record(Kind::alive, 1'500us), record(Kind::alive, 1'750us)});
  EXPECT_EQ(still.still_ready, 0ns);
}

TEST(CpuSilence, EndsWithASwitch) {
  const auto still =
      seen(off(1ms, 5ms, true), {record(Kind::alive, 900us), record(Kind::off, 4ms, kOther, 78),
                                 record(Kind::alive, 4'500us), record(Kind::alive, 4'750us)});
  EXPECT_EQ(still.still_ready, 4ms - 1'150us + 500us) << "the sign of life after it is late, too";
}

TEST(CpuSilence, CountsOnlyWhileTheThreadIsOffThatCpu) {
  const std::initializer_list<EventRecord> records = {record(Kind::alive, 1ms), record(Kind::alive, 9ms)};
  EXPECT_EQ(seen(off(2ms, 5ms, true), records).still_ready, 3ms);
  EXPECT_EQ(seen(off(2ms, 5ms, true, kCpu + 1), records).still_ready, 0ns);
  EXPECT_EQ(seen(off(10ms, 11ms, true), records).still_ready, 11ms - 10ms) << "nothing came after 9 ms";
}

TEST(CpuSilence, SaysWhetherItLastedUntilASleepingThreadCameBack) {
  const auto still = seen(off(1ms, 6ms, false),
                          {record(Kind::alive, 1ms), record(Kind::alive, 3ms), record(Kind::alive, 3'250us)});
  EXPECT_EQ(still.still_asleep, 1'750us + 2'500us);
  EXPECT_EQ(still.still_at_wake, 2'500us);
}

TEST(CpuSilence, IsNotKnownWhereSignsAreMissingForAnotherReason) {
  const ThreadTimes::Off away = off(1ms, 15ms, true);
  EXPECT_EQ(seen(away, {record(Kind::alive, 900us), record(Kind::limited, 2ms)}).still_ready, 0ns);
  EXPECT_EQ(seen(away, {record(Kind::alive, 900us), record(Kind::lost, 14ms)}).still_ready, 0ns);
  EXPECT_EQ(seen(away, {}).still_ready, 0ns) << "there was none before";
  EXPECT_EQ(seen(away, {record(Kind::alive, 900us)}, 1ms).still_ready, 0ns) << "they were begun anew";
  EXPECT_GT(seen(away, {record(Kind::alive, 900us)}, 500us).still_ready, 0ns) << "long before";
}

/// Frames of 2 ms on a CPU that is idle between them, and then a sleep of 8 ms.
TEST(CpuSilence, OfAnIdleCpuThatNeverGivesSignsWhileItIsIdleSaysNothing) {
  std::vector<EventRecord> records = {record(Kind::alive, 900us)};
  for (const Nanoseconds frame : {1ms, 3ms, 5ms, 7ms, 9ms}) {
    records.push_back(record(Kind::off, frame, kThread, 0));
    records.push_back(record(Kind::off, frame + 1'900us, 0, kThread));
  }
  records.push_back(record(Kind::off, 11ms, kThread, 0));
  const auto silent = seen(off(11ms, 19ms, false), records);
  EXPECT_EQ(silent.still_asleep, 0ns);
  EXPECT_EQ(silent.still_at_wake, 0ns);
  EXPECT_EQ(silent.idle_unseen, 8ms);
  records.insert(records.begin() + 2, record(Kind::alive, 2ms, 0));
  const auto one = seen(off(11ms, 19ms, false), records);
  EXPECT_EQ(one.still_at_wake, 8ms) << "an idle CPU gives signs here";
  EXPECT_EQ(one.idle_unseen, 0ns);
}

/// Frames that use most of their CPU leave too little idle time to learn that an idle CPU gives no signs.
TEST(CpuSilence, OfAnIdleCpuIsAStopOnlyWhereOneGaveASignWhileItWasIdle) {
  std::vector<EventRecord> records = {record(Kind::alive, 900us, kThread),
                                      record(Kind::off, 1ms, kThread, 0)};
  const auto idle = seen(off(1ms, 12'500ms, false), records);
  EXPECT_EQ(idle.still_asleep, 0ns);
  EXPECT_EQ(idle.idle_unseen, 12'500ms - 1'150us);
  const auto limited = seen(off(1ms, 12'500ms, true), records);
  EXPECT_EQ(limited.still_ready, 0ns) << "the kernel's limit leaves a CPU idle while a thread is ready";
  EXPECT_EQ(limited.idle_unseen, 0ns);
  records.back().next = kOther;
  const auto busy = seen(off(1ms, 15ms, false), records);
  EXPECT_EQ(busy.still_asleep, 15ms - 1'150us) << "the CPU had a thread";
  EXPECT_EQ(busy.idle_unseen, 0ns);
}

TEST(CpuSilence, OfAnIdleCpuThatNeverGivesSignsIsNoLateTimerAndHidesNoSleepOfAJob) {
  Evidence evidence;
  evidence.switches = SwitchTimes{.blocked = 4ms, .blocks = 1};
  evidence.others.emplace().idle_unseen = 4ms;
  EXPECT_EQ(judge({LatePart::wake, 4ms, 0ns}, evidence), Cause::unknown);
  EXPECT_EQ(judge({LatePart::job, 4ms, 1us}, evidence), Cause::blocked);
}

/// An ordinary thread, and nothing else, has the CPU of the records while the machine stands still.
TEST(CpuSilence, NamesNoThreadThatHadTheCpuMeanwhile) {
  Evidence evidence;
  evidence.switches.emplace();
  evidence.silence = Silence{0ns, true, 500us};
  evidence.interrupts.emplace();
  evidence.preemptible = false;
  for (const bool weaker : {false, true}) {
    evidence.others = OtherThreads{kOther, 14ms, 14ms, 0ns, weaker ? 14ms : 0ns};
    evidence.others->still_asleep = 13'800us;
    evidence.switches->blocked = 14ms;
    EXPECT_EQ(judge({LatePart::wake, 14ms, 0ns}, evidence), Cause::machine_stopped);
    evidence.others->still_asleep = 100us;
    EXPECT_EQ(judge({LatePart::wake, 14ms, 0ns}, evidence), Cause::preempted);
  }
  evidence.others = OtherThreads{kOther, 14ms, 14ms, 0ns, 0ns};
  evidence.others->still_ready = 13'800us;
  evidence.switches = SwitchTimes{.preempted = 14ms, .preemptions = 1};
  EXPECT_EQ(judge({LatePart::job, 15ms, 1ms}, evidence), Cause::machine_stopped);
  evidence.others->still_ready = 1ms;
  EXPECT_EQ(judge({LatePart::job, 15ms, 1ms}, evidence), Cause::preempted);
}

TEST(CpuSilence, OfAnIdleCpuIsNoLateTimer) {
  Evidence evidence;
  evidence.switches = SwitchTimes{.blocked = 4ms, .blocks = 1};
  evidence.others.emplace().idle = 4ms;
  EXPECT_EQ(judge({LatePart::wake, 4ms, 0ns}, evidence), Cause::timer_late);
  evidence.others->still_asleep = 3'700us;
  EXPECT_EQ(judge({LatePart::wake, 4ms, 0ns}, evidence), Cause::machine_stopped);
  evidence.interrupts = InterruptTimes{3'900us, 1};
  EXPECT_EQ(judge({LatePart::wake, 4ms, 0ns}, evidence), Cause::interrupted)
      << "a long handler gives no sign either";
}

TEST(CpuSilence, IsWhyAnEdgeSeemsLate) {
  Evidence evidence;
  evidence.switches = SwitchTimes{.blocked = 4ms, .blocks = 1};
  evidence.others.emplace().still_asleep = 3'700us;
  FrameFacts facts{LatePart::wake, 4ms, 0ns};
  facts.edge_late = 3'900us;
  EXPECT_EQ(judge(facts, evidence), Cause::machine_stopped);
}

/// How long it wanted to sleep is not known, but for a job that always does.
TEST(CpuSilence, AtTheEndOfASleepMayHaveMadeItLonger) {
  Evidence evidence;
  evidence.switches = SwitchTimes{.blocked = 16ms, .blocks = 1};
  evidence.silence = Silence{0ns, true, 500us};
  evidence.others.emplace();
  evidence.others->still_asleep = evidence.others->still_at_wake = 14ms;
  EXPECT_EQ(judge({LatePart::job, 16ms, 2ms}, evidence), Cause::machine_stopped);
  EXPECT_EQ(judge({LatePart::job, 16ms, 1us}, evidence), Cause::unknown);
  evidence.others->still_at_wake = 0ns;
  EXPECT_EQ(judge({LatePart::job, 16ms, 1us}, evidence), Cause::blocked)
      << "it went on to sleep after the stop";
}

}  // namespace
}  // namespace tactus::rtsync::cpu_silence_test
