// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The rigs of config/rigs as the tests drive them: same models, connections and rates.
#include "model_host.hpp"

namespace model_host {

/// config/rigs/servo.yaml
inline void build_servo(SmallRig& rig) {
  rig.add("servo", "trajectory", "trajectory");
  rig.add("servo", "encoder", "encoder");
  rig.add("servo", "dc_servo", "motor");
  rig.add("controller", "cascaded_pi", "controller");
  rig.connect("motor.angle", "encoder.shaft_angle");
  rig.connect("motor.current", "controller.current");
  rig.connect("encoder.angle", "controller.angle");
  rig.connect("encoder.speed", "controller.speed");
  rig.connect("trajectory.position", "controller.position_reference");
  rig.connect("trajectory.speed", "controller.speed_reference");
  rig.connect("trajectory.acceleration", "controller.acceleration_reference");
  rig.connect("controller.voltage", "motor.voltage", true);
}

/// config/rigs/vehicle.yaml
inline void build_vehicle(SmallRig& rig) {
  rig.add("vehicle", "nedc", "cycle");
  rig.add("vehicle", "driver", "driver");
  rig.add("vehicle", "engine", "engine");
  rig.add("vehicle", "gearbox", "gearbox");
  rig.add("vehicle", "vehicle", "car");
  rig.connect("cycle.speed", "driver.reference");
  rig.connect("cycle.acceleration_ahead", "driver.acceleration_ahead");
  rig.connect("cycle.gear", "driver.scheduled_gear");
  rig.connect("cycle.clutch_open", "driver.scheduled_open");
  rig.connect("car.speed", "driver.speed");
  rig.connect("engine.speed", "driver.engine_speed");
  rig.connect("gearbox.gear", "driver.gear_in");
  rig.connect("engine.speed", "gearbox.engine_speed");
  rig.connect("gearbox.wheel_torque", "car.wheel_torque");
  rig.connect("gearbox.clutch_torque", "engine.load_torque", true);
  rig.connect("car.wheel_speed", "gearbox.wheel_speed", true);
  rig.connect("driver.accelerator", "engine.accelerator", true);
  rig.connect("driver.clutch", "gearbox.clutch", true);
  rig.connect("driver.gear", "gearbox.gear_request", true);
  rig.connect("driver.brake", "car.brake", true);
}

}  // namespace model_host
