// What holds for every model in the box.
#include <gtest/gtest.h>

#include <cstring>
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
  EXPECT_EQ(models, 11);
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
      EXPECT_FALSE(v.unit.empty()) << v.name << ": a pure number has the unit 1";
      EXPECT_GT(v.about.size(), 4U) << v.name;
      EXPECT_NE(v.about.back(), '.') << v.name << ": one line, no full stop";
      EXPECT_TRUE(names.insert(v.name).second) << v.name << " twice";
    }
  });
}

TEST(EveryModel, InitializesWithItsDefaults) {
  for_every_model([](const tactus_model& m, const char* library) {
    Instance it(library, m.name);
    EXPECT_EQ(it.try_call("initialize"), 0) << it.failure();
  });
}

// One millisecond with inputs that move clutches and change gears now and then.
void step(Instance& it, int k) {
  for (const auto& v : it.variables()) {
    if (v.role != TACTUS_INPUT) continue;
    it.set(v.name, v.type == TACTUS_DOUBLE ? (k % 100 < 60 ? 0.95 : 0.3) + 0.001 * (k % 7) : k / 100 % 2);
  }
  for (const auto& j : it.jobs()) {
    if (j.job_class == TACTUS_INITIALIZATION) continue;
    const double dt = j.cycle_ns == 0 ? 1e-3 : 1e-9 * static_cast<double>(j.cycle_ns);
    it.call(j.name, k * std::int64_t{1'000'000}, dt, k);
  }
}

// tactus resets a rig by restoring variables; what a model remembers elsewhere would survive the reset. So:
// run, put all variables into a new instance, run both; they must go on in the same way.
TEST(EveryModel, RemembersOnlyWhatItDeclares) {
  for_every_model([](const tactus_model& m, const char* library) {
    if (m.name == std::string("misbehave")) return;
    for (const int kept : {7, 105, 115, 205, 250}) {  // at rest, and in the middle of a change of gear
      Instance one(library, m.name), two(library, m.name);
      for (Instance* it : {&one, &two}) {
        if (m.name == std::string("late")) it->set("busy", 0);
        it->initialize();
      }
      for (int k = 0; k < kept; ++k) step(one, k);
      for (std::size_t i = 0; i < one.variables().size(); ++i) {
        const auto& v = one.variables()[i];
        std::memcpy(two.variables()[i].data, v.data, v.size() * std::max(1U, v.count));
      }
      for (int k = kept; k < kept + 120; ++k) {
        step(one, k);
        step(two, k);
        for (const auto& v : one.variables()) {
          if (v.name == "burnt") continue;  // real time, never twice the same
          ASSERT_EQ(one.get(v.name), two.get(v.name)) << v.name << ", kept at " << kept << ", step " << k;
        }
      }
    }
  });
}

TEST(EveryModelRt, NeverTouchesTheHeapInAFrame) {
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

TEST(EveryModelRt, NeverTouchesTheHeapAlone) {
  for_every_model([](const tactus_model& m, const char* library) {
    Instance it(library, m.name);
    if (m.name == std::string("late")) it.set("busy", 1e-6);
    it.initialize();
    const std::size_t before = heap_calls();
    for (int k = 0; k < 200; ++k) {
      for (const auto& j : it.jobs()) {
        if (j.job_class == TACTUS_INITIALIZATION) continue;
        const tactus_call call{k * std::int64_t{10'000'000}, k, 0.01};
        ASSERT_EQ(j.run(it.self(), &call), 0);
      }
    }
    EXPECT_EQ(heap_calls(), before);
  });
}

TEST(EveryModelRt, AllocatesWhenToldTo) {
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
