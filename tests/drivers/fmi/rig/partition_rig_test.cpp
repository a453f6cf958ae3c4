// SPDX-License-Identifier: Apache-2.0
/// A unit whose partitions are jobs of a rig.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "config/json.hpp"
#include "tests/drivers/fmi/rig/rig_of_units.hpp"

namespace tactus::drivers::fmi::partition_rig_test {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using ::testing::HasSubstr;

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
}  // namespace tactus::drivers::fmi::partition_rig_test
