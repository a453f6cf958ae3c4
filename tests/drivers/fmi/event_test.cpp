// SPDX-License-Identifier: Apache-2.0
/// Event mode, early return and clocks of co-simulation, 3.0. The unit answers Error to whatever is illegal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::fmi::event_test {
namespace {

using test::OneUnit;
using test::refusal_of;
using test::steps;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kWith = "event_mode: yes\n";

TEST(FmiEvents, EndStepsEarlyAndLeadToEventMode) {
  OneUnit unit("events", kWith);
  unit.start();
  unit.value<double>("u") = 3.1;
  steps(unit, 10);
  EXPECT_EQ(unit.value<std::int32_t>("crossings"), 3);
  EXPECT_NEAR(unit.value<double>("x"), 0.1, 1e-9);
  EXPECT_EQ(unit.value<std::int64_t>("oc"), 3) << "ticks of the output clock";
  EXPECT_NEAR(unit.value<double>("when"), 3 / 3.1, 1e-9) << "got while its clock ticked";
  EXPECT_EQ(unit.value<std::int32_t>("timed"), 4) << "steps were cut at time events that the unit named";
  EXPECT_EQ(unit.value<double>("unit_next_event"), 1.25);
  EXPECT_EQ(unit.value<double>("unit_time"), 1);
  EXPECT_EQ(unit.value<double>("unit_lag"), 0);
  EXPECT_EQ(unit.value<std::int64_t>("unit_steps"), 10);
  EXPECT_THAT(unit.messages(), IsEmpty());
}

TEST(FmiEvents, ChangeDiscreteInputsAndTickClocks) {
  OneUnit unit("events", kWith);
  unit.start();
  steps(unit, 1);
  unit.value<std::int32_t>("d") = 4;
  unit.value<double>("v") = 5;
  steps(unit, 1);
  EXPECT_EQ(unit.value<std::int32_t>("d_seen"), 40);
  EXPECT_EQ(unit.value<double>("w"), 0) << "its clock does not tick";
  unit.value<std::int64_t>("c") = 1;
  steps(unit, 2);
  EXPECT_EQ(unit.value<double>("w"), 10);
  EXPECT_EQ(unit.value<std::int64_t>("c_ticks"), 1);
}

TEST(FmiEvents, AreHandledInsideOfStepsIfNotAskedFor) {
  OneUnit unit("events", "");
  unit.start();
  unit.value<double>("u") = 0.5;
  unit.value<std::int32_t>("d") = 1;
  steps(unit, 10);
  EXPECT_NEAR(unit.value<double>("x"), 0.5, 1e-9);
  EXPECT_EQ(unit.instance().find_variable("c"), nullptr);
}

TEST(FmiEvents, ComeBackFromACheckpointAndAReset) {
  OneUnit unit("events", kWith);
  unit.start();
  unit.value<double>("u") = 3.1;
  unit.value<std::int32_t>("d") = 4;
  steps(unit, 5);
  ASSERT_EQ(unit.run("save"), 0) << unit.failure();
  const auto kept = unit.image();
  steps(unit, 7);
  const auto then = unit.image();
  unit.put(kept);
  ASSERT_EQ(unit.run("restore"), 0) << unit.failure();
  steps(unit, 7);
  EXPECT_EQ(unit.image(), then);
  ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
  EXPECT_EQ(unit.value<std::int32_t>("crossings"), 0);
}

TEST(FmiEvents, OfDiscreteInputsComeBackWithACheckpointTheyWaitedIn) {
  OneUnit unit("events", kWith);
  unit.start();
  steps(unit, 2);
  unit.value<std::int32_t>("d") = 4;  // counts at the next step
  ASSERT_EQ(unit.run("save"), 0) << unit.failure();
  const auto kept = unit.image();
  for (OneUnit* const into : {&unit, std::make_unique<OneUnit>("events", kWith).release()}) {
    const std::unique_ptr<OneUnit> owned(into == &unit ? nullptr : into);
    if (owned != nullptr) into->start();
    steps(*into, 1);
    into->put(kept);
    ASSERT_EQ(into->run("restore"), 0) << into->failure();
    EXPECT_EQ(into->value<std::int32_t>("d_seen"), 0);
    steps(*into, 1);
    EXPECT_EQ(into->value<std::int32_t>("d_seen"), 40);
  }
  ASSERT_EQ(unit.run("save"), 0) << unit.failure();
  const auto served = unit.image();
  unit.value<std::int32_t>("d") = 5;
  steps(unit, 1);
  unit.put(served);
  ASSERT_EQ(unit.run("restore"), 0) << unit.failure();
  steps(unit, 1);
  EXPECT_EQ(unit.value<std::int32_t>("d_seen"), 40) << "that of the checkpoint";
}

TEST(FmiEvents, AreHandledWhereTheUnitNamedThemIfItsStepDoesNotSaySo) {
  for (const double dt : {0.1, 0.25}) {
    OneUnit unit("events", kWith, dt);
    unit.value<std::int32_t>("mode") = 6;  // DoStep never asks for an event
    unit.start();
    steps(unit, static_cast<int>(std::lround(0.5 / dt)));
    EXPECT_EQ(unit.value<std::int32_t>("timed"), 2) << "that at the end of a step too, dt " << dt;
    EXPECT_EQ(unit.value<double>("unit_next_event"), 0.75) << dt;
    steps(unit, static_cast<int>(std::lround(0.5 / dt)));
    EXPECT_EQ(unit.value<std::int32_t>("timed"), 4) << dt;
  }
}

TEST(FmiEvents, LeaveOutWhatBelongsToClocksThatAreNotThere) {
  OneUnit unit("events", kWith);
  EXPECT_EQ(unit.instance().find_variable("every"), nullptr);
  EXPECT_EQ(unit.instance().find_variable("of_every"), nullptr) << "it would never change";
  EXPECT_EQ(unit.instance().find_variable("of_every_in"), nullptr);
  EXPECT_NE(unit.instance().find_variable("w"), nullptr);
}

TEST(FmiEvents, KeepTheNamesOfTheDriversVariables) {
  OneUnit unit("events", kWith + "locals: [unit_next_event]");
  EXPECT_NE(unit.instance().find_variable("unit_next_event_2"), nullptr) << "of the unit";
  unit.start();
  EXPECT_EQ(unit.value<double>("unit_next_event"), 0.25);
}

TEST(FmiEvents, OfInitializationEndTheRigIfTheyFail) {
  tactus::test::Snapshot texts;
  for (const char* const keys : {"", "on_error: hold"}) {
    OneUnit unit("events", kWith + keys);
    unit.value<std::int32_t>("mode") = 7;
    unit.open();
    EXPECT_EQ(unit.run("initialize"), 1) << keys;
    texts.add(unit.failure(), keys);
  }
}

TEST(FmiEvents, LeadToWhatWasDeclaredWhenTheyFail) {
  tactus::test::Snapshot texts;
  for (const int mode : {1, 2, 5, 4}) {
    for (const bool hold : {false, true}) {
      OneUnit unit("events", kWith + (hold ? "on_error: hold" : ""));
      unit.value<std::int32_t>("mode") = mode;
      unit.open();
      int bad = unit.run("initialize");
      unit.value<double>("u") = 3.1;
      for (int i = 0; i < 6 && bad == 0; ++i) bad = unit.run("step");
      const bool held = hold && mode != 1;  // that is in initialization, which ends the rig
      EXPECT_EQ(bad, held ? 0 : 1) << mode;
      if (held) {
        EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 1) << mode;
        texts.add(unit.messages(), "held");
      } else {
        texts.add(unit.failure());
      }
    }
  }
  OneUnit ends("events", kWith + "on_end: hold");
  ends.value<std::int32_t>("mode") = 3;
  ends.start();
  ends.value<double>("u") = 3.1;
  steps(ends, 6);
  EXPECT_EQ(ends.value<std::int32_t>("unit_status"), 2) << "the unit asked for it in an update";
}

TEST(FmiEvents, AreRefusedWhereThereAreNone) {
  tactus::test::Snapshot texts;
  texts.add(refusal_of("three", kWith));
  EXPECT_THAT(refusal_of("two", kWith), HasSubstr("no event mode"));
  texts.add(refusal_of("parts", kWith));
}

}  // namespace
}  // namespace tactus::drivers::fmi::event_test
