// SPDX-License-Identifier: Apache-2.0
/// Causes on simulated time: the records that the kernel would leave of a thread, made from a seed, alone and in
/// pairs. The greater of the two is the cause.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "rtsync/evidence/interrupt_reader.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/evidence/realtime_threads.hpp"
#include "rtsync/evidence/stop_times.hpp"
#include "rtsync/evidence/thread_times.hpp"
#include "tests/support/injection_table.hpp"

namespace tactus::rtsync::injected_records_test {
namespace {

using namespace std::chrono_literals;
using Kind = EventRecord::Kind;
using Random = std::mt19937_64;

constexpr std::int32_t kThread = 10;
constexpr std::int32_t kOther = 77;
/// Priorities as the kernel counts them, in the records of switches: SCHED_FIFO 80 and 97, SCHED_DEADLINE, ordinary.
constexpr std::int16_t kOwn = 19;
constexpr std::int16_t kFifo97 = 2;
constexpr std::int16_t kDeadline = -1;
constexpr std::int16_t kOrdinary = 120;
constexpr Nanoseconds kAlive = 250us;
constexpr EventRates kRates{kAlive, true, 16, true};

/// The thread that has the CPU next.
struct Next {
  std::int32_t thread;
  std::int16_t priority;
};
constexpr Next kIdle{0, kOrdinary};
constexpr Next kStrong{kOther, kFifo97};
/// The last look at all threads did not find these as they are now: one is new, one was an ordinary thread.
constexpr Next kYoung{91, kFifo97};
constexpr Next kPromoted{92, kFifo97};
constexpr Next kWeak{93, kOrdinary};

/// A real-time thread on its CPU, as its records show it; in every second one with the priorities of the switches.
class SimulatedThread {
 public:
  explicit SimulatedThread(Random& random) : random_(random), has_priorities_(random() % 2 == 0) {
    put(Kind::on, kThread);
  }

  Nanoseconds now() const { return now_; }
  void call(Nanoseconds time) {
    const std::size_t before = thread_.size();
    compute(time, true);
    for (std::size_t i = before; i < thread_.size(); ++i) thread_[i].in_call = EventRecord::InCall::yes;
  }
  void compute(Nanoseconds time, bool in_kernel = false) {
    for (const Nanoseconds end = now_ + time; now_ < end;) {
      const Nanoseconds step = std::min(kAlive + jitter(), end - now_);
      now_ += step;
      if (step < kAlive / 2) continue;
      put(Kind::alive, kThread);
      thread_.back().in_kernel = in_kernel;
    }
  }
  void sleep(Nanoseconds time) { away(Kind::off, time, kIdle, cpu_); }
  void need_priorities() { has_priorities_ = true; }
  void wait_for_page(Nanoseconds time) {
    sleep(time);
    now_ += 10us;
    put(Kind::major_fault, kThread);
  }
  void fault(Nanoseconds time) {
    for (const Nanoseconds end = now_ + time; now_ < end;) {
      now_ += 40us + jitter() / 4;
      put(Kind::minor_fault, kThread);
    }
  }
  void be_preempted(Nanoseconds time, Next by = kStrong) { away(Kind::preempted, time, by, cpu_); }
  void be_throttled(Nanoseconds time, Next meanwhile = kIdle) {
    away(Kind::preempted, time, meanwhile, cpu_);
  }
  void migrate(Nanoseconds time) { away(Kind::preempted, time, kStrong, 3 - cpu_); }
  /// On its way out of the kernel: it gives up the CPU, and is in no system call.
  void be_stopped(Nanoseconds time, EventRecord::Stop how, Next meanwhile) {
    put(Kind::left, kThread);
    thread_.back().in_call = EventRecord::InCall::no;
    away(Kind::off, time, meanwhile, cpu_, how);
  }
  /// Asleep in a freezer: its CPU is idle, has an ordinary thread for a while, and gives signs of life.
  void be_frozen_asleep(Nanoseconds time) {
    const Nanoseconds from = now_;
    put(Kind::off, kThread);
    cpus_.push_back(thread_.back());
    go_to(cpus_.back(), kIdle);
    for (now_ += 50us; now_ + kAlive < from + time / 2; now_ += kAlive) cpus_.push_back(made(Kind::alive, 0));
    change(kIdle, kWeak);
    now_ += time / 10;
    change(kWeak, kIdle);
    now_ = from + time;
    come_back(kIdle, cpu_);
  }
  void be_interrupted(Nanoseconds time, bool softirq) {
    interrupt(softirq ? Kind::softirq_begin : Kind::irq_begin);
    if (softirq)
      compute(time, true);
    else
      now_ += time;
    interrupt(softirq ? Kind::softirq_end : Kind::irq_end);
  }
  void stand_still(Nanoseconds time) { now_ += time; }

  /// What was seen of it from then on.
  Evidence look(Nanoseconds from, bool wake) {
    now_ += 1us;
    Evidence evidence;
    const EvidenceTime begin{from};
    const EvidenceTime end{now_ - 1us};
    ThreadTimes times(begin, end, kRates);
    for (const EventRecord& record : thread_)
      if (record.at <= end) times.add(record);
    times.finish(evidence);
    OtherThreads others;
    InterruptReader interrupts(begin, end);
    for (std::uint32_t cpu = 1; cpu <= 2; ++cpu) {
      CpuTimes had(times.off(), cpu, !wake, &last_look(), kThread);
      StopTimes stops(times.off(), cpu, kThread);
      for (const EventRecord& record : cpus_) {
        if (record.cpu != cpu || record.at > end) continue;
        had.add(record);
        stops.add(record);
      }
      EXPECT_TRUE(had.finish(end, others));
      stops.finish(*evidence.switches);
      interrupts.begin_cpu(kThread, cpu, wake ? times.off() : std::span<const ThreadTimes::Off>{});
      for (const EventRecord& record : interrupts_)
        if (record.cpu == cpu && record.at <= end) interrupts.add(record);
      interrupts.end_cpu();
    }
    evidence.others = others;
    evidence.interrupts = interrupts.times();
    return evidence;
  }

 private:
  static const RealtimeThreads& last_look() {
    static RealtimeThreads threads;
    threads.take({kThread, kOther}, {kPromoted.thread, kWeak.thread});
    return threads;
  }
  Nanoseconds jitter() { return Nanoseconds{static_cast<std::int64_t>(random_() % 20'000)}; }
  EventRecord made(Kind kind, std::int32_t thread) const {
    EventRecord record;
    record.kind = kind;
    record.thread = thread;
    record.cpu = cpu_;
    record.at = EvidenceTime{now_};
    return record;
  }
  void put(Kind kind, std::int32_t thread) { thread_.push_back(made(kind, thread)); }
  void interrupt(Kind kind) {
    interrupts_.push_back(made(kind, kThread));
    interrupts_.back().number = 3;
  }
  void go_to(EventRecord& record, Next next, std::int16_t from = kOwn) const {
    record.next = next.thread;
    if (!has_priorities_) return;
    record.priority = from;
    record.next_priority = next.priority;
  }
  void change(Next from, Next to) {
    cpus_.push_back(made(Kind::off, from.thread));
    go_to(cpus_.back(), to, from.priority);
  }
  void away(Kind how, Nanoseconds time, Next next, std::uint32_t back_on,
            EventRecord::Stop stop = EventRecord::Stop::none) {
    put(how, kThread);
    cpus_.push_back(thread_.back());
    cpus_.back().stop = stop;
    go_to(cpus_.back(), next);
    now_ += time;
    come_back(next, back_on);
  }
  void come_back(Next next, std::uint32_t back_on) {
    EventRecord leaves = made(Kind::off, next.thread);
    go_to(leaves, {kThread, kOwn}, next.priority);
    cpu_ = back_on;
    if (leaves.cpu == cpu_) cpus_.push_back(leaves);
    put(Kind::on, kThread);
    cpus_.push_back(thread_.back());
  }

  Random& random_;
  bool has_priorities_;
  Nanoseconds now_{10ms};
  std::uint32_t cpu_ = 1;
  std::vector<EventRecord> thread_;
  std::vector<EventRecord> cpus_;
  std::vector<EventRecord> interrupts_;
};

/// What is done to the thread for a time, and what else the rig then knows.
struct Injection {
  const char* kind;
  Cause cause;
  void (*inject)(SimulatedThread& thread, Nanoseconds time, FrameFacts& facts, Evidence& known);
};

using T = SimulatedThread;
using N = Nanoseconds;
using F = FrameFacts;
using E = Evidence;

/// What can happen in a job.
constexpr Injection kOfJobs[] = {
    {"compute", Cause::computed, [](T& t, N time, F&, E&) { t.compute(time); }},
    {"system call", Cause::computed, [](T& t, N time, F&, E&) { t.call(time); }},
    {"kernel, unrecorded", Cause::unknown, [](T& t, N time, F&, E&) { t.compute(time, true); }},
    {"sleep", Cause::blocked, [](T& t, N time, F&, E&) { t.sleep(time); }},
    {"sleep often", Cause::blocked,
     [](T& t, N time, F&, E&) {
       for (int i = 0; i < 8; ++i) t.sleep(time / 8);
     }},
    {"page faults", Cause::faulted, [](T& t, N time, F&, E&) { t.fault(time); }},
    {"page from disk", Cause::faulted, [](T& t, N time, F&, E&) { t.wait_for_page(time); }},
    {"heap", Cause::heap,
     [](T& t, N time, F&, E& known) {
       t.compute(time);
       known.heap = HeapTimes{100, time};
     }},
    {"preemption", Cause::preempted, [](T& t, N time, F&, E&) { t.be_preempted(time); }},
    {"interrupt", Cause::interrupted, [](T& t, N time, F&, E&) { t.be_interrupted(time, false); }},
    {"softirq", Cause::interrupted, [](T& t, N time, F&, E&) { t.be_interrupted(time, true); }},
    {"migration", Cause::migrated, [](T& t, N time, F&, E&) { t.migrate(time); }},
    {"throttling", Cause::throttled, [](T& t, N time, F&, E&) { t.be_throttled(time); }},
    {"stop", Cause::machine_stopped, [](T& t, N time, F&, E&) { t.stand_still(time); }},
    {"young thread", Cause::preempted, [](T& t, N time, F&, E&) { t.be_preempted(time, kYoung); }},
    {"promoted thread", Cause::preempted,
     [](T& t, N time, F&, E&) {
       t.need_priorities();
       t.be_preempted(time, kPromoted);
     }},
    {"deadline thread", Cause::preempted,
     [](T& t, N time, F&, E&) {
       t.be_preempted(time, {kOther, kDeadline});
     }},
    {"throttling, ordinary thread", Cause::throttled,
     [](T& t, N time, F&, E&) { t.be_throttled(time, kWeak); }},
    {"debugger", Cause::suspended,
     [](T& t, N time, F&, E&) {
       t.need_priorities();
       t.be_stopped(time, EventRecord::Stop::traced, kWeak);
     }},
    {"signal", Cause::machine_stopped,
     [](T& t, N time, F&, E&) {
       t.need_priorities();
       t.be_stopped(time, EventRecord::Stop::signalled, kWeak);
     }},
    {"freezer", Cause::unknown,
     [](T& t, N time, F&, E&) { t.be_stopped(time, EventRecord::Stop::none, kWeak); }},
};

/// What makes a frame late in another way, or as a whole.
constexpr Injection kOfFrames[] = {
    {"slower CPU", Cause::slowed,
     [](T& t, N time, F& facts, E& known) {
       facts.usual = time;
       t.compute(time * 3);
       known.speed = 1.0 / 3;
     }},
    {"wait for a thread", Cause::waited,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::between_jobs;
       t.sleep(time);
     }},
    {"spinning wait", Cause::waited,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::between_jobs;
       facts.for_others = true;
       t.compute(time);
     }},
    {"own work", Cause::housekeeping,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::between_jobs;
       t.compute(time);
     }},
    {"work behind", Cause::housekeeping,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::housekeeping;
       t.compute(time);
     }},
    {"overrun before", Cause::catching_up,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::catching_up;
       t.compute(time);
     }},
    {"late timer", Cause::timer_late,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.sleep(std::min<N>(time, 3'900us));
     }},
    {"asleep on an idle CPU for longer than a timer is late", Cause::unknown,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.sleep(4ms + time);
     }},
    {"busy CPU at wake", Cause::preempted,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.be_preempted(time);
     }},
    {"deadline thread at wake", Cause::preempted,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.be_preempted(time, {kOther, kDeadline});
     }},
    {"debugger at wake", Cause::suspended,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.need_priorities();
       t.be_stopped(time, EventRecord::Stop::traced, kWeak);
     }},
    {"signal at wake", Cause::machine_stopped,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.need_priorities();
       t.be_stopped(time, EventRecord::Stop::signalled, kIdle);
     }},
    {"freezer at wake", Cause::unknown,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.be_frozen_asleep(time);
     }},
    {"throttling at wake", Cause::throttled,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       t.be_throttled(time, kWeak);
     }},
    {"clock jumps", Cause::machine_stopped,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       facts.spins = true;
       t.stand_still(time);
     }},
    {"fault of the clock", Cause::clock,
     [](T& t, N time, F& facts, E&) {
       facts.part = LatePart::wake;
       facts.edge_late = time;
       t.sleep(time);
     }},
};

Nanoseconds between(Random& random, Nanoseconds least, Nanoseconds most) {
  return least + Nanoseconds{static_cast<std::int64_t>(random() %
                                                       static_cast<std::uint64_t>((most - least).count()))};
}

/// `second`: another one in the same job, which takes at most 40 % of that time; nullptr: none.
Cause judged(Random& random, const Injection& first, const Injection* second) {
  const Nanoseconds time = between(random, 2ms, 20ms);
  const bool second_before = random() % 2 == 0;
  FrameFacts facts;
  Evidence known;
  known.heap = HeapTimes{};
  known.throttle_gap = 50ms;
  SimulatedThread thread(random);
  thread.compute(between(random, 1ms, 3ms));
  const Nanoseconds from = thread.now();
  const auto inject_second = [&] {
    if (second != nullptr) second->inject(thread, between(random, time / 20, time * 2 / 5), facts, known);
  };
  const bool of_job = second != nullptr;
  facts.usual = of_job || first.cause == Cause::computed ? 100us : 0us;
  if (facts.usual > 0us) thread.compute(facts.usual);
  if (second_before) inject_second();
  const std::optional<HeapTimes> heap = known.heap;
  first.inject(thread, time, facts, known);
  if (heap && heap->calls > 0) known.heap = heap;
  if (!second_before) inject_second();
  facts.took = thread.now() - from;
  Evidence seen = thread.look(from, facts.part == LatePart::wake);
  seen.heap = known.heap;
  seen.throttle_gap = known.throttle_gap;
  seen.speed = known.speed;
  return judge(facts, seen);
}

test::InjectionTable inject(std::uint64_t seed, int count) {
  Random random(seed);
  test::InjectionTable table;
  const auto add = [&](const Injection& first, const Injection* second) {
    table.add(first.kind, std::string(name_of(first.cause)),
              std::string(name_of(judged(random, first, second))));
  };
  for (int i = 0; i < count; ++i) {
    for (const Injection& one : kOfFrames) add(one, nullptr);
    for (const Injection& one : kOfJobs) {
      add(one, nullptr);
      const Injection* const other = &kOfJobs[random() % std::size(kOfJobs)];
      // Two that look alike are one; memory that the heap gives faults for the heap.
      const bool alike =
          other->cause == one.cause || (one.cause == Cause::faulted && other->cause == Cause::heap);
      if (!alike) add(one, other);
    }
  }
  return table;
}

void expect_all_named(const test::InjectionTable& table) {
  EXPECT_EQ(table.sum().wrong, 0) << table;
  EXPECT_EQ(table.sum().unknown, 0) << table;
  EXPECT_GE(table.rows().size(), 14U);
}

/// As long in all as the kernel's limit for real-time threads stops one, and more than are looked at one by one.
TEST(InjectedRecords, ManyShortPreemptionsAreNoStopByALimit) {
  Random random(7);
  for (const int pieces : {100, 300, 1000}) {
    SimulatedThread thread(random);
    const Nanoseconds from = thread.now();
    for (int i = 0; i < pieces; ++i) {
      thread.compute(10us);
      thread.be_preempted(Nanoseconds{50ms} / pieces);
    }
    const FrameFacts facts{LatePart::job, thread.now() - from, 0us};
    Evidence seen = thread.look(from, false);
    seen.throttle_gap = 50ms;
    EXPECT_EQ(judge(facts, seen), Cause::preempted) << pieces;
    EXPECT_EQ(seen.others->thread, kOther) << pieces;
  }
}

TEST(InjectedRecords, AreNamedAloneAndInPairs) {
  const test::InjectionTable table = inject(18, 40);
  expect_all_named(table);
  EXPECT_GE(table.sum().injected, 1000);
}

TEST(InjectedRecordsNightly, AreNamedAloneAndInPairs) {
  const std::uint64_t seed = std::random_device{}();
  const test::InjectionTable table = inject(seed, 2000);
  std::cout << "seed " << seed << "\n" << table;
  expect_all_named(table);
}

}  // namespace
}  // namespace tactus::rtsync::injected_records_test
