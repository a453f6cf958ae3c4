// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/reference_scheduler.hpp"

namespace tactus::executive::schedule_test {
namespace {

using rtsync::Period;
using test::Happening;
using test::ReferenceScheduler;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Period kMs{1'000'000, 1};
Period us(std::int64_t n) { return {n * 1000, 1}; }

/// Writes down what a schedule does; `refuse` is a job that fails.
struct Scribe {
  const Schedule& schedule;
  std::vector<Happening> happenings{};
  int refuse = Happening::kController - 1;

  void simulator() noexcept { happenings.push_back({Happening::kSimulator}); }
  void controller() noexcept { happenings.push_back({Happening::kController}); }
  bool call(std::uint32_t place) noexcept {
    const int job = static_cast<int>(schedule.job_at(place));
    const tactus_call& call = schedule.call_at_place(place);
    happenings.push_back({job, call.frame, call.sim_time_ns, call.dt});
    return job != refuse;
  }
};

std::vector<Happening> run(Schedule& schedule, std::int64_t k) {
  Scribe scribe{schedule};
  EXPECT_TRUE(schedule.run_frame(k, scribe));
  return scribe.happenings;
}

/// The calls of the first frames: (job, microseconds).
std::vector<std::pair<int, double>> calls(Schedule& schedule, std::int64_t frames, std::int64_t from = 0) {
  std::vector<std::pair<int, double>> found;
  for (std::int64_t k = from; k < frames; ++k)
    for (const Happening& h : run(schedule, k))
      if (h.job >= 0) found.emplace_back(h.job, static_cast<double>(h.time_ns) / 1000);
  return found;
}

ScheduledJob job(Period cycle, Period first = {}, std::optional<Period> stop = {}, int job_class = 600) {
  return {job_class, 60000, 0, job_class >= 700, cycle, first, stop, true};
}

TEST(Schedule, StartsStopsAndRepeatsAsTrickDoes) {
  const ScheduledJob jobs[] = {job(us(2000), us(500), us(5500))};
  Schedule schedule(jobs, us(4000));
  EXPECT_THAT(calls(schedule, 10), ElementsAre(std::pair(0, 500.), std::pair(0, 2500.), std::pair(0, 4500.)));
}

TEST(Schedule, StopIsInclusive) {
  struct Row {
    std::int64_t stop_us;
    std::size_t calls;
    const char* why;
  };
  const Row rows[] = {
      {3999, 2, "just before the third call"},
      {4000, 3, "exactly on the third call"},
      {4001, 3, "just after it"},
      {0, 1, "on the first call"},
  };
  for (const Row& row : rows) {
    const ScheduledJob jobs[] = {job(us(2000), {}, us(row.stop_us))};
    Schedule schedule(jobs, kMs);
    EXPECT_EQ(calls(schedule, 20).size(), row.calls) << row.why;
  }
}

TEST(Schedule, AJobThatStopsBeforeItStartsIsNeverCalled) {
  const ScheduledJob jobs[] = {job(kMs, us(5000), us(4999))};
  Schedule schedule(jobs, kMs);
  EXPECT_THAT(calls(schedule, 20), IsEmpty());
}

TEST(Schedule, ADisabledJobKeepsItsPhase) {
  const ScheduledJob jobs[] = {job(us(3000))};
  Schedule schedule(jobs, kMs);
  EXPECT_THAT(calls(schedule, 1), ElementsAre(std::pair(0, 0.)));
  schedule.enable(0, false);
  EXPECT_FALSE(schedule.enabled(0));
  EXPECT_THAT(calls(schedule, 5, 1), IsEmpty());  // 3 ms passes silently
  schedule.enable(0, true);
  EXPECT_TRUE(schedule.enabled(0));
  EXPECT_THAT(calls(schedule, 10, 5), ElementsAre(std::pair(0, 6000.), std::pair(0, 9000.)));
}

TEST(Schedule, AJobThatBeginsDisabledKeepsItsPhaseToo) {
  ScheduledJob jobs[] = {job(us(3000))};
  jobs[0].enabled = false;
  Schedule schedule(jobs, kMs);
  EXPECT_THAT(calls(schedule, 4), IsEmpty());
  schedule.enable(0, true);
  EXPECT_THAT(calls(schedule, 8, 4), ElementsAre(std::pair(0, 6000.)));
}

TEST(Schedule, OrdersAnInstantByClassPhaseAndDeclaration) {
  ScheduledJob jobs[] = {job(kMs, {}, {}, 800), job(kMs, {}, {}, 600), job(kMs, {}, {}, 600),
                         job(kMs, {}, {}, 600), job(kMs, {}, {}, 400)};
  jobs[1].declaration = 2;
  jobs[2].declaration = 1;
  jobs[3].declaration = 9;
  jobs[3].phase = 1;
  Schedule schedule(jobs, kMs);
  const double dt = 0.001;
  EXPECT_THAT(run(schedule, 0),
              ElementsAre(Happening{Happening::kSimulator}, Happening{4, 0, 0, dt}, Happening{3, 0, 0, dt},
                          Happening{2, 0, 0, dt}, Happening{1, 0, 0, dt}, Happening{Happening::kController},
                          Happening{0, 0, 0, dt}));
}

TEST(Schedule, TellsALaneOfItsControllersOnceHoweverManyTheyAreAndHoweverOftenItIsLeft) {
  std::vector<ScheduledJob> jobs(200, job(kMs, {}, {}, 700));
  jobs[0] = job(kMs);
  Schedule schedule(jobs, kMs);
  struct Visitor {
    int controllers = 0;
    int made = 0;
    void controller() noexcept {
      EXPECT_EQ(made, 1) << "before the first of them";
      ++controllers;
    }
    CallEnd call(std::uint32_t) noexcept { return ++made % 3 == 0 ? CallEnd::paused : CallEnd::done; }
  } visitor;
  ASSERT_TRUE(schedule.next(0));
  schedule.start(0);
  while (schedule.run(0, visitor) == LaneEnd::paused) {
  }
  schedule.close();
  EXPECT_EQ(visitor.made, 200);
  EXPECT_EQ(visitor.controllers, 1);
}

TEST(Schedule, AnInstantOnTheBoundaryBelongsToTheLaterFrame) {
  const ScheduledJob jobs[] = {job(us(1500))};
  Schedule schedule(jobs, us(1500));
  for (std::int64_t k = 0; k < 5; ++k)
    EXPECT_THAT(run(schedule, k),
                ElementsAre(Happening{Happening::kSimulator}, Happening{0, k, k * 1'500'000, 0.0015},
                            Happening{Happening::kController}));
}

TEST(Schedule, SubFrameInstantsAreVisitedOneAfterTheOther) {
  const ScheduledJob jobs[] = {job(us(500)), job(us(250), {}, {}, 700)};
  Schedule schedule(jobs, kMs);
  EXPECT_THAT(calls(schedule, 1), ElementsAre(std::pair(0, 0.), std::pair(1, 0.), std::pair(1, 250.),
                                              std::pair(0, 500.), std::pair(1, 500.), std::pair(1, 750.)));
}

TEST(Schedule, SixtyHertzNeverDriftsInMillisecondFrames) {
  const ScheduledJob jobs[] = {job(Period{50'000'000, 3})};
  Schedule schedule(jobs, kMs);
  std::int64_t n = 0;
  for (std::int64_t k = 0; k < 600'000; ++k) {
    Scribe scribe{schedule};
    ASSERT_TRUE(schedule.run_frame(k, scribe));
    for (const Happening& h : scribe.happenings) {
      if (h.job < 0) continue;
      ASSERT_EQ(h.time_ns, n * 50'000'000 / 3);
      ASSERT_EQ(h.frame, h.time_ns / 1'000'000);
      ++n;
    }
  }
  EXPECT_EQ(n, 36'000);  // ten minutes
}

TEST(Schedule, MillisecondJobsMeetSixtyHertzFramesExactly) {
  const ScheduledJob jobs[] = {job(kMs)};
  Schedule schedule(jobs, Period{50'000'000, 3});
  std::vector<std::size_t> counts;
  for (std::int64_t k = 0; k < 6; ++k) counts.push_back(run(schedule, k).size());
  // 17, 17, 16 calls in 50 ms, for ever; each call is an instant of three happenings
  EXPECT_THAT(counts, ElementsAre(51, 51, 48, 51, 51, 48));
}

TEST(Schedule, AFrameWithoutJobsStillHasItsTwoHalves) {
  Schedule schedule({}, kMs);
  EXPECT_EQ(schedule.places(), 0U);
  for (std::int64_t k = 0; k < 3; ++k)
    EXPECT_THAT(run(schedule, k),
                ElementsAre(Happening{Happening::kSimulator}, Happening{Happening::kController}));
}

TEST(Schedule, TimesThatCannotBeReachedNeverComeUp) {
  const Period ever{INT64_MAX, 1};
  const ScheduledJob jobs[] = {job(ever), job(kMs, ever), job(ever, ever, ever), job(kMs, us(1), ever)};
  Schedule schedule(jobs, kMs);
  const auto found = calls(schedule, 3);
  EXPECT_THAT(found,
              ElementsAre(std::pair(0, 0.), std::pair(3, 1.), std::pair(3, 1001.), std::pair(3, 2001.)));
}

TEST(Schedule, RefusesWhatItCannotKeepExact) {
  const ScheduledJob idle[] = {job(Period{})};
  EXPECT_THROW(Schedule(idle, kMs), std::invalid_argument);
  const ScheduledJob strange[] = {job(Period{1'000'000, 99'991}), job(Period{1'000'000, 99'989})};
  try {
    Schedule(strange, kMs);
    FAIL() << "denominators 99991 and 99989 have no common tick";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("no common time base"));
  }
  const ScheduledJob fine[] = {job(Period{1'000'000, 1'000'000'000})};  // exactly at the limit
  EXPECT_NO_THROW(Schedule(fine, kMs));
}

TEST(Schedule, AFailureEndsTheFrameThereAndLeavesNothingOver) {
  // Jobs of several groups (so that bits are marked) in several words on both sides of the boundary.
  std::vector<ScheduledJob> jobs;
  for (int i = 0; i < 300; ++i) jobs.push_back(job(i % 3 == 0 ? kMs : us(2000), {}, {}, i < 150 ? 600 : 700));
  for (const int bad : {0, 1, 63, 64, 65, 149, 150, 299}) {
    Schedule schedule(jobs, us(2000));
    Scribe scribe{schedule};
    scribe.refuse = bad;
    EXPECT_FALSE(schedule.run_frame(0, scribe));
    EXPECT_EQ(scribe.happenings.back().job, bad);
    Schedule fresh(jobs, us(2000));
    schedule.reset();
    for (std::int64_t k = 0; k < 4; ++k) ASSERT_EQ(run(schedule, k), run(fresh, k)) << bad;
  }
}

TEST(Schedule, ResetBeginsAnewWithoutTouchingWhatIsEnabled) {
  const ScheduledJob jobs[] = {job(us(700)), job(us(1100), us(300), us(5000))};
  Schedule schedule(jobs, kMs);
  const auto first = calls(schedule, 7);
  schedule.reset();
  EXPECT_EQ(calls(schedule, 7), first);
  schedule.enable(0, false);
  schedule.reset();
  for (const auto& call : calls(schedule, 7)) EXPECT_EQ(call.first, 1);
}

TEST(Schedule, ADynamicJobWhoseTimeWasPassedOverIsCalledLateOrNever) {
  using Calls = std::vector<std::pair<int, double>>;
  struct Row {
    std::int64_t next_ns;
    std::optional<Period> stop;
    bool late;
    Calls expected;
    const char* why;
  };
  const Row rows[] = {
      {2'000'000, {}, false, {}, "what is passed over is not called"},
      {2'000'000, {}, true, {{0, 5000}}, "unless it may be late: then at the beginning of the frame"},
      {2'000'000, us(5000), true, {{0, 5000}}, "where it stops, but inclusive"},
      {2'000'000, us(4999), true, {}, "after that it is too late"},
      {Schedule::kFirst, {}, true, {{0, 5000}}, "its first call"},
      {7'000'000, {}, true, {{0, 7000}}, "nothing was passed over"},
      {Schedule::kNeverNs, {}, true, {}, "it has no time"},
  };
  for (const Row& row : rows) {
    ScheduledJob jobs[] = {job(kMs, {}, row.stop)};
    jobs[0].dynamic = true;
    Schedule schedule(jobs, kMs);
    schedule.set_next_of(0, row.next_ns);
    schedule.seek(5, row.late);
    EXPECT_EQ(calls(schedule, 10, 5), row.expected) << row.why;
  }
}

TEST(Schedule, ManyDynamicJobsAreCalledWhenEachAskedFor) {
  constexpr int kJobs = 5000;  // more than a word of words of bits
  std::vector<ScheduledJob> jobs(kJobs, job(kMs));
  for (int i = 0; i < kJobs; ++i) {
    jobs[static_cast<std::size_t>(i)].dynamic = true;
    jobs[static_cast<std::size_t>(i)].declaration = static_cast<std::uint64_t>(i);
    jobs[static_cast<std::size_t>(i)].first = us(i % 7);
  }
  Schedule schedule(jobs, kMs);
  // Each asks, when it is called, for another time or for none, and now and then one asks for another job.
  struct Asker {
    Schedule& schedule;
    std::mt19937 random{1};
    std::map<std::pair<std::int64_t, int>, int> expected{};  // (time, job)
    std::vector<std::int64_t> next = std::vector<std::int64_t>(kJobs);
    std::vector<std::string> wrong{};

    void ask(int i, std::int64_t time) {
      if (next[static_cast<std::size_t>(i)] >= 0) expected.erase({next[static_cast<std::size_t>(i)], i});
      next[static_cast<std::size_t>(i)] = time;
      expected[{time, i}] = i;
      if (!schedule.call_at(static_cast<std::size_t>(i), time)) wrong.push_back("refused");
    }
    void simulator() noexcept {}
    void controller() noexcept {}
    bool call(std::uint32_t place) noexcept {
      const int i = static_cast<int>(schedule.job_at(place));
      const std::int64_t now = schedule.call_at_place(place).sim_time_ns;
      const auto first = expected.begin();
      if (first == expected.end() || first->first != std::pair(now, i))
        wrong.push_back("job " + std::to_string(i) + " at " + std::to_string(now));
      expected.erase({now, i});
      next[static_cast<std::size_t>(i)] = -1;
      if (random() % 8 != 0) ask(i, now + 1 + static_cast<std::int64_t>(random() % 3'000'000));
      if (random() % 16 == 0) {
        // Not one of this instant, whose call stands already.
        const int other = static_cast<int>(random() % kJobs);
        if (next[static_cast<std::size_t>(other)] != now)
          ask(other, now + 1 + static_cast<std::int64_t>(random() % 1'000'000));
      }
      return true;
    }
  } asker{schedule};
  for (int i = 0; i < kJobs; ++i) {
    asker.next[static_cast<std::size_t>(i)] = i % 7 * 1000;
    asker.expected[{i % 7 * 1000, i}] = i;
  }
  for (std::int64_t k = 0; k < 8; ++k) EXPECT_TRUE(schedule.run_frame(k, asker));
  EXPECT_THAT(asker.wrong, IsEmpty());
  for (const auto& [at, i] : asker.expected)
    EXPECT_GE(at.first, 8'000'000) << "job " << i << " was not called";
}

TEST(Schedule, AJobSwitchedInsideAFrameFollowsAtItsNextTime) {
  const ScheduledJob jobs[] = {job(us(500)), job(us(500))};
  Schedule schedule(jobs, kMs);
  struct Switcher : Scribe {
    explicit Switcher(Schedule& s) : Scribe{s}, writable(s) {}
    bool call(std::uint32_t place) noexcept {
      if (writable.job_at(place) == 0) writable.enable(1, happenings.size() > 2);
      return Scribe::call(place);
    }
    Schedule& writable;
  } switcher(schedule);
  schedule.enable(1, false);
  EXPECT_TRUE(
      schedule.run_frame(0, switcher));  // at 500 us job 0 switches job 1 on: from 1000 us at the latest
  const auto later = calls(schedule, 2, 1);
  EXPECT_THAT(
      later, ElementsAre(std::pair(0, 1000.), std::pair(1, 1000.), std::pair(0, 1500.), std::pair(1, 1500.)));
}

TEST(ScheduleRt, NeverTouchesTheHeap) {
  std::vector<ScheduledJob> jobs;
  for (int i = 0; i < 500; ++i)
    jobs.push_back(job(us(100 + 50 * (i % 17)), us(i % 7), {}, 400 + 100 * (i % 6)));
  Schedule schedule(jobs, kMs);
  struct Counter {
    std::int64_t calls = 0;
    void simulator() noexcept {}
    void controller() noexcept {}
    bool call(std::uint32_t) noexcept { return ++calls > 0; }
  } counter;
  const rtsync::HeapWatch heap;
  for (std::int64_t k = 0; k < 100; ++k) (void)schedule.run_frame(k, counter);
  EXPECT_EQ(heap.calls(), 0U);
  EXPECT_GT(counter.calls, 50'000);
}

/// Random plans against the reference. The numbers come from the engine alone, so a seed means the same plan
/// on every machine.
class RandomPlan : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool one_in(std::int64_t n) { return below(n) == 0; }

  Period random_frame() {
    constexpr Period kFrames[] = {{1'000'000, 1},  {1'000'000, 3},    {50'000'000, 3}, {7'812'500, 1},
                                  {10'000'000, 1}, {1'000, 1},        {5'000, 7},      {1'001'000'000, 60},
                                  {123'457, 1},    {1'000'000'000, 1}};
    return kFrames[below(std::size(kFrames))];
  }
  /// n / d frames.
  Period frames(std::int64_t n, std::int64_t d) { return {frame_.num() * n, frame_.den() * d}; }

  Period random_cycle(int fastest) {
    if (one_in(4)) return frame_;
    if (one_in(6)) {  // unrelated to the frame, but not much faster
      constexpr Period kCycles[] = {
          {1'000'000, 1}, {1'000'000, 3}, {50'000'000, 3}, {999'983, 1}, {7'812'500, 1}};
      const Period cycle = kCycles[below(std::size(kCycles))];
      if (cycle > Period{frame_.num(), frame_.den() * fastest}) return cycle;
    }
    return frames(between(1, 12), between(1, fastest));
  }
  Period plus(Period a, Period b, std::int64_t n) {  // a + n * b
    return {a.num() * b.den() + n * b.num() * a.den(), a.den() * b.den()};
  }

  ScheduledJob random_job(std::uint64_t declaration, int which_half, int fastest) {
    constexpr int kSimulator[] = {0, 400, 500, 600};
    constexpr int kController[] = {700, 800, 900, 1000};
    const bool controller = which_half == 2 ? one_in(2) : which_half == 1;
    ScheduledJob made;
    made.job_class = controller ? kController[below(4)] : kSimulator[below(4)];
    made.controller = controller;
    made.phase = one_in(2) ? 60000 : static_cast<unsigned>(below(3));
    made.declaration = declaration;
    made.cycle = random_cycle(fastest);
    if (one_in(2))
      made.first = one_in(3) ? Period{below(frame_.num() + 1), 1} : frames(below(40), between(1, 8));
    if (one_in(3)) {
      const Period exact = plus(made.first, made.cycle, below(20));
      made.stop = one_in(4) ? frames(below(20), 1) : exact;
      if (one_in(4) && exact.num() > 0) made.stop = Period{exact.num() - 1, exact.den()};
    }
    made.enabled = !one_in(6);
    return made;
  }

  void compare_one_plan() {
    frame_ = random_frame();
    constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 5, 8, 20, 63, 64, 65, 130, 400};
    const std::int64_t size = one_in(40) ? kSizes[below(std::size(kSizes))] : kSizes[below(8)];
    const bool big = size > 60;
    const int half = static_cast<int>(below(5));  // 0: simulator alone, 1: controller alone, else mixed
    std::vector<ScheduledJob> jobs;
    for (std::int64_t i = 0; i < size; ++i) jobs.push_back(random_job(0, std::min(half, 2), big ? 3 : 10));
    std::vector<std::uint64_t> declarations(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      declarations[i] = i;
      std::swap(declarations[i],
                declarations[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i)))]);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].declaration = declarations[i];

    Schedule schedule(jobs, frame_);
    ReferenceScheduler reference(jobs, frame_);
    const std::int64_t last = big ? 12 : 60;
    for (std::int64_t k = 0; k < last; ++k) {
      for (std::int64_t n = jobs.empty() ? 0 : below(3); n > 0; --n) {
        const auto which = static_cast<std::size_t>(below(size));
        const bool on = one_in(2);
        schedule.enable(which, on);
        reference.enable(which, on);
      }
      const auto got = run(schedule, k);
      const auto expected = reference.frame(k);
      calls_ += got.size();
      ASSERT_EQ(got, expected) << "frame " << k << " of " << frame_.num() << "/" << frame_.den()
                               << " ns with " << size << " jobs";
    }
  }

  std::mt19937_64 engine_{GetParam()};
  Period frame_;
  std::size_t calls_ = 0;
};

TEST_P(RandomPlan, RunsAsTheReferenceDoes) {
  for (int plan = 0; plan < 500; ++plan) {
    compare_one_plan();
    if (HasFatalFailure()) {
      ADD_FAILURE() << "seed " << GetParam() << ", plan " << plan;
      return;
    }
  }
  EXPECT_GT(calls_, 100'000U) << "the plans are too empty to say anything";
}

std::size_t calls_in(Schedule& schedule, std::int64_t k) {
  const auto happenings = run(schedule, k);
  return static_cast<std::size_t>(
      std::count_if(happenings.begin(), happenings.end(), [](const Happening& h) { return h.job >= 0; }));
}

TEST(Schedule, WhatIsLeftOutIsNotCalledWhetherOrNotItIsEnabled) {
  ScheduledJob jobs[] = {job(kMs), job(kMs)};
  Schedule schedule(jobs, kMs);
  EXPECT_EQ(calls_in(schedule, 0), 2U);
  schedule.leave_out(0, true);
  EXPECT_TRUE(schedule.enabled(0)) << "that is something else";
  EXPECT_EQ(calls_in(schedule, 1), 1U);
  schedule.enable(0, true);
  EXPECT_EQ(calls_in(schedule, 2), 1U);
  schedule.enable(0, false);
  schedule.leave_out(0, false);
  EXPECT_EQ(calls_in(schedule, 3), 1U);
  schedule.enable(0, true);
  EXPECT_EQ(calls_in(schedule, 4), 2U);
}

TEST(Schedule, ACallOfItsOwnIsSharedWithNoJobOfTheSameTimes) {
  ScheduledJob jobs[] = {job(kMs), job(kMs), job(kMs)};
  jobs[1].own_call = true;
  Schedule schedule(jobs, kMs);
  const auto call_of = [&](std::size_t j) -> const tactus_call& {
    return schedule.call_at_place(schedule.place_of(j));
  };
  schedule.set_dt(1, 0.5);
  EXPECT_EQ(call_of(0).dt, 0.001);
  EXPECT_EQ(call_of(1).dt, 0.5);
  EXPECT_EQ(call_of(2).dt, 0.001);
  EXPECT_EQ(calls_in(schedule, 0), 3U);
  EXPECT_EQ(&call_of(0), &call_of(2));
}

TEST(Schedule, CallsBeforeAFrameAreThoseThatWereMade) {
  const ScheduledJob jobs[] = {job(us(300)), job(us(1700), us(900)), job(kMs, us(2000), us(5000)),
                               job(us(7000), us(3000))};
  Schedule schedule(jobs, kMs);
  std::int64_t made[4] = {};
  for (std::int64_t k = 0; k < 50; ++k) {
    for (std::size_t j = 0; j < 4; ++j)
      ASSERT_EQ(schedule.calls_before(j, k), made[j]) << j << " before " << k;
    for (const auto& call : run(schedule, k))
      if (call.job >= 0) ++made[call.job];
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlan, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8),
                         [](const auto& seed) { return "Seed" + std::to_string(seed.param); });

}  // namespace
}  // namespace tactus::executive::schedule_test
