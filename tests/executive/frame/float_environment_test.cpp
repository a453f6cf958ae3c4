// SPDX-License-Identifier: Apache-2.0
// A job that changes how its thread computes changes no other job's numbers, and is named.
#include "rtsync/thread/float_environment.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::float_environment_test {
namespace {

using test::PlanFixture;

/// A product that each rounding mode rounds to another number.
double third() {
  volatile double one = 1, three = 3;
  return one / three;
}

struct Case {
  const char* name;
  void (*change)();
};

const Case kCases[] = {
    {"rounding", [] { (void)std::fesetround(FE_UPWARD); }},
#if defined(__x86_64__)
    {"trap", [] { (void)::feenableexcept(FE_DIVBYZERO); }},
    {"denormals", [] { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U); }},
    {"precision of the x87",
     [] {
       std::uint16_t word = 0x27F;
       asm volatile("fldcw %0" : : "m"(word));
     }},
#endif
};

TEST(FloatEnvironment, IsPutBackAfterEachJobInEveryPhaseAndTheJobIsNamed) {
  constexpr tactus_job_class kPhases[] = {TACTUS_DEFAULT_DATA, TACTUS_INITIALIZATION, TACTUS_TOP_OF_FRAME,
                                          TACTUS_SCHEDULED,    TACTUS_END_OF_FRAME,   TACTUS_SHUTDOWN};
  const rtsync::FloatEnvironmentGuard guard;
  const rtsync::FloatEnvironment before = rtsync::FloatEnvironment::of_this_thread();
  const double right = third();
  for (const Case& one : kCases) {
    PlanFixture bench;
    int wrong = 0;
    for (const tactus_job_class phase : kPhases) {
      bench.job("bad " + std::to_string(phase), phase, [&](const tactus_call&) { return one.change(), 0; })
          .phase = 1;
      bench.job("good " + std::to_string(phase), phase, [&](const tactus_call&) {
        if (!before.is_current() || third() != right) ++wrong;
        volatile double zero = 0;
        return 1 / zero > 0 ? 0 : 1;  // traps where it may
      });
    }
    EXPECT_EQ(bench.run(3).outcome, Outcome::completed) << one.name;
    EXPECT_EQ(wrong, 0) << one.name;
    const Program& program = bench.executive->program();
    for (std::uint32_t job = 0; job < program.plan().jobs.size(); ++job) {
      const PlannedJob& planned = program.plan().jobs[job];
      const bool once = planned.job_class == TACTUS_DEFAULT_DATA ||
                        planned.job_class == TACTUS_INITIALIZATION || planned.job_class == TACTUS_SHUTDOWN;
      EXPECT_EQ(program.promises().count(job, BrokenPromises::floating).calls,
                planned.name.starts_with("bad") ? (once ? 1U : 3U) : 0U)
          << one.name << ", " << planned.name;
    }
    EXPECT_TRUE(before.is_current()) << one.name;
  }
}

#if defined(__x86_64__)
TEST(FloatEnvironment, IsPutBackAfterAJobThatLoadsALibraryWhichComputesFast) {
  const rtsync::FloatEnvironment before = rtsync::FloatEnvironment::of_this_thread();
  PlanFixture bench;
  void* library = nullptr;
  bool is_other = false, is_kept = false;
  bench
      .job("bad", TACTUS_SCHEDULED,
           [&](const tactus_call&) {
             if (library == nullptr) {
               library = ::dlopen(TEST_LIBRARIES "/libfast_math.so", RTLD_NOW | RTLD_LOCAL);
               is_other = !before.is_current();
             }
             return 0;
           })
      .phase = 1;
  bench.job("good", TACTUS_SCHEDULED, [&](const tactus_call&) {
    is_kept = before.is_current();
    return 0;
  });
  EXPECT_EQ(bench.run(3).outcome, Outcome::completed);
  ASSERT_NE(library, nullptr);
  EXPECT_TRUE(is_other) << "-ffast-math, while it was loaded";
  EXPECT_TRUE(is_kept);
  EXPECT_EQ(bench.executive->program().promises().count(0, BrokenPromises::floating).calls, 1U);
  ::dlclose(library);
}
#endif

TEST(FloatEnvironment, FlagsThatACalculationRaisesAreNoChange) {
  const rtsync::FloatEnvironment before = rtsync::FloatEnvironment::of_this_thread();
  (void)third();
  EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
  EXPECT_TRUE(before.is_current());
}

TEST(FloatEnvironment, IsEachThreadsOwn) {
  const rtsync::FloatEnvironment before = rtsync::FloatEnvironment::of_this_thread();
  std::thread([&] {
    (void)std::fesetround(FE_DOWNWARD);
    EXPECT_FALSE(before.is_current());
  }).join();
  EXPECT_TRUE(before.is_current());
}

}  // namespace
}  // namespace tactus::executive::float_environment_test
