// SPDX-License-Identifier: Apache-2.0
/// Scheduled execution: what clocks mean, and a unit whose partitions are jobs of a rig.
#include "drivers/fmi/model/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "config/json.hpp"
#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/drivers/fmi/rig_of_units.hpp"

namespace tactus::drivers::fmi::partition_test {
namespace {

namespace fs = std::filesystem;
using test::OneUnit;
using test::read_file;
using ::testing::HasSubstr;

Variable clock(const std::string& variability) {
  Variable made;
  made.name = "c.1";
  made.type = Type::clock;
  made.causality = Causality::input;
  made.clock.interval_variability = variability;
  return made;
}
Partition partition(const Variable& of, std::string& problem) {
  return partition_of({&of, "c.1", "c.1_ticks", "c.1_next", "c.1_late"}, problem);
}

TEST(FmiPartition, HasTheExactCycleOfItsClock) {
  std::string problem;
  Variable of = clock("constant");
  of.clock.interval_counter = 1001;
  of.clock.resolution = 60000;
  EXPECT_EQ(partition(of, problem).cycle, (Cycle{50050000, 3}));
  of.clock.interval_counter.reset();
  of.clock.interval = 0.0005;
  EXPECT_EQ(partition(of, problem).cycle, (Cycle{500000, 1}));
  of.clock.interval = 0.00000033333;
  EXPECT_EQ(partition(of, problem).cycle, (Cycle{33333, 100}));
  of.clock.shift = 0.00025;
  of.clock.interval = 0.001;
  EXPECT_EQ(partition(of, problem).shift_ns, 250000);
  EXPECT_EQ(partition(of, problem).job, "c_1");
  EXPECT_EQ(problem, "");
}

TEST(FmiPartition, SaysWhichClockIsNoCycle) {
  Variable of = clock("calculated");
  std::string problem;
  (void)partition(of, problem);
  EXPECT_THAT(problem, HasSubstr("clock 'c.1' (calculated) has no interval in the description"));
  for (const double interval : {0.0, -1.0, 1e12}) {
    problem.clear();
    of.clock.interval = interval;
    (void)partition(of, problem);
    EXPECT_THAT(problem, HasSubstr("not a cycle: more than 0 s and at most a year")) << interval;
  }
  problem.clear();
  of.clock.interval_counter = 1;
  of.clock.resolution = 0;
  (void)partition(of, problem);
  EXPECT_THAT(problem, HasSubstr("not a cycle"));
}

TEST(FmiPartition, HasThePhaseOfItsUrgency) {
  std::vector<Variable> of(4, clock("triggered"));
  const std::uint32_t priorities[] = {7, 0, 7};
  for (std::size_t i = 0; i < 3; ++i) of[i].clock.priority = priorities[i];
  std::vector<ClockVariable> clocks;
  std::vector<Partition> all(4);
  for (const Variable& each : of) clocks.push_back({&each, "", "", "", ""});
  give_phases(all, clocks);
  EXPECT_LT(all[1].phase, all[0].phase);
  EXPECT_EQ(all[0].phase, all[2].phase);
  EXPECT_GT(all[3].phase, all[0].phase) << "without priority: last";
}

TEST(FmiPartition, SetsAndGetsWhatBelongsToItsClock) {
  OneUnit unit("parts", "", 1.0 / 3000);
  unit.open();
  ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
  unit.value<double>("u") = 3;
  unit.value<double>("v") = 5;
  ASSERT_EQ(unit.run("fast", 0), 0) << unit.failure();
  EXPECT_EQ(unit.value<double>("y"), 6);
  EXPECT_EQ(unit.value<double>("w"), 50);
  EXPECT_EQ(unit.value<std::int64_t>("fast_ticks"), 1);
  unit.value<double>("u") = 4;
  unit.value<double>("v") = 6;
  ASSERT_EQ(unit.run("later", 0), 0);
  EXPECT_EQ(unit.value<double>("w"), 50) << "its first tick is at 2 ms";
  ASSERT_EQ(unit.run("later", 0.002), 0) << unit.failure();
  EXPECT_EQ(unit.value<double>("w"), 60) << "a variable without clocks belongs to all";
  EXPECT_EQ(unit.value<double>("y"), 6) << "y and u belong to another clock";
  unit.value<double>("gain") = 10;
  ASSERT_EQ(unit.run("fast", 1.0 / 3000), 0) << unit.failure();
  EXPECT_EQ(unit.value<double>("y"), 40) << "gain is tunable";
  EXPECT_EQ(unit.value<double>("t_fast"), 1.0 / 3000) << "no sum, and no rounding to nanoseconds";
}

TEST(FmiPartition, RunsATriggeredOneWhenItsVariableChanges) {
  OneUnit unit("parts");
  unit.open();
  ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("trig", i * 0.001), 0) << unit.failure();
  EXPECT_EQ(unit.value<std::int32_t>("trigs"), 0);
  unit.value<std::int64_t>("trig") = 1;
  ASSERT_EQ(unit.run("trig", 0.003), 0) << unit.failure();
  ASSERT_EQ(unit.run("trig", 0.004), 0) << unit.failure();
  EXPECT_EQ(unit.value<std::int32_t>("trigs"), 1);
  EXPECT_EQ(unit.value<double>("once_next"), 0.003 + 0.0005) << "it started the countdown";
  ASSERT_EQ(unit.run("once", 0.003), 0);
  EXPECT_EQ(unit.value<std::int64_t>("once_ticks"), 0);
  ASSERT_EQ(unit.run("once", 0.004), 0) << unit.failure();
  EXPECT_EQ(unit.value<double>("t_once"), 0.003 + 0.0005) << "the time of the tick, not of the frame";
  EXPECT_NEAR(unit.value<double>("once_late"), 0.0005, 1e-12);
  ASSERT_EQ(unit.run("once", 0.005), 0);
  EXPECT_EQ(unit.value<std::int64_t>("once_ticks"), 1) << "once";
}

TEST(FmiPartition, EndsTheRigOrHoldsItsOutputs) {
  const std::pair<int, const char*> rows[] = {
      {1, "the unit answers Discard to ActivateModelPartition, clock 'fast', at"},
      {2,
       "the unit answers Error to ActivateModelPartition, clock 'fast', at 0.000666666667 s: the partition "
       "gave up"},
      {3, "the unit answers Fatal to ActivateModelPartition, clock 'fast', at"}};
  for (const auto& [mode, says] : rows) {
    for (const bool hold : {false, true}) {
      OneUnit unit("parts", hold ? "on_error: hold" : "", 1.0 / 3000);
      unit.value<std::int32_t>("mode") = mode;
      unit.open();
      ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
      for (int i = 0; i < 2; ++i) ASSERT_EQ(unit.run("fast", i / 3000.0), 0) << unit.failure();
      EXPECT_EQ(unit.run("fast", 2 / 3000.0), hold ? 0 : 1);
      if (!hold) {
        EXPECT_THAT(unit.failure(), HasSubstr(says));
        continue;
      }
      EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 1);
      EXPECT_EQ(unit.run("slow", 0.002), 0) << "no partition is called any more";
      EXPECT_EQ(unit.value<std::int64_t>("slow_ticks"), 0);
      EXPECT_THAT(unit.messages(), testing::Contains(HasSubstr(says)));
    }
  }
}

class FmiPartitions : public test::RigOfUnits {
 protected:
  FmiPartitions() : RigOfUnits({"parts", "three"}, "frame: { period: 1 ms }\n") {}
};

TEST_F(FmiPartitions, AreJobsOfTheRig) {
  // 8 frames: 0 .. 7 ms. fast: every 1/3 ms. later: 2 and 6 ms. again: 1, 2, 3, 4, then every 3 ms: 7.
  const auto last = run("  p: { driver: fmi, unit: parts.fmu }\n",
                        "p.fast_ticks, p.slow_ticks, p.out, p.later_ticks, p.again_ticks, p.t_again, "
                        "p.t_later, p.t_fast, p.t_slow",
                        8);
  ASSERT_EQ(last.size(), 10U) << csv_;
  EXPECT_EQ(last[1], 22) << csv_;
  EXPECT_EQ(last[2], 4);
  EXPECT_EQ(last[3], 4) << "ticks of the output clock";
  EXPECT_EQ(last[4], 2);
  EXPECT_EQ(last[5], 5);
  EXPECT_NEAR(last[6], 0.007, 1e-12);
  EXPECT_EQ(last[7], 0.006);
  EXPECT_EQ(last[8], 21.0 / 3000);
  EXPECT_EQ(last[9], 0.006 + 100 * 0.002);
}

TEST_F(FmiPartitions, AreOrderedByUrgency) {
  // At 2 ms all are due but the countdown: trig, fast, slow, later, again, by the digits of their clocks.
  const auto last = run("  p: { driver: fmi, unit: parts.fmu }\n", "p.order", 3,
                        "stimuli: { p.trig: [{ hold: 0, for: 2 ms }, { step: 1, for: 1 s }] }\n");
  EXPECT_TRUE(csv_.ends_with("31256\n")) << csv_;
  EXPECT_EQ(last.size(), 2U);
}

TEST_F(FmiPartitions, MayHaveAnotherCycleIfTheClockAllowsIt) {
  for (const char* const where : {"", ", isolated: yes"}) {
    const auto last = run(
        std::string("  p: { driver: fmi, unit: parts.fmu, jobs: { slow: { cycle: 4 ms } }") + where + " }\n",
        "p.slow_ticks, p.t_slow", 9);
    EXPECT_EQ(last[1], 3) << csv_;
    EXPECT_EQ(last[2], 0.008 + 100 * 0.004) << "the unit was told" << where;
  }
  rig("  p: { driver: fmi, unit: parts.fmu, jobs: { fast: { cycle: 1 ms } } }\n", "");
  const auto refused = tactus({"check", "rig.yaml"});
  EXPECT_EQ(refused.status, 2) << refused;
  EXPECT_THAT(refused.err, HasSubstr("clock 'fast' has an interval of 0.000333333333 s, and not 0.001 s"));
}

TEST_F(FmiPartitions, GoOnFromACheckpointAndAfterAReset) {
  const std::string models = "  p: { driver: fmi, unit: parts.fmu }\n";
  const std::string more =
      "stimuli: { p.trig: [{ hold: 0, for: 2 ms }, { step: 1, for: 1 s }] }\ncheckpoint: { every: 5 ms }\n";
  const std::string names =
      "p.fast_ticks, p.again_ticks, p.t_again, p.once_ticks, p.later_ticks, p.order, p.out";
  (void)run(models, names, 12, more);
  const std::string whole = csv_;
  fs::path checkpoint;
  for (const auto& entry : fs::recursive_directory_iterator(dir_ / "out"))
    if (entry.path().extension() == ".tck" && (checkpoint.empty() || entry.path() < checkpoint))
      checkpoint = entry.path();
  ASSERT_FALSE(checkpoint.empty());
  fs::copy_file(checkpoint, dir_ / "here.tck");
  fs::remove_all(dir_ / "out");
  const auto rest = tactus({"run", "rig.yaml", "--from", "here.tck", "--frames", "12", "--out", "out"});
  ASSERT_EQ(rest.status, 0) << rest;
  const std::string part = read_file(dir_ / "out/x.csv");
  EXPECT_GT(part.size(), 150U);
  EXPECT_TRUE(whole.ends_with(part.substr(part.find('\n') + 1))) << whole << "\n" << part;
  (void)run(models, names, 4);
  const std::string once = csv_.substr(csv_.find('\n') + 1);
  (void)run(models, names, 8, "commands: [{ at: 4 ms, do: reset }]\n");
  EXPECT_THAT(csv_, HasSubstr(once + once)) << "the same again";
}

TEST_F(FmiPartitions, AreTheSameOnAThreadOfTheirOwnAndInAProcess) {
  const std::string names = "p.fast_ticks, p.y, p.order, p.t_again, q.x";
  const auto models = [](const std::string& p) {
    return "  q: { driver: fmi, unit: three.fmu, jobs: { step: { cycle: 1 ms } } }\n"
           "  p: { driver: fmi, unit: parts.fmu" +
           p + " }\n";
  };
  (void)run(models(""), names, 50);
  const std::string one = csv_;
  (void)run(models(", thread: w"), names, 50, "threads: { workers: { w: {} } }\n");
  EXPECT_EQ(csv_, one);
  (void)run(models(", isolated: yes"), names, 50);
  EXPECT_EQ(csv_, one);
}

TEST_F(FmiPartitions, NameTheOneThatFailed) {
  rig("  p: { driver: fmi, unit: parts.fmu, parameters: { mode: 2 } }\n", "");
  const auto done = tactus({"run", "rig.yaml", "--frames", "20", "--out", "out"});
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_THAT(done.out, HasSubstr("p.fast"));
  EXPECT_THAT(done.out, HasSubstr("the unit answers Error to ActivateModelPartition, clock 'fast'"));
  EXPECT_THAT(done.out, HasSubstr("the partition gave up"));
}

TEST_F(FmiPartitions, HaveBudgetsAsOtherJobs) {
  rig("  p: { driver: fmi, unit: parts.fmu, jobs: { fast: { budget: 1 ns } } }\n", "");
  const auto done = tactus({"run", "rig.yaml", "--frames", "20", "--out", "out"});
  EXPECT_EQ(done.status, 0) << done;
  const config::Json summary = config::Json::parse(read_file(dir_ / "out/summary.json"));
  std::int64_t calls = -1;
  std::int64_t over = -1;
  for (const config::Json& job : summary.at("jobs"))
    if (job.at("name") == "p.fast") calls = job.at("calls"), over = job.at("over_budget");
  EXPECT_EQ(calls, 60) << "every third of a millisecond";
  EXPECT_GT(over, 0) << "no call takes less than a nanosecond";
}

TEST_F(FmiPartitions, AreDescribedByCheck) {
  const auto check = tactus({"check", "parts.fmu"});
  EXPECT_EQ(check.status, 0) << check;
  for (const char* const part :
       {"kinds          scheduled execution", "model partitions, each a job of the rig (6)",
        "every 0.333333333 ms (exactly 1000000/3 ns), priority 1",
        "every 2 ms; 'cycle' of its job changes it", "when its variable changes, priority 0",
        "every 4 ms, first at 2 ms, priority 5", "output clock out: a variable that counts its ticks",
        "checkpoints    yes"})
    EXPECT_THAT(check.out, HasSubstr(part));
  rig("  p: { driver: fmi, unit: parts.fmu, execution: co_simulation }\n"
      "  q: { driver: fmi, unit: three.fmu, execution: scheduled }\n",
      "");
  const auto wrong = tactus({"check", "rig.yaml"});
  EXPECT_EQ(wrong.status, 2) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("offers no co-simulation"));
  EXPECT_THAT(wrong.err, HasSubstr("offers no scheduled execution"));
}

}  // namespace
}  // namespace tactus::drivers::fmi::partition_test
