// SPDX-License-Identifier: Apache-2.0
#include "executive/report/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "executive/report/axes.hpp"

namespace tactus::report::quantity_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSummary = R"({
  "frames": {"run": 10, "overruns": 3, "late_wakes": 4, "lost": 2, "late_by_housekeeping": 1, "longest_overrun_ns": 2500},
  "exit_status": 1,
  "rt": {"page_faults": 7, "heap_calls": 8, "involuntary_switches": 9},
  "link": {"late_grants": 5, "worst_lateness_ns": 12000},
  "clock": {"missing": 6, "phase_error_ns": {"max": 450}},
  "causes": {"blocked": {"overruns": 2, "late_wakes": 1}},
  "jobs": [{"name": "motor.step", "calls": 50, "time_ns": {"p50": 500, "p99": 900, "p99_99": 20000, "max": 45000}},
           {"name": "untimed.step"}],
  "recordings": [{"lost": 7}, {"lost": 2}, {}]})";

class QuantityTest : public ::testing::Test {
 protected:
  QuantityTest() { run_.files.summary = Json::parse(kSummary); }
  /// Ten frames that were 1 .. 10 us late, worked 100 us each, and had the rest of 1 ms left.
  void add_times() {
    run_.times = std::make_unique<FrameTimes>(1'000'000, 0);
    for (std::int64_t k = 0; k < 10; ++k) {
      FrameRow row;
      row.frame = k;
      row.time_ns = k * 1'000'000;
      row.late = (k + 1) * 1000;
      row.work = 100'000;
      row.slack = 1'000'000 - row.late - row.work;
      run_.times->add(row);
    }
    run_.times->end();
  }
  std::optional<double> value(const std::string& name) {
    const auto quantity = quantity_named(name);
    if (!quantity) {
      ADD_FAILURE() << name << " is no quantity";
      return std::nullopt;
    }
    why_.clear();
    return value_of(*quantity, run_, why_);
  }

  using Json = config::Json;
  RunData run_;
  std::string why_;
};

TEST_F(QuantityTest, OfTheSummaryEachHasItsValue) {
  const std::pair<const char*, double> rows[] = {{"frames", 10},
                                                 {"overruns", 3},
                                                 {"late_wakes", 4},
                                                 {"lost", 2},
                                                 {"late_by_housekeeping", 1},
                                                 {"longest_overrun", 2500},
                                                 {"exit_status", 1},
                                                 {"page_faults", 7},
                                                 {"heap_calls", 8},
                                                 {"involuntary_switches", 9},
                                                 {"link.late_grants", 5},
                                                 {"link.worst_lateness", 12000},
                                                 {"clock.missing", 6},
                                                 {"clock.phase_error.max", 450},
                                                 {"records_lost", 9},
                                                 {"causes.blocked", 3},
                                                 {"causes.computed", 0},
                                                 {"jobs.motor.step.p50", 500},
                                                 {"jobs.motor.step.p99", 900},
                                                 {"jobs.motor.step.p99.99", 20000},
                                                 {"jobs.motor.step.max", 45000},
                                                 {"jobs.motor.step.calls", 50}};
  for (const auto& [name, expected] : rows) EXPECT_EQ(value(name), expected) << name << ": " << why_;
}

TEST_F(QuantityTest, OfTheTimesOfFramesEachHasItsValue) {
  add_times();
  EXPECT_EQ(value("late.max"), 10'000);
  EXPECT_EQ(value("late.min"), 1000);
  EXPECT_EQ(value("late.mean"), 5500);
  EXPECT_NEAR(*value("late.p50"), 5000, 100);
  EXPECT_NEAR(*value("late.p90"), 9000, 200);
  EXPECT_EQ(value("work.max"), 100'000);
  EXPECT_EQ(value("slack.min"), 890'000);
  EXPECT_NEAR(*value("slack.p90"), 891'000, 15'000) << "what 90 % of the frames had or more";
  EXPECT_GT(*value("slack.p10"), *value("slack.p90"));
}

TEST_F(QuantityTest, WhatARunDoesNotHaveIsToldWithTheReason) {
  run_.files.summary = nullptr;
  const std::pair<const char*, const char*> rows[] = {
      {"page_faults", "its summary.json has no rt.page_faults"},
      {"overruns", "it has neither summary.json nor frames.csv"},
      {"records_lost", "its summary.json has no recordings"},
      {"causes.blocked", "it has neither frames.csv nor causes in summary.json"},
      {"late.p99", "no frame in real time is in its frames.csv"},
      {"jobs.motor.step.max", "there is no job 'motor.step' in its summary.json"},
  };
  for (const auto& [name, why] : rows) {
    EXPECT_EQ(value(name), std::nullopt) << name;
    EXPECT_EQ(why_, why);
  }
  run_.files.summary = Json::parse(kSummary);
  EXPECT_EQ(value("jobs.untimed.step.max"), std::nullopt);
  EXPECT_EQ(why_, "job 'untimed.step' was not timed");
  EXPECT_EQ(value("jobs.motor.stpe.max"), std::nullopt);
  EXPECT_THAT(why_, HasSubstr("did you mean 'motor.step'?"));
}

TEST_F(QuantityTest, FramesStandInForASummaryThatIsNotThere) {
  run_.files.summary = nullptr;
  add_times();
  run_.times->overruns = 5;
  run_.times->late_wakes = 6;
  run_.times->lost = 7;
  EXPECT_EQ(value("frames"), 10);
  EXPECT_EQ(value("overruns"), 5);
  EXPECT_EQ(value("late_wakes"), 6);
  EXPECT_EQ(value("lost"), 7);
}

TEST(QuantityNames, AreAllQuantities) {
  std::set<std::string> seen;
  for (const std::string& name : quantity_names()) {
    EXPECT_TRUE(seen.insert(name).second) << name << " stands twice";
    EXPECT_TRUE(quantity_named(name).has_value()) << name;
  }
  EXPECT_GT(seen.size(), 50U);
}

TEST(QuantityNames, WhatIsNoneIsNone) {
  for (const char* const name :
       {"",         "late",      "late.",      "late.p",    "late.p0",     "late.p100", "late.p-1",
        "late.p1x", "late.pnan", "late.sum",   "early.p99", "causes.none", "causes.x",  "causes.",
        "jobs.",    "jobs.p99",  "jobs.a.sum", "Overruns",  "overruns ",   "jobs..p99"})
    EXPECT_FALSE(quantity_named(name).has_value()) << name;
}

TEST(QuantityNames, KnowWhatIsATime) {
  for (const char* const name :
       {"late.p99", "slack.mean", "longest_overrun", "jobs.a.max", "link.worst_lateness"})
    EXPECT_EQ(quantity_named(name)->kind, Quantity::Kind::time) << name;
  for (const char* const name : {"overruns", "jobs.a.calls", "causes.heap", "records_lost", "heap_calls"})
    EXPECT_EQ(quantity_named(name)->kind, Quantity::Kind::count) << name;
  EXPECT_DOUBLE_EQ(quantity_named("late.p99.5")->share, 0.995);
}

TEST(QuantityText, HasTheUnitOfItsKind) {
  EXPECT_EQ(value_text({"late.p99", Quantity::Kind::time}, 12'300), "12.3 \u00b5s");
  EXPECT_EQ(value_text({"overruns"}, 36'000), "36 000");
  EXPECT_EQ(value_text({"overruns"}, 1.25), "1.25");
  EXPECT_EQ(value_text({"late.p99", Quantity::Kind::time}, 1e300), time_text(9'000'000'000'000'000'000));
}

}  // namespace
}  // namespace tactus::report::quantity_test
