// SPDX-License-Identifier: Apache-2.0
// What `tactus campaign --plan` and `tactus check` say of a campaign; and its cases, each run alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::campaign_test {
namespace {

using namespace tactus::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Campaign : public ::testing::Test {
 protected:
  void write(const std::string& more) {
    dir_.write("b.test.yaml",
               "test: b\nuntil: 50 ms\nexpect: { still: { always: abs(motor.speed) < 1000 rad/s } }\n");
    dir_.write("a.campaign.yaml", "campaign: a\nrig: " + example("servo") + "\ntest: b.test.yaml\n" + more);
  }
  Finished tactus_of(const Arguments& arguments) { return run(tactus(arguments, dir_.path())); }

  const TempDir dir_;
};

TEST_F(Campaign, PlansCasesThatAnyoneCanRunAlone) {
  write(
      "vary:\n  models.motor.parameters.supply: [22 V, 24 V]\n"
      "  models.motor.parameters.inertia: { uniform: [100 g cm^2, 160 g cm^2] }\ncases: { sobol: 4, seed: 3 "
      "}\n");
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--plan", "--json", "--first", "2"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json plan = Json::parse(done.out);
  EXPECT_EQ(plan["cases"], 4);
  EXPECT_EQ(plan["first"].size(), 2U);
  EXPECT_GE(plan["sources"].size(), 4U);
  std::string line = plan["first"][1]["line"];
  ASSERT_TRUE(line.starts_with("tactus run ")) << line;
  line = tactus({}, {}).argv.front() + line.substr(6) + " --out out";
  const Finished ran = run({.argv = {"/bin/sh", "-c", line}, .cwd = dir_.path()});
  EXPECT_EQ(ran.status, 0) << line << ran.out << ran.err;
  const std::string text = plan["first"][1]["drawn"]["models.motor.parameters.inertia"]["text"];
  EXPECT_THAT(line, HasSubstr("'models.motor.parameters.inertia=" + text + "'"));
  EXPECT_EQ(Json::parse(read_file(dir_.path() / "out" / "verdict.json"))["verdict"], "pass");
}

TEST_F(Campaign, SaysItsMistakesWithTheirPlaces) {
  write("vary:\n  models.motor.parameters.inertja: [1 g cm^2]\n  frame.period: [1 ms, 1 V]\n");
  for (const Arguments& words :
       {Arguments{"campaign", "a.campaign.yaml", "--plan"}, Arguments{"check", "a.campaign.yaml"}}) {
    const Finished done = tactus_of(words);
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("a.campaign.yaml:6:")) << "the unit";
  }
  write("vary:\n  models.motor.parameters.inertja: [1 g cm^2]\n");
  EXPECT_THAT(
      tactus_of({"check", "a.campaign.yaml"}).err,
      AllOf(HasSubstr("a.campaign.yaml:5:3: vary.models.motor.parameters.inertja"), HasSubstr("inertia")));
  write("vary: { frame.period: [1 ms] }\n");
  EXPECT_THAT(tactus_of({"check", "a.campaign.yaml"}).out, HasSubstr("campaign a: 1 case"));
}

TEST_F(Campaign, ExampleOfTheBoxIsRight) {
  const Finished done =
      tactus_of({"check", (std::filesystem::path(example("servo")).parent_path().parent_path() / "tests" /
                           "servo.campaign.yaml")
                              .string()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("50 cases"));
}

}  // namespace
}  // namespace tactus::rig_test::campaign_test
