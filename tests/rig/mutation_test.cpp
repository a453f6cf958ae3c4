// SPDX-License-Identifier: Apache-2.0
// `tactus test --mutate` of the servo, and the mutants of an output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "executive/app/mutants.hpp"
#include "tests/rig/rig_command.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::rig_test::mutation_test {
namespace {

using namespace tactus::test;
using app::Mutant;
using app::SeenOutput;
using executive::CompiledExpectation;
using ::testing::HasSubstr;
using ::testing::Not;

CompiledExpectation always(const std::string& condition) {
  CompiledExpectation each;
  each.settings.always.value = condition;
  return each;
}

const SeenOutput kSpeed{"motor.speed", "rad/s", SeenOutput::Form::real, -20, 80};
constexpr rtsync::Period kFrame{1'000'000, 1};

TEST(Mutants, AnOutputIsStuckOffUpAndDownAndDelayed) {
  tactus::test::Snapshot texts;
  const auto all = app::mutants_of(kSpeed, {}, kFrame);
  ASSERT_EQ(all.size(), 4U);
  texts.add(all[0].fault);
  texts.add(all[1].fault);
  texts.add(all[2].fault);
  texts.add(all[3].fault);
  texts.add(all[1].kind + ", " + all[2].kind);
  EXPECT_THAT(all[2].says, HasSubstr("down by 10 rad/s, "));
  for (const Mutant& each : all) EXPECT_FALSE(each.named);
}

TEST(Mutants, AreOffByATenthMoreThanTheLeastTolerance) {
  struct {
    const char* condition;
    double tolerance;
  } const rows[] = {
      {"motor.speed within 5 rad/s of trajectory.speed", 5},
      {"trajectory.speed within 2 rad/s of motor.speed", 2},
      {"motor.speed within 3 rad/s of reference/servo.mf4", 3},
      {"motor.speed within 4 rad/s of 100 rad/s", 4},
      {"abs(motor.speed - trajectory.speed) < 6 rad/s", 6},
      {"motor.angle > 1 rad and motor.speed within 5 rad/s of trajectory.speed", 5},
      {"motor.speed within 10 rpm of trajectory.speed", 10 * 2 * 3.14159265358979 / 60},
  };
  for (const auto& row : rows) {
    const auto tolerance =
        app::least_tolerance(kSpeed, {always("motor.speed within 50 rad/s of 0"), always(row.condition)});
    ASSERT_TRUE(tolerance) << row.condition;
    EXPECT_NEAR(*tolerance, row.tolerance, 1e-9) << row.condition;
  }
  for (const char* const none :
       {"abs(motor.speed) < 110 rad/s", "motor.speed < 9 rad/s", "motor.angle within 1 rad of 0"})
    EXPECT_FALSE(app::least_tolerance(kSpeed, {always(none)})) << none;
  EXPECT_THAT(app::mutants_of(kSpeed, {always("motor.speed within 5 rad/s of 0")}, kFrame)[1].fault,
              HasSubstr("'5.5 rad/s'"));
}

TEST(Mutants, OfATemperatureAreOffByADistance) {
  for (const char* const unit : {"degC", "degF"}) {
    const SeenOutput oven{"oven.t", unit, SeenOutput::Form::real, 20, 30};
    for (const char* const condition :
         {"oven.t within 2 K of oven.wanted", "abs(oven.t - oven.wanted) < 2 K"}) {
      const Mutant off = app::mutants_of(oven, {always(condition)}, kFrame)[1];
      EXPECT_THAT(off.fault, HasSubstr("offset: '2.2 K'")) << unit << ": " << condition;
      EXPECT_THAT(off.says, HasSubstr("up by 2.2 K, ")) << unit << ": " << condition;
      EXPECT_THAT(off.would_see, HasSubstr("less than 2.2 K of")) << unit << ": " << condition;
    }
  }
  const SeenOutput oven{"oven.t", "degC", SeenOutput::Form::real, 20, 30};
  EXPECT_THAT(app::mutants_of(oven, {}, kFrame)[1].fault, HasSubstr("offset: '1 K'"));
}

TEST(Mutants, AreDelayedByATenthMoreThanTheLeastTime) {
  CompiledExpectation slow = always("motor.speed > 1 rad/s"), fast = slow,
                      other = always("motor.angle > 1 rad");
  slow.settings.within = std::chrono::milliseconds{300};
  fast.settings.by = std::chrono::milliseconds{100};
  other.settings.within = std::chrono::milliseconds{7};
  EXPECT_THAT(app::mutants_of(kSpeed, {slow, fast, other}, kFrame)[3].fault,
              HasSubstr("delay: 110000000 ns"));
}

TEST(Mutants, EachFormHasWhatItsValuesCanShow) {
  SeenOutput door{"inputs.door", "", SeenOutput::Form::truth, 0, 1};
  EXPECT_THAT(app::mutants_of(door, {}, kFrame)[1].fault, HasSubstr("flip: 0"));
  SeenOutput mode{"motor.mode", "", SeenOutput::Form::word, 0, 2};
  EXPECT_THAT(app::mutants_of(mode, {}, kFrame)[1].left_out, HasSubstr("words"));
  SeenOutput count{"encoder.count", "", SeenOutput::Form::whole, 0, 3};
  EXPECT_THAT(app::mutants_of(count, {}, kFrame)[1].fault, HasSubstr("offset: '1'"));
  SeenOutput still{"motor.speed", "rad/s", SeenOutput::Form::real, 5, 5};
  const auto all = app::mutants_of(still, {}, kFrame);
  EXPECT_THAT(all[0].left_out, HasSubstr("the same in all frames"));
  EXPECT_THAT(all[1].fault, HasSubstr("'0.5 rad/s'"));
  EXPECT_TRUE(all[3].fault.empty());
  for (const SeenOutput& each : {door, mode})  // rows of several tests have the same order
    EXPECT_EQ(app::mutants_of(each, {}, kFrame).size(), 3U);
}

TEST(Mutants, ANumberAtTheEndOfItsTypeIsOffToTheOtherSideAlone) {
  const SeenOutput none{"encoder.errors", "", SeenOutput::Form::whole, 0, 0, 0, 255};
  auto all = app::mutants_of(none, {}, kFrame);
  EXPECT_THAT(all[1].fault, HasSubstr("offset: '1'"));
  EXPECT_TRUE(all[2].fault.empty());
  EXPECT_THAT(all[2].left_out, HasSubstr("always the least"));
  all = app::mutants_of({"encoder.errors", "", SeenOutput::Form::whole, 255, 255, 0, 255}, {}, kFrame);
  EXPECT_THAT(all[1].left_out, HasSubstr("always the greatest"));
  EXPECT_THAT(all[2].fault, HasSubstr("offset: '-"));
}

class Mutation : public ::testing::Test {
 protected:
  Finished mutate(const Arguments& more) {
    return run(
        tactus(Arguments{"test", example("servo")} + more + Arguments{"--mutate", "--set", "memory.lock=no"},
               dir_.path()));
  }
  const TempDir dir_;
};

TEST_F(Mutation, TellsWhatTheTestOfTheBoxDoesNotSee) {
  const std::string follows =
      (std::filesystem::path(example("servo")).parent_path().parent_path() / "tests/follows.test.yaml")
          .string();
  const Finished done = mutate({follows, "--out", "all", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json all = Json::parse(done.out);
  EXPECT_EQ(all["without_verdict"], 0) << done.out;
  EXPECT_GT(all["seen"], 10);
  EXPECT_GT(all["not_seen"], 10);
  for (const Json& each : all["mutants"]) {
    const std::string outcome = each["outcome"], variable = each["variable"], kind = each["kind"];
    if (variable == "motor.angle") {
      EXPECT_EQ(outcome, "seen") << each;
    }
    if (variable == "motor.torque") {
      EXPECT_EQ(outcome, "not seen") << each;
    }
    if (variable == "trajectory.move_time" && kind == "stuck") {
      EXPECT_EQ(outcome, "left out") << each;
    }
    if (variable == "motor.angle" && kind.starts_with("off")) {
      EXPECT_EQ(each["by"], "follows (fail)");
    }
  }
}

TEST_F(Mutation, TwoTestsSeeMoreAndLeastDecidesTheStatus) {
  dir_.write("blind.test.yaml", "until: 300 ms\nexpect:\n  a: { always: motor.speed < 1000 rad/s }\n");
  dir_.write("sees.test.yaml", "until: 300 ms\nexpect:\n  b: { finally: motor.speed > 5 rad/s }\n");
  Finished done =
      mutate({"blind.test.yaml", "--only", "motor.speed stuck", "--least", "50 %", "--out", "one"});
  EXPECT_EQ(done.status, 4) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("not seen    motor.speed stuck at its first value\n"));
  EXPECT_THAT(done.out, HasSubstr("0 of 1 mutants seen (0 %)"));
  done = mutate({"blind.test.yaml", "sees.test.yaml", "--only", "motor.speed stuck", "--least", "50 %",
                 "--out", "two"});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("b (fail) of sees.test.yaml"));
  EXPECT_THAT(done.out, HasSubstr("1 of 1 mutants seen (100 %)"));
}

TEST_F(Mutation, WhatTheFirstTestLeavesOutIsSaidAsTheTestThatTriedItHasIt) {
  dir_.write("short.test.yaml", "until: 1 ms\nexpect:\n  a: { always: motor.speed < 1000 rad/s }\n");
  dir_.write("blind.test.yaml", "until: 300 ms\nexpect:\n  a: { always: motor.speed < 1000 rad/s }\n");
  const Finished done =
      mutate({"short.test.yaml", "blind.test.yaml", "--only", "motor.speed stuck", "--json", "--out", "two"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const Json all = Json::parse(done.out);
  ASSERT_EQ(all["mutants"].size(), 1U);
  const Json mutant = all["mutants"][0];
  EXPECT_EQ(mutant["outcome"], "not seen");
  EXPECT_EQ(mutant["why"], "") << mutant;
  EXPECT_THAT(mutant["fault"].dump(), HasSubstr("stuck")) << mutant;
}

TEST_F(Mutation, ALimitOnOneSideSeesOneDirection) {
  dir_.write("fast.test.yaml",
             "until: 300 ms\nexpect:\n  a: { finally: motor.speed > 20 rad/s }\n"
             "  b: { always: motor.speed > -1 rad/s }\n");
  const Finished done = mutate({"fast.test.yaml", "--only", "motor.speed off", "--out", "all"});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("not seen    motor.speed up by "));
  EXPECT_THAT(done.out, HasSubstr("seen        motor.speed down by "));
  EXPECT_THAT(done.out, HasSubstr("1 of 2 mutants seen (50 %)"));
}

TEST_F(Mutation, ATestThatDoesNotPassHasNoMutants) {
  dir_.write("bad.test.yaml", "until: 50 ms\nexpect:\n  b: { finally: motor.speed > 1000 rad/s }\n");
  const Finished done = mutate({"bad.test.yaml", "--out", "all"});
  EXPECT_EQ(done.status, 4);
  EXPECT_THAT(done.err, HasSubstr("bad.test.yaml does not pass without a mutant (fail); fix the test first"));
  EXPECT_THAT(done.out, Not(HasSubstr("seen")));
}

TEST_F(Mutation, AMutantThatTakesTooLongHasNoVerdict) {
  dir_.write("long.test.yaml", "until: 20 s\nexpect:\n  b: { always: motor.speed < 1000 rad/s }\n");
  const Finished done =
      mutate({"long.test.yaml", "--only", "motor.speed stuck", "--patience", "1 ms", "--out", "all"});
  EXPECT_EQ(done.status, 1) << done.out;
  EXPECT_THAT(
      done.out,
      HasSubstr(
          "no verdict  motor.speed stuck at its first value: took too long; give it more with --patience"));
}

TEST_F(Mutation, AnOptionThatWouldBeIgnoredIsRefused) {
  dir_.write("a.test.yaml", "until: 50 ms\nexpect:\n  b: { always: motor.speed < 1000 rad/s }\n");
  const auto refused = [&](const Arguments& more) {
    const Finished done = run(tactus(Arguments{"test", example("servo"), "a.test.yaml"} + more, dir_.path()));
    EXPECT_EQ(done.status, 2) << done.out;
    return done.err;
  };
  EXPECT_THAT(refused({"--keys", "a: 1", "--least", "3 %"}),
              AllOf(HasSubstr("--keys belongs to `tactus test driver` alone\n"),
                    HasSubstr("--least is of --mutate")));
  EXPECT_THAT(refused({"--mutate", "-x"}), HasSubstr("-x is not possible with --mutate"));
  EXPECT_THAT(refused({"--mutate", "--least", "120 %"}), HasSubstr("--least: "));
  EXPECT_THAT(refused({"--mutate", "--only", "nothing", "--no-realtime", "--set", "memory.lock=no"}),
              HasSubstr("no mutant has 'nothing'"));
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "all"));
}

}  // namespace
}  // namespace tactus::rig_test::mutation_test
