// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/event_record.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

namespace tactus::rtsync::event_record_test {
namespace {

using Kind = EventRecord::Kind;

constexpr std::uint64_t kOnePlace = 0x7f00'1234;  // where the C library makes its calls
constexpr EventIds kIds{11, 12, 13, 21, 22, 23, 24, 31, 8, 12, {kOnePlace, 16}};

/// A ring of the kernel, written as the kernel does.
struct Ring {
  std::vector<std::byte> bytes = std::vector<std::byte>(512);
  std::uint64_t head = 0;

  void put(std::uint64_t word) {
    std::memcpy(&bytes[head % bytes.size()], &word, sizeof word);
    head += sizeof word;
  }
  void header(std::uint32_t type, std::uint16_t misc, std::uint16_t words) {
    const perf_event_header made{type, misc, static_cast<std::uint16_t>(8 + words * 8)};
    std::uint64_t word = 0;
    std::memcpy(&word, &made, sizeof word);
    put(word);
  }
  static std::uint64_t pair(std::uint32_t first, std::uint32_t second) {
    return first | std::uint64_t{second} << 32;
  }
  void identity(std::uint64_t time, std::uint32_t cpu = 1, std::uint32_t thread = 77) {
    put(pair(70, thread));
    put(time);
    put(pair(cpu, 0));
  }
  void own_switch(std::uint16_t misc, std::uint64_t time) {
    header(PERF_RECORD_SWITCH, misc, 4);
    identity(time);
    put(10);
  }
  void cpu_switch(std::uint16_t misc, std::uint32_t other, std::uint64_t time) {
    header(PERF_RECORD_SWITCH_CPU_WIDE, misc, 5);
    put(pair(other, other));
    identity(time);
    put(10);
  }
  void sample(std::uint64_t id, std::uint64_t time) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 4);
    put(id);
    identity(time);
  }
  /// As PERF_SAMPLE_REGS_USER has it: which kind of registers, and if there are any, the one asked for.
  void left(std::uint64_t kind, std::uint64_t code) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, kind == PERF_SAMPLE_REGS_ABI_NONE ? 5 : 6);
    put(31);
    identity(3);
    put(kind);
    if (kind != PERF_SAMPLE_REGS_ABI_NONE) put(code);
  }
  /// And as PERF_SAMPLE_STACK_USER has it: its size, the stack, and how much of that could be read.
  void left(std::uint64_t code, std::initializer_list<std::uint64_t> stack, std::uint64_t could_be_read) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, static_cast<std::uint16_t>(8 + stack.size()));
    put(31);
    identity(3);
    put(PERF_SAMPLE_REGS_ABI_64);
    put(code);
    put(8 * stack.size());
    for (const std::uint64_t word : stack) put(word);
    put(could_be_read);
  }
  /// As PERF_SAMPLE_RAW has it: a size, and what the tracepoint writes, 20 bytes.
  void tracepoint(std::uint64_t id, std::uint32_t at_8, std::uint32_t at_12) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 7);
    put(id);
    identity(3);
    put(pair(20, 0));
    put(pair(0, at_8));
    put(pair(at_12, 0));
  }
  void lost(std::uint64_t time) {
    header(PERF_RECORD_LOST, 0, 6);
    put(10);
    put(1234);
    identity(time);
    put(10);
  }
  void limited(std::uint64_t time) {
    header(PERF_RECORD_THROTTLE, 0, 7);
    put(time);
    put(10);
    put(10);
    identity(time);
    put(10);
  }
  EventBytes read() const { return {bytes, kIds}; }
};

EventRecord only(const Ring& ring) {
  std::uint64_t at = 0;
  EventRecord record;
  EXPECT_TRUE(ring.read().next(at, ring.head, record));
  EXPECT_EQ(at, ring.head);
  EXPECT_FALSE(ring.read().next(at, ring.head, record)) << "there is one";
  return record;
}

TEST(EventRecord, TellsWhetherAThreadGaveUpItsCpuOrLostIt) {
  struct Row {
    std::uint16_t misc;
    Kind kind;
  };
  for (const Row& row :
       {Row{0, Kind::on}, Row{PERF_RECORD_MISC_SWITCH_OUT, Kind::off},
        Row{PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, Kind::preempted}}) {
    Ring ring;
    ring.own_switch(row.misc, 5'000);
    const EventRecord record = only(ring);
    EXPECT_EQ(record.kind, row.kind);
    EXPECT_EQ(record.thread, 77);
    EXPECT_EQ(record.next, -1);
    EXPECT_EQ(record.cpu, 1U);
    EXPECT_EQ(record.at.time_since_epoch().count(), 5'000);
  }
}

TEST(EventRecord, OfACpuNamesTheThreadThatComesNext) {
  Ring ring;
  ring.cpu_switch(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 4711, 9);
  const EventRecord record = only(ring);
  EXPECT_EQ(record.kind, Kind::preempted);
  EXPECT_EQ(record.next, 4711);
  EXPECT_EQ(record.thread, 77);
}

TEST(EventRecord, KnowsItsSamplesByTheirNumbers) {
  struct Row {
    std::uint64_t id;
    Kind kind;
  };
  for (const Row& row : {Row{11, Kind::alive}, Row{12, Kind::minor_fault}, Row{13, Kind::major_fault},
                         Row{14, Kind::other}, Row{0, Kind::other}}) {
    Ring ring;
    ring.sample(row.id, 3);
    EXPECT_EQ(only(ring).kind, row.kind) << row.id;
  }
}

TEST(EventRecord, OfAnInterruptHasItsNumber) {
  struct Row {
    std::uint64_t id;
    Kind kind;
    std::int32_t number;
  };
  for (const Row& row : {Row{21, Kind::irq_begin, 24}, Row{22, Kind::irq_end, 24},
                         Row{23, Kind::softirq_begin, 3}, Row{24, Kind::softirq_end, 3}}) {
    Ring ring;
    ring.tracepoint(row.id, 24, 3);
    EXPECT_EQ(only(ring).kind, row.kind);
    EXPECT_EQ(only(ring).number, row.number);
  }
  Ring short_one;
  short_one.sample(21, 3);
  EXPECT_EQ(only(short_one).number, 0) << "nothing is read behind the record";
}

TEST(EventRecord, SaysWhereAThreadLeftItsCpu) {
  Ring own_code;
  own_code.left(PERF_SAMPLE_REGS_ABI_64, 0x7f00'1234);
  EXPECT_EQ(only(own_code).kind, Kind::left);
  EXPECT_EQ(only(own_code).code, 0x7f00'1234U);
  Ring none;
  none.left(PERF_SAMPLE_REGS_ABI_NONE, 1);
  EXPECT_EQ(only(none).kind, Kind::left);
  EXPECT_EQ(only(none).code, 0U);
  Ring short_one;
  short_one.sample(31, 3);
  EXPECT_EQ(only(short_one).code, 0U);
}

TEST(EventRecord, SaysInWhichSystemCall) {
  Ring there;
  there.left(kOnePlace, {1, 2, 230}, 24);
  EXPECT_EQ(only(there).code, kOnePlace);
  EXPECT_EQ(only(there).number, 230);
  Ring elsewhere;
  elsewhere.left(kOnePlace + 1, {1, 2, 230}, 24);
  EXPECT_EQ(only(elsewhere).code, kOnePlace + 1);
  EXPECT_EQ(only(elsewhere).number, -1) << "there its address says it";
  Ring unread;
  unread.left(kOnePlace, {1, 2, 0}, 16);
  EXPECT_EQ(only(unread).number, -1) << "the page of the stack was not there";
  Ring none;
  none.left(PERF_SAMPLE_REGS_ABI_64, kOnePlace);
  EXPECT_EQ(only(none).number, -1) << "nothing is read behind the record";
}

TEST(EventRecord, SaysThatRecordsAreMissing) {
  Ring ring;
  ring.lost(8);
  EXPECT_EQ(only(ring).kind, Kind::lost);
  EXPECT_EQ(only(ring).at.time_since_epoch().count(), 8);
  Ring limited;
  limited.limited(9);
  EXPECT_EQ(only(limited).kind, Kind::limited);
}

TEST(EventRecord, GoesOnAtTheBeginningOfTheRing) {
  Ring ring;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t begin = ring.head;
    ring.cpu_switch(PERF_RECORD_MISC_SWITCH_OUT, static_cast<std::uint32_t>(i), i);
    std::uint64_t at = begin;
    EventRecord record;
    ASSERT_TRUE(ring.read().next(at, ring.head, record));
    EXPECT_EQ(record.next, static_cast<std::int32_t>(i));
    EXPECT_EQ(record.at.time_since_epoch().count(), static_cast<std::int64_t>(i));
  }
}

TEST(EventRecord, PassesOverWhatItDoesNotKnow) {
  Ring ring;
  ring.header(PERF_RECORD_MMAP2, 0, 6);
  for (int i = 0; i < 6; ++i) ring.put(0);
  EXPECT_EQ(only(ring).kind, Kind::other);
}

TEST(EventRecord, RefusesTornOnes) {
  Ring ring;
  ring.own_switch(0, 5'000);
  for (std::uint64_t to = 0; to < ring.head; ++to) {
    std::uint64_t at = 0;
    EventRecord record;
    EXPECT_FALSE(ring.read().next(at, to, record)) << to;
    EXPECT_EQ(at, 0U);
  }
}

TEST(EventRecord, RefusesSizesThatCannotBe) {
  for (const std::uint16_t words : std::initializer_list<std::uint16_t>{0, 1, 3}) {  // too short for a switch
    Ring ring;
    ring.header(PERF_RECORD_SWITCH, 0, words);
    for (int i = 0; i < words; ++i) ring.put(1);
    std::uint64_t at = 0;
    EventRecord record;
    EXPECT_FALSE(ring.read().next(at, ring.head, record)) << words;
  }
  Ring ring;
  ring.put(0);  // a size of nothing would be read for ever
  std::uint64_t at = 0;
  EventRecord record;
  EXPECT_FALSE(ring.read().next(at, ring.head, record));
}

TEST(EventRecord, ComesToAnEndOnAnyBytes) {
  std::mt19937_64 random(18);
  for (int round = 0; round < 20'000; ++round) {
    Ring ring;
    for (std::size_t i = 0; i < ring.bytes.size(); i += 8) ring.put(random());
    // Half of them with headers that could be.
    if (round % 2 == 0)
      for (int i = 0; i < 8; ++i) {
        ring.head = random() % 64 * 8;
        ring.header(static_cast<std::uint32_t>(random() % 18), static_cast<std::uint16_t>(random()),
                    static_cast<std::uint16_t>(random() % 9));
      }
    std::uint64_t at = random() % 512;
    const std::uint64_t to = at + random() % 520;
    EventRecord record;
    std::uint64_t before = at;
    while (ring.read().next(at, to, record)) {
      ASSERT_GT(at, before);
      ASSERT_LE(at, to);
      before = at;
    }
  }
}

}  // namespace
}  // namespace tactus::rtsync::event_record_test
