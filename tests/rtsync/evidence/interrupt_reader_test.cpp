// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/interrupt_reader.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>

namespace tactus::rtsync::interrupt_reader_test {
namespace {

using namespace std::chrono_literals;
using Kind = EventRecord::Kind;

constexpr std::int32_t kThread = 10;
constexpr std::uint32_t kCpu = 2;

ThreadTimes::Off away(Nanoseconds from, Nanoseconds to, std::uint32_t cpu) {
  return {TimePoint<MonotonicTime>{from}, TimePoint<MonotonicTime>{to}, cpu, true};
}
const ThreadTimes::Off kAway[] = {away(0ms, 9ms, kCpu)};

EventRecord record(Kind kind, Nanoseconds time, std::int32_t number, std::int32_t thread = kThread) {
  EventRecord made;
  made.kind = kind;
  made.at = TimePoint<MonotonicTime>{time};
  made.number = number;
  made.thread = thread;
  return made;
}

/// From 1 ms to 5 ms.
std::optional<InterruptTimes> times(std::initializer_list<EventRecord> records,
                                    std::span<const ThreadTimes::Off> off = {}) {
  InterruptReader reader(TimePoint<MonotonicTime>{1ms}, TimePoint<MonotonicTime>{5ms});
  reader.begin_cpu(kThread, kCpu, off);
  for (const EventRecord& one : records) reader.add(one);
  reader.end_cpu();
  return reader.times();
}

TEST(InterruptReader, NamesOneThatAnotherCpuAskedFor) {
  const auto seen = times({record(Kind::vector_begin, 2'000us, 1), record(Kind::irq_begin, 2'100us, 24),
                           record(Kind::irq_end, 2'200us, 24), record(Kind::vector_end, 3'000us, 1)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 1'000us);
  EXPECT_EQ(seen->kind, InterruptTimes::Kind::vector);
  EXPECT_EQ(seen->number, 1);
  EXPECT_EQ(seen->longest, 900us);
}

TEST(InterruptReader, KnowsNothingWhereAnEndIsMissing) {
  EXPECT_FALSE(times({record(Kind::vector_begin, 2'000us, 1), record(Kind::vector_begin, 2'500us, 1),
                      record(Kind::vector_end, 2'600us, 1)}));
  EXPECT_FALSE(times({record(Kind::unlimited, 2'000us, 0)}));
}

TEST(InterruptReader, CountsOfOtherThreadsOnlyWhatKeptTheThreadFromThisCpu) {
  const ThreadTimes::Off off[] = {away(500us, 2ms, kCpu), away(2'700us, 4'500us, kCpu + 1)};
  const auto seen = times({record(Kind::irq_begin, 1'500us, 24, 77), record(Kind::irq_end, 1'900us, 24, 77),
                           record(Kind::irq_begin, 2'500us, 26), record(Kind::irq_end, 2'600us, 26),
                           record(Kind::irq_begin, 3ms, 25, 77), record(Kind::irq_end, 4ms, 25, 77)},
                          off);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 500us) << "then it waited for another CPU";
  EXPECT_EQ(seen->count, 2U);
  EXPECT_EQ(seen->number, 24);
}

TEST(InterruptReader, CountsThePartWithinTheTimeOffTheCpuOfOneThatBeganBefore) {
  const ThreadTimes::Off off[] = {away(1ms, 1'200us, kCpu), away(2ms, 2'900us, kCpu)};
  const auto seen =
      times({record(Kind::softirq_begin, 500us, 3, 77), record(Kind::irq_begin, 2'100us, 24, 77),
             record(Kind::irq_end, 2'200us, 24, 77), record(Kind::softirq_end, 3ms, 3, 77)},
            off);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 1'100us);
  EXPECT_EQ(seen->number, 3);
  EXPECT_EQ(seen->longest, 1ms);
  EXPECT_EQ(seen->count, 2U);
}

TEST(InterruptReader, CountsOneThatBeganBeforeTheFirstRecord) {
  const auto seen = times({record(Kind::softirq_begin, 2'000us, 3), record(Kind::softirq_end, 2'500us, 3),
                           record(Kind::irq_end, 4'000us, 24)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 3'000us);
  EXPECT_EQ(seen->number, 24);
  EXPECT_EQ(seen->longest, 2'500us) << "without what interrupted it";
  const auto before = times({record(Kind::irq_end, 500us, 24)});
  ASSERT_TRUE(before);
  EXPECT_EQ(before->took, 0us);
  const auto of_another = times({record(Kind::irq_end, 4'000us, 24, 11)});
  ASSERT_TRUE(of_another);
  EXPECT_EQ(of_another->took, 0us);
  const ThreadTimes::Off off[] = {away(3ms, 9ms, kCpu)};
  const auto kept_away = times({record(Kind::irq_end, 4'000us, 24, 11)}, off);
  ASSERT_TRUE(kept_away);
  EXPECT_EQ(kept_away->took, 1ms);
}

TEST(InterruptReader, NamesTheOneThatTookLongest) {
  const auto seen = times({record(Kind::irq_begin, 2'000us, 24), record(Kind::irq_end, 2'100us, 24),
                           record(Kind::softirq_begin, 2'100us, 3), record(Kind::softirq_end, 3'000us, 3),
                           record(Kind::irq_begin, 3'500us, 24), record(Kind::irq_end, 3'600us, 24)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 1'100us);
  EXPECT_EQ(seen->count, 3U);
  EXPECT_EQ(seen->kind, InterruptTimes::Kind::softirq);
  EXPECT_EQ(seen->number, 3);
  EXPECT_EQ(seen->longest, 900us);
}

TEST(InterruptReader, CountsOneInsideOfAnotherOnce) {
  const auto seen = times({record(Kind::softirq_begin, 2'000us, 3), record(Kind::irq_begin, 2'100us, 24),
                           record(Kind::irq_end, 2'900us, 24), record(Kind::softirq_end, 3'000us, 3)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 1ms);
  EXPECT_EQ(seen->kind, InterruptTimes::Kind::irq) << "the softirq had 200 us";
  EXPECT_EQ(seen->longest, 800us);
}

TEST(InterruptReader, CountsOnlyWhatLiesBetween) {
  const auto seen = times({record(Kind::irq_begin, 100us, 24), record(Kind::irq_end, 200us, 24),
                           record(Kind::softirq_begin, 900us, 3), record(Kind::softirq_end, 1'100us, 3),
                           record(Kind::softirq_begin, 4'900us, 3)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 200us);
  EXPECT_EQ(seen->count, 1U) << "one goes on";
}

TEST(InterruptReader, LeavesOutThoseOfOtherThreads) {
  const auto records = {record(Kind::irq_begin, 2ms, 24, 99), record(Kind::irq_end, 3ms, 24, 99)};
  EXPECT_EQ(times(records)->took, 0ns);
  EXPECT_EQ(times(records)->kind, InterruptTimes::Kind::none);
  EXPECT_EQ(times(records, kAway)->took, 1ms);
}

TEST(InterruptReader, StartsWithoutTheBeginningOfAnInterrupt) {
  const auto seen = times({record(Kind::irq_end, 500us, 24)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->took, 0ns);
}

TEST(InterruptReader, KnowsNothingWhereRecordsAreMissing) {
  EXPECT_FALSE(times({record(Kind::lost, 2ms, 0)}));
  EXPECT_FALSE(times({record(Kind::irq_begin, 2ms, 24), record(Kind::softirq_end, 3ms, 3)}));
}

TEST(InterruptReader, SurvivesMoreInsideOfEachOtherThanThereCanBe) {
  InterruptReader reader(TimePoint<MonotonicTime>{1ms}, TimePoint<MonotonicTime>{5ms});
  reader.begin_cpu(kThread, kCpu, kAway);
  for (int i = 0; i < 100; ++i) reader.add(record(Kind::irq_begin, 2ms, i));
  for (int i = 0; i < 200; ++i) reader.add(record(Kind::irq_end, 3ms, i));
  reader.end_cpu();
  EXPECT_FALSE(reader.times() && reader.times()->took > 1ms);
}

}  // namespace
}  // namespace tactus::rtsync::interrupt_reader_test
