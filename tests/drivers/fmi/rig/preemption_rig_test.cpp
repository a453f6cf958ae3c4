// SPDX-License-Identifier: Apache-2.0
/// Rigs with partitions of one unit on several threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "config/json.hpp"
#include "tests/drivers/fmi/rig/rig_of_units.hpp"

namespace tactus::drivers::fmi::preemption_rig_test {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class FmiPreemptionRig : public test::RigOfUnits {
 protected:
  FmiPreemptionRig()
      : RigOfUnits({"preempt", "countdowns"},
                   "frame: { period: 1 ms }\n"
                   "threads: { workers: { w: { kind: asynchronous_must_finish, period: 10 ms } } }\n") {}
  static std::string two(const std::string& mode) {
    return "  p: { driver: fmi, unit: preempt.fmu, partitions: [fast, once], parameters: { mode: " + mode +
           " } }\n  s: { driver: fmi, unit: preempt.fmu, part_of: p, partitions: [slow], thread: w }\n";
  }
  static std::string held() {
    return two("1") + "  g: { driver: fmi, unit: preempt.fmu, parameters: { mode: 5 } }\n";
  }
};

TEST_F(FmiPreemptionRig, PreemptsASlowPartition) {
  // Another unit holds each tenth frame until the slow one has begun, which waits for the third fast one of ten.
  const auto last = run(held(), "p.n_fast, s.n_slow, s.preempted", 53);
  ASSERT_EQ(last.size(), 4U) << csv_;
  EXPECT_EQ(last[1], 53);
  EXPECT_EQ(last[2], 5) << "what it wrote is seen at the end of its period";
  EXPECT_EQ(last[3], 5) << csv_;
}

TEST_F(FmiPreemptionRig, KeepsSectionsWhole) {
  const auto last = run(two("2"), "p.n_fast, s.n_slow, p.broken, s.inside", 31);
  ASSERT_EQ(last.size(), 5U) << csv_;
  EXPECT_EQ(last[2], 3);
  EXPECT_EQ(last[3], 0) << "a fast one saw a section";
  EXPECT_EQ(last[4], 0) << "a section began while a fast one was active";
  const config::Json summary = config::Json::parse(read_file(dir_ / "out/summary.json"));
  const auto& rows = summary.at("histograms");
  const auto fast = std::find_if(rows.begin(), rows.end(), [](const config::Json& row) {
    return row.at("model") == "p" && row.at("name") == "fast.wait";
  });
  ASSERT_NE(fast, rows.end()) << summary.dump(1);
  EXPECT_EQ(fast->at("count"), 31);
  EXPECT_THAT(fast->at("about").get<std::string>(), HasSubstr("clock 'fast', constant, priority"));
  EXPECT_EQ(fast->at("too_large").size(), 4U);
  (void)run(two("3"), "p.n_fast, s.n_slow", 31);  // one that is never unlocked ends with the activation
}

TEST_F(FmiPreemptionRig, ServesTriggeredAndCountdownClocksByWhicheverModelHasThem) {
  const std::string models =
      two("0") + "  t: { driver: fmi, unit: preempt.fmu, part_of: p, partitions: [trig], thread: w }\n";
  const std::string more =
      "connect:\n"
      "  - { from: s.once_news, to: p.once_news, delayed: yes }\n"
      "  - { from: s.once_due, to: p.once_due, delayed: yes }\n"
      "  - { from: p.n_fast, to: t.trig, delayed: yes }\n";
  const auto last = run(models, "t.n_trig, p.once_ticks, p.t_once, p.once_late, p.w", 41, more);
  ASSERT_EQ(last.size(), 6U) << csv_;
  // Slow ones at 0, 10, 20, 30 ms; each countdown is 12.5 ms; the last one seen at 40 ms is that of 20 ms.
  EXPECT_EQ(last[2], 3) << csv_;
  EXPECT_NEAR(last[3], 0.0325, 1e-9) << "the time of the tick";
  EXPECT_NEAR(last[4], 0.0005, 1e-9) << "until the next frame";
  EXPECT_EQ(last[1], 3) << "n_fast is another one at each end of a period but the first";
  const std::string once = csv_;
  (void)run(models, "t.n_trig, p.once_ticks, p.t_once, p.once_late, p.w", 41, more);
  EXPECT_EQ(csv_, once);
}

TEST_F(FmiPreemptionRig, BeginsAnewAfterAResetAndFromACheckpoint) {
  const auto rows = [&] { return csv_.substr(csv_.find('\n') + 1); };
  (void)run(held(), "p.n_fast, s.n_slow", 20);
  const std::string once = rows();
  (void)run(held(), "p.n_fast, s.n_slow", 40, "commands: [{ at: 20 ms, do: reset }]\n");
  EXPECT_TRUE(rows().starts_with(once + once)) << rows();
  (void)run(held(), "p.n_fast, s.n_slow", 60, "checkpoint: { every: 20 ms }\n");
  const std::string whole = rows();
  fs::path first;
  for (const auto& entry : fs::recursive_directory_iterator(dir_ / "out"))
    if (entry.path().extension() == ".tck" && (first.empty() || entry.path() < first)) first = entry.path();
  ASSERT_FALSE(first.empty());
  fs::copy_file(first, dir_ / "here.tck");
  fs::remove_all(dir_ / "out");
  const auto rest = tactus({"run", "rig.yaml", "--from", "here.tck", "--frames", "60", "--out", "out"});
  ASSERT_EQ(rest.status, 0) << rest;
  csv_ = read_file(dir_ / "out/x.csv");
  EXPECT_GT(rows().size(), 100U);
  EXPECT_TRUE(whole.ends_with(rows())) << whole << "\n" << rows();
}

TEST_F(FmiPreemptionRig, NamesThePartitionThatFailed) {
  rig(two("4"));
  const auto done = tactus({"run", "rig.yaml", "--frames", "40", "--out", "out"});
  EXPECT_EQ(done.status, 1) << done;
  // Whichever of the two is called next after that reports it.
  EXPECT_THAT(done.out, AnyOf(HasSubstr("clock 'slow'"), HasSubstr("the unit failed in partition 'slow'")));
  EXPECT_THAT(done.out, HasSubstr("the slow partition gave up"));
}

TEST_F(FmiPreemptionRig, NamesThePartWhoseInitializationFailed) {
  rig("  p: { driver: fmi, unit: countdowns.fmu, partitions: [fast, once] }\n"
      "  s: { driver: fmi, unit: countdowns.fmu, part_of: p, partitions: [slow, other], thread: w }\n");
  const auto done = tactus({"run", "rig.yaml", "--frames", "40", "--out", "out"});
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_THAT(done.out, HasSubstr("the unit answers Error to GetInterval"));
  EXPECT_THAT(done.out, HasSubstr("it knows no interval of another clock"));
  EXPECT_THAT(done.out, HasSubstr("model 's'"));
}

TEST_F(FmiPreemptionRig, MakesNoCheckpointOfAUnitThatFailedInAnotherModel) {
  rig("  p: { driver: fmi, unit: preempt.fmu, partitions: [trig], parameters: { mode: 4 } }\n"
      "  s: { driver: fmi, unit: preempt.fmu, part_of: p, partitions: [slow], thread: w, on_error: hold }\n",
      "checkpoint: { every: 30 ms }\n");
  const auto done = tactus({"run", "rig.yaml", "--frames", "60", "--out", "out"});
  EXPECT_THAT(done.out + read_file(dir_ / "out/log.txt"),
              HasSubstr("the unit has failed, and its state is lost"))
      << done;
}

TEST_F(FmiPreemptionRig, KeepsTheNamesOfTheDriversVariables) {
  (void)run(
      "  p: { driver: fmi, unit: preempt.fmu, partitions: [fast, once], locals: [once_news_seen] }\n"
      "  s: { driver: fmi, unit: preempt.fmu, part_of: p, partitions: [slow], thread: w }\n",
      "p.once_news_seen, p.once_news_seen_2", 3);
}

TEST_F(FmiPreemptionRig, NamesPartitionsThatNobodyHas) {
  (void)run(
      "  p: { driver: fmi, unit: preempt.fmu, partitions: [fast] }\n"
      "  s: { driver: fmi, unit: preempt.fmu, part_of: p, partitions: [slow], thread: w }\n",
      "p.n_fast", 12);
  EXPECT_THAT(read_file(dir_ / "out/log.txt"),
              HasSubstr("no model has the partition of clock 'trig' and 'once', so it never runs"));
}

TEST_F(FmiPreemptionRig, SaysThatAPartitionNeedsAPeriod) {
  rig(two("0"));
  std::string text = read_file(dir_ / "rig.yaml");
  const std::string kind = "kind: asynchronous_must_finish, period: 10 ms";
  (void)dir_.write("rig.yaml", text.replace(text.find(kind), kind.size(), "kind: asynchronous"));
  const auto done = tactus({"run", "rig.yaml", "--frames", "40", "--out", "out"});
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_THAT(done.out, HasSubstr("job 'slow' is on an asynchronous thread without a period"));
}

TEST_F(FmiPreemptionRig, RefusesWhatCannotBeShared) {
  const auto says = [&](const std::string& models, const std::string& text) {
    rig(models, "");
    const auto done = tactus({"check", "rig.yaml"});
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_THAT(done.err, HasSubstr(text));
  };
  const std::string p = "  p: { driver: fmi, unit: preempt.fmu, partitions: [fast, once] }\n";
  const auto s = [](const std::string& keys) {
    return "  s: { driver: fmi, unit: preempt.fmu, thread: w, " + keys + " }\n";
  };
  says(p + s("part_of: p"), "missing key 'partitions'");
  says(p + s("part_of: p, partitions: [slo]"),
       "'slo' is not an input clock of the unit; did you mean 'slow'?");
  says(p + s("part_of: q, partitions: [slow]"), "there is no model 'q' of driver fmi before this one");
  says(p + s("part_of: p, partitions: [slow], tolerance: 0.01"),
       "models.s.tolerance: belongs to model 'p': write it there");
  says(p + s("part_of: p, partitions: [slow], log: yes"),
       "models.s.log: belongs to model 'p': write it there");
  says(p + s("part_of: p, partitions: [slow], on_discard: hold"),
       "models.s.on_discard: the unit runs as scheduled execution, where Discard counts as Error");
  says(p + s("part_of: p, partitions: [slow], on_end: hold"),
       "models.s.on_end: the unit runs as scheduled execution, where it cannot ask for the end");
  says("  p: { driver: fmi, unit: preempt.fmu, ignore_fixed_step: yes }\n",
       "models.p.ignore_fixed_step: the unit runs as scheduled execution, which has no steps");
  says(p + s("part_of: p, partitions: [fast]"),
       "that of clock 'fast' is a job of another model of the unit already");
  says(p + s("part_of: p, partitions: [slow], isolated: yes"), "in the same process");
  says("  p: { driver: fmi, unit: preempt.fmu, jobs: { slow: { thread: w } } }\n",
       "share the memory of model 'p'");
}

}  // namespace
}  // namespace tactus::drivers::fmi::preemption_rig_test
