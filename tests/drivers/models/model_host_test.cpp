// SPDX-License-Identifier: Apache-2.0
// The host itself: what it would miss, the tests beside it would miss.
#include "model_host.hpp"

#include <gtest/gtest.h>

namespace model_host::model_host_test {
namespace {

TEST(ModelHost, NamesWhatIsMissing) {
  EXPECT_THROW(Library("no_such_library"), std::runtime_error);
  EXPECT_THROW(Instance("servo", "no_such_model"), std::runtime_error);
  Instance motor("servo", "dc_servo");
  EXPECT_THROW(motor.get("no_such_variable"), std::runtime_error);
  EXPECT_THROW(motor.call("no_such_job"), std::runtime_error);
}

TEST(ModelHost, KeepsTheMessageOfAFailedJob) {
  Instance motor("servo", "dc_servo");
  motor.set("inertia", 0);
  EXPECT_NE(motor.try_call("initialize"), 0);
  EXPECT_NE(motor.failure().find("inertia"), std::string::npos) << motor.failure();
}

TEST(SmallRigConnections, RefuseOtherUnits) {
  SmallRig rig(1'000'000);
  rig.add("servo", "dc_servo", "motor");
  rig.add("controller", "cascaded_pi", "controller");
  EXPECT_NO_THROW(rig.connect("motor.current", "controller.current"));
  EXPECT_THROW(rig.connect("motor.current", "controller.speed"), std::runtime_error);
  EXPECT_THROW(rig.connect("controller.speed", "controller.speed"), std::runtime_error);
}

// With a direct connection the motor would see the voltage of this instant's controller only if it ran after
// it; delayed, it must see the voltage of 200 us ago.
TEST(SmallRigConnections, DelayedBringsTheValueOfTheInstantBefore) {
  SmallRig rig(1'000'000);
  rig.add("servo", "dc_servo", "motor");
  Instance& controller = rig.add("controller", "cascaded_pi", "controller");
  rig.connect("motor.current", "controller.current");
  rig.connect("controller.voltage", "motor.voltage", true);
  controller.set("position_reference", 0.1);
  rig.initialize();
  double before = 0;
  int compared = 0;
  rig.run(10'000'000, [&](std::int64_t) {
    EXPECT_EQ(rig.get("motor.voltage"), before);
    compared += before != rig.get("controller.voltage");
    before = rig.get("controller.voltage");
  });
  EXPECT_GT(compared, 20) << "the voltage has to change for this test to see anything";
}

}  // namespace
}  // namespace model_host::model_host_test
