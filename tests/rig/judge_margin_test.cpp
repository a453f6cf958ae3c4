// SPDX-License-Identifier: Apache-2.0
// Margins of `tactus run --test` and their units, and when `between` begins.
#include <gtest/gtest.h>

#include <string>

#include "tests/rig/judge_fixture.hpp"
#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::judge_margin_test {
namespace {

using namespace tactus::test;

TEST_F(Judge, BetweenDoesNotBeginOnceItsEndIsOver) {
  EXPECT_EQ(
      run_test("until: 100 ms\nexpect:\n"
               "  late: { between: [ 'rt.frame >= 70', 50 ms ], holds: rt.frame < 60 }\n"
               "  open: { between: [ 'rt.frame >= 70', 50 ms ], holds: rt.frame < 600 }\n"
               "  in it: { between: [ 'rt.frame >= 50', 50 ms ], holds: no }\n"
               "  before: { between: [ 'rt.frame >= 49', 50 ms ], holds: rt.frame < 50 }\n"
               "  again: { between: [ 'rt.frame == 40 or rt.frame == 70', 50 ms ], holds: rt.frame < 50 }\n")
          .status,
      5);
  for (const char* const name : {"late", "open", "in it"})
    EXPECT_EQ(row(name)["verdict"], "untested") << name;
  for (const char* const name : {"before", "again"}) EXPECT_EQ(row(name)["verdict"], "pass") << name;
}

TEST_F(Judge, AMarginHasAReadableUnit) {
  ASSERT_EQ(run_test("until: 9 ms\nexpect:\n  a: motor.current * 1 V < 3 W\n  b: abs(motor.speed) < 300 rpm\n"
                     "  c: motor.speed > -1 rad/s and motor.speed < 3 rad/s\n")
                .status,
            0);
  EXPECT_EQ(row("a")["unit"], "W");
  EXPECT_EQ(row("b")["unit"], "rad/s");
  EXPECT_EQ(row("c")["margin"], 1);
}

TEST_F(Judge, AMarginOfAShiftHasAReadableUnit) {
  dir_.write("one.csv", "sys.exec.out.time {s},x {rad}\n0,0.25\n1,0.25\n");
  const std::string condition = "motor.speed * rt.beside_time within 1 rad of one.csv:x";
  ASSERT_EQ(run_test("until: 100 ms\nexpect:\n  still: " + condition + "\n  shifted: { always: " + condition +
                     ", shift: 2 ms }\n")
                .status,
            0);
  for (const char* const name : {"still", "shifted"}) {
    EXPECT_EQ(row(name)["unit"], "rad") << name;
    EXPECT_NEAR(row(name)["margin"].get<double>(), 0.75, 1e-9) << name;
  }
}

}  // namespace
}  // namespace tactus::rig_test::judge_margin_test
