// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/frame_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "executive/model/job_class.hpp"

namespace tactus::executive::frame_loads_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using rtsync::Period;
using ::testing::ElementsAre;

/// A plan in the making, and what its jobs take.
struct Sum {
  Plan plan;
  std::vector<Nanoseconds> takes;
  std::vector<std::size_t> cpus;

  PlannedJob& job(const std::string& name, Nanoseconds time, Nanoseconds cycle, std::size_t thread = 0) {
    PlannedJob made;
    made.name = name;
    made.cycle = Period(cycle);
    made.thread = thread;
    takes.push_back(time);
    return plan.jobs.emplace_back(made);
  }
  void thread(const std::string& name, ThreadKind kind = ThreadKind::scheduled, Period period = {}) {
    PlannedThread& made = plan.threads.emplace_back();
    made.name = name;
    made.kind = kind;
    made.period = period;
  }
  FrameLoads loads(std::int64_t most_calls = 2'000'000) {
    if (cpus.empty()) {
      cpus.resize(plan.threads.size() + 1);
      std::iota(cpus.begin(), cpus.end(), 0);
    }
    return add_up(plan, takes, cpus, most_calls);
  }
};

TEST(FrameLoads, TheWorstFrameIsTheFirstInWhichAllMeet) {
  Sum sum;  // 1 ms
  sum.job("a", 100us, 1ms);
  sum.job("b", 200us, 2ms).first = Period(1ms);
  sum.job("c", 400us, 5ms).first = Period(3ms);
  sum.job("d", 10us, 200us);
  const FrameLoads loads = sum.loads();
  EXPECT_EQ(loads.hyperperiod.frames, 10);
  EXPECT_TRUE(loads.hyperperiod.complete);
  EXPECT_EQ(loads.threads[0].worst.number, 3);
  EXPECT_EQ(loads.threads[0].worst.takes, 750us);
  EXPECT_EQ(loads.longest.number, 3);
  EXPECT_EQ(loads.longest.takes, 750us);
  EXPECT_THAT(loads.first, ElementsAre(150us, 350us, 150us, 750us, 150us, 350us, 150us, 350us, 550us, 350us));
  EXPECT_NEAR(loads.threads[0].share, 0.1 + 0.1 + 0.08 + 0.05, 1e-12);
  std::map<std::size_t, std::int64_t> calls;
  for (const JobCalls& each : loads.calls) calls[each.job] = each.calls;
  EXPECT_EQ(calls, (std::map<std::size_t, std::int64_t>{{0, 1}, {1, 1}, {2, 1}, {3, 5}}));
}

TEST(FrameLoads, ACriticalPathLeadsThroughTheThreads) {
  Sum sum;
  sum.thread("road");
  sum.job("engine", 300us, 1ms);
  sum.job("gearbox", 200us, 1ms, 1).depends_on = {0};
  sum.job("cabin", 350us, 1ms);
  sum.job("driver", 50us, 1ms).depends_on = {1};
  sum.job("log", 20us, 1ms).recording = true;
  const FrameLoads loads = sum.loads();
  EXPECT_EQ(loads.threads[0].worst.takes, 720us);
  EXPECT_EQ(loads.threads[1].worst.takes, 200us);
  EXPECT_EQ(loads.longest.takes, 720us) << "gearbox is done before driver could begin";
  EXPECT_THAT(loads.critical_path, ElementsAre(0, 2, 3, 4));
  sum.takes[1] = 500us;
  const FrameLoads slower = sum.loads();
  EXPECT_EQ(slower.longest.takes, 870us) << "300 + 500 + 50 + 20";
  EXPECT_THAT(slower.critical_path, ElementsAre(0, 1, 3, 4));
}

TEST(FrameLoads, ThreadsWaitForEachOtherAtTheEndOfEachInstant) {
  Sum sum;
  sum.thread("road");
  sum.job("a", 100us, 500us);
  sum.job("b", 300us, 1ms, 1);
  const FrameLoads loads = sum.loads();
  EXPECT_EQ(loads.threads[0].worst.takes, 200us);
  EXPECT_EQ(loads.threads[1].worst.takes, 300us);
  EXPECT_EQ(loads.longest.takes, 400us) << "the second call of a is of the next instant";
}

TEST(FrameLoads, ThreadsOnOneCpuTakeTurns) {
  Sum sum;
  sum.thread("road");
  sum.job("a", 300us, 1ms);
  sum.job("b", 400us, 1ms, 1);
  EXPECT_EQ(sum.loads().longest.takes, 400us);
  sum.cpus = {0, 0};
  EXPECT_EQ(sum.loads().longest.takes, 700us);
}

TEST(FrameLoads, AnAsynchronousThreadHasPeriods) {
  Sum sum;
  sum.thread("slow", ThreadKind::asynchronous_must_finish, Period(10ms));
  sum.thread("free", ThreadKind::asynchronous);
  sum.job("a", 100us, 1ms);
  sum.job("b", 500us, 2ms, 1);
  sum.job("c", 1ms, 20ms, 1).first = Period(10ms);
  sum.job("d", 7ms, 1ms, 2);
  const FrameLoads loads = sum.loads();
  EXPECT_EQ(loads.longest.takes, 100us) << "nobody waits for them in a frame";
  EXPECT_EQ(loads.threads[1].worst.number, 1);
  EXPECT_EQ(loads.threads[1].worst.takes, 3500us);
  EXPECT_EQ(loads.threads[1].hyperperiod.frames, 2);
  EXPECT_EQ(loads.threads[2].worst.takes, 7ms);
}

TEST(FrameLoads, LoopsAndTheEndsOfAFrameCount) {
  Sum sum;
  sum.job("top", 10us, 0us).job_class = TACTUS_TOP_OF_FRAME;
  sum.job("end", 20us, 0us).job_class = TACTUS_END_OF_FRAME;
  sum.job("once", 1h, 0us).job_class = TACTUS_INITIALIZATION;
  sum.plan.loops.push_back({"l", {}, Period(500us), {}, 0});
  sum.takes.push_back(100us);
  const FrameLoads loads = sum.loads();
  EXPECT_EQ(loads.longest.takes, 230us);
}

TEST(FrameLoads, WhatIsOffIsNotCounted) {
  Sum sum;
  sum.job("a", 100us, 1ms).enabled = false;
  EXPECT_EQ(sum.loads().longest.takes, 0us);
}

TEST(FrameLoads, WhatStopsBeforeAnotherStartsNeverMeetsIt) {
  Sum sum;
  sum.job("first", 600us, 1ms).stop = Period(1s);
  sum.job("then", 700us, 1ms).first = Period(1001ms);
  const FrameLoads apart = sum.loads();
  EXPECT_EQ(apart.longest.number, 1001);
  EXPECT_EQ(apart.longest.takes, 700us);
  sum.plan.jobs[0].stop = Period(1001ms);
  const FrameLoads together = sum.loads();
  EXPECT_EQ(together.longest.number, 1001) << "the call at the very time of stop is made";
  EXPECT_EQ(together.longest.takes, 1300us);
}

TEST(FrameLoads, AnEventInAHundredYearsIsFoundAtOnce) {
  Sum sum;
  sum.job("a", 600us, 1ms);
  sum.job("b", 700us, 1ms).first = Period(Nanoseconds{3'153'600'000'000'000'000});
  const FrameLoads loads = sum.loads();
  EXPECT_TRUE(loads.hyperperiod.complete);
  EXPECT_EQ(loads.longest.number, 3'153'600'000'000);
  EXPECT_EQ(loads.longest.takes, 1300us);
}

TEST(FrameLoads, AHugeHyperperiodIsBounded) {
  Sum sum;
  const int primes[] = {1009, 1013, 1019, 1021, 1031, 1033, 1039};  // as many us: their product is 10^21
  for (const int prime : primes) sum.job("j", 10us, std::chrono::microseconds(prime));
  const FrameLoads loads = sum.loads(10'000);
  EXPECT_FALSE(loads.hyperperiod.complete);
  EXPECT_EQ(loads.hyperperiod.frames, INT64_MAX);
  EXPECT_EQ(loads.bound, 70us);
  EXPECT_LE(loads.longest.takes, loads.bound);
  EXPECT_GE(loads.longest.takes, 60us);
}

// ---- random plans

using Wide = rtsync::Wide;

/// Every frame by hand: no schedule, no periods, no windows.
class Reference {
 public:
  explicit Reference(const Sum& sum) : plan_(sum.plan), takes_(sum.takes) {}

  struct Frame {
    std::map<std::size_t, Nanoseconds> sums;
    Nanoseconds length{0};
  };
  Frame frame(std::int64_t k) const {
    Frame frame;
    const std::int64_t period = plan_.frame.num();
    std::map<std::int64_t, std::vector<std::size_t>> instants;
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      const PlannedJob& job = plan_.jobs[i];
      for (std::int64_t at = job.first.num(); at < (k + 1) * period; at += job.cycle.num())
        if (at >= k * period && (!job.stop || at <= job.stop->num())) instants[at].push_back(i);
    }
    for (auto& [at, due] : instants) {
      std::sort(due.begin(), due.end(), [this](std::size_t a, std::size_t b) { return key(a) < key(b); });
      frame.length += instant(due);
      for (const std::size_t i : due) frame.sums[plan_.jobs[i].thread] += takes_[i];
    }
    return frame;
  }
  std::tuple<bool, int, unsigned, std::size_t> key(std::size_t i) const {
    const PlannedJob& job = plan_.jobs[i];
    return {is_controller(job.job_class), job.job_class, job.phase, i};
  }

 private:
  /// A job ends when it has waited for all before it on its thread and all that it depends on.
  Nanoseconds instant(const std::vector<std::size_t>& due) const {
    std::map<std::size_t, Nanoseconds> end;
    for (const std::size_t i : due) {
      Nanoseconds begin{0};
      for (const std::size_t before : due) {
        if (before == i) break;
        const auto& on = plan_.jobs[i].depends_on;
        if (plan_.jobs[before].thread == plan_.jobs[i].thread ||
            std::find(on.begin(), on.end(), before) != on.end())
          begin = std::max(begin, end[before]);
      }
      end[i] = begin + takes_[i];
    }
    Nanoseconds last{0};
    for (const auto& [job, at] : end) last = std::max(last, at);
    return last;
  }

  const Plan& plan_;
  const std::vector<Nanoseconds>& takes_;
};

TEST(FrameLoads, OfRandomPlansAreThoseOfEachFrameByHand) {
  std::mt19937 random(20260101);
  const auto any = [&random](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  int several = 0;
  int events = 0;
  for (int round = 0; round < 300; ++round) {
    Sum sum;
    sum.plan.frame = Period{any(1, 12), 1};
    const int threads = any(0, 3);
    for (int i = 0; i < threads; ++i) sum.thread("t" + std::to_string(i));
    const int jobs = any(1, 9);
    std::int64_t last_event = 0;
    std::int64_t hyper = sum.plan.frame.num();
    for (int i = 0; i < jobs; ++i) {
      PlannedJob& job = sum.job("j" + std::to_string(i), Nanoseconds{any(0, 50)}, Nanoseconds{any(1, 10)},
                                static_cast<std::size_t>(any(0, threads)));
      hyper = std::lcm(hyper, job.cycle.num());
      job.job_class =
          any(0, 1) == 0 ? TACTUS_SCHEDULED : (any(0, 1) == 0 ? TACTUS_SENSOR : TACTUS_CONTROLLER);
      job.phase = static_cast<unsigned>(any(1, 3));
      if (any(0, 2) == 0) job.first = Period{any(0, 300), 1};
      if (any(0, 3) == 0) job.stop = Period{job.first.num() + any(0, 300), 1};
      last_event = std::max({last_event, job.first.num(), job.stop.value_or(Period{}).num()});
    }
    const Reference reference(sum);
    for (std::size_t i = 0; i < sum.plan.jobs.size(); ++i)
      for (std::size_t on = 0; on < sum.plan.jobs.size(); ++on)
        if (reference.key(on) < reference.key(i) && sum.plan.jobs[on].thread != sum.plan.jobs[i].thread &&
            any(0, 2) == 0)
          sum.plan.jobs[i].depends_on.push_back(on);

    LoadedFrame longest;
    std::vector<LoadedFrame> worst(sum.plan.threads.size() + 1);
    const std::int64_t frames = (last_event + hyper) / sum.plan.frame.num() + 3;
    for (std::int64_t k = 0; k < frames; ++k) {
      const Reference::Frame frame = reference.frame(k);
      if (frame.length > longest.takes) longest = {k, frame.length};
      for (const auto& [thread, takes] : frame.sums)
        if (takes > worst[thread].takes) worst[thread] = {k, takes};
    }
    const FrameLoads loads = sum.loads();
    ASSERT_TRUE(loads.hyperperiod.complete) << round;
    ASSERT_EQ(loads.longest.number, longest.number) << round;
    ASSERT_EQ(loads.longest.takes, longest.takes) << round;
    Nanoseconds path{0};
    for (const std::size_t job : loads.critical_path) path += sum.takes[job];
    ASSERT_EQ(path, longest.takes) << round;
    for (std::size_t thread = 0; thread < worst.size(); ++thread) {
      ASSERT_EQ(loads.threads[thread].worst.number, worst[thread].number) << round << " " << thread;
      ASSERT_EQ(loads.threads[thread].worst.takes, worst[thread].takes) << round << " " << thread;
      ASSERT_LE(worst[thread].takes, loads.threads[thread].bound) << round << " " << thread;
    }
    several += threads > 0 ? 1 : 0;
    events += last_event > 0 ? 1 : 0;
  }
  EXPECT_GT(several, 100);
  EXPECT_GT(events, 100);
}

}  // namespace
}  // namespace tactus::executive::frame_loads_test
