// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/limit/limited_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/rig_files.hpp"

namespace tactus::executive::limited_job_test {
namespace {

using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Notes what it is given.
class Device : public Model {
 public:
  void declare(Declare& d) override {
    d.input("volts", volts, "V");
    d.input("counts", counts);
    d.job<&Device::write>("write", JobClass::end_of_frame);
  }
  void write() {
    given.push_back(volts);
    numbers.push_back(counts);
  }
  double volts = 0;
  std::int32_t counts = 0;
  std::vector<double> given{};
  std::vector<std::int32_t> numbers{};
};

struct Bench {
  Bench(const char* input, std::optional<double> least, std::optional<double> most,
        std::optional<double> rate) {
    model = &fixture.model<Device>("out");
    limit = std::make_shared<OutputLimit>(fixture.ref(*model, input), least, most, rate, fixture.plan.frame);
    PlannedJob& job = fixture.plan.jobs.back();
    limited.emplace(job.run, job.self, std::vector{limit});
    job.run = &LimitedJob::call;
    job.self = &*limited;
    fixture.job("ask", TACTUS_SCHEDULED, [this](const tactus_call& call) {
      device().volts = ask[static_cast<std::size_t>(call.frame)];
      device().counts = static_cast<std::int32_t>(ask[static_cast<std::size_t>(call.frame)]);
      return 0;
    });
  }
  Device& device() { return PlanFixture::object<Device>(*model); }
  std::vector<double> run(std::vector<double> asked) {
    ask = std::move(asked);
    (void)fixture.run(static_cast<std::int64_t>(ask.size()));
    return device().given;
  }
  PlanFixture fixture;
  const ModelInstance* model;
  std::shared_ptr<OutputLimit> limit;
  std::optional<LimitedJob> limited;
  std::vector<double> ask;
};

TEST(LimitedJob, NothingPassesAndWhatWasAskedForStays) {
  Bench bench("volts", -1, 5, {});
  EXPECT_THAT(bench.run({3, 7, -2, 5}), ElementsAre(3, 5, -1, 5));
  EXPECT_EQ(bench.device().volts, 5);
  const OutputLimit::Counts counts = bench.limit->counts();
  EXPECT_EQ(counts.cuts, 2);
  EXPECT_EQ(counts.first, 1);
  EXPECT_EQ(counts.last, 2);
  EXPECT_EQ(counts.asked, 7);
  EXPECT_EQ(counts.given, 5);
}

TEST(LimitedJob, ARateGoesOnTowardsWhatWasAskedFor) {
  Bench bench("volts", {}, {}, 1000);
  EXPECT_THAT(bench.run({0.5, 3, 3, 3, 3, -5}), ElementsAre(0.5, 1.5, 2.5, 3, 3, 2));
}

TEST(LimitedJob, AWholeNumberMovesWhenItsRateAllowsAStep) {
  Bench bench("counts", {}, 2, 500);
  (void)bench.run({0, 9, 9, 9, 9, 9});
  EXPECT_EQ(bench.device().numbers.back(), 2);
  for (std::size_t i = 1; i < bench.device().numbers.size(); ++i)
    EXPECT_LE(bench.device().numbers[i] - bench.device().numbers[i - 1], 1);
}

TEST(LimitedJob, RoundingPassesNoLimit) {
  for (const double rate : {300.0, 1000.0, 1500.0, 1900.0}) {  // a step or less in a frame of 1 ms
    Bench bench("counts", {}, {}, rate);
    (void)bench.run(std::vector<double>(100, 1000));
    const auto& given = bench.device().numbers;
    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_LE(static_cast<double>(given[i]), rate * 1e-3 * static_cast<double>(i + 1)) << rate;
    EXPECT_GT(static_cast<double>(given.back()), rate * 0.04) << rate;
  }
  Bench bench("counts", -3.5, 3.5, {});
  (void)bench.run({9, -9});
  EXPECT_THAT(bench.device().numbers, ElementsAre(3, -3));
}

TEST(LimitedJob, NoValueIsTheOneBefore) {
  Bench bench("volts", {}, 5, {});
  EXPECT_THAT(bench.run({3, std::nan(""), 4}), ElementsAre(3, 3, 4));
  EXPECT_EQ(bench.limit->counts().cuts, 1);
}

TEST(LimitedJob, WrongLimitsAreRefusedAtTheirPlaces) {
  const std::vector<std::string> problems = test::problems_of(
      test::kHead +
      "  a: { model: gain, library: ./libmodels.so, limits: { u: [ 2 V, 1 V ], k: [ 0, 1 ], w: "
      "{ most: 1 }, y: 3 } }\n");
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("models.a.limits.u: the least is above the most")));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("models.a.limits.k: is not an input")));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("models.a.limits.w")));
}

}  // namespace
}  // namespace tactus::executive::limited_job_test
