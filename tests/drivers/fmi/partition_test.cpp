// SPDX-License-Identifier: Apache-2.0
/// Scheduled execution: what clocks mean.
#include "drivers/fmi/model/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/fmi/one_unit.hpp"

namespace tactus::drivers::fmi::partition_test {
namespace {

using test::OneUnit;
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

}  // namespace
}  // namespace tactus::drivers::fmi::partition_test
