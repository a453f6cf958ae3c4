// SPDX-License-Identifier: Apache-2.0
// What holds for every model in the box.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "heap_count.hpp"
#include "model_host.hpp"
#include "rigs.hpp"

namespace {

using model_host::heap_calls;
using model_host::Instance;
using model_host::Library;
using model_host::SmallRig;

template <class Check>
void for_every_model(Check check) {
  int models = 0;
  for (const char* library : {"servo", "controller", "vehicle", "test_load"}) {
    const Library loaded{library};
    for (const tactus_model* m : loaded.models()) {
      SCOPED_TRACE(std::string(library) + "/" + m->name);
      check(*m, library);
      ++models;
    }
  }
  EXPECT_GE(models, 11);
}

TEST(EveryModel, IsOfThisAbiAndSaysWhatItIs) {
  for_every_model([](const tactus_model& m, const char*) {
    EXPECT_EQ(m.abi_version, TACTUS_ABI_VERSION);
    EXPECT_EQ(m.size, sizeof(tactus_model));
    EXPECT_GT(std::string(m.about).size(), 10U);
  });
}

TEST(EveryModel, GivesEachVariableAUnitAndADescription) {
  for_every_model([](const tactus_model& m, const char* library) {
    const Instance it(library, m.name);
    std::set<std::string> names;
    EXPECT_FALSE(it.variables().empty());
    for (const auto& v : it.variables()) {
      EXPECT_TRUE(!v.unit.empty() || !v.labels.empty()) << v.name << ": a pure number has the unit 1";
      EXPECT_GT(v.about.size(), 4U) << v.name;
      EXPECT_NE(v.about.back(), '.') << v.name << ": one line, no full stop";
      EXPECT_TRUE(names.insert(v.name).second) << v.name << " twice";
    }
  });
}

TEST(EveryModel, InitializesWithItsDefaults) {
  for_every_model([](const tactus_model& m, const char* library) {
    Instance it(library, m.name);
    it.call_class(TACTUS_DEFAULT_DATA);
    EXPECT_NO_THROW(it.initialize());
  });
}

constexpr std::int64_t kStepNs = 97'000'000;  // far enough for the driving cycle to begin

// One call of everything, with inputs that move clutches and change gears now and then.
void step(Instance& it, int k) {
  for (const auto& v : it.variables()) {
    if (v.role != TACTUS_INPUT) continue;
    it.set(v.name, v.type == TACTUS_DOUBLE ? (k % 100 < 60 ? 0.95 : 0.3) + 0.001 * (k % 7) : k / 100 % 2);
  }
  for (const auto& j : it.jobs()) {
    if (!j.in_frames()) continue;
    const double dt = j.cycle_ns == 0 ? 1e-3 : 1e-9 * static_cast<double>(j.cycle_ns);
    it.call(j.name, k * kStepNs, dt, k);
  }
}

/// What live access lets in: the ends of the range; without one any number.
std::vector<double> values_at_the_edge(const model_host::Variable& v) {
  if (v.low && v.high) return {*v.low, *v.high};
  std::vector<double> labels;
  for (const auto& [name, value] : v.labels) labels.push_back(static_cast<double>(value));
  if (!labels.empty()) return labels;
  if (v.type == TACTUS_BOOL) return {0, 1};
  return {0, -1, v.type == TACTUS_INT32 ? std::numeric_limits<std::int32_t>::max() : 1e12};
}

TEST(EveryModel, DividesByNothingThatASetWhileItRunsMakesZero) {
  for_every_model([](const tactus_model& m, const char* library) {
    const bool late = m.name == std::string("late");
    const bool others = library == std::string("test_load") && !late;
    if (others) return;  // they break rules on purpose
    const Instance names(library, m.name);
    for (const auto& variable : names.variables()) {
      if (late && variable.name == "busy") continue;  // it would be busy for so long
      for (const double value : values_at_the_edge(variable)) {
        SCOPED_TRACE(variable.name + " = " + std::to_string(value));
        Instance it(library, m.name);
        it.call_class(TACTUS_DEFAULT_DATA);
        if (late) it.set("busy", 0);
        it.call_class(TACTUS_INITIALIZATION);
        std::feclearexcept(FE_ALL_EXCEPT);
        for (int k = 0; k < 20; ++k) {
          for (std::uint32_t i = 0; i < std::max(1U, variable.count); ++i) it.set(variable.name, value, i);
          for (const auto& j : it.jobs())
            if (j.in_frames()) (void)it.try_call(j.name, k * std::int64_t{97'000'000}, 0.01, k);
        }
        EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
      }
    }
  });
}

TEST(EveryModel, TheDriversClutchMayBeSetToCloseAtOneSpeed) {
  Instance driver("vehicle", "driver");
  driver.initialize();
  driver.set("slip_from", 90).set("slip_to", 90).set("engine_speed", 90);
  driver.call("step", 0, 0.01, 0);
  EXPECT_TRUE(std::isfinite(driver.get("clutch")));
}

TEST(EveryModel, SaysInWhichRangeItsParametersAre) {
  const Instance servo("servo", "dc_servo"), late("test_load", "late"), gearbox("vehicle", "gearbox");
  EXPECT_GT(servo.variable("resistance").low, 0);
  EXPECT_GT(servo.variable("inductance").low, 0);
  EXPECT_EQ(servo.variable("friction").low, 0);
  EXPECT_EQ(late.variable("every").low, 1);
  EXPECT_EQ(gearbox.variable("efficiency").high, 1);
  for_every_model([](const tactus_model& m, const char* library) {
    Instance it(library, m.name);
    for (const auto& v : it.variables())
      for (std::uint32_t i = 0; v.low && i < std::max(1U, v.count); ++i) {
        EXPECT_GE(it.get(v.name, i), *v.low) << v.name << ": what it begins with is in its range";
        EXPECT_LE(it.get(v.name, i), *v.high) << v.name;
      }
  });
}

// The models that break their promises on purpose are looked at elsewhere.
bool keeps_promises(const tactus_model& m, const char* library) {
  return library != std::string("test_load") || m.name == std::string("late");
}

/// Other values, all of them allowed: what depends on parameters has to notice.
void change_parameters(Instance& it) {
  for (const auto& v : it.variables()) {
    if (v.role != TACTUS_PARAMETER) continue;
    for (std::uint32_t i = 0; i < std::max(1U, v.count); ++i) {
      const double now = it.get(v.name, i);
      const bool labelled = !v.labels.empty();
      it.set(v.name,
             labelled                  ? static_cast<double>(v.labels.back().second)
             : v.type == TACTUS_DOUBLE ? 1.03 * now + (now == 0 ? 0.01 : 0)
                                       : now + 1,
             i);
    }
  }
}

enum class Into {
  fresh,              ///< a rig that was just made: --from
  fresh_and_changed,  ///< and whose file has other parameters than the checkpoint, which wins
  running,            ///< a rig that has run on with other parameters
};

void start(Instance& it) {
  it.call_class(TACTUS_DEFAULT_DATA);
  if (it.name() == "late") it.set("busy", 0).set("throws_at", 1e37).set("fails_at", 1e37);
  it.call_class(TACTUS_INITIALIZATION);
}

// What a model remembers without having declared it would be lost in a checkpoint, and survive a reset.
// So: run, keep, run on; put what was kept into another instance, run that on as far: not one bit may differ.
TEST(EveryModel, GoesOnFromWhatItDeclares) {
  for_every_model([](const tactus_model& m, const char* library) {
    if (!keeps_promises(m, library)) return;
    const bool late = m.name == std::string("late");
    for (const int kept : {0, 7, 105, 115, 205, 250}) {  // at rest, and in the middle of a change of gear
      for (const Into into : {Into::fresh, Into::fresh_and_changed, Into::running}) {
        SCOPED_TRACE("kept at " + std::to_string(kept) + ", into " + std::to_string(static_cast<int>(into)));
        Instance one(library, m.name, late ? "late" : "it"), two(library, m.name, late ? "late" : "it");
        if (into != Into::fresh && !late) change_parameters(one);
        start(one);
        start(two);
        EXPECT_EQ(one.restart_refusal(), "");
        for (int k = 0; k < kept; ++k) step(one, k);
        for (int k = 0; into == Into::running && k < 77; ++k) step(two, 3 * k);
        two.load(one.save(kept * kStepNs), kept * kStepNs);
        ASSERT_EQ(one.bits(), two.bits()) << "a restart job changed what was loaded";
        for (int k = kept; k < kept + 120; ++k) {
          step(one, k);
          step(two, k);
          if (late) one.set("burnt", 0), two.set("burnt", 0);  // real time, never twice the same
          if (one.bits() == two.bits()) continue;
          for (const auto& v : one.variables())
            EXPECT_EQ(std::memcmp(v.data, two.variable(v.name).data, v.bytes()), 0)
                << v.name << ", step " << k;
          FAIL();
        }
      }
    }
  });
}

// A reset: all variables as they were before the initialization jobs, the restart jobs, those again.
TEST(EveryModel, BeginsAnewAfterAReset) {
  for_every_model([](const tactus_model& m, const char* library) {
    if (!keeps_promises(m, library)) return;
    const bool late = m.name == std::string("late");
    Instance one(library, m.name, late ? "late" : "it"), two(library, m.name, late ? "late" : "it");
    one.call_class(TACTUS_DEFAULT_DATA);
    if (!late) change_parameters(one);
    if (late) one.set("busy", 0);
    const std::vector<unsigned char> initial = one.bits();
    one.call_class(TACTUS_INITIALIZATION);
    for (int k = 0; k < 150; ++k) step(one, k);
    one.load(initial);
    one.call_class(TACTUS_INITIALIZATION);
    if (!late) change_parameters(two);
    start(two);
    for (int k = 0; k < 150; ++k) {
      step(one, k);
      step(two, k);
      if (late) one.set("burnt", 0), two.set("burnt", 0);
      ASSERT_EQ(one.bits(), two.bits()) << "step " << k;
    }
  });
}

class EveryModelRt : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef TACTUS_COUNTS_HEAP
    GTEST_SKIP() << "the heap is not counted in this build";
#endif
  }
};

TEST_F(EveryModelRt, NeverTouchesTheHeapInAFrame) {
  std::size_t before = heap_calls();
  ::operator delete(::operator new(4));  // a plain `delete new int` may be optimized away
  ASSERT_EQ(heap_calls(), before + 1) << "the count counts";

  SmallRig servo(1'000'000), car(10'000'000);
  model_host::build_servo(servo);
  model_host::build_vehicle(car);
  servo.initialize();
  car.initialize();
  before = heap_calls();
  servo.run(1'000'000'000, [](std::int64_t) {});
  car.run(100'000'000'000, [](std::int64_t) {});
  EXPECT_EQ(heap_calls(), before);
}

TEST_F(EveryModelRt, NeverTouchesTheHeapAlone) {
  for_every_model([](const tactus_model& m, const char* library) {
    Instance it(library, m.name);
    if (m.name == std::string("late")) it.set("busy", 1e-6);
    it.initialize();
    const std::size_t before = heap_calls();
    for (int k = 0; k < 200; ++k) {
      for (const auto& j : it.jobs()) {
        if (!j.in_frames()) continue;
        const tactus_call call{k * std::int64_t{10'000'000}, k, 0.01};
        ASSERT_EQ(j.run(it.self(), &call), 0);
      }
    }
    EXPECT_EQ(heap_calls(), before);
  });
}

TEST_F(EveryModelRt, AllocatesWhenToldTo) {
  Instance it("test_load", "misbehave");
  it.set("what", "allocate").set("at_frame", 3).initialize();
  const tactus_job_function step = it.job("step").run;
  for (int frame = 0; frame < 5; ++frame) {
    const tactus_call call{0, frame, 1e-3};
    const std::size_t before = heap_calls();
    ASSERT_EQ(step(it.self(), &call), 0);
    EXPECT_EQ(heap_calls() - before, frame == 3 ? 1U : 0U) << frame;
  }
}

}  // namespace
