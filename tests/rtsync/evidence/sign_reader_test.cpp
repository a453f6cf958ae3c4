// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/sign_reader.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "rtsync/evidence/judge.hpp"
#include "tests/rtsync/evidence/made_ring.hpp"

namespace tactus::rtsync::sign_reader_test {
namespace {

using namespace std::chrono_literals;
using Kind = EventRecord::Kind;

constexpr std::int32_t kThread = 10;
constexpr EventRates kRates{250us, true, 16, true, true};

std::uint64_t ns(Nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

MadeRing signs(std::initializer_list<Nanoseconds> times, std::uint32_t thread = kThread) {
  MadeRing ring;
  for (const Nanoseconds time : times) ring.sample(kMadeIds.alive, ns(time), thread);
  return ring;
}

EventRecord of_thread(Kind kind, Nanoseconds at, std::uint32_t cpu) {
  EventRecord record;
  record.kind = kind;
  record.thread = kThread;
  record.cpu = cpu;
  record.at = EvidenceTime{at};
  return record;
}

/// From 1 ms to 3 ms: half of the time on one CPU, half on the other.
Evidence seen(const std::vector<MadeRing>& cpus) {
  std::vector<SignRing> rings;
  std::uint32_t number = 1;
  for (const MadeRing& ring : cpus) rings.push_back({number++, ring.read(), 0, ring.head, {}, {}, {}});
  ThreadTimes times(EvidenceTime{1ms}, EvidenceTime{3ms}, kRates);
  SignReader reader(rings, kThread, times);
  for (const EventRecord& record :
       {of_thread(Kind::on, 1ms, 1), of_thread(Kind::preempted, 2ms, 1), of_thread(Kind::on, 2'010us, 2)})
    reader.add(record);
  reader.finish(EvidenceTime{3ms});
  Evidence evidence;
  times.finish(evidence);
  return evidence;
}

TEST(SignReader, PutsTheSignsOfAllCpusBetweenTheThreadsOwnRecords) {
  const Evidence all =
      seen({signs({1'200us, 1'450us, 1'700us, 1'950us}), signs({2'200us, 2'450us, 2'700us, 2'950us})});
  ASSERT_TRUE(all.silence && all.switches);
  EXPECT_EQ(all.silence->took, 0ns);
  EXPECT_EQ(all.switches->migrations, 1U);
  const Evidence half = seen({signs({1'200us, 1'450us, 1'700us, 1'950us}), signs({2'950us})});
  ASSERT_TRUE(half.silence);
  EXPECT_EQ(half.silence->took, 940us - 250us) << "from its return to its next sign";
}

/// The thread is on its CPU from 1 ms to 3 ms.
Evidence seen_on_one_cpu(const MadeRing& signs, std::optional<EvidenceTime> restarted = std::nullopt) {
  std::vector<SignRing> rings{{1, signs.read(), 0, signs.head, {}, {}, {}}};
  ThreadTimes times(EvidenceTime{1ms}, EvidenceTime{3ms}, kRates);
  SignReader reader(rings, kThread, times, restarted);
  reader.add(of_thread(Kind::on, 1ms, 1));
  reader.finish(EvidenceTime{3ms});
  Evidence evidence;
  times.finish(evidence);
  return evidence;
}

/// The thread is on its CPU from 1 ms to 3 ms; the rings of it and of another one have no more room.
Evidence seen_with_full_rings(const MadeRing& signs, const MadeRing& other = {}) {
  std::vector<SignRing> rings{{1, signs.read(), 0, signs.head, {}, {}, {}, true},
                              {2, other.read(), 0, other.head, {}, {}, {}, true}};
  ThreadTimes times(EvidenceTime{1ms}, EvidenceTime{3ms}, kRates);
  SignReader reader(rings, kThread, times);
  reader.add(of_thread(Kind::on, 1ms, 1));
  reader.finish(EvidenceTime{3ms});
  Evidence evidence;
  times.finish(evidence);
  return evidence;
}

TEST(SignReader, SaysUntilWhenSignsHadRoom) {
  const Evidence alive = seen_with_full_rings(signs({1'050us, 1'300us, 1'550us}), signs({1'100us}, 7));
  ASSERT_TRUE(alive.silence);
  EXPECT_EQ(alive.silence->took, 0ns) << "what found no room is no silence";
  EXPECT_EQ(alive.silence->known, 550us);
  const Evidence silent = seen_with_full_rings(signs({1'050us, 1'300us, 2'300us}));
  ASSERT_TRUE(silent.silence);
  EXPECT_EQ(silent.silence->took, 750us) << "before that it is";
  EXPECT_EQ(silent.silence->known, 1'300us);
  const Evidence all = seen_with_full_rings(signs({1'050us, 1'300us, 1'550us, 2'900us, 3'100us}));
  ASSERT_TRUE(all.silence);
  EXPECT_EQ(all.silence->known, 0ns) << "they had room for all of it";
  EXPECT_EQ(all.silence->took, 1'100us);
}

TEST(SignReader, TakesItsTimeInTheKernelUntilThenForTheRest) {
  MadeRing ring = signs({1'050us});
  for (const Nanoseconds at : {1'300us, 1'500us}) {
    ring.header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 4);
    ring.put(kMadeIds.alive);
    ring.identity(ns(at), 1, kThread);
  }
  const Evidence evidence = seen_with_full_rings(ring);
  ASSERT_TRUE(evidence.silence);
  EXPECT_EQ(evidence.silence->known, 500us);
  EXPECT_EQ(evidence.silence->in_kernel, 4 * 450us) << "450 us of a quarter";
}

TEST(SignReader, KnowsNothingWhereItsSignsHadNoRoomAtAll) {
  EXPECT_FALSE(seen_with_full_rings(signs({1'050us, 1'300us}, 7)).silence);
  EXPECT_FALSE(seen_with_full_rings(signs({500us, 750us})).silence) << "before the time looked at";
}

TEST(SignReader, WhatComputedUntilThenComputed) {
  FrameFacts facts;
  facts.part = LatePart::job;
  facts.took = 2ms;
  facts.usual = 10us;
  const CauseWeights weights = weigh(facts, seen_with_full_rings(signs({1'050us, 1'300us, 1'550us})));
  EXPECT_EQ(weights.cause, Cause::computed);
  EXPECT_EQ(weights.share, 1'990us);
}

TEST(SignReader, AddsWhatSignsTookLongerThanTheirInterval) {
  const Evidence pieces = seen_on_one_cpu(signs(
      {50us, 300us, 550us, 800us, 1'150us, 1'420us, 1'550us, 1'980us, 2'050us, 2'300us, 2'650us, 2'800us}));
  ASSERT_TRUE(pieces.silence);
  EXPECT_EQ(pieces.silence->late, 100us + 180us + 100us);
  EXPECT_EQ(pieces.silence->took, pieces.silence->late);
  const Evidence first_late = seen_on_one_cpu(signs(
      {150us, 300us, 550us, 800us, 1'050us, 1'300us, 1'550us, 1'800us, 2'050us, 2'300us, 2'550us, 2'800us}));
  ASSERT_TRUE(first_late.silence);
  EXPECT_EQ(first_late.silence->late, 0ns) << "the first may have been";
  const Evidence punctual = seen_on_one_cpu(signs(
      {50us, 310us, 550us, 805us, 1'060us, 1'300us, 1'555us, 1'800us, 2'070us, 2'300us, 2'550us, 2'800us}));
  ASSERT_TRUE(punctual.silence);
  EXPECT_EQ(punctual.silence->took, 0ns) << "a timer is late by as much on any machine";
}

TEST(SignReader, ComparesASignWithTheLastOneOfAnyThreadSinceTheSignsBegan) {
  MadeRing mixed;
  for (const Nanoseconds time : {50us, 300us, 550us, 800us}) mixed.sample(kMadeIds.alive, ns(time), 77);
  for (const Nanoseconds time : {1'250us, 1'500us, 1'750us, 2'000us, 2'250us, 2'500us, 2'750us})
    mixed.sample(kMadeIds.alive, ns(time), kThread);
  const Evidence late = seen_on_one_cpu(mixed);
  ASSERT_TRUE(late.silence);
  EXPECT_EQ(late.silence->late, 200us) << "the others took as long as they should";
  const Evidence anew = seen_on_one_cpu(mixed, EvidenceTime{900us});
  ASSERT_TRUE(anew.silence);
  EXPECT_EQ(anew.silence->late, 0ns);
  MadeRing stopped;
  for (const Nanoseconds time : {50us, 300us}) stopped.sample(kMadeIds.alive, ns(time), 77);
  stopped.limited(ns(400us));
  for (const Nanoseconds time : {1'250us, 1'500us, 1'750us, 2'000us, 2'250us, 2'500us, 2'750us})
    stopped.sample(kMadeIds.alive, ns(time), kThread);
  const Evidence limited = seen_on_one_cpu(stopped);
  ASSERT_TRUE(limited.silence) << "the kernel took none for a while, long before";
  EXPECT_EQ(limited.silence->late, 0ns);
}

TEST(SignReader, CountsNoSignOfAnotherThread) {
  MadeRing mixed = signs({1'200us});
  for (const Nanoseconds time : {1'450us, 1'700us}) mixed.sample(kMadeIds.alive, ns(time), 77);
  mixed.sample(kMadeIds.alive, ns(1'950us), kThread);
  const Evidence evidence = seen({mixed, signs({2'200us, 2'450us, 2'700us, 2'950us})});
  ASSERT_TRUE(evidence.silence);
  EXPECT_EQ(evidence.silence->took, 750us - 250us);
}

TEST(SignReader, KnowsNoSilenceWhereSignsAreMissing) {
  const MadeRing second = signs({2'200us, 2'450us, 2'700us, 2'950us});
  MadeRing limited = signs({1'200us});
  limited.limited(ns(1'300us));
  MadeRing lost = signs({1'200us});
  lost.lost(ns(1'300us));
  MadeRing noticed_later = signs({1'200us});
  noticed_later.lost(ns(3'300us));
  MadeRing torn = signs({1'200us});
  torn.header(0, 0, 0);
  std::memset(torn.bytes.data() + torn.head - 8, 0, 8);
  for (const auto& [name, ring] : {std::pair{"limited", limited}, std::pair{"lost", lost},
                                   std::pair{"noticed later", noticed_later}, std::pair{"torn", torn}}) {
    const Evidence evidence = seen({ring, second});
    EXPECT_FALSE(evidence.silence) << name;
    EXPECT_TRUE(evidence.switches) << name << ": its own records are all there";
    EXPECT_TRUE(evidence.faults) << name;
  }
}

TEST(SignReader, WhatWasMissedLongBeforeIsNoMatter) {
  MadeRing before;
  before.lost(ns(400us));
  for (const Nanoseconds time : {1'200us, 1'450us, 1'700us, 1'950us})
    before.sample(kMadeIds.alive, ns(time), kThread);
  EXPECT_TRUE(seen({before, signs({2'200us, 2'450us, 2'700us, 2'950us})}).silence);
}

TEST(SignReader, KnowsNoSilenceOfAThreadThatWasMovedToACpuThatIsNotWatched) {
  const Evidence evidence = seen({signs({1'200us, 1'450us, 1'700us, 1'950us})});
  EXPECT_FALSE(evidence.silence) << "it has no signs on CPU 2";
  ASSERT_TRUE(evidence.switches);
  EXPECT_EQ(evidence.switches->migrations, 1U);
}

TEST(SignReader, KnowsNothingOfAThreadThatWasNeverSeen) {
  const MadeRing other = signs({1'200us}, 77);
  std::vector<SignRing> rings{{1, other.read(), 0, other.head, {}, {}, {}}};
  ThreadTimes times(EvidenceTime{1ms}, EvidenceTime{3ms}, kRates);
  SignReader(rings, kThread, times).finish(EvidenceTime{3ms});
  Evidence evidence;
  times.finish(evidence);
  EXPECT_FALSE(evidence.silence);
}

}  // namespace
}  // namespace tactus::rtsync::sign_reader_test
