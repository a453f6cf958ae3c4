// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/thread_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "executive/model/job_class.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::thread_rules_test {
namespace {

using rtsync::Period;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr tactus_model kNothing{TACTUS_ABI_VERSION,
                                sizeof(tactus_model),
                                "nothing",
                                "",
                                nullptr,
                                [](const tactus_host*, void*) { return 0; },
                                nullptr};
// Threads of every bench below.
constexpr std::size_t kMain = 0;
constexpr std::size_t kIo = 1;
constexpr std::size_t kPlant = 2;
constexpr std::size_t kSlow = 3;   // asynchronous_must_finish
constexpr std::size_t kQuiet = 4;  // asynchronous

/// A plan by hand: jobs "a.x" make the models they need.
class RuleFixture {
 public:
  RuleFixture() {
    plan_.frame = Period{1'000'000, 1};
    plan_.threads = {{"io", ThreadKind::scheduled, {}},
                     {"plant", ThreadKind::scheduled, {}},
                     {"slow", ThreadKind::asynchronous_must_finish, Period{10'000'000, 1}},
                     {"quiet", ThreadKind::asynchronous, {}}};
    for (const PlannedThread& thread : plan_.threads)
      origins_.threads.push_back({{}, "threads." + thread.name});
    origins_.complete = false;  // threads without jobs are a test of their own
  }

  PlannedJob& job(const std::string& name, std::size_t thread, tactus_job_class job_class = TACTUS_SCHEDULED,
                  unsigned phase = 60000) {
    PlannedJob job;
    job.name = name;
    job.model = &model(name.substr(0, name.find('.')));
    job.job_class = job_class;
    job.phase = phase;
    job.cycle = Period{1'000'000, 1};
    job.thread = thread;
    plan_.jobs.push_back(job);
    origins_.jobs.push_back({{}, name});
    return plan_.jobs.back();
  }
  void wire(const std::string& from, const std::string& to, bool direct, bool delayed = false) {
    Connection connection;
    if (from != "rt") connection.from.model = &model(from);
    connection.to.model = &model(to);
    connection.direct = direct;
    connection.delayed = delayed;
    plan_.connections.push_back(connection);
    origins_.connections.push_back({{}, from + "->" + to});
  }
  void loop(const std::string& name, std::size_t thread, const std::vector<std::string>& models) {
    PlannedLoop loop;
    loop.name = name;
    loop.cycle = plan_.frame;
    loop.thread = thread;
    for (const std::string& one : models) loop.models.push_back(&model(one));
    plan_.loops.push_back(loop);
    origins_.loops.push_back({{}, "integrate." + name});
  }
  void depend(const std::string& job, const std::string& on) {
    wanted_.push_back({index(job), {on, {}, job + " on " + on}});
  }
  const ModelInstance& model(const std::string& name) {
    for (const ModelInstance& model : models_)
      if (model.name() == name) return model;
    return models_.emplace_back(kNothing, name, this);
  }
  std::size_t index(const std::string& name) const {
    return static_cast<std::size_t>(
        std::find_if(plan_.jobs.begin(), plan_.jobs.end(), [&](const auto& j) { return j.name == name; }) -
        plan_.jobs.begin());
  }

  /// "path: message" of every problem.
  std::vector<std::string> resolve_dependencies() {
    config::Problems problems;
    resolve_thread_dependencies(plan_, wanted_, origins_, problems);
    std::vector<std::string> lines;
    for (const config::Problem& problem : problems.sorted())
      lines.push_back(problem.path + ": " + problem.message);
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  /// Whom a job waits for.
  std::vector<std::string> waits(const std::string& job) const {
    std::vector<std::string> names;
    for (const std::size_t on : plan_.jobs[index(job)].depends_on) names.push_back(plan_.jobs[on].name);
    return names;
  }

  Plan plan_;
  PlanOrigins origins_;

 private:
  std::deque<ModelInstance> models_;
  std::vector<WantedDependency> wanted_;
};

PlannedJob times(const Period& first, const Period& cycle, std::optional<Period> stop = {}) {
  PlannedJob job;
  job.first = first;
  job.cycle = cycle;
  job.stop = stop;
  return job;
}

// ---- can_meet

TEST(CanMeet, IsDecidedExactly) {
  const Period ms{1'000'000, 1};
  const auto at = [](std::int64_t n, std::int64_t d = 1) { return Period{n, d}; };
  constexpr std::int64_t kBig = INT64_MAX;
  struct Row {
    PlannedJob a;
    PlannedJob b;
    bool meet;
    const char* why;
  };
  const Row rows[] = {
      {times({}, ms), times({}, ms), true, "the same times"},
      {times({}, ms), times(at(1), ms), false, "a nanosecond apart for ever"},
      {times({}, at(4)), times(at(2), at(6)), true, "at 8"},
      {times({}, at(4)), times(at(1), at(6)), false, "even and odd"},
      {times({}, at(1'000'000, 3)), times({}, at(1'000'000, 7)), true, "fractions, at every millisecond"},
      {times(at(1, 3), at(1'000'000, 3)), times({}, at(1'000'000, 7)), false,
       "a third of a nanosecond apart"},
      {times({}, at(50'000'000, 3)), times(at(1'000'000'000), ms), true, "60 Hz meets 1 ms once a second"},
      {times({}, at(4), at(7)), times(at(2), at(6)), false, "the one ends before 8"},
      {times({}, at(4), at(8)), times(at(2), at(6)), true, "a stop is inclusive"},
      {times({}, at(4)), times(at(2), at(6), at(7)), false, "nor does it matter which ends"},
      {times(at(100), at(4)), times({}, at(4), at(99)), false, "one ends before the other begins"},
      {times(at(100), at(4)), times({}, at(4), at(100)), true, "one ends where the other begins"},
      {times(at(101), at(15), at(265)), times({}, at(14)), false, "their first meeting is at 266"},
      {times(at(101), at(15), at(266)), times({}, at(14)), true, "there they meet"},
      {times({}, at(kBig), at(kBig)), times({}, at(kBig - 1)), true, "at 0"},
      {times(at(1), at(kBig), at(kBig)), times({}, at(kBig - 1), at(kBig)), false,
       "large numbers, no overflow"},
      {times({}, at(kBig, 999'999'937)), times(at(1), at(kBig - 1, 999'999'937), at(kBig)), true,
       "fractions of large numbers: for the first time at the very stop"},
      {times({}, at(kBig, 999'999'937)), times(at(1), at(kBig - 1, 999'999'937), at(kBig - 1)), false,
       "and not before"},
      {times({}, at(1'000'000'007, 1'000'000'009)), times({}, ms), true,
       "without a common tick nothing is known, and the schedule refuses them"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(can_meet(row.a, row.b), row.meet) << row.why;
    EXPECT_EQ(can_meet(row.b, row.a), row.meet) << row.why << ", the other way round";
  }
}

TEST(CanMeet, ADynamicJobMeetsEveryOther) {
  PlannedJob dynamic = times(Period{1, 1}, {});
  dynamic.dynamic = true;
  EXPECT_TRUE(can_meet(dynamic, times({}, Period{1'000'000, 1})));
  EXPECT_TRUE(can_meet(times({}, Period{1'000'000, 1}), dynamic));
}

TEST(CanMeet, AgreesWithTryingAllTimes) {
  std::mt19937_64 engine(4);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n));
  };
  int met = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t den = 1 + below(4);
    const auto random = [&](bool stops) {
      return times(Period{below(40), den}, Period{1 + below(20), den},
                   stops ? std::optional(Period{below(200), den}) : std::nullopt);
    };
    const PlannedJob a = random(below(3) != 0);
    const PlannedJob b = random(below(3) != 0);
    bool meet = false;
    for (std::int64_t t = 0; t < 1000 && !meet; ++t) {
      const Period now{t, den};
      const auto due = [&](const PlannedJob& job) {
        const std::int64_t since = t - job.first.num() * (den / job.first.den());
        return since >= 0 && since % (job.cycle.num() * (den / job.cycle.den())) == 0 &&
               (!job.stop || now <= *job.stop);
      };
      meet = due(a) && due(b);
    }
    met += meet ? 1 : 0;
    ASSERT_EQ(can_meet(a, b), meet) << i;
  }
  EXPECT_GT(met, 2000);
  EXPECT_LT(met, 18'000);
}

// ---- wires

TEST(WireRules, BetweenThreadsAWireSaysWhatItIs) {
  tactus::test::Snapshot texts;
  struct Row {
    std::size_t from;
    std::size_t to;
    const char* how;  // "", "direct", "delayed"
    bool refused;
  };
  const Row rows[] = {
      {kMain, kMain, "", false},       {kMain, kMain, "direct", false},   {kIo, kIo, "", false},
      {kSlow, kSlow, "", false},       {kMain, kIo, "direct", false},     {kIo, kPlant, "direct", false},
      {kMain, kIo, "delayed", false},  {kQuiet, kMain, "delayed", false}, {kQuiet, kSlow, "delayed", false},
      {kMain, kIo, "", true},          {kIo, kPlant, "", true},           {kMain, kSlow, "", true},
      {kQuiet, kMain, "direct", true}, {kQuiet, kSlow, "direct", true},
  };
  for (const Row& row : rows) {
    RuleFixture bench;
    bench.job("a.x", row.from);
    bench.job("b.x", row.to);
    bench.wire("a", "b", row.how == std::string("direct"), row.how == std::string("delayed"));
    const auto found = bench.resolve_dependencies();
    EXPECT_EQ(found.size(), row.refused ? 1U : 0U) << ::testing::PrintToString(found);
    if (row.refused) texts.add(found, row.how);
  }
}

TEST(WireRules, OneJobOnAnotherThreadIsEnough) {
  RuleFixture bench;
  bench.job("a.x", kMain);
  bench.job("b.x", kMain);
  bench.job("b.y", kIo, TACTUS_CONTROLLER);
  bench.depend("b.y", "b.x");
  bench.wire("a", "b", false);
  tactus::test::Snapshot().add(bench.resolve_dependencies());
}

TEST(WireRules, JobsThatNeverMeetNeedTheWordToo) {
  RuleFixture bench;
  bench.job("a.x", kMain);
  bench.job("b.x", kIo).first = Period{1, 1};
  bench.wire("a", "b", false);
  tactus::test::Snapshot().add(bench.resolve_dependencies());
}

TEST(WireRules, DirectMakesTheLaterWaitForTheEarlier) {
  RuleFixture bench;
  bench.job("a.x", kMain);
  bench.job("a.late", kMain, TACTUS_CONTROLLER);
  bench.job("b.x", kIo);
  bench.job("b.early", kIo, TACTUS_ENVIRONMENT);
  bench.job("b.between", kIo).first = Period{1, 1};
  bench.job("b.dynamic", kIo, TACTUS_EFFECTOR).dynamic = true;
  bench.wire("a", "b", true);
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
  EXPECT_THAT(bench.waits("b.x"), ElementsAre("a.x"));
  EXPECT_THAT(bench.waits("a.x"), ElementsAre("b.early")) << "the writer waits until the copy was made";
  EXPECT_THAT(bench.waits("a.late"), ElementsAre("b.early", "b.x"));
  EXPECT_THAT(bench.waits("b.between"), IsEmpty()) << "never due with another";
  EXPECT_THAT(bench.waits("b.dynamic"), ElementsAre("a.x", "a.late"));
  EXPECT_THAT(bench.waits("b.early"), IsEmpty());
}

TEST(WireRules, OnOneThreadDirectAddsNothing) {
  RuleFixture bench;
  bench.job("a.x", kIo);
  bench.job("b.x", kIo);
  bench.wire("a", "b", true);
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
  EXPECT_THAT(bench.waits("b.x"), IsEmpty());
}

TEST(WireRules, DelayedAddsNothing) {
  RuleFixture bench;
  bench.job("a.x", kMain);
  bench.job("b.x", kIo);
  bench.wire("a", "b", false, true);
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
  EXPECT_THAT(bench.waits("b.x"), IsEmpty());
}

TEST(WireRules, TheRigsOwnVariablesBelongToMain) {
  RuleFixture bench;
  bench.job("b.x", kIo);
  bench.job("c.x", kSlow);
  bench.wire("rt", "b", false);
  bench.wire("rt", "c", false);
  bench.wire("rt", "c", false, true);
  tactus::test::Snapshot().add(bench.resolve_dependencies());
}

TEST(WireRules, LoopsOnTwoThreadsNeedDelay) {
  tactus::test::Snapshot texts;
  struct Row {
    std::size_t other;
    bool direct;
    bool delayed;
    bool refused;
  };
  const Row rows[] = {
      {kMain, false, false, false}, {kMain, true, false, false}, {kIo, false, true, false},
      {kIo, true, false, true},     {kIo, false, false, true},   {kSlow, false, false, true},
  };
  for (const Row& row : rows) {
    RuleFixture bench;
    bench.loop("first", kMain, {"a"});
    bench.loop("second", row.other, {"b"});
    bench.wire("a", "b", row.direct, row.delayed);
    const auto found = bench.resolve_dependencies();
    EXPECT_EQ(found.size(), row.refused ? 1U : 0U) << ::testing::PrintToString(found);
    if (row.refused) texts.add(found, row.direct ? "direct" : "");
  }
}

TEST(WireRules, ALoopAndAJobNeverMeetOnScheduledThreads) {
  RuleFixture bench;
  bench.loop("first", kMain, {"a"});
  bench.job("b.x", kIo);
  bench.job("c.x", kSlow);
  bench.wire("a", "b", false);
  bench.wire("a", "c", false);
  tactus::test::Snapshot().add(bench.resolve_dependencies());
}

// ---- models on several threads

TEST(MemoryRules, JobsOfOneModelOnTwoThreadsAreOrdered) {
  RuleFixture bench;
  bench.job("m.a", kMain);
  bench.job("m.b", kIo);
  tactus::test::Snapshot().add(bench.resolve_dependencies());
}

TEST(MemoryRules, OrWereNeverDueTogether) {
  RuleFixture bench;
  bench.job("m.a", kMain);
  bench.job("m.b", kIo).first = Period{500'000, 1};
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
}

TEST(MemoryRules, ADependencyOrdersThem) {
  RuleFixture bench;
  bench.job("m.a", kMain);
  bench.job("m.b", kIo);
  bench.depend("m.b", "m.a");
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
  EXPECT_THAT(bench.waits("m.b"), ElementsAre("m.a"));
}

TEST(MemoryRules, AChainOfDependenciesOrdersThemAndHoldsWithoutItsLinks) {
  RuleFixture bench;
  bench.job("m.a", kMain, TACTUS_ENVIRONMENT);
  bench.job("x.one", kMain, TACTUS_SENSOR);  // after m.a on its thread
  bench.job("x.two", kPlant, TACTUS_SCHEDULED);
  bench.job("y.three", kPlant, TACTUS_CONTROLLER);
  bench.job("m.b", kIo, TACTUS_EFFECTOR);
  bench.depend("x.two", "x.one");
  bench.depend("m.b", "y.three");
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
  EXPECT_THAT(bench.waits("m.b"), ElementsAre("m.a", "y.three")) << "a link may be off, or not due";
}

TEST(MemoryRules, AWireIsNoWordAboutAnothersMemory) {
  RuleFixture bench;
  bench.job("m.a", kMain, TACTUS_ENVIRONMENT);
  bench.job("w.x", kIo, TACTUS_SENSOR);
  bench.job("m.b", kIo, TACTUS_CONTROLLER);
  bench.wire("m", "w", true);
  tactus::test::Snapshot().add(bench.resolve_dependencies());
}

TEST(MemoryRules, TheLastFreeJobIsNamed) {
  RuleFixture bench;
  bench.job("m.a", kMain, TACTUS_ENVIRONMENT);
  bench.job("m.b", kMain, TACTUS_SENSOR);
  bench.job("m.c", kIo, TACTUS_CONTROLLER);
  tactus::test::Snapshot().add(bench.resolve_dependencies());
  bench.depend("m.c", "m.b");
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty()) << "what it says mends all";
  EXPECT_THAT(bench.waits("m.c"), ElementsAre("m.a", "m.b"));
}

TEST(MemoryRules, NothingIsSharedWithAnAsynchronousThread) {
  tactus::test::Snapshot texts;
  for (const std::size_t thread : {kSlow, kQuiet}) {
    RuleFixture bench;
    bench.job("m.a", kMain);
    bench.job("m.b", thread).first = Period{1, 2};
    texts.add(bench.resolve_dependencies());
  }
  RuleFixture ends;
  ends.job("m.end", kMain, TACTUS_END_OF_FRAME);
  ends.job("m.b", kSlow);
  texts.add(ends.resolve_dependencies());
  RuleFixture loop;
  loop.loop("l", kMain, {"m"});
  loop.job("m.b", kQuiet);
  texts.add(loop.resolve_dependencies());
  RuleFixture fine;
  fine.job("m.top", kSlow, TACTUS_TOP_OF_FRAME);
  fine.job("m.b", kSlow);
  fine.job("m.initialize", kMain, TACTUS_INITIALIZATION);
  fine.loop("l", kSlow, {"m"});
  EXPECT_THAT(fine.resolve_dependencies(), IsEmpty());
}

TEST(ClassRules, NoJobOfTheFreezeRunsBesideAnAsynchronousThread) {
  tactus::test::Snapshot texts;
  for (const tactus_job_class job_class :
       {TACTUS_FREEZE_INIT, TACTUS_FREEZE, TACTUS_FREEZE_SCHEDULED, TACTUS_FREEZE_AUTOMATIC, TACTUS_UNFREEZE,
        TACTUS_CHECKPOINT, TACTUS_POST_CHECKPOINT}) {
    for (const std::size_t thread : {kIo, kSlow}) {
      RuleFixture bench;
      bench.job("m.a", thread);
      bench.job("m.b", kMain, job_class);
      const auto found = bench.resolve_dependencies();
      if (thread == kIo) {
        EXPECT_THAT(found, IsEmpty());
      } else {
        texts.add(found, name_of(job_class));
      }
    }
  }
  for (const tactus_job_class job_class : {TACTUS_DEFAULT_DATA, TACTUS_INITIALIZATION, TACTUS_RESTART,
                                           TACTUS_PRELOAD_CHECKPOINT, TACTUS_SHUTDOWN}) {
    RuleFixture bench;
    bench.job("m.a", kSlow);
    bench.job("m.b", kMain, job_class);
    EXPECT_THAT(bench.resolve_dependencies(), IsEmpty()) << name_of(job_class);
  }
}

// ---- depends_on

TEST(DependencyRules, RefuseWhatCannotBeWaitedFor) {
  tactus::test::Snapshot texts;
  struct Row {
    const char* job;
    const char* on;
    bool refused;
  };
  const Row rows[] = {
      {"b.control", "a.step", false},    {"b.control", "b.early", false}, {"a.step", "b.early", false},
      {"b.control", "a.stp", true},      {"a.step", "a.step", true},      {"b.control", "a.initialize", true},
      {"a.initialize", "b.early", true}, {"a.end", "b.early", true},      {"a.freeze", "b.early", true},
      {"a.dot", "b.early", true},        {"c.log", "record.r", true},     {"s.slow", "a.step", true},
      {"a.step", "q.quiet", true},       {"a.step", "b.control", true},   {"a.step", "c.phase", true},
      {"a.step", "c.twin", true},        {"c.twin", "a.step", false},
  };
  for (const Row& row : rows) {
    RuleFixture bench;
    bench.job("a.initialize", kMain, TACTUS_INITIALIZATION);
    bench.job("a.step", kMain);
    bench.job("a.end", kMain, TACTUS_END_OF_FRAME);
    bench.job("a.freeze", kMain, TACTUS_FREEZE_SCHEDULED);
    bench.job("a.dot", kMain, TACTUS_DERIVATIVE);
    bench.job("b.control", kIo, TACTUS_CONTROLLER);
    bench.job("b.early", kIo, TACTUS_SENSOR);
    bench.job("c.twin", kPlant);
    bench.job("c.phase", kPlant, TACTUS_SCHEDULED, 60001);
    bench.job("c.log", kPlant, TACTUS_DATA_RECORD, 65535);
    bench.job("s.slow", kSlow, TACTUS_CONTROLLER);
    bench.job("q.quiet", kQuiet, TACTUS_ENVIRONMENT);
    PlannedJob& recording = bench.job("record.r", kMain, TACTUS_DATA_RECORD, 0);
    recording.model = nullptr;
    recording.recording = true;
    bench.depend(row.job, row.on);
    const auto found = bench.resolve_dependencies();
    ASSERT_EQ(found.size(), row.refused ? 1U : 0U) << row.job << " on " << row.on;
    if (row.refused) {
      texts.add(found);
      continue;
    }
    const bool other =
        bench.plan_.jobs[bench.index(row.job)].thread != bench.plan_.jobs[bench.index(row.on)].thread;
    EXPECT_EQ(bench.waits(row.job), other ? std::vector<std::string>{row.on} : std::vector<std::string>{});
  }
}

TEST(DependencyRules, NamedTwiceIsWaitedForOnce) {
  RuleFixture bench;
  bench.job("a.x", kMain);
  bench.job("b.x", kIo);
  bench.depend("b.x", "a.x");
  bench.depend("b.x", "a.x");
  bench.wire("a", "b", true);
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
  EXPECT_THAT(bench.waits("b.x"), ElementsAre("a.x"));
}

// ---- threads

TEST(ThreadRules, PeriodsFitTheKindAndTheFrame) {
  tactus::test::Snapshot texts;
  struct Row {
    ThreadKind kind;
    Period period;
    bool refused;
  };
  const Row rows[] = {
      {ThreadKind::scheduled, {}, false},
      {ThreadKind::asynchronous, {}, false},
      {ThreadKind::asynchronous, Period{1'000'000, 1}, false},
      {ThreadKind::asynchronous_must_finish, Period{7'000'000, 1}, false},
      {ThreadKind::scheduled, Period{1'000'000, 1}, true},
      {ThreadKind::asynchronous_must_finish, {}, true},
      {ThreadKind::asynchronous_must_finish, Period{2'500'000, 1}, true},
      {ThreadKind::asynchronous, Period{1'000'000, 3}, true},
  };
  for (const Row& row : rows) {
    RuleFixture bench;
    bench.plan_.threads[0].kind = row.kind;
    bench.plan_.threads[0].period = row.period;
    const auto found = bench.resolve_dependencies();
    EXPECT_EQ(found.size(), row.refused ? 1U : 0U) << ::testing::PrintToString(found);
    if (row.refused) texts.add(found);
  }
}

TEST(ThreadRules, AFrameThatIsAFractionHasWholeMultiples) {
  RuleFixture bench;
  bench.plan_.frame = Period{50'000'000, 3};
  bench.plan_.threads[2].period = Period{50'000'000, 1};
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty());
  bench.plan_.threads[2].period = Period{40'000'000, 1};
  EXPECT_EQ(bench.resolve_dependencies().size(), 1U);
}

TEST(ThreadRules, AThreadHasAJob) {
  RuleFixture bench;
  bench.origins_.complete = true;
  bench.job("m.a", kIo);
  bench.job("n.end", kSlow, TACTUS_END_OF_FRAME);
  bench.loop("l", kQuiet, {"k"});
  tactus::test::Snapshot().add(bench.resolve_dependencies());
  bench.origins_.complete = false;
  EXPECT_THAT(bench.resolve_dependencies(), IsEmpty()) << "a model that could not be made may be its job";
}

// ---- any plan

/// Wires and jobs at random; every model is on one thread.
class RandomRules {
 public:
  explicit RandomRules(std::uint64_t seed) : engine_(seed) {}

  void fill(RuleFixture& bench) {
    constexpr tactus_job_class kClasses[] = {TACTUS_ENVIRONMENT, TACTUS_SENSOR, TACTUS_SCHEDULED,
                                             TACTUS_CONTROLLER, TACTUS_EFFECTOR};
    const std::size_t models = 2 + below(6);
    const bool mixed =
        below(3) == 0;  // models on several threads: refused unless ordered, but still no circle
    for (std::size_t m = 0; m < models; ++m) {
      const std::size_t home = below(3);
      for (std::size_t j = 1 + below(4); j > 0; --j) {
        PlannedJob& job =
            bench.job("m" + std::to_string(m) + ".j" + std::to_string(j), mixed ? below(3) : home,
                      kClasses[below(5)], static_cast<unsigned>(below(3)));
        job.cycle = Period{static_cast<std::int64_t>(1 + below(6)), 1};
        job.first = Period{static_cast<std::int64_t>(below(6)), 1};
        if (below(4) == 0) job.stop = Period{static_cast<std::int64_t>(6 + below(20)), 1};
        job.dynamic = below(10) == 0;
      }
    }
    for (std::size_t w = below(3 * models); w > 0; --w) {
      const std::size_t kind = below(4);
      bench.wire("m" + std::to_string(below(models)), "m" + std::to_string(below(models)), kind != 0,
                 kind == 0);
    }
    for (std::size_t d = below(6); d > 0; --d) {
      const auto name = [&] { return bench.plan_.jobs[below(bench.plan_.jobs.size())].name; };
      bench.depend(name(), name());
    }
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  std::mt19937_64 engine_;
};

bool due(const PlannedJob& job, std::int64_t t) {
  const std::int64_t since = t - job.first.num();
  return job.dynamic || (since >= 0 && since % job.cycle.num() == 0 && (!job.stop || t <= job.stop->num()));
}

TEST(AnyPlan, DependenciesFollowTheOrderAndLeaveNothingOpen) {
  std::size_t derived = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(::tactus::test::trials(2000)); ++seed) {
    RuleFixture bench;
    RandomRules(seed).fill(bench);
    const auto problems = bench.resolve_dependencies();
    const std::vector<PlannedJob>& jobs = bench.plan_.jobs;
    const auto waits = [&](std::size_t job, std::size_t on) {
      return std::count(jobs[job].depends_on.begin(), jobs[job].depends_on.end(), on) != 0;
    };
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (const std::size_t on : jobs[i].depends_on) {
        ASSERT_TRUE(comes_before(bench.plan_, on, i)) << "seed " << seed;
        ASSERT_NE(jobs[on].thread, jobs[i].thread) << "seed " << seed;
      }
      ASSERT_TRUE(
          std::is_sorted(jobs[i].depends_on.begin(), jobs[i].depends_on.end(),
                         [&](std::size_t a, std::size_t b) { return comes_before(bench.plan_, a, b); }));
      derived += jobs[i].depends_on.size();
    }
    refused += problems.empty() ? 0U : 1U;
    // Whatever two jobs of different threads share at an instant, one of them waits.
    const auto shares = [&](std::size_t a, std::size_t b) {
      if (jobs[a].model == jobs[b].model) return problems.empty();
      return std::any_of(
          bench.plan_.connections.begin(), bench.plan_.connections.end(), [&](const Connection& c) {
            return c.direct && ((c.from.model == jobs[a].model && c.to.model == jobs[b].model) ||
                                (c.from.model == jobs[b].model && c.to.model == jobs[a].model));
          });
    };
    for (std::int64_t t = 0; t < 60; ++t)
      for (std::size_t a = 0; a < jobs.size(); ++a)
        for (std::size_t b = 0; b < jobs.size(); ++b)
          if (jobs[a].thread != jobs[b].thread && comes_before(bench.plan_, a, b) && due(jobs[a], t) &&
              due(jobs[b], t) && shares(a, b)) {
            ASSERT_TRUE(waits(b, a)) << "seed " << seed << ": " << jobs[b].name << " for " << jobs[a].name;
          }
  }
  EXPECT_GT(derived, static_cast<std::size_t>(::tactus::test::trials(5000)) / 2);
  EXPECT_GT(refused, static_cast<std::size_t>(::tactus::test::trials(200)) / 2);
  EXPECT_LT(refused, 1900U);
}

}  // namespace
}  // namespace tactus::executive::thread_rules_test
