// SPDX-License-Identifier: Apache-2.0
/// Clocks with intervals of units for co-simulation, 3.0. The unit answers Error to a tick at another time than its own, to
/// a step that passes one, and where it is not asked for an interval.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::fmi::clock_test {
namespace {

using test::OneUnit;
using test::refusal_of;
using test::steps;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kWith = "event_mode: yes\n";
/// Ticks of all clocks in the first 0.3 s.
constexpr std::pair<const char*, std::int64_t> kTicks[] = {{"every", 11}, {"shifted", 6}, {"fixed", 8},
                                                           {"tuned", 4},  {"own", 5},     {"often", 15},
                                                           {"paced", 6},  {"once", 0}};

std::int64_t ticks(const OneUnit& unit, const std::string& clock) {
  return unit.value<std::int64_t>(clock + "_ticks");
}

TEST(FmiClocks, TickAtTheirTimesInsideOfSteps) {
  OneUnit unit("clocked", kWith);
  unit.start();
  EXPECT_EQ(ticks(unit, "every"), 1) << "a clock without a shift ticks at the start";
  EXPECT_EQ(ticks(unit, "shifted"), 0);
  EXPECT_EQ(unit.value<double>("shifted_next"), 0.02);
  steps(unit, 3);
  for (const auto& [clock, count] : kTicks) {
    EXPECT_EQ(ticks(unit, clock), count) << clock;
    EXPECT_EQ(unit.value<double>(std::string(clock) + "_late"), 0) << clock;
  }
  EXPECT_NEAR(unit.value<double>("t_every"), 0.3, 1e-12);
  EXPECT_NEAR(unit.value<double>("t_shifted"), 0.27, 1e-12);
  EXPECT_NEAR(unit.value<double>("t_own"), 0.29, 1e-12);
  EXPECT_NEAR(unit.value<double>("t_often"), 0.29, 1e-12);
  EXPECT_NEAR(unit.value<double>("often_next"), 0.32, 1e-12);
  EXPECT_EQ(unit.value<double>("own_interval"), 0.07) << "that the unit gave";
  EXPECT_EQ(unit.value<std::int64_t>("out"), 11) << "an output clock that ticks with another";
  EXPECT_EQ(unit.value<std::int32_t>("n"), 55);
  EXPECT_EQ(unit.value<std::int64_t>("unit_steps"), 3);
  EXPECT_EQ(unit.value<double>("unit_time"), 0.1 * 3);
  EXPECT_THAT(unit.messages(), IsEmpty());
}

TEST(FmiClocks, SetAndGetWhatBelongsToThem) {
  OneUnit unit("clocked", kWith, 0.01);
  unit.start();
  unit.value<double>("in") = 5;
  steps(unit, 2);
  EXPECT_EQ(unit.value<double>("got"), 0) << "its clock has not ticked since";
  steps(unit, 1);
  EXPECT_EQ(unit.value<double>("got"), 10);
}

TEST(FmiClocks, CountDownFromAnEvent) {
  OneUnit unit("clocked", kWith);
  unit.start();
  steps(unit, 3);
  unit.value<std::int32_t>("start") = 1;
  unit.value<double>("delay") = 0.045;
  steps(unit, 1);
  EXPECT_EQ(ticks(unit, "once"), 1);
  EXPECT_NEAR(unit.value<double>("t_once"), 0.345, 1e-12);
  EXPECT_EQ(unit.value<double>("once_next"), -1);
  unit.value<std::int32_t>("start") = 3;
  unit.value<double>("delay") = 0;
  steps(unit, 1);
  EXPECT_EQ(ticks(unit, "once"), 5) << "with an interval of 0 s it ticks again in the same event";
  EXPECT_NEAR(unit.value<double>("t_once"), 0.4, 1e-12);
}

TEST(FmiClocks, TakeIntervalsOfTheRigAtTheTimesThatTheStandardAllows) {
  OneUnit unit("clocked", kWith);
  unit.value<double>("fixed_interval") = 0.06;
  unit.value<double>("tuned_interval") = 0.15;
  unit.start();
  steps(unit, 3);
  EXPECT_EQ(ticks(unit, "fixed"), 6);
  EXPECT_EQ(ticks(unit, "tuned"), 3);
  unit.value<double>("tuned_interval") = 0.03;
  unit.value<double>("pace") = 0.02;
  steps(unit, 1);
  EXPECT_EQ(ticks(unit, "tuned"), 6) << "the new interval counts from the change on";
  EXPECT_NEAR(unit.value<double>("t_tuned"), 0.39, 1e-12);
  EXPECT_EQ(ticks(unit, "paced"), 11) << "its interval depends on a parameter that has changed";
  unit.value<double>("tuned_interval") = -1;
  steps(unit, 1);
  EXPECT_EQ(ticks(unit, "tuned"), 9);
  EXPECT_EQ(unit.value<double>("tuned_interval"), 0.03);
  tactus::test::Snapshot().add(unit.messages());
  ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
  EXPECT_EQ(ticks(unit, "tuned"), 1) << "after a reset they count from the start";
  EXPECT_EQ(unit.value<double>("tuned_next"), 0.03);
}

TEST(FmiClocks, SayOnceThatAnIntervalIsNotTaken) {
  OneUnit unit("clocked", kWith);
  unit.start();
  const auto warnings = [&](std::initializer_list<double> fed) {
    for (const double each : fed) {
      unit.value<double>("tuned_interval") = each;
      steps(unit, 1);
      EXPECT_EQ(unit.value<double>("tuned_interval"), 0.1);
    }
    const auto all = unit.messages();
    return std::count_if(all.begin(), all.end(), [](const std::string& text) {
      return text.find("is not taken") != std::string::npos;
    });
  };
  EXPECT_EQ(warnings({0, 0, 0, 0}), 1);
  EXPECT_EQ(warnings({0, -1, -1}), 1);
  EXPECT_EQ(warnings({NAN, NAN}), 1);
  EXPECT_EQ(warnings({0.1}), 0);
}

TEST(FmiClocks, OfAUnitThatTakesNoIntervalKeepTheirs) {  // nor has it fmi3GetShiftDecimal
  OneUnit unit("clocked_kept", kWith);
  unit.start();
  unit.value<double>("tuned_interval") = 0.05;
  steps(unit, 3);
  EXPECT_EQ(unit.value<double>("tuned_interval"), 0.1);
  for (const auto& [clock, count] : kTicks) EXPECT_EQ(ticks(unit, clock), count) << clock;
  tactus::test::Snapshot().add(unit.messages());
}

TEST(FmiClocks, ComeBackFromACheckpoint) {
  OneUnit unit("clocked", kWith);
  unit.start();
  unit.value<std::int32_t>("start") = 1;
  unit.value<double>("delay") = 0.25;
  steps(unit, 1);
  unit.value<double>("tuned_interval") = 0.07;
  steps(unit, 1);
  ASSERT_EQ(unit.run("save"), 0) << unit.failure();
  const auto kept = unit.image();
  steps(unit, 3);
  const auto then = unit.image();
  EXPECT_EQ(ticks(unit, "once"), 1);
  OneUnit other("clocked", kWith);
  other.start();
  for (OneUnit* const into : {&unit, &other}) {
    into->put(kept);
    ASSERT_EQ(into->run("restore"), 0) << into->failure();
    steps(*into, 3);
    EXPECT_EQ(into->image(), then);
  }
}

TEST(FmiClocks, TickAtTheEndsOfStepsThatCannotBeCut) {
  tactus::test::Snapshot texts;
  OneUnit unit("clocked_whole", kWith, 0.01);
  unit.start();
  steps(unit, 30);
  for (const auto& [clock, count] : kTicks) EXPECT_EQ(ticks(unit, clock), count) << clock;
  EXPECT_EQ(unit.value<std::int32_t>("n"), 55);
  unit.value<std::int32_t>("start") = 1;
  unit.value<double>("delay") = 0.045;
  steps(unit, 6);
  EXPECT_NEAR(unit.value<double>("t_once"), 0.35, 1e-12);
  EXPECT_NEAR(unit.value<double>("once_late"), 0.005, 1e-12)
      << "what the unit gives is served at the next end";
  unit.value<double>("tuned_interval") = 0.015;
  steps(unit, 1);
  texts.add(unit.messages());
  OneUnit wrong("clocked_whole", kWith, 0.02);
  wrong.open();
  ASSERT_EQ(wrong.run("initialize"), 0);
  EXPECT_EQ(wrong.run("step"), 1);
  texts.add(wrong.failure());
}

TEST(FmiClocks, LeadToWhatWasDeclaredWhenTheyFail) {
  tactus::test::Snapshot texts;
  for (const int mode : {2, 3})
    for (const bool hold : {false, true}) {
      OneUnit unit("clocked", kWith + (hold ? "on_error: hold" : ""));
      unit.value<std::int32_t>("mode") = mode;
      unit.start();
      EXPECT_EQ(unit.run("step"), hold ? 0 : 1) << mode;
      if (hold)
        texts.add(unit.messages(), "held");
      else
        texts.add(unit.failure());
      EXPECT_EQ(unit.value<std::int32_t>("unit_status"), hold ? 1 : 0);
    }
  OneUnit none("clocked", kWith);
  none.value<std::int32_t>("mode") = 4;
  none.open();
  EXPECT_EQ(none.run("initialize"), 1);
  texts.add(none.failure());
  OneUnit given("clocked", kWith);
  given.value<double>("fixed_interval") = 0;
  given.open();
  EXPECT_EQ(given.run("initialize"), 1);
  texts.add(given.failure());
  OneUnit negative("clocked", kWith);
  negative.value<std::int32_t>("mode") = 1;
  negative.start();
  negative.value<std::int32_t>("start") = 1;
  steps(negative, 2);
  EXPECT_EQ(ticks(negative, "once"), 0);
  texts.add(negative.messages());
}

TEST(FmiClocks, AreRefusedWhereTheyCannotTick) {
  tactus::test::Snapshot texts;
  OneUnit often("clocked", kWith);
  often.start();
  often.value<double>("tuned_interval") = 1e-6;
  steps(often, 3);
  EXPECT_EQ(ticks(often, "tuned"), 4) << "its interval stays";
  texts.add(often.messages());
  texts.add(refusal_of("clocked_wrong", kWith));
  OneUnit mute("clocked_mute", kWith);
  try {
    mute.open();
    ADD_FAILURE() << "it was opened";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("fmi3GetIntervalDecimal"));
  }
  OneUnit without("clocked", "");
  EXPECT_EQ(without.instance().find_variable("every_ticks"), nullptr) << "without event mode no clock ticks";
  EXPECT_EQ(without.instance().find_variable("got"), nullptr);
  without.start();
  steps(without, 3);
}

}  // namespace
}  // namespace tactus::drivers::fmi::clock_test
