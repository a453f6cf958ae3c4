// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/event_record.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <random>
#include <vector>

#include "tests/rtsync/evidence/made_ring.hpp"

namespace tactus::rtsync::event_record_test {
namespace {

using Kind = EventRecord::Kind;

EventRecord only(const MadeRing& ring) {
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
    MadeRing ring;
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
  MadeRing ring;
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
  for (const Row& row : {Row{11, Kind::alive}, Row{12, Kind::minor_fault}, Row{14, Kind::minor_fault},
                         Row{13, Kind::major_fault}, Row{15, Kind::other}, Row{0, Kind::other}}) {
    MadeRing ring;
    ring.sample(row.id, 3);
    EXPECT_EQ(only(ring).kind, row.kind) << row.id;
  }
}

TEST(EventRecord, OfAnInterruptWithANameAloneHasThat) {
  for (const auto& [id, kind, number] :
       {std::tuple{41U, Kind::vector_begin, 0}, std::tuple{42U, Kind::vector_end, 0},
        std::tuple{43U, Kind::vector_begin, 1}, std::tuple{44U, Kind::vector_end, 1}}) {
    MadeRing ring;
    ring.tracepoint(id, 251, 0);
    EXPECT_EQ(only(ring).kind, kind);
    EXPECT_EQ(only(ring).number, number);
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
    MadeRing ring;
    ring.tracepoint(row.id, 24, 3);
    EXPECT_EQ(only(ring).kind, row.kind);
    EXPECT_EQ(only(ring).number, row.number);
  }
  MadeRing short_one;
  short_one.sample(21, 3);
  EXPECT_EQ(only(short_one).number, 0) << "nothing is read behind the record";
}

TEST(EventRecord, SaysWhereAThreadLeftItsCpu) {
  MadeRing own_code;
  own_code.left(PERF_SAMPLE_REGS_ABI_64, 0x7f00'1234);
  EXPECT_EQ(only(own_code).kind, Kind::left);
  EXPECT_EQ(only(own_code).code, 0x7f00'1234U);
  MadeRing none;
  none.left(PERF_SAMPLE_REGS_ABI_NONE, 1);
  EXPECT_EQ(only(none).kind, Kind::left);
  EXPECT_EQ(only(none).code, 0U);
  MadeRing short_one;
  short_one.sample(31, 3);
  EXPECT_EQ(only(short_one).code, 0U);
}

TEST(EventRecord, SaysWhetherItWasInASystemCall) {
  const auto in_call = [](std::uint64_t changed) {
    MadeRing made;
    made.header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 7);
    made.put(31);
    made.identity(3);
    made.put(PERF_SAMPLE_REGS_ABI_64);
    made.put(changed);
    made.put(0x7f00'5678);
    EventIds ids = kMadeIds;
    ids.call_registers.next_instruction = true;
    EventRecord record;
    std::uint64_t at = 0;
    EXPECT_TRUE(EventBytes(made.bytes, ids).next(at, made.head, record));
    EXPECT_EQ(record.code, 0x7f00'5678U);
    return record.in_call;
  };
  EXPECT_EQ(in_call(0x7f00'5678), EventRecord::InCall::yes);
  EXPECT_EQ(in_call(3), EventRecord::InCall::no);
  MadeRing old;
  old.left(PERF_SAMPLE_REGS_ABI_64, 0x7f00'1234);
  EXPECT_EQ(only(old).in_call, EventRecord::InCall::unknown);
}

/// With FRED the instruction changes no register of the caller's.
TEST(EventRecord, SaysItByWhatTheKernelWroteWhereTheInstructionSaysNothing) {
  const auto in_call = [](std::uint64_t ax) {
    MadeRing made;
    made.header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 7);
    made.put(31);
    made.identity(3);
    made.put(PERF_SAMPLE_REGS_ABI_64);
    made.put(ax);
    made.put(0x7f00'5678);
    EventIds ids = kMadeIds;
    ids.call_registers.no_system_call = true;
    EventRecord record;
    std::uint64_t at = 0;
    EXPECT_TRUE(EventBytes(made.bytes, ids).next(at, made.head, record));
    return record.in_call;
  };
  EXPECT_EQ(in_call(static_cast<std::uint64_t>(-ENOSYS)), EventRecord::InCall::yes);
  EXPECT_EQ(in_call(0x7f00'5678), EventRecord::InCall::no);
}

TEST(EventRecord, OfASignOfLifeFromTheKernelSaysWhetherTheThreadCalledIt) {
  const auto sign = [](std::uint16_t mode, bool have_code) {
    MadeRing made;
    made.header(PERF_RECORD_SAMPLE, mode, 7);
    made.put(11);
    made.identity(3);
    made.put(PERF_SAMPLE_REGS_ABI_64);
    made.put(0x7f00'5678);
    made.put(0x7f00'5678);
    EventIds ids = kMadeIds;
    ids.call_registers.next_instruction = true;
    ids.signs_have_code = have_code;
    EventRecord record;
    std::uint64_t at = 0;
    EXPECT_TRUE(EventBytes(made.bytes, ids).next(at, made.head, record));
    EXPECT_EQ(record.kind, EventRecord::Kind::alive);
    return record.in_call;
  };
  EXPECT_EQ(sign(PERF_RECORD_MISC_KERNEL, true), EventRecord::InCall::yes);
  EXPECT_EQ(sign(PERF_RECORD_MISC_USER, true), EventRecord::InCall::unknown);
  EXPECT_EQ(sign(PERF_RECORD_MISC_KERNEL, false), EventRecord::InCall::unknown);
}

/// A freezer, a debugger and a signal stop a thread on its way out of the kernel, also out of a call.
TEST(EventRecord, OnItsWayOutOfASystemCallIsInNone) {
  const auto in_call = [](std::uint64_t ax, std::uint64_t cx) {
    MadeRing made;
    made.header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 8);
    made.put(31);
    made.identity(3);
    made.put(PERF_SAMPLE_REGS_ABI_64);
    made.put(ax);
    made.put(cx);
    made.put(0x7f00'5678);
    EventIds ids = kMadeIds;
    ids.call_registers = {true, true};
    EventRecord record;
    std::uint64_t at = 0;
    EXPECT_TRUE(EventBytes(made.bytes, ids).next(at, made.head, record));
    EXPECT_EQ(record.code, 0x7f00'5678U);
    return record.in_call;
  };
  const auto no_call = static_cast<std::uint64_t>(-ENOSYS);
  EXPECT_EQ(in_call(no_call, 0x7f00'5678), EventRecord::InCall::yes);
  EXPECT_EQ(in_call(static_cast<std::uint64_t>(-516), 0x7f00'5678), EventRecord::InCall::no)
      << "to be made again";
  EXPECT_EQ(in_call(0, 0x7f00'5678), EventRecord::InCall::no) << "it has returned";
  EXPECT_EQ(in_call(no_call, 3), EventRecord::InCall::no) << "its own number";
}

TEST(CallRegisters, AreThoseThatASleepShows) {
  const auto no_call = static_cast<std::uint64_t>(-ENOSYS);
  const CallRegisters both = call_registers_by(no_call, 0x7f00'1234, 0x7f00'1234);
  EXPECT_TRUE(both.no_system_call && both.next_instruction);
  const CallRegisters fred = call_registers_by(no_call, 3, 0x7f00'1234);
  EXPECT_TRUE(fred.no_system_call && !fred.next_instruction);
  EXPECT_FALSE(call_registers_by(230, 3, 0x7f00'1234).any());
}

/// As sched_switch of Linux 6.18 has it.
constexpr SwitchTracepoint kSwitched{51, 24, 28, 32, 56, 60, 40, 8};

std::optional<EventRecord> switched(std::uint32_t state, std::int32_t priority) {
  MadeRing made;
  made.header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 4 + 9);
  made.put(51);
  made.identity(3, 1, static_cast<std::uint32_t>(-1));  // a thread that has ended
  std::vector<std::byte> raw(9 * 8);
  const auto put = [&raw](std::size_t at, const auto& value) {
    std::memcpy(&raw[4 + at], &value, sizeof value);
  };
  put(8, std::array<char, 16>{'o', 'l', 'd'});
  put(24, std::int32_t{123});
  put(28, priority);
  put(32, std::uint64_t{state});
  put(40, std::array<char, 16>{'s', 'p', 'i', 'n'});
  put(56, std::int32_t{77});
  put(60, std::int32_t{4});
  for (std::size_t at = 0; at < raw.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &raw[at], sizeof word);
    made.put(word);
  }
  EventIds ids = kMadeIds;
  ids.switched = kSwitched;
  EventRecord record;
  std::uint64_t at = 0;
  if (!EventBytes(made.bytes, ids).next(at, made.head, record)) return std::nullopt;
  return record;
}

TEST(EventRecord, OfASwitchSaysWhoTheyAreAndHowStrong) {
  const auto record = switched(1, -1);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kind, Kind::off);
  EXPECT_EQ(record->thread, 123) << "its own record has no number for it any more";
  EXPECT_EQ(record->priority, -1);
  EXPECT_EQ(record->next, 77);
  EXPECT_EQ(record->next_priority, 4);
  EXPECT_STREQ(record->next_name.data(), "spin");
  EXPECT_STREQ(record->name.data(), "old");
  EXPECT_EQ(record->stop, EventRecord::Stop::none);
}

TEST(EventRecord, OfASwitchSaysWhatStopsTheThread) {
  EXPECT_EQ(switched(0, 120)->kind, Kind::preempted) << "it is ready";
  EXPECT_EQ(switched(0x100, 120)->kind, Kind::preempted) << "it was pushed off";
  EXPECT_EQ(switched(2, 120)->kind, Kind::off);
  EXPECT_EQ(switched(4, 120)->stop, EventRecord::Stop::signalled);
  EXPECT_EQ(switched(8, 120)->stop, EventRecord::Stop::traced);
}

TEST(EventRecord, HasTheTimeOfThisProcess) {
  MadeRing made;
  made.own_switch(0, 5'000);
  EventIds ids = kMadeIds;
  ids.shift = Nanoseconds{1'000'000'000};
  EventRecord record;
  std::uint64_t at = 0;
  ASSERT_TRUE(EventBytes(made.bytes, ids).next(at, made.head, record));
  EXPECT_EQ(record.at.time_since_epoch(), Nanoseconds{1'000'005'000});
}

TEST(EventRecord, SaysInWhichSystemCall) {
  MadeRing there;
  there.left(kOnePlace, {1, 2, 230}, 24);
  EXPECT_EQ(only(there).code, kOnePlace);
  EXPECT_EQ(only(there).number, 230);
  MadeRing elsewhere;
  elsewhere.left(kOnePlace + 1, {1, 2, 230}, 24);
  EXPECT_EQ(only(elsewhere).code, kOnePlace + 1);
  EXPECT_EQ(only(elsewhere).number, -1) << "there its address says it";
  MadeRing unread;
  unread.left(kOnePlace, {1, 2, 0}, 16);
  EXPECT_EQ(only(unread).number, -1) << "the page of the stack was not there";
  MadeRing none;
  none.left(PERF_SAMPLE_REGS_ABI_64, kOnePlace);
  EXPECT_EQ(only(none).number, -1) << "nothing is read behind the record";
}

TEST(EventRecord, SaysThatRecordsAreMissing) {
  MadeRing ring;
  ring.lost(8);
  EXPECT_EQ(only(ring).kind, Kind::lost);
  EXPECT_EQ(only(ring).at.time_since_epoch().count(), 8);
  MadeRing limited;
  limited.limited(9);
  EXPECT_EQ(only(limited).kind, Kind::limited);
  MadeRing again;
  again.limited(9, PERF_RECORD_UNTHROTTLE);
  EXPECT_EQ(only(again).kind, Kind::unlimited);
}

TEST(EventRecord, GoesOnAtTheBeginningOfTheRing) {
  MadeRing ring;
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
  MadeRing ring;
  ring.header(PERF_RECORD_MMAP2, 0, 6);
  for (int i = 0; i < 6; ++i) ring.put(0);
  EXPECT_EQ(only(ring).kind, Kind::other);
}

TEST(EventRecord, RefusesTornOnes) {
  MadeRing ring;
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
    MadeRing ring;
    ring.header(PERF_RECORD_SWITCH, 0, words);
    for (int i = 0; i < words; ++i) ring.put(1);
    std::uint64_t at = 0;
    EventRecord record;
    EXPECT_FALSE(ring.read().next(at, ring.head, record)) << words;
  }
  MadeRing ring;
  ring.put(0);  // a size of nothing would be read for ever
  std::uint64_t at = 0;
  EventRecord record;
  EXPECT_FALSE(ring.read().next(at, ring.head, record));
}

TEST(EventRecord, ComesToAnEndOnAnyBytes) {
  std::mt19937_64 random(18);
  for (int round = 0; round < 20'000; ++round) {
    MadeRing ring;
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

TEST(EventBytes, OfAFaultHaveTheAddressWhereTheRingSaysSo) {
  MadeRing ring;
  ring.header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 5);
  ring.put(12);
  ring.put(MadeRing::pair(70, 77));
  ring.put(3);
  ring.put(0x7f00'5000);
  ring.put(MadeRing::pair(1, 0));
  ring.limited(4);
  EventIds ids = kMadeIds;
  ids.has_address = true;
  const EventBytes bytes{ring.bytes, ids};
  EventRecord record;
  std::uint64_t from = 0;
  ASSERT_TRUE(bytes.next(from, ring.head, record));
  EXPECT_EQ(record.kind, EventRecord::Kind::minor_fault);
  EXPECT_EQ(record.address, 0x7f00'5000U);
  EXPECT_EQ(record.thread, 77);
  EXPECT_EQ(record.cpu, 1U);
  EXPECT_EQ(record.at.time_since_epoch(), Nanoseconds{3});
  ASSERT_TRUE(bytes.next(from, ring.head, record));
  EXPECT_EQ(record.kind, EventRecord::Kind::limited);
  EXPECT_EQ(record.address, 0U);
}

}  // namespace
}  // namespace tactus::rtsync::event_record_test
