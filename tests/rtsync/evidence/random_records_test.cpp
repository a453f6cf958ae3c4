// SPDX-License-Identifier: Apache-2.0
/// Random records of a thread and of two CPUs beside a second judge, which knows what was done in each nanosecond: no time
/// is lost, counted twice, or given to what no record names.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "rtsync/evidence/judge.hpp"
#include "rtsync/evidence/realtime_threads.hpp"
#include "rtsync/evidence/stop_times.hpp"
#include "rtsync/evidence/thread_times.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::random_records_test {
namespace {

using namespace std::chrono_literals;
using Kind = EventRecord::Kind;
using Stop = EventRecord::Stop;

constexpr std::int32_t kThread = 10;
constexpr std::int32_t kIdle = 0;
constexpr std::int16_t kOwn = 19;
constexpr std::int16_t kOrdinary = 120;

std::int16_t priority_of(std::int32_t thread) {
  if (thread == kThread) return kOwn;
  return thread == kIdle ? kOrdinary : std::int16_t{2};  // all others are stronger
}

/// What the thread did in one nanosecond, and which thread had the CPU that it was on, or was on last.
enum class Did : std::uint8_t { ran, was_ready, came_back_elsewhere, slept, traced, signalled };
struct Moment {
  Did did;
  std::int32_t runner;
  std::uint32_t cpu;
  int part;  // of the story
};

/// A thread on two CPUs for some microseconds. What is done may take no time at all.
class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed) {
    change(0, -1, kThread);  // as the first record: the CPU has it
    put_thread(Kind::on);
    const std::int64_t parts = pick(2, 40);
    for (std::int64_t i = 0; i < parts; ++i) {
      run(pick(0, 60));
      leave();
    }
    run(pick(1, 60));
    put_thread(Kind::off);  // in the time after that nobody looks at
    end_ = now_;
  }

  std::int64_t end() const { return end_; }
  const std::vector<Moment>& moments() const { return moments_; }
  const std::vector<EventRecord>& of_thread() const { return thread_; }
  const std::vector<EventRecord>& of_cpu(std::uint32_t cpu) const { return cpus_[cpu - 1]; }
  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  /// One of the times at which something changed, or any.
  std::int64_t pick_time() {
    if (pick(0, 2) == 0) return pick(0, end_);
    const auto& all = pick(0, 1) == 0 ? thread_ : cpus_[static_cast<std::size_t>(pick(0, 1))];
    if (all.empty()) return 0;
    const auto& one = all[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(all.size()) - 1))];
    return std::clamp<std::int64_t>(one.at.time_since_epoch().count() + pick(-1, 1), 0, end_);
  }

 private:
  EventRecord made(Kind kind) const {
    EventRecord record;
    record.kind = kind;
    record.thread = kThread;
    record.cpu = cpu_;
    record.at = EvidenceTime{Nanoseconds{now_}};
    return record;
  }
  void put_thread(Kind kind) { thread_.push_back(made(kind)); }
  /// A CPU goes from one thread to another.
  void change(std::uint32_t, std::int32_t from, std::int32_t to, Kind kind = Kind::off,
              Stop stop = Stop::none) {
    EventRecord record = made(from < 0 ? Kind::on : kind);
    record.thread = from < 0 ? to : from;
    if (from >= 0) {
      record.next = to;
      record.priority = priority_of(from);
      record.next_priority = priority_of(to);
    }
    record.stop = stop;
    cpus_[cpu_ - 1].push_back(record);
    on_cpu_[cpu_ - 1] = to;
  }
  void pass(std::int64_t time, Did did) {
    for (std::int64_t i = 0; i < time; ++i) moments_.push_back({did, on_cpu_[cpu_ - 1], cpu_, part_});
    now_ += time;
  }
  void run(std::int64_t time) {
    while (time > 0) {
      const std::int64_t step = pick(0, time);
      pass(step, Did::ran);
      if (pick(0, 3) == 0) put_thread(Kind::alive);
      time -= std::max<std::int64_t>(step, 1);
      if (step == 0) pass(1, Did::ran);
    }
  }
  void leave() {
    ++part_;
    static constexpr std::array kWays{Did::was_ready, Did::came_back_elsewhere, Did::slept, Did::traced,
                                      Did::signalled};
    const Did did = kWays[static_cast<std::size_t>(pick(0, kWays.size() - 1))];
    const bool ready = did == Did::was_ready || did == Did::came_back_elsewhere;
    const Stop stop = did == Did::traced      ? Stop::traced
                      : did == Did::signalled ? Stop::signalled
                                              : Stop::none;
    const Kind kind = ready ? Kind::preempted : Kind::off;
    put_thread(kind);
    change(cpu_, kThread, runner(ready), kind, stop);
    for (std::int64_t more = pick(0, 3); more > 0; --more) {
      pass(pick(0, 40), did);
      change(cpu_, on_cpu_[cpu_ - 1], runner(ready));
    }
    pass(pick(0, 40), did);
    const bool moves = did == Did::came_back_elsewhere || (!ready && pick(0, 3) == 0);
    if (moves) cpu_ = 3 - cpu_;  // what the other one has is not the thread's
    const std::int32_t last = on_cpu_[cpu_ - 1];
    change(cpu_, last == kThread ? kIdle : last, kThread);
    // A sign of life may come in the same moment.
    if (pick(0, 3) == 0) put_thread(Kind::alive);
    put_thread(Kind::on);
  }
  std::int32_t runner(bool ready) {
    return static_cast<std::int32_t>(ready ? pick(70, 73) : pick(0, 2) == 0 ? kIdle : pick(70, 73));
  }

  std::mt19937_64 random_;
  std::int64_t now_ = 0;
  std::int64_t end_ = 0;
  std::uint32_t cpu_ = 1;
  int part_ = 0;
  std::array<std::int32_t, 2> on_cpu_{kIdle, kIdle};
  std::vector<EventRecord> thread_;
  std::array<std::vector<EventRecord>, 2> cpus_;
  std::vector<Moment> moments_;
};

/// The second judge: it adds up nanosecond by nanosecond.
struct Truth {
  std::map<Did, Nanoseconds> did;
  std::map<std::pair<std::uint32_t, std::int32_t>, Nanoseconds> had;  // a CPU while the thread was ready
  Nanoseconds others{0};                                              // while it was off its CPU
  Nanoseconds idle{0};
  Truth(const Story& story, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      Moment now = story.moments()[static_cast<std::size_t>(i)];
      const bool goes_on = static_cast<std::size_t>(to) < story.moments().size() &&
                           story.moments()[static_cast<std::size_t>(to)].part == now.part &&
                           story.moments()[static_cast<std::size_t>(to)].did == now.did;
      if (goes_on && now.did == Did::came_back_elsewhere) now.did = Did::was_ready;  // so far
      did[now.did] += 1ns;
      if (now.did == Did::was_ready || now.did == Did::came_back_elsewhere) had[{now.cpu, now.runner}] += 1ns;
      if (now.did != Did::ran) (now.runner == kIdle ? idle : others) += 1ns;
    }
  }
  Nanoseconds of(Did one) const {
    const auto found = did.find(one);
    return found == did.end() ? 0ns : found->second;
  }
};

Evidence look(const Story& story, std::int64_t from, std::int64_t to, bool wake) {
  const EvidenceTime begin{Nanoseconds{from}};
  const EvidenceTime end{Nanoseconds{to}};
  Evidence evidence;
  ThreadTimes times(begin, end, EventRates{});
  for (const EventRecord& record : story.of_thread())
    if (record.at <= end) times.add(record);
  times.finish(evidence);
  if (!evidence.switches) return evidence;
  RealtimeThreads realtime;
  realtime.take({kThread}, {});
  OtherThreads others;
  for (std::uint32_t cpu = 1; cpu <= 2; ++cpu) {
    if (std::none_of(times.off().begin(), times.off().end(), [&](const auto& off) { return off.cpu == cpu; }))
      continue;
    CpuTimes had(times.off(), cpu, !wake, &realtime, kThread);
    StopTimes stops(times.off(), cpu, kThread);
    for (const EventRecord& record : story.of_cpu(cpu)) {
      if (record.at > end) break;
      had.add(record);
      stops.add(record);
    }
    EXPECT_TRUE(had.finish(end, others));
    stops.finish(*evidence.switches);
  }
  evidence.others = others;
  return evidence;
}

/// The time that may have been given to a cause; all of the rest is unknown.
Nanoseconds most_of(Cause cause, const Truth& truth, bool wake) {
  switch (cause) {
    case Cause::preempted:
      return truth.of(Did::was_ready) + (wake ? truth.others : 0ns);
    case Cause::migrated:
      return truth.of(Did::came_back_elsewhere);
    case Cause::blocked:
      return wake ? 0ns : truth.of(Did::slept);
    case Cause::suspended:
      return truth.of(Did::traced);
    case Cause::machine_stopped:
      return truth.of(Did::signalled);
    case Cause::timer_late:
      return wake && truth.idle > 0ns ? truth.of(Did::slept) : 0ns;  // by then it was not woken
    case Cause::unknown:
      return 1h;
    default:
      return 0ns;
  }
}

void judge_one(std::uint64_t seed) {
  Story story(seed);
  std::int64_t from = story.pick_time();
  std::int64_t to = story.pick_time();
  if (from > to) std::swap(from, to);
  const bool wake = story.pick(0, 1) == 0;
  const Truth truth(story, from, to);
  const Evidence seen = look(story, from, to, wake);
  SCOPED_TRACE("seed " + std::to_string(seed) + ", from " + std::to_string(from) + " to " +
               std::to_string(to) + (wake ? ", wake" : ""));
  ASSERT_TRUE(seen.switches);
  EXPECT_EQ(seen.switches->preempted, truth.of(Did::was_ready));
  EXPECT_EQ(seen.switches->migrated, truth.of(Did::came_back_elsewhere));
  EXPECT_EQ(seen.switches->blocked, truth.of(Did::slept));
  EXPECT_EQ(seen.switches->traced, truth.of(Did::traced));
  EXPECT_EQ(seen.switches->signalled, truth.of(Did::signalled));
  EXPECT_EQ(seen.switches->held, 0ns);
  if (!wake) {
    Nanoseconds sum{0};
    Nanoseconds longest{0};
    for (const auto& [thread, time] : truth.had) {
      sum += time;
      longest = std::max(longest, time);
    }
    EXPECT_EQ(seen.others->ran - seen.others->kept, sum);
    EXPECT_EQ(seen.others->idle, 0ns);
    if (seen.others->kept == 0ns) EXPECT_EQ(seen.others->stronger.time, longest);
  } else {
    EXPECT_LE(seen.others->ran, truth.others);
    EXPECT_EQ(seen.others->idle, truth.idle);
  }
  const FrameFacts facts{wake ? LatePart::wake : LatePart::job, Nanoseconds{to - from}, 0ns};
  const CauseWeights verdict = weigh(facts, seen);
  Nanoseconds named = verdict.share + verdict.beside[0].time + verdict.beside[1].time;
  EXPECT_LE(named, facts.took);
  EXPECT_GE(named * 20, facts.took * (20 - static_cast<int>(kCauses) + 3)) << "the rest are small";
  for (const CauseTime& one :
       {CauseTime{verdict.cause, verdict.share}, verdict.beside[0], verdict.beside[1]}) {
    EXPECT_GE(one.time, 0ns);
    EXPECT_LE(one.time, most_of(one.cause, truth, wake)) << name_of(one.cause);
  }
}

const auto kStories = static_cast<std::uint64_t>(tactus::test::trials(10'000));

TEST(RandomRecords, AreJudgedAsNanosecondByNanosecond) {
  for (std::uint64_t seed = 1; seed <= kStories; ++seed) {
    judge_one(seed);
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(RandomRecords, GiveNoMoreTimeThanThereIsWhereTheClocksOfTwoCpusDiffer) {
  for (std::uint64_t seed = 1; seed <= kStories / 5; ++seed) {
    Story story(seed);
    const std::int64_t to = story.end();
    const std::int64_t from = story.pick(0, to - 1);
    const Nanoseconds shift{story.pick(-50, 50)};
    ThreadTimes times(EvidenceTime{Nanoseconds{from}}, EvidenceTime{Nanoseconds{to}}, EventRates{});
    for (EventRecord record : story.of_thread()) {
      if (record.cpu == 2) record.at = record.at + shift;
      times.add(record);
    }
    Evidence seen;
    times.finish(seen);
    ASSERT_TRUE(seen.switches);
    Nanoseconds off{0};
    for (const ThreadTimes::Off& one : times.off()) off += one.to - one.from;
    EXPECT_LE(off, Nanoseconds{to - from}) << "seed " << seed;
    EXPECT_EQ(seen.switches->blocked + seen.switches->preempted + seen.switches->migrated, off)
        << "seed " << seed;
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(RandomRecords, SayNothingWhereOneOfThemSaysThatOthersAreMissing) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Story story(seed);
    const auto& records = story.of_thread();
    const std::int64_t lost = story.pick(0, static_cast<std::int64_t>(records.size()) - 1);
    ThreadTimes times(EvidenceTime{Nanoseconds{0}}, EvidenceTime{Nanoseconds{story.end()}}, EventRates{});
    for (std::size_t i = 0; i < records.size(); ++i) {
      EventRecord record = records[i];
      if (static_cast<std::int64_t>(i) == lost) record.kind = Kind::lost;
      times.add(record);
    }
    Evidence seen;
    times.finish(seen);
    EXPECT_FALSE(seen.switches) << "seed " << seed;
    const FrameFacts facts{LatePart::job, Nanoseconds{story.end()}, 0ns};
    EXPECT_EQ(judge(facts, seen), Cause::unknown) << "seed " << seed;
  }
}

TEST(RandomRecords, WithoutAnyThereIsNoSilence) {
  ThreadTimes times(EvidenceTime{0ms}, EvidenceTime{5ms}, EventRates{.alive = 250us, .alive_anywhere = true});
  Evidence seen;
  times.finish(seen);
  EXPECT_FALSE(seen.silence) << "it may be asleep since long ago";
  EXPECT_EQ(judge({LatePart::job, 5ms, 0ns}, seen), Cause::unknown) << "and not computed";
}

}  // namespace
}  // namespace tactus::rtsync::random_records_test
