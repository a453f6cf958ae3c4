// SPDX-License-Identifier: Apache-2.0
// Engine and gearbox alone: tables, power balances, idle, clutch and change of gear.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model_host.hpp"

namespace {

using model_host::Instance;

constexpr double kRpm = std::numbers::pi / 30;  // rad/s

// Runs the engine at one speed against a load that takes whatever it gives.
void hold(Instance& engine, double rpm, double accelerator) {
  engine.set("crank_speed", rpm * kRpm).set("accelerator", accelerator);
  engine.call("step", 0, 1e-3, 0);
}

TEST(Engine, GivesItsFullLoadTorqueAndItsDrag) {
  struct Row {
    double rpm, full, drag;
  };
  const Row rows[] = {
      {1000, 95, 11.5}, {2000, 120, 13.5}, {3500, 132, 17.5}, {4500, 126, 21}, {6000, 105, 28}};
  Instance engine("vehicle", "engine");
  engine.initialize();
  for (const Row& r : rows) {
    hold(engine, r.rpm, 1);
    EXPECT_NEAR(engine.get("torque"), r.full, 1e-9) << r.rpm;
    if (r.rpm < 1500) continue;  // the idle controller still helps
    hold(engine, r.rpm, 0);
    EXPECT_NEAR(engine.get("torque"), -r.drag, 1e-9) << r.rpm;
    EXPECT_NEAR(engine.get("fuel_rate"), 0, 1e-12) << "no fuel on the overrun";
    hold(engine, r.rpm, 0.5);
    EXPECT_NEAR(engine.get("torque"), (r.full - r.drag) / 2, 1e-9) << r.rpm;
  }
}

TEST(Engine, SpeedsUpByTorquePerInertia) {
  Instance engine("vehicle", "engine");
  engine.initialize();
  engine.set("crank_speed", 2000 * kRpm).set("accelerator", 1).set("load_torque", 45);
  engine.call("step", 0, 1e-3, 0);
  EXPECT_NEAR(engine.get("speed"), 2000 * kRpm + (120 - 45) / 0.15 * 1e-3, 1e-9);
}

// Fuel never makes more work than the best engines do, and never so little that the table must be wrong.
TEST(Engine, BurnsAPlausibleAmountOfFuel) {
  Instance engine("vehicle", "engine");
  engine.initialize();
  double best = 1e9;
  for (double rpm = 1000; rpm <= 6000; rpm += 250) {
    double before = -1;
    for (double pedal = 0.2; pedal <= 1.0001; pedal += 0.1) {
      hold(engine, rpm, std::min(pedal, 1.0));
      const double power = engine.get("torque") * rpm * kRpm;
      const double grams_per_kwh = engine.get("fuel_rate") * 1000 * 3600 / (power / 1000);
      EXPECT_GT(engine.get("fuel_rate"), before) << "more torque, more fuel: " << rpm << ' ' << pedal;
      before = engine.get("fuel_rate");
      if (power > 0) best = std::min(best, grams_per_kwh);
    }
  }
  EXPECT_GT(best, 235);
  EXPECT_LT(best, 265);
}

TEST(Engine, InterpolatesItsFuelMap) {
  Instance engine("vehicle", "engine");
  engine.initialize();
  // torque 40 N m at 2250 rpm: the mean of 0.676 and 0.861 g/s
  const double full = 123, drag = 14;
  hold(engine, 2250, (40 + drag) / (full + drag));
  EXPECT_NEAR(engine.get("torque"), 40, 1e-9);
  EXPECT_NEAR(engine.get("fuel_rate"), 1e-3 * (0.676 + 0.861) / 2, 1e-12);
  // torque 50 N m there: half way to the mean of 0.929 and 1.177 g/s
  hold(engine, 2250, (50 + drag) / (full + drag));
  EXPECT_NEAR(engine.get("fuel_rate"), 1e-3 * (0.676 + 0.861 + 0.929 + 1.177) / 4, 1e-12);
}

TEST(Engine, HoldsItsIdleSpeed) {
  Instance engine("vehicle", "engine");
  engine.initialize();
  double lowest = 1e9;
  const auto run = [&](double seconds) {
    for (int k = 0; k < std::lround(seconds * 1000); ++k) {
      engine.call("step", 0, 1e-3, 0);
      lowest = std::min(lowest, engine.get("speed"));
    }
  };
  run(5);
  EXPECT_NEAR(engine.get("speed"), 800 * kRpm, 1e-3);
  const double idle_fuel = engine.get("fuel_rate") * 3600 / 0.745;  // l/h
  EXPECT_GT(idle_fuel, 0.2);
  EXPECT_LT(idle_fuel, 0.8);
  engine.set("load_torque", 8);  // the lights go on
  run(10);
  EXPECT_NEAR(engine.get("speed"), 800 * kRpm, 0.1);
  EXPECT_GT(lowest, 650 * kRpm);
  engine.set("load_torque", 0).set("accelerator", 0.5);
  run(0.3);
  EXPECT_GT(engine.get("speed"), 1500 * kRpm);
  engine.set("accelerator", 0);
  run(10);
  EXPECT_NEAR(engine.get("speed"), 800 * kRpm, 0.1) << "back to idle";
  EXPECT_GT(lowest, 650 * kRpm) << "without stalling";
}

TEST(Engine, StaysStalled) {
  Instance engine("vehicle", "engine");
  engine.initialize();
  engine.set("load_torque", 200);
  for (int k = 0; k < 1000; ++k) engine.call("step", 0, 1e-3, 0);
  EXPECT_EQ(engine.get("speed"), 0);
  engine.set("load_torque", 0).set("accelerator", 1);
  engine.call("step", 0, 1e-3, 0);
  EXPECT_EQ(engine.get("speed"), 0);
  EXPECT_EQ(engine.get("fuel_rate"), 0);
}

void shift(Instance& gearbox, int gear) {
  gearbox.set("clutch", 1).set("gear_request", gear);
  for (int k = 0; k < 200; ++k) gearbox.call("step", 0, 2e-3, 0);
  gearbox.set("clutch", 0);
}

TEST(Gearbox, HasItsRatios) {
  Instance gearbox("vehicle", "gearbox");
  gearbox.initialize();
  const double ratios[] = {3.55, 1.95, 1.28, 0.95, 0.76};
  for (int gear = 1; gear <= 5; ++gear) {
    shift(gearbox, gear);
    gearbox.set("wheel_speed", 20).set("engine_speed", 20 * ratios[gear - 1] * 3.9 + 2);
    gearbox.call("step", 0, 2e-3, 0);
    EXPECT_EQ(gearbox.get("gear"), gear);
    EXPECT_DOUBLE_EQ(gearbox.get("ratio"), ratios[gear - 1] * 3.9);
    EXPECT_NEAR(gearbox.get("slip"), 2, 1e-9);
    EXPECT_NEAR(gearbox.get("clutch_torque"), 40, 1e-7);
    EXPECT_NEAR(gearbox.get("wheel_torque"), 40 * ratios[gear - 1] * 3.9 * 0.94, 1e-5);
  }
}

// Power out = efficiency x power in, whichever side drives.
TEST(Gearbox, LosesPowerInBothDirections) {
  Instance gearbox("vehicle", "gearbox");
  gearbox.initialize();
  shift(gearbox, 2);
  const double wheel = 30, input = wheel * 1.95 * 3.9;
  gearbox.set("wheel_speed", wheel).set("engine_speed", input + 1).call("step", 0, 2e-3, 0);
  EXPECT_NEAR(gearbox.get("wheel_torque") * wheel, 0.94 * gearbox.get("clutch_torque") * input, 1e-6);
  gearbox.set("engine_speed", input - 1).call("step", 0, 2e-3, 0);
  EXPECT_LT(gearbox.get("wheel_torque"), 0);
  EXPECT_NEAR(0.94 * gearbox.get("wheel_torque") * wheel, gearbox.get("clutch_torque") * input, 1e-6);
}

TEST(Gearbox, TheClutchSlipsAtItsCapacity) {
  Instance gearbox("vehicle", "gearbox");
  gearbox.initialize();
  shift(gearbox, 1);
  gearbox.set("engine_speed", 300).set("wheel_speed", 0);
  for (const double pedal : {0.0, 0.25, 0.5, 1.0}) {
    gearbox.set("clutch", pedal).call("step", 0, 2e-3, 0);
    EXPECT_DOUBLE_EQ(gearbox.get("clutch_torque"), 250 * (1 - pedal));
  }
}

TEST(Gearbox, ChangesGearOnlyWithTheClutchOpenAndNeedsItsTime) {
  Instance gearbox("vehicle", "gearbox");
  gearbox.initialize();
  shift(gearbox, 3);
  gearbox.set("gear_request", 4).set("clutch", 0.5);
  for (int k = 0; k < 1000; ++k) gearbox.call("step", 0, 2e-3, 0);
  EXPECT_EQ(gearbox.get("gear"), 3) << "the clutch is not open";
  gearbox.set("clutch", 1);
  int neutral = 0;
  for (int k = 0; k < 1000 && gearbox.get("gear") != 4; ++k) {
    gearbox.call("step", 0, 2e-3, 0);
    neutral += gearbox.get("gear") == 0;
    if (gearbox.get("gear") == 0) {
      EXPECT_EQ(gearbox.get("wheel_torque"), 0);
    }
  }
  EXPECT_EQ(gearbox.get("gear"), 4);
  EXPECT_NEAR(neutral * 2e-3, 0.2, 0.003);
}

TEST(Gearbox, NamesItsGears) {
  Instance gearbox("vehicle", "gearbox");
  const auto& labels = gearbox.variable("gear").labels;
  ASSERT_EQ(labels.size(), 6U);
  EXPECT_EQ(labels[0], (std::pair<std::string, std::int64_t>{"neutral", 0}));
  EXPECT_EQ(labels[5], (std::pair<std::string, std::int64_t>{"fifth", 5}));
}

TEST(Driveline, RefusesImpossibleParameters) {
  const auto refused = [](const char* model, const char* name, double value, std::size_t index = 0) {
    Instance it("vehicle", model);
    it.set(name, value, index);
    return it.try_call("initialize") != 0 && it.failure().rfind(std::string(name) + ": ", 0) == 0 &&
           it.failure().find("; try ") != std::string::npos;
  };
  EXPECT_TRUE(refused("engine", "inertia", 0));
  EXPECT_TRUE(refused("engine", "idle_speed", -1));
  EXPECT_TRUE(refused("gearbox", "efficiency", 1.1));
  EXPECT_TRUE(refused("gearbox", "efficiency", 0));
  EXPECT_TRUE(refused("gearbox", "ratios", 0, 4));
  EXPECT_TRUE(refused("gearbox", "clutch_stiffness", 0));
  EXPECT_TRUE(refused("driver", "pull", 0, 2));
  EXPECT_TRUE(refused("driver", "slip_to", 10));
  EXPECT_TRUE(refused("driver", "shift_up", 120));
  EXPECT_TRUE(refused("nedc", "preview", 0));
}

}  // namespace
